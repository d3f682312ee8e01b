#if Server
import ThumbturnCore
import ThumbturnMessages

/// `POST /v1/plain/devices`.
struct PlainEnrolRequest: Message, Redacted {
    enum CodingKeys: String, CodingKey, CaseIterable { case ticket, name, use, spki, signature }

    var ticket: String
    /// How the person will recognise it in the list of devices.
    var name: String
    /// Always `plain`: who sends it knows what it is good for.
    var use: DeviceUse
    /// The public key: PEM, or DER in base64.
    var spki: String
    /// The key's own signature for the ticket.
    var signature: String
}

/// The answer.
struct PlainEnrolAnswer: Message {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case userID = "user_id"
        case device, kid
    }

    /// The account's id: the `sub` of its tokens.
    var userID: String
    var device: String
    var kid: String
}

/// `POST /v1/plain/challenges`.
struct PlainChallengeRequest: Message {
    enum CodingKeys: String, CodingKey, CaseIterable { case userID = "user_id" }

    var userID: String
}

/// The answer.
struct PlainChallengeAnswer: Message {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case challengeID = "challenge_id"
        case challenge
        case expiresIn = "expires_in"
    }

    var challengeID: String
    var challenge: String
    var expiresIn: Int64
}

/// `POST /v1/plain/sign-in`.
struct PlainSignInRequest: Message, Redacted {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case userID = "user_id"
        case challengeID = "challenge_id"
        case signature
    }

    var userID: String
    var challengeID: String
    var signature: String
}

/// The answer, as of RFC 6749 section 5.1.
struct PlainTokenAnswer: Message, Redacted {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }

    var accessToken: String
    var tokenType = "Bearer"
    var expiresIn: Int64
}
#endif
