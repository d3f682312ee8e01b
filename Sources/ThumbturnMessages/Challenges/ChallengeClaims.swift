public import ThumbturnCore

/// The claims of a challenge: HS256 under a secret of the server, readable by the device.
public struct ChallengeClaims: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
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
