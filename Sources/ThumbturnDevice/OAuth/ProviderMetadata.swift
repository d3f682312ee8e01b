import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a provider publishes about itself (OpenID Connect Discovery section 3, RFC 8414 section 2), as far as a sign-in
/// needs it.
struct ProviderMetadata {
    /// The provider's name for itself, byte for byte.
    let issuer: String
    let authorizationEndpoint: URLComponents
    let tokenEndpoint: String
    /// Whether every answer through the browser names the provider (RFC 9207).
    let namesItself: Bool

    /// The places of the metadata: OpenID's, and the one that RFC 8414 section 3 puts between the host and the path.
    static func addresses(of issuer: String) -> [String] {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var addresses = ["\(base)/.well-known/openid-configuration"]
        if var parts = URLComponents(string: base) {
            parts.percentEncodedPath = "/.well-known/oauth-authorization-server" + parts.percentEncodedPath
            addresses += parts.string.map { [$0] } ?? []
        }
        return addresses
    }

    /// Throws `providerMismatch` for metadata of another issuer, without https, or of a provider that knows no S256.
    init(_ json: [UInt8], of issuer: String) throws(Failure) {
        guard let read = try? StrictJSON.decodeIgnoringUnknown(Members.self, from: json) else { throw .provider("metadata") }
        guard read.issuer == issuer else { throw .provider("issuer") }
        // A provider that does not tell its methods may well have this one, and refuses the request otherwise.
        guard read.codeChallengeMethods?.contains("S256") ?? true else { throw .provider("code_challenge_methods_supported") }
        guard let page = URLComponents(string: read.authorizationEndpoint), page.isSecureServer else {
            throw .provider("authorization_endpoint")
        }
        guard let token = URLComponents(string: read.tokenEndpoint), token.isSecureServer else {
            throw .provider("token_endpoint")
        }
        self.issuer = issuer
        authorizationEndpoint = page
        tokenEndpoint = read.tokenEndpoint
        namesItself = read.namesItself ?? false
    }

    private struct Members: Decodable {
        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case codeChallengeMethods = "code_challenge_methods_supported"
            case namesItself = "authorization_response_iss_parameter_supported"
        }

        var issuer: String
        var authorizationEndpoint: String
        var tokenEndpoint: String
        var codeChallengeMethods: [String]?
        var namesItself: Bool?
    }
}
