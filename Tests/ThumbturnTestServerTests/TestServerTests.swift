#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnServer
import ThumbturnTestKit
import ThumbturnTestServer

/// What an app's tests do with the server: each test is one of an app's.
@Suite struct TestServerTests {
    static let password = "correct horse battery staple"
    static let signIn = PasswordSignIn(account: "ada", password: password)

    /// A server, and a phone that is set up at it.
    struct World: Sendable {
        let clock: VirtualClock
        let server: TestServer
        let phone: SimulatedPhone
        let auth: Authenticator

        static func run(_ story: @escaping @Sendable (World) async throws -> Void) async throws {
            let clock = VirtualClock()
            let server = try await TestServer(accounts: ["ada": password, "bob": password], clock: clock)
            let world = try World(clock, server)
            try await clock.run {
                try await world.auth.enrol(with: signIn)
                _ = try await world.auth.authenticate("Unlock Acme")
                try await story(world)
            }
        }

        init(_ clock: VirtualClock, _ server: TestServer) throws {
            (self.clock, self.server) = (clock, server)
            phone = SimulatedPhone(.iPhone(.face), clock: clock, hasPIN: true)
            phone.name = "Ada’s first phone"
            auth = try Authenticator(server: server.url, platform: phone.platform(transport: server.transport))
        }

        /// Another phone of the same person.
        func anotherPhone() async throws -> World {
            let another = try World(clock, server)
            another.phone.name = "Ada’s new phone"
            try await another.auth.enrol(with: signIn)
            _ = try await another.auth.authenticate("Unlock Acme")
            return another
        }

        func pass(_ time: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }

        /// The device of the other phone, as this one sees it.
        func other() async throws -> ThumbturnDevice.EnrolledDevice {
            let others = try await auth.devices().filter { !$0.isCurrent }
            return try #require(others.first)
        }
    }

    private static func batch(at time: UnixTime) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let report = UnlockReport(
            [.promptShown(.biometric), .authenticated(.biometric, after: .seconds(1), attempts: 1)],
            began: time, in: TelemetryContext(system: "iOS"))
        return StrictJSON.encode(TelemetryBatch([report], id: .init(using: &generator), day: .init(using: &generator)))
    }

    /// The whole way of an experiment: from the operator's file to the arm's numbers and name on a device.
    @Test func aDeviceFollowsThePoliciesOfItsServer() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("policies-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let arms = ["early", "late"].map { name in
            let hint = name == "early" ? 5000 : 7000
            let policy =
                #"{"ladder": ["biometric", "devicePasscode", "appPIN", "fullCredentials"], "automatic_prompt": 400, "hint_after": \#(hint)}"#
            return #"{"name": "\#(name)", "weight": 1, "policy": \#(policy)}"#
        }
        let text = """
            {"format": "thumbturn-unlock-policies/1", "version": 1, "policies": {
             "unlock": {"experiment": {"name": "hint", "arms": [\(arms.joined(separator: ","))]}},
             "sensitiveScreen": {"policy": {"ladder": ["fullCredentials"]}}}}
            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        let policies = try UnlockPolicies(file: file.path)
        let clock = VirtualClock()
        let server = try await TestServer(accounts: [:], clock: clock) { $0.unlockPolicies = policies }
        try await clock.run {
            var used: Set<String> = []
            // Each of 40 phones has the other arm with a chance of one half: that all have the same one happens in 10^12 runs.
            for _ in 0..<40 {
                let platform = SimulatedPhone(.plain, clock: clock).platform(transport: server.transport)
                let auth = try Authenticator(server: server.url, platform: platform)
                let bounds = PolicyBounds(around: .unlock)
                #expect(await auth.policy(within: bounds) == .unlock, "before it came")
                try await auth.fetchPolicies()
                let policy = await auth.policy(within: bounds)
                let arm = try #require(policy.arm?.text)
                #expect(policy.name == "unlock" && policy.hintAfter == .seconds(arm == "early" ? 5 : 7))
                used.insert(arm)
                let again = try Authenticator(server: server.url, platform: platform)
                #expect(await again.policy(within: bounds) == policy, "after a start, without a network")
                var narrow = bounds
                narrow.hintAfter = .seconds(6) ... .seconds(20)  // one arm's hint comes after 5 s
                #expect(await auth.policy(within: narrow) == .unlock, "one arm is out of the app's bounds")
                #expect(await auth.policy(within: PolicyBounds(around: .sensitiveScreen)) == .sensitiveScreen, "no rung changes")
                #expect(await auth.policy(within: PolicyBounds(around: .transaction)) == .transaction, "not in the file")
            }
            #expect(used == ["early", "late"])
        }
        let other = try await TestServer(accounts: [:], clock: clock)
        try await clock.run {
            let platform = SimulatedPhone(.plain, clock: clock).platform(transport: other.transport)
            let auth = try Authenticator(server: other.url, platform: platform)
            await expectFailure(.unexpectedAnswer) { try await auth.fetchPolicies() }
            #expect(await auth.policy(within: PolicyBounds(around: .unlock)) == .unlock, "of a server without policies")
        }
    }

    /// The device's half of telemetry and the server's meet: with the session, and no longer when the device is revoked.
    @Test func aDeviceReportsItsUnlocksWithItsSession() async throws {
        try await World.run { world in
            let telemetry = ServerTelemetry(world.auth)
            #expect(await telemetry.send(Self.batch(at: world.clock.civilTime)) == .taken)
            #expect(await telemetry.send(Array("{}".utf8)) == .refused)
            try await world.auth.revoke()
            #expect(await telemetry.send(Self.batch(at: world.clock.civilTime)) == .later(after: nil))
        }
    }

    /// A visit's key is no device's: who may visit would otherwise count as a new device each time.
    @Test func aVisitReportsNothing() async throws {
        let clock = VirtualClock()
        let server = try await TestServer(accounts: ["ada": Self.password], clock: clock)
        let world = try World(clock, server)
        try await clock.run {
            _ = try await world.auth.signIn(with: Self.signIn)
            #expect(await ServerTelemetry(world.auth).send(Self.batch(at: world.clock.civilTime)) != .taken)
        }
    }

    /// The page shows this test, word for word.
    @Test func thePageShowsATestThatRuns() throws {
        let page = try String(
            contentsOf: repository.appendingPathComponent("Sources/Thumbturn/Thumbturn.docc/TestingYourApp.md"), encoding: .utf8)
        let tests = try String(contentsOfFile: #filePath, encoding: .utf8)
        let start = try #require(page.range(of: "@Test func fromTheFirstStartToThePayment()"))
        let example = try #require(page[start.lowerBound...].components(separatedBy: "```").first)
        func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        #expect(words(tests).contains(words(example)))
        #expect((10...22).contains(example.split(separator: "\n").count))
    }

    @Test func fromTheFirstStartToThePayment() async throws {
        let clock = VirtualClock()
        let server = try await TestServer(accounts: ["ada": "correct horse battery staple"], clock: clock)
        let bank = try await server.backEnd()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let auth = try Authenticator(server: server.url, platform: phone.platform(transport: server.transport))
        try await clock.run {
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: "correct horse battery staple"))
            phone.next(.noMatch, .match)
            let grant = try await auth.authenticate("Unlock Acme")
            #expect(grant.rung == .biometric)

            let payment = TestBackEnd.payment("12.50", to: "Super Store")
            let id = try await bank.ask("ada", toApprove: payment)
            let approval = try await auth.approval(id)
            _ = try await auth.approve(approval)
            try await bank.redeem(id, of: payment)
            #expect(try await bank.state(of: id) == .redeemed)
        }
    }

    @Test func aBackEndIsPaidOnce() async throws {
        try await World.run { world in
            let bank = try await world.server.backEnd(named: "bank")
            let payment = TestBackEnd.payment("12.50", to: "Super Store")
            let id = try await bank.ask("ada", toApprove: payment)
            await #expect(throws: TestBackEnd.Refused.self) { try await bank.redeem(id, of: payment) }
            _ = try await world.auth.approve(try await world.auth.approval(id))
            try await bank.redeem(id, of: payment)
            await #expect(throws: TestBackEnd.Refused.self) { try await bank.redeem(id, of: payment) }
            await #expect(throws: (any Error).self) { _ = try await bank.ask("carol", toApprove: payment) }

            let shown = TestBackEnd.payment("12.50", to: "Super Store")
            let second = try await bank.ask("ada", toApprove: shown)
            _ = try await world.auth.approve(try await world.auth.approval(second))
            let another = TestBackEnd.payment("99.00", to: "Super Store")
            await #expect(throws: TestBackEnd.Refused.self) { try await bank.redeem(second, of: another) }
            #expect(try await bank.state(of: second) == .withdrawn)
        }
    }

    // MARK: Time and the network

    @Test func timeStandsStillWhileTheServerWorks() async throws {
        let clock = VirtualClock()
        let server = try await TestServer(accounts: ["ada": Self.password], clock: clock)
        let world = try World(clock, server)
        try await clock.run {
            let start = clock.now
            async let alarm: Void = clock.sleep(until: start.advanced(by: .seconds(3600)))
            try await world.auth.enrol(with: Self.signIn)
            _ = try await world.auth.authenticate("Unlock Acme")
            try await server.asOperator { _ = try await $0.devices(ofAccountNamed: "ada") }
            #expect(start.duration(to: clock.now) < .seconds(60))
            try await alarm
            #expect(start.duration(to: clock.now) == .seconds(3600))
        }
    }

    @Test func theServersTimeIsTheClocks() async throws {
        try await World.run { world in
            world.phone.moveWallClock(by: .seconds(-86_400))
            _ = try await world.auth.me()
            try await world.pass(.seconds(13 * 3600))
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
            let before = world.clock.civilTime
            _ = try await world.auth.authenticate("Unlock Acme")
            let verified = try await world.auth.me().verifiedAt
            #expect((before...world.clock.civilTime).contains(verified))
        }
    }

    @Test func withoutANetworkThereIsNoServer() async throws {
        try await World.run { world in
            world.server.isReachable = false
            await expectFailure(.unreachable) { _ = try await world.auth.me() }
            world.server.isReachable = true
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func aWrongPasswordIsRefusedAndTheOperatorRevokes() async throws {
        try await World.run { world in
            await expectFailure(.refused) {
                try await world.auth.enrol(with: PasswordSignIn(account: "ada", password: "wrong horse battery staple"))
            }
            let id = try await world.auth.me().deviceID
            try await world.server.asOperator { try await $0.revoke(id, ofAccountNamed: "ada") }
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
        }
    }

    // MARK: Devices

    @Test func aNewPhoneCoolsOffAndTheOldOneRemovesIt() async throws {
        try await World.run { old in
            let new = try await old.anotherPhone()
            expect(try await old.auth.devices().map(\.name).sorted(), is: ["Ada’s first phone", "Ada’s new phone"])

            let enrolled = new.clock.civilTime
            let failed = await failure { try await new.auth.remove(try await new.other()) }
            #expect(failed?.code == .coolingOff && failed?.recovery == .wait(.seconds(86_400)))
            #expect(failed?.until == enrolled + .seconds(86_400))
            let prompted = await failure { _ = try await new.auth.stepUp(for: .cardDetails, reason: "Show the card") }
            #expect(prompted?.code == .coolingOff && prompted?.until == enrolled + .seconds(86_400))

            // The proof of the first phone is fresh, so nothing is asked.
            let prompts = old.phone.promptCount
            try await old.auth.remove(try await old.other())
            #expect(old.phone.promptCount == prompts)
            expect(try await old.auth.devices().map(\.name), is: ["Ada’s first phone"])
            await expectFailure(.sessionOver) { _ = try await new.auth.me() }
        }
    }

    @Test func afterTheCoolOffANewPhoneRemovesALostOneWithAPrompt() async throws {
        try await World.run { lost in
            let new = try await lost.anotherPhone()
            try await new.pass(.seconds(86_401))
            _ = try await new.auth.authenticate("Unlock Acme")
            try await new.pass(.seconds(301))
            let prompts = new.phone.promptCount
            let device = try await new.other()
            try await new.auth.remove(device, reason: "Remove the lost phone")
            #expect(new.phone.promptCount == prompts + 1)
            expect(try await new.auth.devices().count, is: 1)
            // It is gone, and removing it once more is no failure.
            try await new.auth.remove(device)
            await #expect(throws: Failure.self) { _ = try await lost.auth.authenticate("Unlock Acme") }
        }
    }

    @Test func thePasscodeRemovesNoPhoneThatHasAFaceOrAPIN() async throws {
        try await World.run { old in
            let new = try await old.anotherPhone()
            try await old.pass(.seconds(301))
            var passcode = UnlockPolicy.unlock
            passcode.ladder = [.devicePasscode, .biometric, .fullCredentials]
            expect(try await old.auth.authenticate("Unlock Acme", policy: passcode).rung, is: .devicePasscode)
            let prompts = old.phone.promptCount
            try await old.auth.remove(try await old.other(), policy: passcode)
            #expect(old.phone.promptCount == prompts + 1)
            await expectFailure(.sessionOver) { _ = try await new.auth.me() }
        }
    }

    @Test func aCancelledPromptRemovesNothing() async throws {
        try await World.run { old in
            _ = try await old.anotherPhone()
            try await old.pass(.seconds(301))
            old.phone.next(.cancel)
            let failed = await failure { try await old.auth.remove(try await old.other()) }
            #expect(failed?.code == .cancelledByUser)
            expect(try await old.auth.devices().count, is: 2)
            await expectFailure(.reasonMissing) { try await old.auth.remove(try await old.other(), reason: "") }
        }
    }

    @Test func aDeviceIsRenamedAndThisOneIsRemovedWithoutAPrompt() async throws {
        try await World.run { old in
            let devices = try await old.auth.devices()
            let this = try #require(devices.first)
            let renamed = try await old.auth.rename(this, to: "Kitchen phone")
            #expect(renamed.name == "Kitchen phone" && renamed.id == this.id && renamed.isCurrent)
            await expectFailure(.unexpectedAnswer) { try await old.auth.rename(this, to: "") }
            let prompts = old.phone.promptCount
            try await old.auth.remove(renamed)
            #expect(old.phone.promptCount == prompts && old.phone.keyCount == 0)
            expect(try await old.server.asOperator { try await $0.devices(ofAccountNamed: "ada").count }, is: 0)
        }
    }

    @Test func aPersonWhoSignedInWithTheirPasswordRemovesADeviceWithTheSensor() async throws {
        try await World.run { old in
            let new = try await old.anotherPhone()
            _ = try await old.auth.signIn(with: Self.signIn)
            let prompts = old.phone.promptCount
            try await old.auth.remove(try await old.other())
            #expect(old.phone.promptCount == prompts + 1)
            await expectFailure(.sessionOver) { _ = try await new.auth.me() }
        }
    }

    @Test func aSignOutEndsTheSessionOfAPasswordAndTheOneBefore() async throws {
        try await World.run { world in
            _ = try await world.auth.signIn(with: Self.signIn)
            _ = try await world.auth.me()
            try await world.auth.signOut(forgetDevice: false)
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
            expect(try await world.auth.authenticate("Unlock Acme").rung, is: .biometric)
        }
    }

    @Test func aPersonWithoutAnEnrolmentSignsOut() async throws {
        let clock = VirtualClock()
        let server = try await TestServer(accounts: ["ada": Self.password], clock: clock)
        let world = try World(clock, server)
        try await clock.run {
            await expectFailure(.notEnrolled) { try await world.auth.signOut(forgetDevice: false) }
            for forgets in [false, true] {
                _ = try await world.auth.signIn(with: Self.signIn)
                _ = try await world.auth.me()
                try await world.auth.signOut(forgetDevice: forgets)
                #expect(world.phone.keyCount == 0)
                await #expect(throws: Failure.self) { _ = try await world.auth.me() }
            }
        }
    }

    @Test func aSignOutEndsTheSessionAtTheServer() async throws {
        try await World.run { world in
            let recording = RecordingTransport(world.server.transport)
            let auth = try Authenticator(
                server: world.server.url, platform: world.phone.platform(transport: recording))
            _ = try await auth.me()
            try await auth.signOut(forgetDevice: false)
            let last = try #require(recording.exchanges.last)
            #expect(last.request.url.hasSuffix("/v1/revoke") && last.response.status == 200)
            await expectFailure(.sessionOver) { _ = try await auth.me() }
            expect(try await auth.authenticate("Unlock Acme").rung, is: .biometric)
            expect(try await world.server.asOperator { try await $0.devices(ofAccountNamed: "ada").count }, is: 1)
        }
    }
}
#endif
