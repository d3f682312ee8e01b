import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier

/// A sign-in at the app's own provider, from its page to an enrolled device.
@Suite struct OAuthSignInTests {
    /// A phone whose server takes a provider's ID tokens.
    struct ProvidedWorld: Sendable {
        static let redirect = SignInRedirect.privateUse(scheme: "com.example.app", path: "/signed-in")

        let clock = VirtualClock()
        let server: InMemoryServer
        let provider: SimulatedProvider
        let wire: RecordingTransport
        let auth: Authenticator
        let platform: DevicePlatform

        init() throws {
            server = InMemoryServer(clock: clock)
            provider = SimulatedProvider(clock: clock, passing: server)
            wire = RecordingTransport(provider)
            platform = SimulatedPhone(.plain, clock: clock).platform(transport: wire)
            auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let key = try VerifyingKey(jwk: JWK(provider.publicKey))
            server.state.withLock {
                $0.provider = .init(issuer: provider.issuer.absoluteString, audience: provider.clientID, key: key)
            }
        }

        func signIn(
            redirect: SignInRedirect = redirect, scopes: [String] = [], browser: (any SignInBrowser)? = nil
        ) throws -> OAuthSignIn {
            try OAuthSignIn(
                issuer: provider.issuer, clientID: provider.clientID, redirect: redirect, scopes: scopes,
                browser: browser ?? provider, platform: platform)
        }

        /// The fields in the address of the last page.
        var page: [String: String] {
            let items = provider.pages.last.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.queryItems } ?? []
            return Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, last in last }
        }

        /// Enrols, and returns the failure; nil where there was none.
        func failureOfEnrolling(_ change: (inout OAuthSignIn) -> Void = { _ in }) async throws -> Failure? {
            var signIn = try signIn()
            change(&signIn)
            let chosen = signIn
            return await failure { _ = try await auth.enrol(with: chosen) }
        }
    }

    // MARK: Getting in

    @Test(
        "a person of the provider enrols",
        arguments: [
            ProvidedWorld.redirect, .https(host: "app.example", path: "/signed-in"), .loopback(path: "/signed-in"),
        ])
    func enrols(_ redirect: SignInRedirect) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let signIn = try world.signIn(redirect: redirect)
            try await world.auth.enrol(with: signIn)
            _ = try await world.auth.authenticate("Unlock")
            expect(try await world.auth.me().name, is: "ada")
            let live = try await world.auth.liveEnrolment()
            try await world.auth.enrol(with: signIn)
            expect(try await world.auth.liveEnrolment(), is: live, "the account is known, so the enrolment is kept")
        }
    }

    @Test func thePageIsAskedForWithPKCEStateAndTheKeysThumbprint() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            var signIn = try world.signIn(scopes: ["phone", "openid"])
            (signIn.prompt, signIn.loginHint) = ("select_account", "ada@example.com")
            signIn.parameters = ["audience": "a b&c", "state": "mine", "redirect_uri": "https://evil.example", "request": "x"]
            try await world.auth.enrol(with: signIn)
            let page = world.page
            #expect(page["tenant"] == "1", "the endpoint's own query stays")
            #expect(page["response_type"] == "code" && page["client_id"] == "our-app" && page["scope"] == "openid phone")
            #expect(page["redirect_uri"] == "com.example.app:/signed-in" && page["code_challenge_method"] == "S256")
            #expect(page["prompt"] == "select_account" && page["login_hint"] == "ada@example.com")
            #expect(page["audience"] == "a b&c" && page["request"] == nil && page["state"] != "mine")
            let session = try #require(world.server.state.withLock { $0.devices.keys.first })
            #expect(page["nonce"]?.hasPrefix("\(session).") == true, "the session key's thumbprint")

            let first = page
            try await world.auth.enrol(with: signIn)
            for fresh in ["state", "nonce", "code_challenge"] {
                let unique = world.page[fresh]?.split(separator: ".").last
                #expect(unique?.utf8.count == 43 && unique != first[fresh]?.split(separator: ".").last, "\(fresh)")
            }
        }
    }

    @Test func ourServerGetsTheIDTokenAloneAndTheProviderNothingOfTheDevice() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            try await world.auth.enrol(with: try world.signIn())
            let issuer = world.provider.issuer.absoluteString
            for (request, _) in world.wire.exchanges {
                let body = String(decoding: request.body, as: UTF8.self)
                #expect(!body.contains("the%20provider"), "its access token goes nowhere")
                if request.url.hasPrefix(issuer) { #expect(request.headers["DPoP"] == nil) }
            }
            let exchange = try #require(world.wire.exchanges.last { $0.request.url == "\(InMemoryServer.url)/v1/token" })
            #expect(exchange.request.headers["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(exchange.request.headers["DPoP"] != nil)
        }
    }

    @Test func aCodeByTextMessageOpensTheBackEndsOwnDoor() async throws {
        struct TextedCode: PrimarySignIn {
            let code: String
            var path = "/backend/codes"

            func credentials(for request: SignInRequest) -> Credentials {
                .json(Array(#"{"phone":"+15550100","code":"\#(code)"}"#.utf8), to: path)
            }
        }
        let world = try World()
        try await world.clock.run {
            let refused = await failure { try await world.auth.enrol(with: TextedCode(code: "111111")) }
            #expect(refused?.code == .refused && refused?.recovery == .signInAgain)
            try await world.auth.enrol(with: TextedCode(code: InMemoryServer.textedCode))
            _ = try await world.auth.authenticate("Unlock")
            expect(try await world.auth.me().name, is: "+15550100")
            for path in ["backend", "//evil.example/codes", "@evil.example/codes", ".evil.example", ""] {
                await expectFailure(.insecureServer) {
                    try await world.auth.enrol(with: TextedCode(code: "1", path: path), ifExists: .replace)
                }
            }
        }
    }

    // MARK: Endings

    struct Ending: Sendable, CustomTestStringConvertible {
        let act: SimulatedProvider.Act
        let failure: Failure
        var testDescription: String { "\(act)" }

        init(_ act: SimulatedProvider.Act, _ code: Failure.Code, _ recovery: Recovery, _ status: String?, _ number: Int = 0) {
            self.act = act
            failure = Failure(code, recovery: recovery, status: status.map { .init(domain: $0, code: number) })
        }
    }

    static let endings = [
        Ending(.cancel, .cancelledByUser, .retry, nil),
        Ending(.loseRedirect, .timedOut, .retry, nil),
        Ending(.swapState, .foreignAnswer, .signInAgain, "OAuth state"),
        Ending(.swapIssuer, .foreignAnswer, .signInAgain, "OAuth iss"),
        Ending(.omitIssuer, .foreignAnswer, .signInAgain, "OAuth iss"),
        Ending(.swapCode, .refused, .signInAgain, "OAuth invalid_grant", 400),
        Ending(.omitIDToken, .providerMismatch, .report, "OAuth id_token"),
        Ending(.omitNonce, .providerMismatch, .report, "OAuth nonce"),
        Ending(.swapNonce, .foreignAnswer, .signInAgain, "OAuth nonce"),
        Ending(.swapTokenIssuer, .foreignAnswer, .signInAgain, "OAuth iss"),
        Ending(.refuse("access_denied"), .refused, .signInAgain, "OAuth access_denied"),
        Ending(.refuse("login_required"), .refused, .signInAgain, "OAuth login_required"),
        Ending(.refuse("temporarily_unavailable"), .unreachable, .wait(.seconds(5)), "OAuth temporarily_unavailable"),
        Ending(.refuse("server_error"), .unreachable, .wait(.seconds(5)), "OAuth server_error"),
        Ending(.refuse("invalid_scope"), .providerMismatch, .report, "OAuth invalid_scope"),
        Ending(.refuse("<b>look</b>"), .providerMismatch, .report, "OAuth error"),
    ]

    @Test("each ending is named, has a next step, and a second try gets in", arguments: endings)
    func ends(_ ending: Ending) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            world.provider.next(ending.act)
            let began = world.clock.now
            expect(try await world.failureOfEnrolling(), is: ending.failure)
            let waited = began.duration(to: world.clock.now)
            #expect(waited == (ending.act == .loseRedirect ? .seconds(600) : .zero))
            #expect(!ending.failure.message.text(in: .english).isEmpty)
            expect(await world.auth.readiness().isEnrolled, is: false)
            #expect(!world.wire.exchanges.contains { $0.request.url == "\(InMemoryServer.url)/v1/token" }, "no token is sent")
            expect(try await world.failureOfEnrolling(), is: nil)
        }
    }

    @Test func everyActOfTheStandInHasAnEnding() {
        for act in SimulatedProvider.Act.allCases where act != .signIn {
            #expect((Self.endings + Self.staleEndings).contains { $0.act == act }, "\(act)")
        }
    }

    @Test func aProviderThatDoesNotNameItselfMayOmitIt() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            world.provider.changeMetadata { $0["authorization_response_iss_parameter_supported"] = nil }
            world.provider.next(.swapIssuer)
            expect(try await world.failureOfEnrolling()?.code, is: .foreignAnswer, "another name is wrong all the same")
            world.provider.next(.omitIssuer)
            expect(try await world.failureOfEnrolling(), is: nil)
        }
    }

    @Test(
        "metadata that does not fit is refused before the page",
        arguments: [
            ("issuer", .text("https://id.example/"), "issuer"), ("issuer", .text("https://ID.example"), "issuer"),
            ("issuer", nil, "metadata"),
            ("code_challenge_methods_supported", .texts(["plain"]), "code_challenge_methods_supported"),
            ("authorization_endpoint", .text("http://id.example/authorize"), "authorization_endpoint"),
            ("authorization_endpoint", .text("javascript:alert(1)"), "authorization_endpoint"),
            ("authorization_endpoint", .text("https://ada@id.example/authorize"), "authorization_endpoint"),
            ("token_endpoint", .text("http://id.example/token"), "token_endpoint"),
            ("token_endpoint", .text("/token"), "token_endpoint"),
        ] as [(String, SimulatedProvider.Value?, String)])
    func metadata(_ name: String, _ value: SimulatedProvider.Value?, _ parameter: String) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            world.provider.changeMetadata { $0[name] = value }
            let failed = try await world.failureOfEnrolling()
            #expect(failed == Failure(.providerMismatch, status: .init(domain: "OAuth \(parameter)", code: 0)))
            #expect(world.provider.pages.isEmpty)
        }
    }

    @Test func aProviderThatTellsNoMethodsIsAskedWithS256() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            world.provider.changeMetadata { $0["code_challenge_methods_supported"] = nil }
            expect(try await world.failureOfEnrolling(), is: nil)
        }
    }

    // MARK: A fresh sign-in

    /// A request for a new PIN.
    static func request(freshSince: UnixTime?) -> SignInRequest {
        SignInRequest(reason: "Set a new PIN", keyThumbprint: "thumbprint", purpose: .newPIN, freshSince: freshSince)
    }

    /// When the provider last asked the person, as an ID token says.
    private static func authTime(of credentials: Credentials) throws -> UnixTime? {
        guard case .form(let fields) = credentials.body else { return nil }
        let token = try #require(fields.first { $0.0 == "subject_token" }?.1)
        let jws = try #require(CompactJWS(token))
        return try StrictJSON.decodeIgnoringUnknown(IDTokenClaims.self, from: jws.payload).authTime?.value?.time
    }

    static let staleEndings = [
        Ending(.answerByCookie, .refused, .signInAgain, "OAuth auth_time"),
        Ending(.omitAuthTime, .providerMismatch, .report, "OAuth auth_time"),
    ]

    @Test(
        "a provider that does not ask the person again, or does not say so, is found out before the server",
        arguments: staleEndings)
    func isStale(_ ending: Ending) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let signIn = try world.signIn()
            _ = try await signIn.credentials(for: Self.request(freshSince: nil))
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(31_536_000)))
            let request = Self.request(freshSince: world.clock.civilTime)
            world.provider.next(ending.act)
            expect(await failure { _ = try await signIn.credentials(for: request) }, is: ending.failure)
            let credentials = try await signIn.credentials(for: request)
            expect(try Self.authTime(of: credentials), is: world.clock.civilTime, "a second try asks the person")
        }
    }

    @Test(
        "the first sign-in on a device takes the browser's session",
        arguments: [SimulatedProvider.Act.signIn, .answerByCookie, .omitAuthTime])
    func first(_ act: SimulatedProvider.Act) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let signIn = try world.signIn()
            _ = try await signIn.credentials(for: Self.request(freshSince: nil))
            let began = world.clock.civilTime
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(3600)))
            world.provider.next(act)
            let credentials = try await signIn.credentials(for: Self.request(freshSince: nil))
            expect(try Self.authTime(of: credentials), is: act == .omitAuthTime ? nil : began)
            #expect(world.page["prompt"] == nil && world.page["max_age"] == "31536000")
        }
    }

    @Test(
        "the two clocks may differ by ten seconds",
        arguments: [(10, nil), (11, Failure.Code.refused)] as [(Int64, Failure.Code?)])
    func leeway(_ seconds: Int64, _ code: Failure.Code?) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let signIn = try world.signIn()
            let request = Self.request(freshSince: world.clock.civilTime + .seconds(seconds))
            expect(await failure { _ = try await signIn.credentials(for: request) }?.code, is: code)
        }
    }

    @Test(
        "the page is asked for a login where a fresh sign-in is demanded, beside what the app asks for",
        arguments: [
            (nil, nil, nil), ("select_account", nil, "select_account"), ("none", nil, "none"), (nil, 0, "login"),
            ("login", 0, "login"), ("select_account", 0, "login select_account"),
            ("consent login select_account", 0, "login consent select_account"), ("none", 0, "login"),
        ] as [(String?, Int64?, String?)]) func asked(_ prompt: String?, _ freshSince: Int64?, _ expected: String?) async throws
    {
        let world = try ProvidedWorld()
        try await world.clock.run {
            var signIn = try world.signIn()
            signIn.prompt = prompt
            _ = try await signIn.credentials(for: Self.request(freshSince: freshSince.map { UnixTime(seconds: $0) }))
            #expect(world.page["prompt"] == expected)
            // Any age at all makes a provider say when it was.
            #expect(world.page["max_age"] == (freshSince == nil ? "31536000" : "0"))
        }
    }

    @Test func theAppsParametersDoNotWeakenAFreshSignIn() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            var signIn = try world.signIn()
            signIn.parameters = ["prompt": "none", "max_age": "3600"]
            _ = try await signIn.credentials(for: Self.request(freshSince: world.clock.civilTime))
            #expect(world.page["prompt"] == "login" && world.page["max_age"] == "0")
            _ = try await signIn.credentials(for: Self.request(freshSince: nil))
            #expect(world.page["prompt"] == "none" && world.page["max_age"] == "3600")
        }
    }

    @Test("an app may pass on what its provider answers by the browser's session", arguments: staleEndings.map(\.act))
    func acceptsStaleSignIn(_ act: SimulatedProvider.Act) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            var signIn = try world.signIn()
            signIn.acceptsStaleSignIn = true
            _ = try await signIn.credentials(for: Self.request(freshSince: nil))
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(3600)))
            world.provider.next(act)
            _ = try await signIn.credentials(for: Self.request(freshSince: world.clock.civilTime))
            #expect(world.page["prompt"] == "login" && world.page["max_age"] == "0", "it is asked all the same")
        }
    }

    @Test func aPersonWhoClosesThePageHasNotSignedIn() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let signIn = try world.signIn()
            _ = try await signIn.credentials(for: Self.request(freshSince: nil))
            let began = world.clock.civilTime
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(60)))
            world.provider.next(.cancel)
            let request = Self.request(freshSince: world.clock.civilTime)
            await expectFailure(.cancelledByUser) { _ = try await signIn.credentials(for: request) }
            let credentials = try await signIn.credentials(for: Self.request(freshSince: nil))
            expect(try Self.authTime(of: credentials), is: began)
        }
    }

    @Test func onlyAnIDTokenIsSentWithTheChallengeThatBeganTheSignIn() throws {
        let challenge = CheckedChallenge(
            text: "challenge", newHandle: nil, lifetime: .seconds(300), issuedAt: UnixTime(seconds: 0))
        guard case .form(let fields) = Credentials.idToken("token").body(startedBy: challenge),
            case .form(let alone) = Credentials.idToken("token").body
        else {
            Issue.record("an ID token is sent as a form")
            return
        }
        #expect(fields.last.map { "\($0) \($1)" } == "challenge challenge" && fields.count == alone.count + 1)
        for credentials in [Credentials.password("a", for: "ada"), .recoveryCode("a", for: "ada"), .json([1], to: "/codes")] {
            guard case .json(let body) = credentials.body, case .json(let begun) = credentials.body(startedBy: challenge) else {
                Issue.record("other credentials are sent as JSON")
                return
            }
            #expect(body == begun)
        }
    }

    // MARK: Discovery and the network

    /// A server that answers with a status, or forwards.
    private struct Rewriting: Transport {
        let next: any Transport
        let rewrite: @Sendable (inout TransportRequest) -> TransportResponse?

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            var request = request
            if let answer = rewrite(&request) { return answer }
            return try await next.send(request)
        }
    }

    /// Signs in through a network that rewrites.
    private func failureBehind(
        _ rewrite: @escaping @Sendable (inout TransportRequest) -> TransportResponse?
    ) async throws -> Failure? {
        let world = try ProvidedWorld()
        return try await world.clock.run {
            var platform = world.platform
            platform.transport = Rewriting(next: world.provider, rewrite: rewrite)
            let signIn = try OAuthSignIn(
                issuer: world.provider.issuer, clientID: world.provider.clientID, redirect: ProvidedWorld.redirect,
                browser: world.provider, platform: platform)
            return await failure { _ = try await world.auth.enrol(with: signIn) }
        }
    }

    @Test func metadataMayBeWhereRFC8414HasIt() async throws {
        let failed = try await failureBehind { request in
            switch request.url {
            case "https://id.example/.well-known/openid-configuration":
                return TransportResponse(status: 404, headers: [:], body: [])
            case "https://id.example/.well-known/oauth-authorization-server":
                request.url = "https://id.example/.well-known/openid-configuration"
            default: break
            }
            return nil
        }
        #expect(failed == nil)
    }

    @Test(
        "a provider's statuses",
        arguments: [
            ("openid-configuration", 503, "", Failure.Code.unreachable), ("openid-configuration", 302, "", .providerMismatch),
            ("/token", 500, "", .unreachable), ("/token", 429, "", .unreachable), ("/token", 302, "", .providerMismatch),
            ("/token", 401, #"{"error":"invalid_client"}"#, .providerMismatch), ("/token", 400, "{", .providerMismatch),
            ("/token", 200, "{", .providerMismatch), ("/token", 200, #"{"id_token":"a.b"}"#, .providerMismatch),
            ("/token", 200, #"{"id_token":"e30.e30.AA"}"#, .providerMismatch),
            ("/token", 200, String(repeating: " ", count: 300_000), .unexpectedAnswer),
        ]) func statuses(_ path: String, _ status: Int, _ body: String, _ code: Failure.Code) async throws
    {
        let failed = try await failureBehind { request in
            guard request.url.hasPrefix("https://id.example"), request.url.hasSuffix(path) else {
                return request.url.hasPrefix("https://id.example/.well-known/oauth")
                    ? TransportResponse(status: 404, headers: [:], body: []) : nil
            }
            return TransportResponse(status: status, headers: ["location": "https://evil.example"], body: Array(body.utf8))
        }
        #expect(failed?.code == code)
    }

    // MARK: The browser

    /// A browser that returns an answer which the test makes of the page's address.
    private struct Forging: SignInBrowser {
        let answer: @Sendable ([String: String]) -> String

        func open(_ page: SignInPage) async throws(Failure) -> URL {
            let items = URLComponents(url: page.url(), resolvingAgainstBaseURL: true)?.queryItems ?? []
            guard let url = URL(string: answer(Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 })) else {
                throw Failure(.unexpectedAnswer)
            }
            return url
        }
    }

    @Test(
        "an answer that is not the redirect's, or names a parameter twice, is refused",
        arguments: [
            ("com.example.other:/signed-in?code=1&state=S", "redirect_uri"),
            ("com.example.app:/other?code=1&state=S", "redirect_uri"),
            ("https://evil.example/signed-in?code=1&state=S", "redirect_uri"), ("com.example.app:/signed-in", "state"),
            ("com.example.app:/signed-in?code=1", "state"), ("com.example.app:/signed-in#code=1&state=S", "state"),
            ("com.example.app:/signed-in?code=1&state=S&state=S&iss=https://id.example", "state"),
            ("com.example.app:/signed-in?code=1&code=2&state=S&iss=https://id.example", "state"),
        ]) func forged(_ answer: String, _ parameter: String) async throws
    {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let signIn = try world.signIn(browser: Forging { answer.replacing("S", with: $0["state"] ?? "") })
            let failed = await failure { _ = try await world.auth.enrol(with: signIn) }
            #expect(failed == Failure(.foreignAnswer, status: .init(domain: "OAuth \(parameter)", code: 0)))
        }
    }

    @Test("an answer without a usable code is the provider's mistake", arguments: ["", "&code=", "&code=%0A"])
    func withoutCode(_ code: String) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            let browser = Forging { "com.example.app:/signed-in?iss=https://id.example&state=\($0["state"] ?? "")\(code)" }
            let signIn = try world.signIn(browser: browser)
            await expectFailure(.providerMismatch) { _ = try await world.auth.enrol(with: signIn) }
        }
    }

    @Test func aCancelledTaskClosesThePage() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            world.provider.next(.loseRedirect)
            let began = world.clock.now
            try await withThrowingTaskGroup(of: Failure?.self) { group in
                group.addTask { try await world.failureOfEnrolling() }
                try await world.clock.sleep(until: began.advanced(by: .seconds(3)))
                #expect(world.provider.pages.count == 1)
                group.cancelAll()
                expect(try await group.next()??.code, is: .cancelledByApp)
            }
            #expect(began.duration(to: world.clock.now) == .seconds(3))
        }
    }

    @Test func theTimeForThePageIsTheApps() async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            world.provider.next(.loseRedirect)
            let began = world.clock.now
            expect(try await world.failureOfEnrolling { $0.timeToAnswer = .seconds(42) }?.code, is: .timedOut)
            #expect(began.duration(to: world.clock.now) == .seconds(42))
        }
    }

    @Test func whatCannotBeRegisteredIsRefusedAtOnce() throws {
        let world = try ProvidedWorld()
        for redirect: SignInRedirect in [
            .privateUse(scheme: "app", path: "/signed-in"), .privateUse(scheme: "com.Example.App", path: "/signed-in"),
            .privateUse(scheme: "com.example.app", path: "signed-in"), .https(host: "", path: "/a"),
            .https(host: "app.example", path: "signed-in"), .https(host: "app.example", path: "/a?b=c"),
            .https(host: "ada@app.example", path: "/a"), .loopback(path: "signed-in"), .loopback(path: "/a#b"),
        ] {
            #expect(throws: Failure(.providerMismatch, status: .init(domain: "OAuth redirect_uri", code: 0)), "\(redirect)") {
                _ = try world.signIn(redirect: redirect)
            }
        }
        for issuer in ["http://id.example", "https://id.example/?a=b", "ftp://id.example", "https://ada@id.example"] {
            #expect(throws: Failure(.insecureServer), "\(issuer)") {
                _ = try OAuthSignIn(
                    issuer: try #require(URL(string: issuer)), clientID: "a", redirect: ProvidedWorld.redirect,
                    browser: world.provider, platform: world.platform)
            }
        }
        _ = try OAuthSignIn(
            issuer: try #require(URL(string: "http://127.0.0.1:9400")), clientID: "a", redirect: .loopback(path: "/"),
            browser: world.provider, platform: world.platform)
    }

    @Test func nothingOfASignInPrints() throws {
        let world = try ProvidedWorld()
        var signIn = try world.signIn()
        signIn.loginHint = "ada@example.com"
        var text = "\(signIn) \(String(reflecting: signIn)) \(Credentials.idToken("e30.secret.AA"))"
        dump(signIn, to: &text)
        dump(Credentials.idToken("e30.secret.AA"), to: &text)
        #expect(!text.contains("ada@example.com") && !text.contains("secret"))
    }
}
