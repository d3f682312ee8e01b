#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnVerifier

/// The right to enrol one device: compact JWS, `typ: thumbturn-ticket+jwt`, HS256, bound to an account and a session key. It is
/// spent like a challenge.
struct Tickets {
    struct Claims: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case iss, sub, jti, exp, cnf }
        var iss: String
        var sub: String
        var jti: String
        var exp: UnixTime
        var cnf: Confirmation
    }

    private static let header = WireJSON.encode(["typ": "thumbturn-ticket+jwt", "alg": "HS256"])

    let issuer: String
    /// Never the bare secret: each use of it has its own derived key.
    private let key: SymmetricKey

    init(issuer: String, key: SymmetricKey) {
        self.issuer = issuer
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array("thumbturn ticket".utf8), outputByteCount: 32
        )
    }

    func issue(to account: AccountID, jkt: String, at now: UnixTime, lifetime: Duration) -> String {
        let claims = Claims(
            iss: issuer, sub: account.text, jti: Identifier<Claims>.random().text, exp: now + lifetime,
            cnf: Confirmation(jkt: jkt)
        )
        let input = CompactJWS.signingInput(header: Self.header, payload: WireJSON.encode(claims))
        let code = HMAC<SHA256>.authenticationCode(for: input, using: key)
        return CompactJWS.compact(signingInput: input, signature: Array(code))
    }

    /// The account of one of our own tickets for this session key, and what is spent with it.
    func verify(_ ticket: String, jkt: String, at now: UnixTime) throws(Refusal) -> (account: AccountID, spend: Spend) {
        guard let jws = CompactJWS(ticket), jws.header == Self.header else { throw .malformed }
        guard HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: key) else {
            throw .wrongSignature
        }
        let claims = try WireJSON.decode(Claims.self, from: jws.payload)
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard claims.cnf.jkt == jkt else { throw .foreignKey }
        guard now < claims.exp else { throw .expired }
        guard let account = AccountID(claims.sub), let id = Identifier<Claims>(claims.jti) else { throw .malformed }
        return (account, Spend(.ticket, id: id.bytes, expiresAt: claims.exp))
    }
}
#endif
