#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// A key that asks to be enrolled. Its proof is read and not verified.
struct RegisteredKey {
    var kind: KeyKind
    var key: VerifyingKey
    /// The thumbprint; of a PIN key the handle that its proof names.
    var kid: String
    var proof: UnverifiedProof?

    init(_ registration: KeyRegistration) throws {
        kind = registration.kind
        key = try Self.publicKey(registration)
        proof = try registration.proof.map { try UnverifiedProof($0) }
        guard kind == .pin else {
            kid = key.thumbprint
            return
        }
        // A PIN key's id must not be derived from the key: it is a handle that we made, and without its own proof it has none.
        guard let proof, PINHandle.isHandle(proof.kid) else { throw VerificationError.unknownKey }
        kid = proof.kid
    }

    private static func publicKey(_ registration: KeyRegistration) throws -> VerifyingKey {
        switch (registration.jwk, registration.spki, registration.x963) {
        case (let jwk?, nil, nil): return try VerifyingKey(jwk: jwk)
        case (nil, let spki?, nil): return try VerifyingKey(spki: spki)
        case (nil, nil, let point?):
            guard let bytes = Base64URL.decode(point) else { throw VerificationError.unacceptableKey }
            return try VerifyingKey(x963: bytes)
        default: throw VerificationError.unacceptableKey
        }
    }
}
#endif
