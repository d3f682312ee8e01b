import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit

/// A phone, a server and an authenticator in virtual time.
struct World: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let server: InMemoryServer
    let auth: Authenticator
    let news = News()

    final class News: Sendable {
        private let heard = Mutex<[UnlockNews]>([])
        var all: [UnlockNews] { heard.withLock { $0 } }
        func hear(_ news: UnlockNews) { heard.withLock { $0.append(news) } }
    }

    init(
        _ model: SimulatedPhone.Model = .plain, hasSensor: Bool = true, hasPasscode: Bool = true, hasPIN: Bool = false
    ) throws {
        phone = SimulatedPhone(model, clock: clock, hasSensor: hasSensor, hasPasscode: hasPasscode, hasPIN: hasPIN)
        server = InMemoryServer(clock: clock)
        let news = news
        auth = try Authenticator(server: InMemoryServer.url, platform: phone.platform(transport: server)) { news.hear($0) }
    }

    /// The same account in another process of the app.
    func anotherProcess() throws -> Authenticator {
        try Authenticator(server: InMemoryServer.url, platform: phone.platform(transport: server, process: "extension"))
    }

    static let sensorAlone = UnlockPolicy(ladder: [.biometric, .fullCredentials])
    static let signIn = PasswordSignIn(account: "ada", password: InMemoryServer.password)

    /// Runs a story on an enrolled phone.
    static func enrolled(
        _ model: SimulatedPhone.Model = .plain, _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        let world = try World(model)
        try await world.clock.run {
            try await world.auth.enrol(with: signIn)
            try await story(world)
        }
    }

    /// Runs a story on a phone whose app was killed at the prompt of its first enrolment, with the keys made.
    static func killedWhileEnrolling(_ story: @escaping @Sendable (World) async throws -> Void) async throws {
        let world = try World()
        try await world.clock.run {
            world.phone.next(.ignore)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await world.auth.enrol(with: signIn) }
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                world.phone.killApp()
                try await story(world)
                group.cancelAll()
            }
        }
    }
}

@Suite struct AuthenticatorTests {
    @Test func enrollingShowsOnePromptAndRegistersAKeyForEachRung() async throws {
        let world = try World()
        try await world.clock.run {
            let before = await world.auth.readiness()
            #expect(!before.isEnrolled && before.nextRung == .fullCredentials)
            let record = try await world.auth.enrol(with: World.signIn)
            #expect(world.phone.promptCount == 1)
            #expect(Set(record.keys.map(\.kind)) == [.session, .biometric, .passcode])
            #expect(record.keys.first { $0.kind == .passcode }?.isActive == false)
            let after = await world.auth.readiness()
            #expect(after.isEnrolled && after.nextRung == .biometric)
        }
    }

    @Test func aMatchGrants() async throws {
        try await World.enrolled { world in
            let grant = try await world.auth.authenticate("Unlock")
            #expect(grant.rung == .biometric)
            #expect(grant.session.accessToken == "access-1")
            let me = try await world.auth.me()
            #expect(me.name == "ada")
        }
    }

    @Test func namesFromAServerAreShownWithoutWhatMisleads() async throws {
        let world = try World()
        try await world.clock.run {
            let name = "Ada’s \u{200B} phone\u{1B}[2J\n\u{2066}this device " + String(repeating: "x", count: 1000)
            let device = try await world.auth.enrol(with: World.signIn, deviceName: name)
            #expect(device.name.hasPrefix("Ada’s phone[2J this device xxx") && device.name.count == 140)
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock { $0.accounts = $0.accounts.mapValues { _ in "ada\u{202E}\nroot" } }
            expect(try await world.auth.me().name, is: "ada root")
        }
    }

    @Test func aSecondAttemptSucceeds() async throws {
        try await World.enrolled { world in
            world.phone.next(.noMatch, .match, after: .seconds(1))
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.telemetry.contains(.authenticated(.biometric, after: .seconds(2), attempts: 2)))
        }
    }

    @Test func aPoorReadingIsReportedAndIsNoMismatch() async throws {
        try await World.enrolled { world in
            world.phone.next(.readPoorly(.tooShort), .readPoorly(.notCentered), .noMatch, .readPoorly(.tooPoor), .match)
            let prompts = world.phone.promptCount
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 2, "only the mismatch needs another prompt")
            let told = world.news.all.compactMap { if case .readPoorly(let reading) = $0 { reading } else { nil } }
            #expect(told == [.tooShort, .notCentered, .tooPoor])
            #expect(world.telemetry.contains(.readPoorly(.tooShort)))
            #expect(world.telemetry.contains(.authenticated(.biometric, after: .zero, attempts: 2)))
        }
    }

    @Test func anUnansweredPromptGivesWayToThePasscodeAfterTwelveSeconds() async throws {
        try await World.enrolled { world in
            world.phone.next(.ignore, .match)
            let start = world.clock.now
            let grant = try await world.auth.authenticate("Unlock")
            #expect(grant.rung == .devicePasscode)
            #expect(start.duration(to: world.clock.now) == .seconds(12))
            let hint = try #require(world.news.all.firstIndex(of: .hint(.devicePasscode)))
            let move = try #require(
                world.news.all.firstIndex(
                    of: .moved(from: .biometric, to: .devicePasscode, because: .timeout, over: .milliseconds(250))))
            #expect(hint < move)
        }
    }

    @Test func aLockoutLeadsToThePasscodeWhichEndsIt() async throws {
        try await World.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch, .match)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            world.phone.next(.noMatch, .noMatch, .noMatch, .cancel)
            _ = await failure { _ = try await world.auth.authenticate("Unlock") }
            // The library's own delays come first: the fourth attempt after 10 s, the fifth after 30 s.
            world.clock.advance(by: .seconds(10))
            world.phone.next(.noMatch)
            await expectFailure(.paused) { _ = try await world.auth.authenticate("Pay", policy: World.sensorAlone) }
            world.clock.advance(by: .seconds(30))
            world.phone.next(.noMatch)
            let locked = await failure { _ = try await world.auth.authenticate("Pay", policy: World.sensorAlone) }
            #expect(locked == Failure(.lockedOut, recovery: .signInAgain))
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilPasscode))
            #expect(await world.auth.readiness().nextRung == .devicePasscode)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(await world.auth.readiness().biometry == .ready)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test(
        "cancels keep their names",
        arguments: [
            (SimulatedPhone.Act.cancel, Failure.Code.cancelledByUser), (.systemCancel, .cancelledBySystem),
            (.supersede, .superseded),
        ])
    func cancels(_ act: SimulatedPhone.Act, _ code: Failure.Code) async throws {
        try await World.enrolled { world in
            world.phone.next(act)
            await expectFailure(code) { _ = try await world.auth.authenticate("Unlock") }
            #expect(!world.server.paths.contains("POST /v1/token"))
        }
    }

    @Test func cancellingTheTaskDismissesThePromptAndDiscardsALateSuccess() async throws {
        try await World.enrolled { world in
            world.phone.next(.match, after: .seconds(5))
            let outcome = await withTaskGroup(of: Failure?.self) { group in
                group.addTask { await failure { _ = try await world.auth.authenticate("Unlock") } }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(outcome?.code == .cancelledByApp)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(10)))
            #expect(!world.server.paths.contains("POST /v1/token"))
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)  // the next one starts afresh
        }
    }

    /// The moments of a cancellation that comes too late for the server.
    enum LateCancellation: CaseIterable {
        case whileTheServerAnswers, withItsAnswer, beforeTheSessionIsWritten
    }

    @Test("a cancelled call leaves nothing", arguments: LateCancellation.allCases)
    func aCancelledCallLeavesNothing(_ moment: LateCancellation) async throws {
        try await World.enrolled { world in
            let (cancellation, mailbox) = AsyncStream.makeStream(of: Void.self)
            var platform = world.phone.platform(transport: world.server)
            switch moment {
            case .whileTheServerAnswers:
                platform.transport = SlowTokens(server: world.server, clock: world.clock)
                Task(executorPreference: world.clock.executor) {
                    try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                    mailbox.finish()
                }
            case .withItsAnswer: platform.transport = FollowedTokens(server: world.server) { mailbox.finish() }
            case .beforeTheSessionIsWritten:
                platform.secrets = InterruptedSecrets(store: platform.secrets, at: "session ") {
                    mailbox.finish()
                    try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                }
            }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            var policy = UnlockPolicy(ladder: [.devicePasscode])
            policy.reuse = .seconds(300)
            let lax = policy
            try await auth.requireStrongerRungNextTime()
            let call = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await auth.authenticate("Unlock", policy: lax) }
            }
            for await _ in cancellation {}
            call.cancel()
            #expect(await call.value?.code == .cancelledByApp)
            #expect(world.server.paths.contains("POST /v1/token"), "the server gave a session all the same")
            if moment != .beforeTheSessionIsWritten { await expectFailure(.sessionOver) { _ = try await auth.me() } }
            #expect(await auth.readiness().biometry == .lockedOut(.untilStrongerRung), "the sensor is still off")
            let prompts = world.phone.promptCount
            _ = try await auth.authenticate("Unlock", policy: lax)
            #expect(world.phone.promptCount == prompts + 1, "and no later call reuses it")
        }
    }

    /// Every step at the stores takes 10 ms, and the caller leaves before, between and after them.
    @Test("a call that was cancelled leaves nothing to reuse", arguments: ["unlock", "step-up"])
    func aCancelledCallLeavesNothingToReuse(_ kind: String) async throws {
        try await World.enrolled { world in
            var policy = UnlockPolicy.unlock
            policy.reuse = .seconds(300)
            let lax = policy
            var (cancelled, hasSucceeded) = (0, false)
            while !hasSucceeded {
                var platform = world.phone.platform(transport: world.server)
                let stores = try SlowStores(of: platform, on: world.clock, .init())
                platform.secrets = stores
                let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
                let ask = { @Sendable () async throws(Failure) in
                    if kind == "unlock" {
                        _ = try await auth.authenticate("Unlock", policy: lax)
                    } else {
                        _ = try await auth.stepUp(for: .statementExport, reason: "Export")
                    }
                }
                stores.slowDown(to: .milliseconds(10))
                let call = Task(executorPreference: world.clock.executor) { await failure { try await ask() } }
                try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(10 * cancelled + 5)))
                call.cancel()
                let outcome = await call.value
                #expect(outcome == nil || outcome?.code == .cancelledByApp)
                stores.slowDown(to: .zero)
                let prompts = world.phone.promptCount
                try await ask()
                #expect(world.phone.promptCount == prompts + (outcome == nil ? 0 : 1), "after \(cancelled) steps")
                if outcome == nil { hasSucceeded = true } else { cancelled += 1 }
                try #require(cancelled < 200)
            }
            #expect(cancelled > 10)
        }
    }

    @Test func aNewFaceInvalidatesTheBiometricKeyAndNoOther() async throws {
        try await World.enrolled { world in
            world.phone.enrolNewFace()
            let readiness = await world.auth.readiness()
            #expect(readiness.state(of: .biometric).isDead)
            let prompts = world.phone.promptCount
            let dead = await failure { _ = try await world.auth.authenticate("Pay", policy: .highRisk) }
            #expect(dead == Failure(.keyInvalidated))
            #expect(world.phone.promptCount == prompts, "no prompt is shown for an invalidated key")
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Pay", policy: .highRisk).rung, is: .biometric)
        }
    }

    @Test func unlockingThePhoneElsewhereEndsALockout() async throws {
        try await World.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch, .cancel)
            await expectFailure(.cancelledByUser) { _ = try await world.auth.authenticate("Unlock") }
            world.clock.advance(by: .seconds(10))
            world.phone.next(.noMatch)
            await expectFailure(.paused) { _ = try await world.auth.authenticate("Pay", policy: World.sensorAlone) }
            world.clock.advance(by: .seconds(30))
            world.phone.next(.noMatch)
            await expectFailure(.lockedOut) { _ = try await world.auth.authenticate("Pay", policy: World.sensorAlone) }
            world.phone.unlockWithPasscode()
            expect(try await world.auth.authenticate("Pay", policy: World.sensorAlone).rung, is: .biometric)
        }
    }

    @Test func readinessIsSilent() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            let requests = world.server.paths.count
            world.phone.removeFaces()
            #expect(await world.auth.readiness().biometry == .notEnrolled)
            world.phone.setPermission(false)
            #expect(await world.auth.readiness().biometry == .permissionDenied)
            #expect(world.phone.promptCount == prompts && world.server.paths.count == requests)
        }
    }

    @Test func afterANewFaceEnrollingAgainNeedsNoOption() async throws {
        try await World.enrolled { world in
            world.phone.enrolNewFace()
            let before = try await world.auth.liveEnrolment()
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.liveEnrolment() != before, is: true, "a passcode key is not enough for the policy")
            #expect(await world.auth.readiness().state(of: .biometric) == .usable)
        }
    }

    @Test func aFailedEnrolmentLeavesTheLiveOneAsItWas() async throws {
        try await World.enrolled { world in
            let wrong = PasswordSignIn(account: "ada", password: "wrong")
            await expectFailure(.refused) { try await world.auth.enrol(with: wrong, ifExists: .replace) }
            world.phone.next(.cancel)
            await expectFailure(.cancelledByUser) { try await world.auth.enrol(with: World.signIn, ifExists: .replace) }
            world.server.state.withLock { $0.refusesEnrolment = true }
            await expectFailure(.refused) { try await world.auth.enrol(with: World.signIn, ifExists: .replace) }
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.keyCount == 3, "the keys of the failed enrolment are deleted")

            world.server.state.withLock { $0.refusesEnrolment = false }
            try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.keyCount == 3, "the old keys are deleted")
            #expect(world.server.paths.contains("DELETE /v1/devices/current"), "and the old record is deleted")
        }
    }

    @Test func aDeviceThatDiedWhileEnrollingIsNotEnrolled() async throws {
        try await World.killedWhileEnrolling { world in
            let restarted = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server))
            #expect(await !restarted.readiness().isEnrolled)
            try await restarted.enrol(with: World.signIn)
            #expect(await restarted.readiness().isEnrolled)
            #expect(world.phone.keyCount == 3, "the keys of the first attempt are deleted")
        }
    }

    @Test func oneEnrolmentAtATime() async throws {
        let world = try World()
        try await world.clock.run {
            world.phone.next(.match, after: .seconds(2))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await world.auth.enrol(with: World.signIn) }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                await expectFailure(.superseded) { try await world.auth.enrol(with: World.signIn) }
            }
            #expect(await world.auth.readiness().isEnrolled)
            #expect(world.phone.keyCount == 3)
        }
    }

    @Test func anotherWayCanBeChosen() async throws {
        try await World.enrolled { world in
            world.phone.next(.ignore, .match)
            let start = world.clock.now
            let rung = try await withThrowingTaskGroup(of: Rung.self) { group in
                let question = Question()
                group.addTask { try await question.asking { try await world.auth.authenticate("Unlock").rung } }
                try await world.clock.sleep(until: start.advanced(by: .seconds(3)))
                question.useAnotherWay()
                return try await group.next()
            }
            #expect(rung == .devicePasscode)
            #expect(start.duration(to: world.clock.now) == .seconds(3))
        }
    }

    @Test(
        "no path leads the token elsewhere",
        arguments: ["@evil.example/x", ".evil.example/x", "//evil.example/x", "v1/me", ":8443/x", ""])
    func paths(_ path: String) async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let sent = world.server.paths.count
            await expectFailure(.insecureServer) { _ = try await world.auth.send("GET", to: path) }
            #expect(world.server.paths.count == sent)
        }
    }

    @Test func aFailedEnrolmentLeavesNothingBehind() async throws {
        let world = try World()
        try await world.clock.run {
            let wrong = PasswordSignIn(account: "ada", password: "wrong")
            await expectFailure(.refused) { try await world.auth.enrol(with: wrong) }
            #expect(world.phone.promptCount == 0, "no prompt is shown after a wrong password")
            world.phone.next(.cancel)
            await expectFailure(.cancelledByUser) { try await world.auth.enrol(with: World.signIn) }
            world.server.state.withLock { $0.refusesEnrolment = true }
            await expectFailure(.refused) { try await world.auth.enrol(with: World.signIn) }
            for kind in KeyKind.allCases { #expect(await world.auth.readiness().state(of: kind) == .missing) }
        }
    }

    @Test func aPhoneWithoutSensorAndPasscodeNamesWhatToSetUp() async throws {
        let bare = try World(hasSensor: false, hasPasscode: false)
        try await bare.clock.run {
            let failure = await failure { try await bare.auth.enrol(with: World.signIn) }
            #expect(failure == Failure(.passcodeNotSet))
        }
        let withPasscode = try World(hasSensor: false)
        try await withPasscode.clock.run {
            try await withPasscode.auth.enrol(with: World.signIn)
            expect(try await withPasscode.auth.authenticate("Unlock").rung, is: .devicePasscode)
        }
    }

    @Test("the device signs nothing that it did not ask for", arguments: Tampering.allCases)
    func tampered(_ tampering: Tampering) async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            world.server.state.withLock { $0.tamper = { tampering.change(&$0) } }
            let failure = await failure { _ = try await world.auth.authenticate("Unlock") }
            #expect(failure == Failure(.unexpectedAnswer))
            #expect(world.phone.promptCount == prompts)
        }
    }

    enum Tampering: CaseIterable, Sendable {
        case issuer, audience, purpose, kids, sessionKey, life

        func change(_ claims: inout ChallengeClaims) {
            switch self {
            case .issuer: claims.iss = "https://other.example"
            case .audience: claims.aud = "https://other.example"
            case .purpose: claims.purpose = .enrol
            case .kids: claims.kids.append(claims.cnf.jkt)
            case .sessionKey: claims.cnf.jkt = claims.kids[0]
            case .life: claims.exp = claims.iat + .seconds(301)
            }
        }
    }

    @Test(
        "only https, and http to this machine",
        arguments: [
            ("https://bank.example", true), ("http://127.0.0.1:8080", true), ("http://localhost", true),
            ("http://[::1]:80", true),
            ("http://bank.example", false), ("http://127.0.0.1.evil.example", false), ("http://localhost.evil.example", false),
            ("ftp://bank.example", false), ("https://user:word@bank.example", false), ("https://bank.example?x=1", false),
            ("https:///path", false), ("http://127.1.2.300", false),
        ])
    func addresses(_ address: String, _ isAccepted: Bool) async throws {
        let platform = SimulatedPhone().platform()
        let url = try #require(URL(string: address))
        let failure = await failure { _ = try Authenticator(server: url, platform: platform) }
        #expect((failure == nil) == isAccepted)
        if !isAccepted { #expect(failure?.code == .insecureServer) }
    }

    @Test func anEmptyReasonIsRefused() async throws {
        try await World.enrolled { world in
            await expectFailure(.reasonMissing) { _ = try await world.auth.authenticate("  \n") }
        }
    }

    @Test func aNewNonceIsUsedForOneMoreTry() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock { $0.nonce = "second-nonce" }
            expect(try await world.auth.me().name, is: "ada")
            #expect(world.server.paths.suffix(2) == ["GET /v1/me", "GET /v1/me"])
        }
    }

    @Test func anExpiredTokenIsRefreshedBeforeItIsUsed() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(301)))
            _ = try await world.auth.me()
            #expect(world.server.paths.suffix(2) == ["POST /v1/token", "GET /v1/me"])
        }
    }

    @Test func revokingOnAFullDiskDeletesEveryKey() async throws {
        try await World.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            platform.secrets = FullDisk(store: platform.secrets)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await auth.revoke()
            #expect(world.phone.keyCount == 0)
            #expect(await !world.auth.readiness().isEnrolled)
            #expect(world.server.paths.last == "DELETE /v1/devices/current", "and the server was told")
        }
    }

    @Test("revoking deletes the keys, also when the server is away", arguments: [false, true])
    func revoking(_ isAway: Bool) async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock { $0.isAway = isAway }
            if isAway {
                await expectFailure(.unreachable) { try await world.auth.revoke() }
            } else {
                try await world.auth.revoke()
                #expect(world.server.paths.last == "DELETE /v1/devices/current")
            }
            #expect(await world.auth.readiness().isEnrolled == false)
            #expect(world.phone.keyCount == 0)
            await expectFailure(.notEnrolled) { try await world.auth.revoke() }
            await expectFailure(.notEnrolled) { _ = try await world.auth.me() }
        }
    }

    @Test func onlyAnInvalidTokenIsRefreshed() async throws {
        try await World.enrolled { world in
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock {
                $0.problem = Problem(.stepUpRequired, status: 401, error: "insufficient_user_authentication")
            }
            let sent = world.server.paths.count
            await expectFailure(.refused) { _ = try await world.auth.me() }
            #expect(world.server.paths.count == sent + 1)
        }
    }

    @Test func noSecretPrints() async throws {
        try await World.enrolled { world in
            let grant = try await world.auth.authenticate("Unlock")
            let typed = Credentials.password("hunter2hunter2", for: "ada")
            let request = TransportRequest(method: "GET", url: "u", headers: ["Authorization": "access-1"])
            let response = TransportResponse(status: 200, headers: [:], body: Array("access-1".utf8))
            var dumped =
                "\(request) \(response) \(String(reflecting: request)) \(grant) \(typed) \(String(reflecting: typed)) \(String(reflecting: grant.session))"
            dump(grant, to: &dumped)
            dump(typed, to: &dumped)
            dump(Proof(jws: "access-1"), to: &dumped)
            #expect(!dumped.contains("access-1") && !dumped.contains("refresh 1") && !dumped.contains("hunter2"))
        }
    }
}

/// A server that tells when it has answered a request for tokens.
struct FollowedTokens: Transport {
    let server: InMemoryServer
    let answered: @Sendable () async -> Void

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let answer = try await server.send(request)
        if request.url.hasSuffix("/v1/token") { await answered() }
        return answer
    }
}
