import ThumbturnCore
import ThumbturnMessages

/// What the device reads of an ID token. It verifies no signature: the server judges the token, and these checks only
/// name a provider's mistake before that.
struct IDTokenClaims: Decodable {
    enum CodingKeys: String, CodingKey {
        case iss, nonce
        case authTime = "auth_time"
    }

    var iss: String
    var nonce: String?
    /// When the provider authenticated the person (OpenID Connect Core section 2).
    var authTime: IfReadable<NumericDate>?

    /// Throws `providerMismatch` for what is no ID token, or has no nonce or no demanded time; `foreignAnswer` for a token
    /// of another issuer or of another sign-in; `refused` for one of a person whom the provider did not ask.
    ///
    /// - Parameter freshSince: when the sign-in began; nil if the token may be of an earlier one.
    static func check(_ token: String, issuer: String, nonce: String, freshSince: UnixTime?) throws(Failure) {
        guard let jws = CompactJWS(token),
            let claims = try? StrictJSON.decodeIgnoringUnknown(IDTokenClaims.self, from: jws.payload)
        else { throw .provider("id_token") }
        guard claims.iss == issuer else { throw .foreign("iss") }
        guard let given = claims.nonce else { throw .provider("nonce") }
        guard given == nonce else { throw .foreign("nonce") }
        guard let freshSince else { return }
        guard let authTime = claims.authTime?.value?.time else { throw .provider("auth_time") }
        guard TokenExchange.isFresh(authTime, since: freshSince) else { throw .stale("auth_time") }
    }
}
