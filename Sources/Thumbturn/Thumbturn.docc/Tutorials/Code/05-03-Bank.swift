import ThumbturnCore
import ThumbturnVerifier

/// What a request of the app brings to your own service.
struct SignedRequest {
    var method: String
    /// The full address, as the app sees it.
    var uri: String
    var body: [UInt8]
    /// The header `Authorization`, without the word DPoP.
    var token: String
    /// The header `DPoP`: this device's signature over the rest.
    var proof: String
}

struct Bank {
    struct Refused: Error {}

    let issuer = "https://id.example.com"
    /// The issuer's public keys by their `kid`, from its `/.well-known/jwks.json`.
    var keys: [String: VerifyingKey]
    /// Whether a nonce is one that this service sent within the last minute.
    var isLive: @Sendable (String) -> Bool
    /// Notes that a proof was used, and says whether it was new.
    var use: ([UInt8]) -> Bool

    /// The account that signed a request.
    func account(of request: SignedRequest, at now: UnixTime) throws -> String {
        let token = try token(of: request, at: now)
        let signed = DPoPProof.Request(
            method: request.method, uri: request.uri, accessToken: request.token, body: request.body)
        let proof = try DPoPProof(request.proof, for: signed, fresh: .nonce(isLive: isLive))
        guard proof.jkt == token.claims.cnf.jkt, use(proof.replayKey) else { throw Refused() }
        return token.claims.sub
    }

    func token(of request: SignedRequest, at now: UnixTime) throws -> AccessToken {
        try AccessToken(request.token, keys: keys, issuer: issuer, audience: issuer, at: now)
    }
}
