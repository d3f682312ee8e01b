#if Server
import Crypto
import Foundation
package import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Enrolment tickets: the right to enrol one device or to open one visit, as a compact JWS (`typ: thumbturn-ticket+jwt`, HS256) bound to an
/// account and a session key. A ticket is consumed like a challenge.
package struct Tickets {
    struct Claims: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case iss, sub, jti, exp, cnf, sid, gen, freshness, amr, at }
        var iss: String
        var sub: String
        var jti: String
        var exp: UnixTime
        var cnf: KeyConfirmation
        /// The session of the vouching device; nil if the person signed in with full credentials.
        var sid: String?
        /// The account's `credentialGeneration`.
        var gen: Int64
        /// A ticket without it is refused, so that forgetting it gives nothing.
        var freshness: SignInFreshness
        /// How the person was verified; nil for a ticket that opens no session.
        var amr: [String]?
        /// When the person was verified.
        var at: UnixTime?
    }

    /// The full credentials that a person signed in with.
    package struct Credentials: Hashable, Sendable {
        /// How they verified the person (RFC 8176).
        package var methods: [String]
        package var verifiedAt: UnixTime
    }

    /// The right that a ticket gives.
    package struct Right: Sendable {
        package var account: AccountID
        package var spend: Spend
        /// The session of the vouching device, which must still be live when the ticket is consumed; nil after full credentials.
        package var voucher: SessionID?
        /// Whether the person was verified for the sign-in that the ticket was issued for.
        package var freshness: SignInFreshness
        /// The account's `credentialGeneration` when the ticket was issued. The ticket is void if it has grown since.
        package var credentialGeneration: Int64
        /// The credentials of which a visit may be opened. Nil where a device vouches, and for the ticket of a visit:
        /// otherwise one sign-in would open sessions without end.
        package var credentials: Credentials?

        package init(
            account: AccountID, spend: Spend, voucher: SessionID?, freshness: SignInFreshness, credentialGeneration: Int64 = 0,
            credentials: Credentials? = nil
        ) {
            self.account = account
            self.spend = spend
            self.voucher = voucher
            self.freshness = freshness
            self.credentialGeneration = credentialGeneration
            self.credentials = credentials
        }
    }

    private static let header = WireJSON.encode(["typ": "thumbturn-ticket+jwt", "alg": "HS256"])

    let issuer: String
    /// The epoch in which these tickets are consumed.
    let epoch: Int64
    /// Derived from the secret, because each use of the secret has a key of its own.
    private let key: SymmetricKey

    init(issuer: String, epoch: Int64, secret: SymmetricKey) {
        self.issuer = issuer
        self.epoch = epoch
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Array("thumbturn ticket".utf8), outputByteCount: 32
        )
    }

    func issue(
        to account: AccountID, generation: Int64, jkt: String, freshness: SignInFreshness,
        credentials: [String]? = nil, voucher: SessionID? = nil, at now: UnixTime, lifetime: Duration
    ) -> String {
        let claims = Claims(
            iss: issuer, sub: account.text, jti: Identifier<Claims>.random().text, exp: now + lifetime,
            cnf: KeyConfirmation(jkt: jkt), sid: voucher?.text, gen: generation, freshness: freshness, amr: credentials,
            at: credentials.map { _ in now }
        )
        let input = CompactJWS.signingInput(header: Self.header, payload: WireJSON.encode(claims))
        let code = HMAC<SHA256>.authenticationCode(for: input, using: key)
        return CompactJWS.compact(signingInput: input, signature: Array(code))
    }

    /// Verifies a ticket for this session key.
    func verify(_ ticket: String, jkt: String, at now: UnixTime) throws(VerificationError) -> Right {
        guard let jws = CompactJWS(ticket), jws.header == Self.header else { throw .malformed }
        guard HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: key) else {
            throw .wrongSignature
        }
        let claims = try WireJSON.decode(Claims.self, from: jws.payload)
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard claims.cnf.jkt == jkt else { throw .foreignKey }
        guard now < claims.exp else { throw .expired }
        guard let account = AccountID(claims.sub), let id = Identifier<Claims>(claims.jti) else { throw .malformed }
        let voucher = claims.sid.flatMap { SessionID($0) }
        guard (voucher == nil) == (claims.sid == nil) else { throw .malformed }
        let spend = Spend(.ticket, id: id.bytes, expiresAt: claims.exp, epoch: epoch)
        var right = Right(
            account: account, spend: spend, voucher: voucher, freshness: claims.freshness, credentialGeneration: claims.gen)
        if let methods = claims.amr, let verifiedAt = claims.at {
            right.credentials = Credentials(methods: methods, verifiedAt: verifiedAt)
        }
        return right
    }
}
#endif
