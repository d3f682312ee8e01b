public import ThumbturnCore

/// `POST /v1/challenges`: asks for something to sign.
public struct ChallengeRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case purpose, act, kids, jkt
    }

    /// What the challenge may be spent on.
    public var purpose: Purpose
    /// Of purposes `manage` and `step-up` alone: the one change or action that it may be spent on; see `KeyChange` and `StepUpAction`.
    public var act: String?
    /// The keys that may answer, 1 to 4. The server echoes them without looking, so nothing can be found out by asking. Where a PIN
    /// key is new, `pin` stands for it, and the server puts a new random handle in its place. Of a change that brings a key the
    /// first is the new key.
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
