public import ThumbturnCore

/// `POST /v1/challenges`: asks for a challenge to sign.
public struct ChallengeRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case purpose, act, kids, jkt
    }

    /// The purpose of the challenge.
    public var purpose: Purpose
    /// Only with the purposes `manage` and `step-up`: the change or the action that the challenge is for; see
    /// `KeyChange` and `StepUpAction`.
    public var act: String?
    /// The ids of the keys that may answer, 1 to 4. The server echoes them without looking them up, so a caller learns
    /// nothing by asking. A new PIN key is named `pin`, and the server replaces that by a new random handle. In a
    /// change that brings a key, the new key is the first.
    public var kids: [String]
    /// The thumbprint of the device's session key.
    public var jkt: String

    /// A request for a challenge.
    public init(purpose: Purpose, act: String? = nil, kids: [String], jkt: String) {
        self.purpose = purpose
        self.act = act
        self.kids = kids
        self.jkt = jkt
    }
}

/// The answer, with the header `DPoP-Nonce` beside it.
public struct ChallengeAnswer: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case challenge
        case expiresIn = "expires_in"
    }

    /// A compact JWS of type `thumbturn-challenge+jwt`. The device signs this string exactly as received.
    public var challenge: String
    /// Seconds from now.
    public var expiresIn: Int64

    /// The answer to a request.
    public init(challenge: String, expiresIn: Int64) {
        self.challenge = challenge
        self.expiresIn = expiresIn
    }
}
