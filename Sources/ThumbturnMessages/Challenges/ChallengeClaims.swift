public import ThumbturnCore

/// The claims of a challenge: HS256 under a secret of the server, readable by the device.
public struct ChallengeClaims: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        // In the order of the sorted text, so that the encoder does not have to sort.
        case act, aud, cnf, demand, exp, iat, iss, jti, kids, purpose, txn
    }

    /// The header `typ`.
    public static let type = "thumbturn-challenge+jwt"

    /// The server's public address.
    public var iss: String
    /// The audience: the same server.
    public var aud: String
    /// The id that is consumed: 128 random bits in base64url, perhaps with four bytes before them.
    public var jti: String
    /// When it was created, by the server's clock.
    public var iat: UnixTime
    /// The first second at which it is expired; see `Purpose.lifetime`.
    public var exp: UnixTime
    /// The ids of the keys that may answer, as requested; the new PIN key's handle in the place of `pin`.
    public var kids: [String]
    /// The session key that must redeem the answer.
    public var cnf: KeyConfirmation
    /// The purpose that it may be consumed for.
    public var purpose: Purpose
    /// With the purposes `manage` and `step-up`: the change or the action that it is for. With `approve`: the
    /// approval's id.
    public var act: String?
    /// Only with the purpose `approve`: the transaction, base64url of exactly its bytes in JSON, at most 4 KiB.
    public var txn: String?
    /// Only with the purpose `approve`: the signatures and evidence needed.
    public var demand: ApprovalDemand?

    /// All claims.
    public init(
        iss: String, aud: String, jti: String, iat: UnixTime, exp: UnixTime, kids: [String], cnf: KeyConfirmation,
        purpose: Purpose,
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
