#if Server
import ThumbturnCore
import ThumbturnMessages

/// The body of `POST /v1/plain/devices`.
struct PlainEnrolRequest: Message, Redacted {
    enum CodingKeys: String, CodingKey, CaseIterable { case ticket, name, use, spki, signature, format }

    var ticket: String
    /// The name by which the person recognises the device in lists.
    var name: String
    /// Always `plain`, so that a client states that it wants such a key.
    var use: DeviceUse
    /// The public key: PEM, or DER in base64.
    var spki: String
    /// The key's own signature over the ticket.
    var signature: String
    /// How the client signs; nil for `PlainFormat.digits`.
    var format: PlainFormat?
}

/// The answer of `POST /v1/plain/devices`.
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

/// The body of `POST /v1/plain/challenges`.
package struct PlainChallengeRequest: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable { case userID = "user_id" }

    package var userID: String

    package init(userID: String) { self.userID = userID }
}

/// The answer of `POST /v1/plain/challenges`.
package struct PlainChallengeAnswer: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case challengeID = "challenge_id"
        case challenge
        case expiresIn = "expires_in"
    }

    package var challengeID: String
    package var challenge: String
    package var expiresIn: Int64
}

/// The body of `POST /v1/plain/sign-in`.
package struct PlainSignInRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case userID = "user_id"
        case challengeID = "challenge_id"
        case signature
    }

    package var userID: String
    package var challengeID: String
    package var signature: String

    package init(userID: String, challengeID: String, signature: String) {
        self.userID = userID
        self.challengeID = challengeID
        self.signature = signature
    }
}

/// The answer of `POST /v1/plain/sign-in` (RFC 6749 section 5.1).
package struct PlainTokenAnswer: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }

    package var accessToken: String
    package var tokenType = "Bearer"
    package var expiresIn: Int64
}
#endif
