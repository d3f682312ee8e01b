import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier
import ThumbturnTestKit
@testable import ThumbturnDevice
import ThumbturnURLSession
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app's own API at another origin than the server's. It judges the proofs of its callers as RFC 9449 section 4.3 says.
final class OwnAPI: Transport {
    static let origin = URL(string: "https://api.bank.example")!

    struct State {
        var nonce = "nonce-of-the-API"
        var demands: [String] = []
        var redirectsTo: String?
        var endedTokens: Set<String> = []
        var requests: [TransportRequest] = []
        /// The tokens and paths of requests that were done.
        var done: [(token: String, path: String)] = []
        var refusals = 0
    }

    let state = Mutex(State())
    private let server: InMemoryServer

    init(beside server: InMemoryServer) { self.server = server }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard !request.url.hasPrefix(InMemoryServer.url.absoluteString + "/") else { return try await server.send(request) }
        return state.withLock { state in
            state.requests.append(request)
            guard request.url.hasPrefix(Self.origin.absoluteString + "/") else { return Self.answer(200, [:]) }
            let token = String(request.headers["Authorization"]?.dropFirst(5) ?? "")
            let nonce = state.nonce
            do {
                _ = try DPoPProof(
                    request.headers["DPoP"] ?? "",
                    for: .init(
                        method: request.method, uri: request.url, accessToken: token,
                        body: request.method == "GET" ? nil : request.body),
                    fresh: .nonce(isLive: { $0 == nonce }))
            } catch VerificationError.nonceNeeded {
                return Self.answer(401, ["www-authenticate": #"DPoP error="use_dpop_nonce""#, "dpop-nonce": nonce])
            } catch {
                state.refusals += 1
                return Self.answer(401, ["www-authenticate": #"DPoP error="invalid_dpop_proof""#])
            }
            if state.endedTokens.contains(token) {
                return Self.answer(401, ["www-authenticate": #"DPoP error="invalid_token", algs="ES256""#])
            }
            if !state.demands.isEmpty { return Self.answer(401, ["www-authenticate": state.demands.removeFirst()]) }
            if let place = state.redirectsTo { return Self.answer(302, ["location": place]) }
            state.done.append((token, request.url))
            return Self.answer(200, [:])
        }
    }

    private static func answer(_ status: Int, _ headers: [String: String]) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Array("{}".utf8))
    }

    static func request(_ method: String = "POST", _ path: String = "/recipients") -> TransportRequest {
        TransportRequest(
            method: method, url: origin.absoluteString + path, headers: ["Content-Type": "application/json"],
            body: method == "GET" ? [] : Array("{}".utf8))
    }
}

/// Requests to the app's own API, with tokens of the server's.
@Suite struct OwnAPITests {
    struct Bank: Sendable {
        let world: World
        let api: OwnAPI
        let auth: Authenticator
    }

    private static func signedIn(_ story: @escaping @Sendable (Bank) async throws -> Void) async throws {
        let world = try World()
        let api = OwnAPI(beside: world.server)
        let auth = try Authenticator(
            server: InMemoryServer.url, resources: [OwnAPI.origin], platform: world.phone.platform(transport: api))
        try await world.clock.run {
            try await auth.enrol(with: World.signIn)
            _ = try await auth.authenticate("Unlock")
            try await story(Bank(world: world, api: api, auth: auth))
        }
    }

    // MARK: send

    @Test func aRequestHasTheTokenAProofAndTheOriginsOwnNonce() async throws {
        try await Self.signedIn { bank in
            for path in ["/accounts?page=1", "/accounts", ""] {
                let answer = try await bank.auth.send(OwnAPI.request("GET", path))
                #expect(answer.status == 200)
            }
            #expect(bank.api.state.withLock { $0.done.map(\.token) } == ["access-1", "access-1", "access-1"])
            // Only the first one had to learn the nonce, and the server goes on with its own.
            #expect(bank.api.state.withLock { $0.requests.count } == 4)
            let asked = bank.world.server.paths.count
            _ = try await bank.auth.me()
            #expect(bank.world.server.paths.count == asked + 1)
        }
    }

    @Test(arguments: [
        "https://other.example/x", "https://api.bank.example.evil.example/x", "https://api.bank.example:8443/x",
        "http://api.bank.example/x", "https://api.bank.example@evil.example/x", "https://evil.example#@api.bank.example/",
        "https://ada@api.bank.example/x", "https://bank.example/v1/me", "//api.bank.example/x", "not a URL", "",
    ])
    func noOtherOriginGetsAToken(_ url: String) async throws {
        try await Self.signedIn { bank in
            var request = OwnAPI.request("GET")
            request.url = url
            await expectFailure(.insecureServer) { _ = try await bank.auth.send(request) }
            await expectFailure(.insecureServer) {
                _ = try await bank.auth.send(request, doing: .newRecipient, reason: "Add Super Store")
            }
            if let address = URL(string: url) {
                var prepared = URLRequest(url: address)
                await expectFailure(.insecureServer) { try await bank.auth.authorize(&prepared) }
                #expect(prepared.value(forHTTPHeaderField: "Authorization") == nil)
            }
            #expect(bank.api.state.withLock { $0.requests.isEmpty } && bank.world.phone.promptCount == 2)
        }
    }

    @Test(arguments: ["http://api.bank.example", "https://api.bank.example/v1", "ftp://api.bank.example", "https://a@b.example"])
    func onlyOriginsThatAreSafeAreRegistered(_ address: String) throws {
        let phone = SimulatedPhone()
        #expect(throws: Failure(.insecureServer)) {
            try Authenticator(
                server: InMemoryServer.url, resources: [#require(URL(string: address))], platform: phone.platform())
        }
    }

    @Test func theSpellingOfTheOriginDoesNotMatter() async throws {
        try await Self.signedIn { bank in
            var request = OwnAPI.request("GET")
            request.url = "HTTPS://API.Bank.example:443/recipients"
            expect(try await bank.auth.send(request).status, is: 200)
            #expect(bank.api.state.withLock { $0.requests.last?.url } == "https://api.bank.example/recipients")
        }
    }

    @Test func aRedirectIsTheAnswerAndTheTokenGoesNowhereElse() async throws {
        try await Self.signedIn { bank in
            bank.api.state.withLock { $0.redirectsTo = "https://evil.example/" }
            expect(try await bank.auth.send(OwnAPI.request()).status, is: 302)
            #expect(bank.api.state.withLock { $0.requests.allSatisfy { $0.url.hasPrefix("https://api.bank.example/") } })
        }
    }

    @Test func anOldTokenIsRefreshedByTheClockAndByTheAnswer() async throws {
        try await Self.signedIn { bank in
            try await bank.world.clock.sleep(until: bank.world.clock.now.advanced(by: .seconds(301)))
            _ = try await bank.auth.send(OwnAPI.request())
            bank.api.state.withLock { _ = $0.endedTokens.insert("access-2") }
            _ = try await bank.auth.send(OwnAPI.request())
            #expect(bank.api.state.withLock { $0.done.map(\.token) } == ["access-2", "access-3"])
            bank.api.state.withLock { $0.endedTokens.formUnion(["access-3", "access-4"]) }
            await expectFailure(.sessionOver) { _ = try await bank.auth.send(OwnAPI.request()) }
        }
    }

    // MARK: Step-ups (RFC 9470)

    @Test func aDemandForAStepUpIsAnsweredOnceForTheActionThatTheAppNamed() async throws {
        try await Self.signedIn { bank in
            let demand = StepUpChallenge(maximumAge: .zero, ask: ActionAsk("new-recipient")).header(scheme: .dpop)
            bank.api.state.withLock { $0.demands = [demand] }
            let prompts = bank.world.phone.promptCount
            let answer = try await bank.auth.send(OwnAPI.request(), doing: .newRecipient, reason: "Add Super Store")
            #expect(answer.status == 200 && bank.world.phone.promptCount == prompts + 1)
            #expect(bank.world.server.state.withLock { $0.granted.values.sorted() } == ["new-recipient"])
            #expect(bank.api.state.withLock { $0.done.map(\.token) } == ["access-2"])

            bank.api.state.withLock { $0.demands = [demand, demand] }
            await expectFailure(.refused) {
                _ = try await bank.auth.send(OwnAPI.request(), doing: .newRecipient, reason: "Add Super Store")
            }
            #expect(bank.world.phone.promptCount == prompts + 2)
        }
    }

    @Test func anAPIThatNamesAnotherActionOrAssuranceGetsNothing() async throws {
        try await Self.signedIn { bank in
            let prompts = bank.world.phone.promptCount
            let another = StepUpChallenge(maximumAge: .zero, ask: ActionAsk("change-password")).header(scheme: .dpop)
            bank.api.state.withLock { $0.demands = [another] }
            await expectFailure(.unexpectedAnswer) {
                _ = try await bank.auth.send(OwnAPI.request(), doing: .newRecipient, reason: "Add Super Store")
            }
            bank.api.state.withLock { $0.demands = [another] }
            await expectFailure(.refused) { _ = try await bank.auth.send(OwnAPI.request(), reason: "Add Super Store") }
            bank.api.state.withLock { $0.demands = [StepUpChallenge(acrValues: ["loa4"]).header(scheme: .dpop)] }
            await expectFailure(.refused) {
                _ = try await bank.auth.send(OwnAPI.request(), doing: .newRecipient, reason: "Add Super Store")
            }
            #expect(bank.world.phone.promptCount == prompts && bank.api.state.withLock { $0.done.isEmpty })
        }
    }

    @Test func aDemandForAFreshSignInIsAnsweredWhereThereIsAReason() async throws {
        try await Self.signedIn { bank in
            let prompts = bank.world.phone.promptCount
            let demand = StepUpChallenge(maximumAge: .seconds(60)).header(scheme: .dpop)
            bank.api.state.withLock { $0.demands = [demand] }
            let failed = await failure { _ = try await bank.auth.send(OwnAPI.request()) }
            #expect(failed?.code == .refused && failed?.recovery == .fallBack(.biometric))
            #expect(bank.world.phone.promptCount == prompts)
            bank.api.state.withLock { $0.demands = [demand] }
            expect(try await bank.auth.send(OwnAPI.request(), reason: "Show your address").status, is: 200)
            #expect(bank.world.phone.promptCount == prompts + 1)
        }
    }

    // MARK: authorize

    /// Sends a prepared request as the app's own URLSession would.
    private static func play(_ request: URLRequest, to api: OwnAPI) async throws -> HTTPURLResponse {
        var sent = TransportRequest(
            method: request.httpMethod ?? "", url: request.url?.absoluteString ?? "",
            body: request.httpBody.map(Array.init) ?? [])
        // Foundation has spellings of its own for the names of fields, which have no case (RFC 9110 section 5.1).
        for name in ["Authorization", "DPoP"] { sent.headers[name] = request.value(forHTTPHeaderField: name) }
        let answer = try await api.send(sent)
        let url = try #require(request.url)
        return try #require(
            HTTPURLResponse(url: url, statusCode: answer.status, httpVersion: nil, headerFields: answer.headers))
    }

    @Test func anAppSendsByItselfWithThreeLines() async throws {
        try await Self.signedIn { bank in
            var request = URLRequest(url: OwnAPI.origin.appending(path: "recipients"))
            (request.httpMethod, request.httpBody) = ("POST", Data("{}".utf8))
            try await bank.auth.authorize(&request)
            let first = try await Self.play(request, to: bank.api)
            #expect(first.statusCode == 401)
            let again = try await bank.auth.authorize(&request, after: first)
            let second = try await Self.play(request, to: bank.api)
            #expect(again && second.statusCode == 200)
            let more = try await bank.auth.authorize(&request, after: second)
            #expect(!more)

            // The library sends the same request.
            expect(try await bank.auth.send(request).status, is: 200)

            // The nonce is known now, and a step-up comes before the request.
            let prompts = bank.world.phone.promptCount
            try await bank.auth.authorize(&request, doing: .newRecipient, reason: "Add Super Store")
            #expect(bank.world.phone.promptCount == prompts + 1)
            expect(try await Self.play(request, to: bank.api).statusCode, is: 200)
            #expect(bank.api.state.withLock { $0.done.map(\.token) } == ["access-1", "access-1", "access-2"])
        }
    }

    @Test func anAppSendsWithATransportOfItsOwn() async throws {
        try await Self.signedIn { bank in
            var request = OwnAPI.request()
            request.headers["authorization"] = "Bearer of the app"
            try await bank.auth.authorize(&request)
            #expect(request.headers["authorization"] == nil)
            let first = try await bank.api.send(request)
            let again = try await bank.auth.authorize(&request, after: first)
            let second = try await bank.api.send(request)
            #expect(first.status == 401 && again && second.status == 200)
            #expect(try await !bank.auth.authorize(&request, after: second))

            // The token of a step-up stays with its request, where only the nonce was old.
            try await bank.auth.authorize(&request, doing: .newRecipient, reason: "Add Super Store")
            bank.api.state.withLock { $0.nonce = "another" }
            let old = try await bank.api.send(request)
            #expect(try await bank.auth.authorize(&request, after: old))
            expect(try await bank.api.send(request).status, is: 200)
            #expect(bank.api.state.withLock { $0.done.map(\.token) } == ["access-1", "access-2"])

            // A proof that leaves the body out is none for this server.
            try await bank.auth.authorize(&request, hasWholeBody: false)
            expect(try await bank.api.send(request).status, is: 401)

            let sent = bank.api.state.withLock { $0.requests.count }
            request.url = "https://other.example/recipients"
            await expectFailure(.insecureServer) { try await bank.auth.authorize(&request) }
            await expectFailure(.insecureServer) { _ = try await bank.auth.authorize(&request, after: old) }
            #expect(bank.api.state.withLock { $0.requests.count } == sent)
        }
    }

    @Test func demandsInAnswersAreMetByTheCompanion() async throws {
        try await Self.signedIn { bank in
            var request = URLRequest(url: OwnAPI.origin.appending(path: "recipients"))
            request.httpMethod = "GET"
            try await bank.auth.authorize(&request)
            _ = try await bank.auth.authorize(&request, after: try await Self.play(request, to: bank.api))
            bank.api.state.withLock { state in
                state.demands = [StepUpChallenge(maximumAge: .zero, ask: ActionAsk("new-recipient")).header(scheme: .dpop)]
                state.endedTokens = ["access-1"]
            }
            let old = try await bank.auth.authorize(&request, after: try await Self.play(request, to: bank.api))
            let demanding = try await Self.play(request, to: bank.api)
            let stepUp = try await bank.auth.authorize(
                &request, after: demanding, doing: .newRecipient, reason: "Add Super Store")
            #expect(old && stepUp && demanding.statusCode == 401)
            expect(try await Self.play(request, to: bank.api).statusCode, is: 200)
            #expect(bank.api.state.withLock { $0.done.map(\.token) } == ["access-3"])
        }
    }

    @Test func theProofIsForTheBodyToo() async throws {
        try await Self.signedIn { bank in
            var request = URLRequest(url: OwnAPI.origin.appending(path: "recipients"))
            (request.httpMethod, request.httpBody) = ("POST", Data("{}".utf8))
            _ = try await bank.auth.send(OwnAPI.request("GET"))
            try await bank.auth.authorize(&request)
            request.httpBody = Data(#"{"iban":"another"}"#.utf8)
            expect(try await Self.play(request, to: bank.api).statusCode, is: 401)
            #expect(bank.api.state.withLock { $0.refusals } == 1)
        }
    }
}
