#if Tools
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOPosix
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnVerifier
@testable import ThumbturnServer

/// A resource server behind `RequireStepUp`, with tokens of a real server.
@Suite struct RequireStepUpTests {
    typealias Phone = PINKeyTests.PINDevice

    static let table: StepUpTable = {
        var table = StepUpPolicyTests.payments
        table.actions["hardware"] = nil
        table.actions["export"] = ActionRule(maximumAge: .seconds(300))
        table.actions["history"] = {
            var rule = ActionRule(maximumAge: .seconds(120))
            rule.takesCredentials = true
            return rule
        }()
        return table
    }()

    /// The resource server, and a device that is enrolled at the authorization server.
    struct Bank: Sendable {
        let live: LiveServer
        let phone: Phone
        let resource: ResourceServer
        let policy: StepUpPolicy
        let url: String
        let connection: LoadConnection
        let calls: Calls

        /// Calls the bank with a token.
        func call(
            _ path: String, _ token: String?, body: String? = nil, sent: String? = nil, scheme: String = "DPoP",
            by caller: LoadDevice? = nil, nonce: String? = nil, jti: String? = nil
        ) async throws -> LoadConnection.Answer {
            let method = body == nil ? "GET" : "POST"
            let bytes = body.map { Array($0.utf8) }
            let dpop = (caller ?? phone.device).dpop(
                method, path, bytes, nonce: nonce ?? resource.nonces.current(at: resource.time.now), token: token, jti: jti,
                at: url)
            let headers = [("DPoP", dpop)] + (token.map { [("Authorization", "\(scheme) \($0)")] } ?? [])
            return try await connection.send(
                method, path, type: body == nil ? nil : "application/json", headers: headers,
                body: (sent ?? body).map { Array($0.utf8) } ?? [])
        }

        func token(_ act: String, _ answer: StepUpPolicyTests.Try = .init()) async throws -> String {
            try await StepUpPolicyTests.stepUp(phone, act, answer).read(StepUpAnswer.self).accessToken
        }
    }

    /// How often a handler ran.
    final class Calls: Sendable {
        private let count = Mutex(0)
        var made: Int { count.withLock { $0 } }
        func note() { count.withLock { $0 += 1 } }
    }

    private struct Order: Codable {
        var currency: String
        var minor: Int64
    }

    static func order(_ minor: Int, _ currency: String = "EUR") -> String { #"{"currency":"\#(currency)","minor":\#(minor)}"# }

    static func run(_ story: @escaping @Sendable (Bank) async throws -> Void) async throws {
        let policy = StepUpPolicy(table)
        try await LiveServer.plain({ $0.stepUp = policy }) { live in
            let port = try await LiveServer.freePort()
            let url = "http://127.0.0.1:\(port)"
            let service = live.service
            let resource = ResourceServer(
                .init(
                    issuer: live.url, audience: live.url, publicURL: url, keys: IssuerKeys { service.jwks },
                    policy: policy, spent: try SpentTokenFile(path: live.folder + "/spent-tokens.sqlite")),
                clock: live.clock.node)
            let calls = Calls()
            let router = Router()
            for action in ["card-details", "export", "history"] {
                router.group(RouterPath(action)).add(middleware: RequireStepUp(action, at: resource)).get { _, _ in
                    calls.note()
                    return ResourceServer.token?.sub ?? "no token"
                }
            }
            router.group("pay").add(
                middleware: RequireStepUp("pay", at: resource) { body in
                    let order = try JSONDecoder().decode(Order.self, from: Data(body))
                    return Money(minor: order.minor, currency: order.currency)
                }
            ).post { request, _ in
                calls.note()
                return String(buffer: try await request.body.collect(upTo: 1000))
            }
            var logger = Logger(label: "bank")
            logger.logLevel = .critical
            let (running, started) = AsyncStream.makeStream(of: Void.self)
            let application = Application(
                router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
                onServerRunning: { _ in started.yield() }, logger: logger)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    defer { started.finish() }
                    try await application.run()
                }
                for await _ in running { break }
                group.addTask {
                    let connection = try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton)
                    try await story(
                        Bank(
                            live: live, phone: try await Phone(live), resource: resource, policy: policy, url: url,
                            connection: connection, calls: calls))
                }
                _ = try await group.next()
                group.cancelAll()
            }
        }
    }

    @Test func aFreshProofOfPresenceIsAccepted() async throws {
        try await Self.run { bank in
            let token = try await bank.token("card-details")
            let answer = try await bank.call("/card-details", token)
            let account = try claims(of: token).sub
            #expect(answer.status == 200 && answer.text == account)
            #expect(answer.nonce != nil)
            #expect(try await bank.call("/card-details", token).status == 200, "as often as the age allows")
        }
    }

    @Test(.enabled(if: Vectors.areHere)) func theAnswerIsThatOfTheStandard() async throws {
        try await Self.run { bank in
            let unlock = try await bank.phone.device.signIn(over: bank.phone.connection).accessToken
            let stale = try await bank.call("/card-details", unlock)
            #expect(stale.status == 401 && stale.problem?.error == "insufficient_user_authentication")
            // The figures' words, with our scheme in place of Bearer and our age in place of theirs.
            let text = try String(
                contentsOf: Vectors.folder.appendingPathComponent("rfc9470-stepup/examples.json"), encoding: .utf8)
            func isInAFigure(_ header: String) -> Bool {
                let quoted = header.replacing("\"", with: "\\\"").replacing(", error_d", with: ",\\n  error_d")
                    .replacing(", max", with: ",\\n  max").replacing(", acr", with: ",\\n  acr")
                return text.contains("WWW-Authenticate: \(quoted)")
            }
            let age = try #require(stale.challenge)
            #expect(age.hasSuffix(#", action="card-details", algs="ES256""#))
            #expect(
                isInAFigure(
                    age.replacing("DPoP", with: "Bearer", maxReplacements: 1).replacing("\"120\"", with: "\"5\"").components(
                        separatedBy: ", action")[0]), "\(age)")
            #expect(StepUpChallenge(age)?.ask == ActionAsk("card-details"))

            var table = Self.table
            table.actions["card-details"]?.assurance = Assurance(protection: .attestedApp, verification: .biometric)
            let strict = ResourceServer.judging(bank, table)
            let claims = try claims(of: try await bank.token("card-details"))
            do {
                try await strict.judge(claims, for: ActionAsk("card-details")!)
                Issue.record("the assurance is not there")
            } catch let refused as RequestError {
                let acr = (refused.challenge ?? "").replacing("DPoP", with: "Bearer", maxReplacements: 1)
                    .replacing("urn:thumbturn:acr:attestedApp:biometric", with: "myACR")
                #expect(isInAFigure(acr.components(separatedBy: ", action")[0]), "\(acr)")
            }
        }
    }

    @Test func nothingIsSaidOfTheActionBeforeTokenAndProofHold() async throws {
        try await Self.run { bank in
            let token = try await bank.token("card-details")
            let bob = try await Phone(bank.live, of: "bob")
            let none = try await bank.call("/card-details", nil)
            #expect(none.status == 401 && none.challenge == #"DPoP algs="ES256""#, "no token, no error (RFC 6750 section 3.1)")
            #expect(
                try await bank.call("/card-details", token, scheme: "Bearer").status == 401, "a bound token is no bearer token")
            let broken = try await bank.call("/card-details", String(token.dropLast(4)) + "AAAA")
            #expect(broken.problem?.error == "invalid_token")
            #expect(
                try await bank.call("/card-details", token, by: bob.device).problem?.error == "invalid_dpop_proof",
                "a stolen token")
            #expect(try await bank.call("/card-details", token, nonce: "old").problem?.error == "use_dpop_nonce")
            #expect(try await bank.call("/card-details", token, jti: "the-same-id").status == 200)
            #expect(
                try await bank.call("/card-details", token, jti: "the-same-id").problem?.error == "invalid_dpop_proof", "a replay"
            )
            bank.live.clock.advance(by: .seconds(301))
            #expect(try await bank.call("/card-details", token).problem?.error == "invalid_token", "expired")
            #expect(bank.calls.made == 1)
        }
    }

    @Test func aTokenForOneActionIsRefusedForAnother() async throws {
        try await Self.run { bank in
            let card = try await bank.token("card-details")
            let answer = try await bank.call("/export", card)
            #expect(answer.problem?.error == "insufficient_user_authentication" && bank.calls.made == 0)
            #expect(try await bank.call("/pay", card, body: Self.order(1)).kind == "step-up-required")
        }
    }

    @Test func aTokenFromTheFutureIsRefusedAndNeverFresh() async throws {
        try await Self.run { bank in
            // The issuer's clock is ahead of the resource server's.
            func call(at ahead: Int, authTime: Int = 0, life: Int = 300) async throws -> LoadConnection.Answer {
                var claims = try claims(of: try await bank.token("card-details"))
                let now = bank.live.clock.now
                (claims.iat, claims.exp) = (now + .seconds(ahead), now + .seconds(ahead + life))
                claims.authTime = now + .seconds(authTime)
                let signer = bank.live.service.secrets.current.signer(at: now)
                return try await bank.call("/card-details", try signer.sign(claims))
            }
            #expect(try await call(at: 60, authTime: 60).status == 200, "clocks differ a little")
            #expect(try await call(at: 61).problem?.error == "invalid_token")
            #expect(try await call(at: 0, authTime: 61).problem?.error == "invalid_token", "a person verified in the future")
            #expect(try await call(at: 0, authTime: 86_400).problem?.error == "invalid_token")
            #expect(try await call(at: 0, life: 301).problem?.error == "invalid_token", "a longer life than the issuer gives")
            var ahead = try claims(of: try await bank.token("card-details"))
            ahead.authTime = bank.live.clock.now + .seconds(61)
            let future = ahead
            await #expect(throws: RequestError.self, "judged by itself it is not fresh either") {
                try await bank.resource.judge(future, for: ActionAsk("card-details")!)
            }
            #expect(bank.calls.made == 1)
        }
    }

    @Test func aTokenIsAsOldAsItsProof() async throws {
        try await Self.run { bank in
            let token = try await bank.token("card-details")
            bank.live.clock.advance(by: .seconds(119))
            #expect(try await bank.call("/card-details", token).status == 200)
            bank.live.clock.advance(by: .seconds(2))
            let aged = try await bank.call("/card-details", token)
            #expect(aged.kind == "step-up-required", "the token is alive, the proof has grown too old")
        }
    }

    @Test func aSingleUseTokenIsAcceptedOnce() async throws {
        try await Self.run { bank in
            let token = try await bank.token("pay:EUR:1000")
            let first = try await bank.call("/pay", token, body: Self.order(1000))
            #expect(first.status == 200 && first.text == Self.order(1000), "the handler has the body that was covered")
            let again = try await bank.call("/pay", token, body: Self.order(1000))
            #expect(again.kind == "step-up-required" && StepUpChallenge(again.challenge ?? "")?.maximumAge == .zero)
            #expect(bank.calls.made == 1)
        }
    }

    @Test func ofManyUsesAtOnceOneIsAccepted() async throws {
        try await Self.run { bank in
            let token = try await bank.token("pay:EUR:1000")
            let good = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 1...12 {
                    group.addTask {
                        let other = try await LoadConnection(
                            host: "127.0.0.1", port: Int(bank.url.split(separator: ":").last ?? "") ?? 0, on: .singleton)
                        let mine = Bank(
                            live: bank.live, phone: bank.phone, resource: bank.resource, policy: bank.policy, url: bank.url,
                            connection: other, calls: bank.calls)
                        return try await mine.call("/pay", token, body: Self.order(1000)).status == 200
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(good == 1 && bank.calls.made == 1)
        }
    }

    @Test func whatWasSignedIsWhatIsPaid() async throws {
        try await Self.run { bank in
            let token = try await bank.token("pay:EUR:1000")
            for body in [Self.order(1001), Self.order(999), Self.order(1000, "USD"), #"{"currency":"EUR"}"#] {
                #expect(try await bank.call("/pay", token, body: body).status >= 400, "\(body)")
            }
            let swapped = try await bank.call("/pay", token, body: Self.order(1000), sent: Self.order(9_000))
            #expect(swapped.problem?.error == "invalid_dpop_proof", "the proof covers the body")
            #expect(
                try await bank.call("/pay", token, body: Self.order(1000, "USD")).status == 403, "a currency without an entry")
            #expect(try await bank.call("/pay", token, body: Self.order(1000)).status == 200, "none of this used it up")
        }
    }

    @Test func aThresholdHoldsAtTheResourceToo() async throws {
        try await Self.run { bank in
            let both = try await bank.token("pay:EUR:2000", .init(pin: true))
            #expect(try await bank.call("/pay", both, body: Self.order(2000)).status == 200)
            // The table grew stricter after the token was made.
            let small = try await bank.token("pay:EUR:900")
            var stricter = Self.table
            stricter.actions["pay"]?.thresholds = [.init(above: Money(minor: 500, currency: "EUR")!, oneOf: [.twoKeys])]
            let strict = ResourceServer.judging(bank, stricter)
            let claims = try claims(of: small)
            await #expect(throws: RequestError.self) { try await strict.judge(claims, for: ActionAsk(text: "pay:EUR:900")!) }
        }
    }

    @Test func aUseIsRememberedThroughRestartsAndMovedClocks() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/spent.sqlite"
        let (now, end) = (UnixTime(seconds: 1000), UnixTime(seconds: 1100))
        expect(try await SpentTokenFile(path: path).spend("a", until: end, at: now), is: true)
        let file = try SpentTokenFile(path: path)
        expect(try await file.spend("a", until: end, at: now), is: false)
        expect(try await file.spend("b", until: end, at: now), is: true)
        // An hour ahead all is forgotten; back again, nothing of it comes to life.
        expect(try await file.spend("c", until: UnixTime(seconds: 4700), at: now + .seconds(3600)), is: true)
        expect(try await file.spend("a", until: end, at: now), is: false)
    }

    @Test func keysAreFetchedOnlyWhenTheyAreNeeded() async throws {
        let fetched = Mutex(0)
        let keys = IssuerKeys {
            fetched.withLock { $0 += 1 }
            return JWKS(keys: [])
        }
        for (second, count) in [(0, 1), (10, 1), (29, 1), (30, 2), (59, 2), (61, 3)] {
            _ = try await keys.keys(with: "unknown", at: UnixTime(seconds: Int64(second)))
            #expect(fetched.withLock { $0 } == count, "at \(second) s")
        }
    }
}

extension ResourceServer {
    /// The same resource server under another table.
    fileprivate static func judging(_ bank: RequireStepUpTests.Bank, _ table: StepUpTable) -> ResourceServer {
        var settings = bank.resource.settings
        settings.policy = StepUpPolicy(table)
        return ResourceServer(settings, clock: bank.live.clock.node)
    }
}
#endif
