#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension EmbeddedServer {
    /// Makes a new key for access tokens. Running servers read it within a minute, and it signs after ten minutes.
    public func rotateTokenKey() async throws { try await service.secrets.rotateTokenKey() }

    /// Revokes a key of access tokens, for example because its private half has leaked. Running servers refuse its tokens
    /// from now on and drop it from the key set; if it was the signing one, a new key signs at once. Servers that keep a
    /// copy of the key set accept its tokens until they fetch it again.
    ///
    /// - Throws: `SetupError.tokenKeyUnknown` if there is no key of this id.
    public func revokeTokenKey(_ kid: String) async throws { try await service.secrets.revoke(kid) }

    /// The keys of access tokens, newest first, each with its state: `waiting` to sign, `signing`, `staying` until its
    /// last token has expired, `retired`, or `revoked`.
    public func tokenKeys() async throws -> [(kid: String, state: String)] {
        let tokens = service.secrets.current.tokens
        let signing = tokens.signing(at: service.time.now)
        return tokens.keys.map { key in
            let state =
                key.secret == signing.secret
                ? "signing" : !key.isFormer && key.createdAt > signing.createdAt ? "waiting" : "staying"
            return (key.signer.kid, state)
        } + (try await service.store.retiredKeys().map { ($0.kid, $0.isRevoked ? "revoked" : "retired") })
    }

    /// All public keys of access tokens, retired ones included, as a JWK set, to verify old receipts.
    ///
    /// - Parameter withRevoked: whether revoked keys are included. An attacker who has such a key can sign receipts of any time.
    public func archivedJWKS(withRevoked: Bool = false) async throws -> String {
        let retired = try await service.store.retiredKeys().filter { withRevoked || !$0.isRevoked }.map { key in
            JWK(x: Array(key.x963[1..<33]), y: Array(key.x963[33...]), kid: key.kid, use: "sig", alg: "ES256")
        }
        let live = service.secrets.current.jwks(at: service.time.now).keys
        return String(decoding: WireJSON.encode(JWKS(keys: live + retired)), as: UTF8.self)
    }
}
#endif
