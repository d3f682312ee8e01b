import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Why something was refused, or nil where it was accepted.
func refusal(_ work: () throws -> Void) -> VerificationError? {
    do {
        try work()
        return nil
    } catch {
        return error as? VerificationError
    }
}

let now = UnixTime(seconds: 1_800_000_000)

/// A key of our own for tests, with its public half as the verifier sees it.
struct TestKey {
    let key = P256.Signing.PrivateKey()
    var jwk: JWK { JWK(x963: Array(key.publicKey.x963Representation))! }
    var verifying: VerifyingKey { try! VerifyingKey(jwk: jwk) }

    /// A compact JWS with any header and payload.
    func sign(header: String, payload: String) -> String {
        let input = CompactJWS.signingInput(header: Array(header.utf8), payload: Array(payload.utf8))
        let signature = try! key.signature(for: input).rawRepresentation
        return CompactJWS.compact(signingInput: input, signature: Array(signature))
    }
}
