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
    let issuer = "https://id.example.com"
    /// The issuer's public keys by their `kid`, from its `/.well-known/jwks.json`.
    var keys: [String: VerifyingKey]

    func token(of request: SignedRequest, at now: UnixTime) throws -> AccessToken {
        try AccessToken(request.token, keys: keys, issuer: issuer, audience: issuer, at: now)
    }
}
