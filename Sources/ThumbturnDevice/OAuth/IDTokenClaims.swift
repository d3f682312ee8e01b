import ThumbturnCore
import ThumbturnMessages

/// What the device reads of an ID token. It verifies no signature: the server judges the token, and these checks only
/// name a provider's mistake before that.
struct IDTokenClaims: Decodable {
    var iss: String
    var nonce: String?

    /// Throws `providerMismatch` for what is no ID token or names no nonce, and `foreignAnswer` for a token of another
    /// issuer or of another sign-in.
    static func check(_ token: String, issuer: String, nonce: String) throws(Failure) {
        guard let jws = CompactJWS(token),
            let claims = try? StrictJSON.decodeIgnoringUnknown(IDTokenClaims.self, from: jws.payload)
        else { throw .provider("id_token") }
        guard claims.iss == issuer else { throw .foreign("iss") }
        guard let given = claims.nonce else { throw .provider("nonce") }
        guard given == nonce else { throw .foreign("nonce") }
    }
}
