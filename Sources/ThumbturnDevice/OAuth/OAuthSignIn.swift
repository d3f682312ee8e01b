public import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sign-in at the app's own OpenID provider, whatever that one asks for: a password, a code by phone or e-mail, a
/// passkey, a company's account.
///
/// It is the authorization code flow of a public client with PKCE (RFC 6749, 7636, 8252; OpenID Connect Core section
/// 3.1). The ID token's `nonce` begins with the session key's thumbprint, and the server judges the token. The device checks what
/// names a mistake early, and keeps no token of the provider.
///
/// After the first sign-in on a device the provider is asked to authenticate the person again (`max_age=0` and
/// `prompt=login`, section 3.1.2.1), and its `auth_time` has to show that it did: a session of the provider in the browser
/// belongs to anyone who holds the device.
///
///     let signIn = try OAuthSignIn(
///         issuer: url, clientID: "app", redirect: .privateUse(scheme: "com.example.app", path: "/signed-in"),
///         browser: browser, platform: platform)
///     try await auth.enrol(with: signIn)
public struct OAuthSignIn: PrimarySignIn, Redacted {
    /// What the provider may ask, such as `login` or `select_account`; nil for its own choice. Where a fresh sign-in is
    /// demanded, `login` is added.
    public var prompt: String?
    /// The name that the person probably signs in with; nil where it is not known.
    public var loginHint: String?
    /// Parameters that this provider takes in addition. Those of the flow itself are not changed by them.
    public var parameters: [String: String] = [:]
    /// How long the person has for the provider's page. After that the sign-in fails with `timedOut`.
    ///
    /// The server takes the token of a sign-in that began at most 11 minutes ago, so more than 10 minutes help no person.
    public var timeToAnswer: Duration = .seconds(600)
    /// Sends the ID token of a stale sign-in to the server: for a provider that cannot be asked for a fresh one, or does not say when
    /// the last one was. False by default: then such a sign-in fails with `refused` or `providerMismatch`.
    ///
    /// Anyone who holds the device then counts as the person who signed in there before. The server judges such a sign-in: it
    /// opens a visit, and a device that it enrolls cools off. It brings no new PIN and no new biometric key, its visit gets no
    /// ticket for a device, and on a device that has an owner it switches no sensor on, opens no lock and replaces no enrollment,
    /// unless the server's operator allows that for the provider.
    public var acceptsStaleSignIn = false

    private let issuer: String
    private let clientID: String
    private let redirect: SignInRedirect
    private let scopes: [String]
    private let browser: any SignInBrowser
    private let platform: DevicePlatform

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - issuer: the provider, exactly as its metadata names it: an https address, or http to this machine itself. Any
    ///     other throws `insecureServer`.
    ///   - clientID: the app's id at the provider, where it is registered as a public client.
    ///   - redirect: where the provider sends the browser, as it is registered. A relative path or a scheme without a dot
    ///     throws `providerMismatch`.
    ///   - scopes: what is asked for; `openid` always is.
    ///   - browser: shows the provider's page.
    ///   - platform: its network and its clock.
    public init(
        issuer: URL, clientID: String, redirect: SignInRedirect, scopes: [String] = [], browser: any SignInBrowser,
        platform: DevicePlatform
    ) throws(Failure) {
        _ = try ServerAddress(issuer)
        guard redirect.isUsable else { throw .provider("redirect_uri") }
        self.issuer = issuer.absoluteString
        self.clientID = clientID
        self.redirect = redirect
        self.scopes = ["openid"] + scopes.filter { $0 != "openid" }
        self.browser = browser
        self.platform = platform
    }

    /// Shows the provider's page, and has the provider's code exchanged for an ID token.
    ///
    /// - Throws: `cancelledByUser`; `cancelledByApp`; `timedOut` where no answer comes; `refused` where the person or the
    ///   provider says no, and where the provider did not ask the person again although the request demands it;
    ///   `foreignAnswer`; `providerMismatch`; `unreachable`.
    public func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        let connection = ProviderConnection(issuer: issuer, platform: platform)
        let provider = try await connection.metadata()
        let (state, verifier) = (Self.random(), Self.random())
        let nonce = TokenExchange.nonce(ofKey: request.keyThumbprint, unique: Self.random())
        let page = SignInPage(
            redirect: redirect, endpoint: provider.authorizationEndpoint,
            parameters: fields(for: request, state: state, verifier: verifier, nonce: nonce), state: state)
        let answer = try await open(page)
        let code = try AuthorizationAnswer(answer, to: page, of: provider)
        let token = try await connection.idToken(
            [
                ("grant_type", "authorization_code"), ("code", code.code), ("redirect_uri", code.redirectURI),
                ("client_id", clientID), ("code_verifier", verifier),
            ], at: provider.tokenEndpoint)
        try IDTokenClaims.check(
            token, issuer: issuer, nonce: nonce, freshSince: acceptsStaleSignIn ? nil : request.freshSince)
        return .idToken(token)
    }

    /// The fields of the page's address without its redirect, which may not be known yet.
    private func fields(
        for request: SignInRequest, state: String, verifier: String, nonce: String
    ) -> [(String, String)] {
        let own = [
            ("response_type", "code"), ("client_id", clientID), ("scope", scopes.joined(separator: " ")), ("state", state),
            ("nonce", nonce), ("code_challenge", Signing.hash(Array(verifier.utf8))),
            ("code_challenge_method", "S256"),
        ]
        let isFresh = request.freshSince != nil
        let maximumAge = isFresh ? "0" : parameters["max_age"] ?? "\(Self.year)"
        let asked = [
            ("prompt", isFresh ? Self.promptForLogin(beside: prompt) : prompt), ("max_age", maximumAge),
            ("login_hint", loginHint),
        ].compactMap { name, value in value.map { (name, $0) } }
        // These would replace ours, or lead the answer elsewhere.
        let taken = Set((own + asked).map(\.0)).union(["redirect_uri", "response_mode", "request", "request_uri"])
        let added = parameters.filter { !taken.contains($0.key) }.sorted { $0.key < $1.key }
        return own + asked + added.map { ($0.key, $0.value) }
    }

    /// The seconds of a year: the greatest age of a sign-in that the first one on a device asks for. It excludes next to
    /// nothing, and a provider that is asked for an age has to say when the person signed in (OpenID Connect Core section 2,
    /// `auth_time`). So a person whom it did ask gets a fresh sign-in.
    private static let year = 365 * 24 * 3600

    /// The prompts of an app with the one that asks the person to sign in. `none` would forbid that (OpenID Connect Core
    /// section 3.1.2.1).
    private static func promptForLogin(beside prompt: String?) -> String {
        let others = (prompt ?? "").split(separator: " ").filter { $0 != "login" && $0 != "none" }
        return (["login"] + others).joined(separator: " ")
    }

    /// Shows the page until it is answered, closed, or too old.
    private func open(_ page: SignInPage) async throws(Failure) -> URL {
        let (browser, clock) = (browser, platform.clock)
        let end = clock.now.advanced(by: timeToAnswer)
        let outcome = await withTaskGroup(of: Result<URL, Failure>?.self) { group in
            group.addTask(executorPreference: clock.executor) {
                do throws(Failure) {
                    return .success(try await browser.open(page))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask(executorPreference: clock.executor) {
                (try? await clock.sleep(until: end)) == nil ? nil : .failure(Failure(.timedOut))
            }
            // The group's end waits until the browser has closed the page.
            defer { group.cancelAll() }
            for await outcome in group { if let outcome { return outcome } }
            return .failure(Failure(.cancelledByApp))
        }
        if Task.isCancelled { throw Failure(.cancelledByApp) }
        return try outcome.get()
    }

    /// 256 random bits in base64url: a state, or a code verifier (RFC 7636 section 4.1).
    private static func random() -> String { Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }) }
}
