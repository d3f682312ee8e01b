#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension EmbeddedServer {
    /// Makes a new key for access tokens. Running servers read it within a minute, and it signs after ten minutes.
    public func rotateTokenKey() async throws { try await service.secrets.rotateTokenKey() }

    /// The keys of access tokens, newest first, each with its state: `waiting` to sign, `signing`, `staying` until its
    /// last token has expired, or `retired`.
    public func tokenKeys() async throws -> [(kid: String, state: String)] {
        let tokens = service.secrets.current.tokens
        let signing = tokens.signing(at: service.time.now)
        return tokens.keys.map { key in
            let state =
                key.secret == signing.secret ? "signing" : key.createdAt > signing.createdAt ? "waiting" : "staying"
            return (key.signer.kid, state)
        } + (try await service.store.retiredKeys().map { ($0.kid, "retired") })
    }

    /// All public keys of access tokens, retired ones included, as a JWK set.
    public func archivedJWKS() async throws -> String {
        let retired = try await service.store.retiredKeys().map { key in
            JWK(x: Array(key.x963[1..<33]), y: Array(key.x963[33...]), kid: key.kid, use: "sig", alg: "ES256")
        }
        let live = service.secrets.current.jwks(at: service.time.now).keys
        return String(decoding: WireJSON.encode(JWKS(keys: live + retired)), as: UTF8.self)
    }
}
#endif
