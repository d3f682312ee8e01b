import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A provider's answer to an authorization request, which was checked to be for this sign-in and from this provider.
struct AuthorizationAnswer {
    let code: String
    let redirectURI: String

    /// The order matters: an answer of another sign-in or of another provider (a mix-up, RFC 9207 section 2.4) is refused
    /// before its code or its error means anything.
    init(_ answer: URL, to page: SignInPage, of provider: ProviderMetadata) throws(Failure) {
        guard let redirectURI = page.redirectURI(of: answer) else { throw .foreign("redirect_uri") }
        guard let fields = page.fields(of: answer), fields["state"] == page.state else { throw .foreign("state") }
        guard fields["iss"] == provider.issuer || (fields["iss"] == nil && !provider.namesItself) else {
            throw .foreign("iss")
        }
        if let error = fields["error"] { throw Failure(oauth: error) }
        guard let code = fields["code"], EchoedText.isOpaqueToken(code) else { throw .provider("code") }
        self.code = code
        self.redirectURI = redirectURI
    }
}
