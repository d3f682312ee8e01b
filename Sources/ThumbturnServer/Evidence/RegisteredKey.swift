#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// A key that is to be registered, with its parsed proof. The proof's signature has not been checked.
struct RegisteredKey: Sendable {
    var kind: KeyKind
    var key: VerifyingKey
    /// The key's id: its thumbprint or, for a PIN key, the handle that its proof names.
    var kid: String
    var proof: UnverifiedProof?

    init(_ registration: KeyRegistration) throws(VerificationError) {
        kind = registration.kind
        key = try Self.publicKey(registration)
        proof = if let text = registration.proof { try UnverifiedProof(text) } else { nil }
        guard kind == .pin else {
            kid = key.thumbprint
            return
        }
        // A PIN key's id must not be derived from the key. It is a handle that the server made, and the proof names it.
        guard let proof, PINHandle.isHandle(proof.kid) else { throw .unknownKey }
        kid = proof.kid
    }

    private static func publicKey(_ registration: KeyRegistration) throws(VerificationError) -> VerifyingKey {
        switch (registration.jwk, registration.spki, registration.x963) {
        case (let jwk?, nil, nil): return try VerifyingKey(jwk: jwk)
        case (nil, let spki?, nil): return try VerifyingKey(spki: spki)
        case (nil, nil, let point?):
            guard let bytes = Base64URL.decode(point) else { throw .unacceptableKey }
            return try VerifyingKey(x963: bytes)
        default: throw .unacceptableKey
        }
    }
}
#endif
