#if Tools
import ArgumentParser
import Foundation
import Thumbturn

/// The options of a sign-in at the app's own OpenID provider.
struct ProviderOptions: ParsableArguments {
    @Option(help: "The app's own OpenID provider, exactly as its metadata names it.")
    var issuer: String?

    @Option(help: "The app's id at the provider.")
    var clientId: String?

    @Option(help: "A scope to ask the provider for, besides openid.")
    var scope: [String] = []

    @Option(help: "The path on 127.0.0.1 that is registered as the redirect.")
    var redirectPath = "/"

    func validate() throws {
        guard (issuer == nil) == (clientId == nil) else { throw ValidationError("--issuer and --client-id belong together.") }
    }

    /// The sign-in, by the system's browser. The page's address is printed too, for a terminal without a browser.
    func signIn(on platform: DevicePlatform) throws -> OAuthSignIn {
        guard let issuer = issuer.flatMap(URL.init(string:)), let clientId else {
            throw ValidationError("--issuer must be an address, for example https://id.example.")
        }
        #if os(Linux)
        let browser = LoopbackBrowser { (url) async in
            FileHandle.standardError.write(Data("Sign in on this page: \(url.absoluteString)\n".utf8))
            // Without a browser the person opens the address by hand.
            try? await LoopbackBrowser.openWithDesktop(url)
        }
        return try OAuthSignIn(
            issuer: issuer, clientID: clientId, redirect: .loopback(path: redirectPath), scopes: scope, browser: browser,
            platform: platform)
        #else
        throw ValidationError("--issuer works only on Linux.")
        #endif
    }
}
#endif
