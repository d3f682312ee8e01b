/// What a challenge may be spent on. Purposes never mix.
public enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
    case signIn = "sign-in"
    case enrol
    /// A change of the keys of an enrolled device; `act` says which.
    case manage
    /// A proof of presence for one action; `act` says which. See `StepUpAction`.
    case stepUp = "step-up"
    /// The approval of one transaction; `act` is the approval's id, and `txn` the transaction. See `ApprovalTransaction`.
    case approve

    /// The longest that a challenge for it lives.
    public var lifetime: Duration {
        switch self {
        case .signIn, .enrol, .manage: .seconds(300)
        case .stepUp, .approve: .seconds(120)
        }
    }
}

/// `POST /v1/challenges`: asks for something to sign.
public struct ChallengeRequest: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
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
    public enum CodingKeys: String, CodingKey, CaseIterable {
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

/// The claims of a challenge: HS256 under a secret of the server, readable by the device.
public struct ChallengeClaims: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        // As they are sorted on the way.
        case act, aud, cnf, demand, exp, iat, iss, jti, kids, purpose, txn
    }

    /// The header `typ`.
    public static let type = "thumbturn-challenge+jwt"

    /// The server's public address.
    public var iss: String
    /// Who may take the challenge: the same server.
    public var aud: String
    /// 128 random bits in base64url, perhaps with four bytes before them: what is spent.
    public var jti: String
    /// When it was made, by the server's clock.
    public var iat: UnixTime
    /// The first second at which it is no longer taken; see `Purpose.lifetime`.
    public var exp: UnixTime
    /// The keys that may answer, as they were asked for; for `pin` there stands the PIN key's new handle.
    public var kids: [String]
    /// The session key that must redeem the answer.
    public var cnf: Confirmation
    /// What it may be spent on.
    public var purpose: Purpose
    /// Of purposes `manage` and `step-up`: the one change or action that it may be spent on. Of `approve`: the approval's id.
    public var act: String?
    /// Of purpose `approve` alone: the transaction, base64url of exactly its bytes in JSON, at most 4 KiB.
    public var txn: String?
    /// Of purpose `approve` alone: what has to answer.
    public var demand: ApprovalDemand?

    /// All claims.
    public init(
        iss: String, aud: String, jti: String, iat: UnixTime, exp: UnixTime, kids: [String], cnf: Confirmation, purpose: Purpose,
        act: String? = nil, txn: String? = nil, demand: ApprovalDemand? = nil
    ) {
        self.iss = iss
        self.aud = aud
        self.jti = jti
        self.iat = iat
        self.exp = exp
        self.kids = kids
        self.cnf = cnf
        self.purpose = purpose
        self.act = act
        self.txn = txn
        self.demand = demand
    }
}

/// The claim `cnf` with the thumbprint of the session key (RFC 7800, RFC 9449 section 6.1).
public struct Confirmation: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case jkt }

    /// The key's RFC 7638 thumbprint.
    public var jkt: String

    /// A confirmation of one key.
    public init(jkt: String) {
        self.jkt = jkt
    }
}

/// The header of a proof: a compact JWS, ES256, whose payload is the challenge string exactly as received.
public struct ProofHeader: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }

    /// The header `typ`.
    public static let type = "thumbturn-proof+jwt"

    /// `thumbturn-proof+jwt`.
    public var typ: String
    /// `ES256`.
    public var alg: String
    /// The key that signed.
    public var kid: String

    /// The header of a proof by this key.
    public init(kid: String) {
        typ = Self.type
        alg = "ES256"
        self.kid = kid
    }
}
