#if Server
import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The tokens beside the credentials that TPMs open, each a compact JWS (`typ: thumbturn-tpm-activation+jwt`, HS256). A token
/// holds what the answer has to agree with, so that the server keeps nothing of a credential that a stranger asked for. It is
/// bound to a session key, and is consumed with the enrolment or the change of keys that brings the evidence.
struct TPMActivations {
    private struct Claims: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case iss, jti, exp, cnf, expected }
        var iss: String
        var jti: String
        var exp: UnixTime
        var cnf: KeyConfirmation
        /// The digest of the credential's expectation. It tells nothing about the secret, which is 256 random bits.
        var expected: String
    }

    /// A credential that may have been opened.
    struct Activation: Sendable {
        var expectation: TPMCredential.Expectation
        /// The thumbprint of the session key that asked for it.
        var jkt: String
        var spend: Spend
    }

    /// As long as the challenge of purpose `enrol` that the evidence is bound to.
    static let lifetime = Duration.seconds(300)
    private static let header = WireJSON.encode(["typ": "thumbturn-tpm-activation+jwt", "alg": "HS256"])

    private let issuer: String
    /// The epoch in which these tokens are consumed.
    private let epoch: Int64
    /// Derived from the secret, because each use of the secret has a key of its own.
    private let key: SymmetricKey

    init(issuer: String, epoch: Int64, secret: SymmetricKey) {
        self.issuer = issuer
        self.epoch = epoch
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Array("thumbturn tpm activation".utf8), outputByteCount: 32)
    }

    func issue(_ expectation: TPMCredential.Expectation, jkt: String, at now: UnixTime) -> String {
        let claims = Claims(
            iss: issuer, jti: Identifier<Claims>.random().text, exp: now + Self.lifetime, cnf: KeyConfirmation(jkt: jkt),
            expected: Base64URL.encode(expectation.digest))
        let input = CompactJWS.signingInput(header: Self.header, payload: WireJSON.encode(claims))
        let code = HMAC<SHA256>.authenticationCode(for: input, using: key)
        return CompactJWS.compact(signingInput: input, signature: Array(code))
    }

    func verify(_ token: String, at now: UnixTime) throws(VerificationError) -> Activation {
        guard let jws = CompactJWS(token), jws.header == Self.header else { throw .malformed }
        guard HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: key) else {
            throw .wrongSignature
        }
        let claims = try WireJSON.decode(Claims.self, from: jws.payload)
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard now < claims.exp else { throw .expired }
        guard let id = Identifier<Claims>(claims.jti),
            let expectation = Base64URL.decode(claims.expected).flatMap(TPMCredential.Expectation.init(digest:))
        else { throw .malformed }
        return Activation(
            expectation: expectation, jkt: claims.cnf.jkt,
            spend: Spend(.tpmActivation, id: id.bytes, expiresAt: claims.exp, epoch: epoch))
    }
}
#endif
