#if Server
import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The challenges for plain clients.
///
/// The id of such a challenge is a compact JWS, HS256. Its key, its type and its `Spend.Use` are its own, so that it is
/// never accepted as a challenge of another kind, nor another challenge in its place. The server stores nothing until a
/// challenge is answered.
struct PlainChallenges {
    /// A verified challenge, against which an answer is judged.
    struct Asked {
        var account: AccountID
        var challenge: String
        var spend: Spend
    }

    private struct Claims: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case iss, sub, jti, exp }
        var iss: String
        var sub: String
        var jti: String
        var exp: UnixTime
    }

    private static let header = WireJSON.encode(["typ": "thumbturn-plain-challenge+jwt", "alg": "HS256"])
    /// How long a challenge is valid. The time is short because an app signs at once.
    static let lifetime = Duration.seconds(120)

    private let issuer: String
    private let key: SymmetricKey
    /// The epoch in which these challenges are consumed.
    private let epoch: Int64

    init(issuer: String, epoch: Int64, secret: SymmetricKey) {
        self.issuer = issuer
        self.epoch = epoch
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Array("thumbturn plain challenge".utf8), outputByteCount: 32
        )
    }

    /// Issues a challenge for an account, which need not exist.
    func issue(to account: AccountID, at now: UnixTime) -> (id: String, challenge: String) {
        let claims = Claims(
            iss: issuer, sub: account.text, jti: Identifier<Claims>.random().text, exp: now + Self.lifetime
        )
        let input = CompactJWS.signingInput(header: Self.header, payload: WireJSON.encode(claims))
        let code = HMAC<SHA256>.authenticationCode(for: input, using: key)
        let id = CompactJWS.compact(signingInput: input, signature: Array(code))
        return (id, challenge(of: id))
    }

    /// Verifies the id of a challenge.
    func verify(_ id: String, at now: UnixTime) throws(VerificationError) -> Asked {
        guard let jws = CompactJWS(id), jws.header == Self.header else { throw .malformed }
        guard HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: key) else {
            throw .wrongSignature
        }
        let claims = try WireJSON.decode(Claims.self, from: jws.payload)
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard now < claims.exp else { throw .expired }
        guard let account = AccountID(claims.sub), let jti = Identifier<Claims>(claims.jti) else { throw .malformed }
        let spend = Spend(.plainChallenge, id: jti.bytes, expiresAt: claims.exp, epoch: epoch)
        return Asked(account: account, challenge: challenge(of: id), spend: spend)
    }

    /// The challenge of an id: a MAC that only the server can compute. It has no dots, so it cannot be taken for a
    /// ticket.
    private func challenge(of id: String) -> String {
        Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Array("challenge \(id)".utf8), using: key))
    }
}
#endif
