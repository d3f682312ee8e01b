import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Only prompts are waited for: no ask waits for another one's network, tap or PIN.
@Suite struct PromptTurnsTests {
    static func wait(_ duration: Duration, _ world: World) async {
        try? await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    /// Starts an ask that is cancelled at the end of the story.
    static func with(
        _ world: World, _ ask: @escaping @Sendable () async throws -> Void, _ story: () async throws -> Void
    ) async throws {
        let asking = Task(executorPreference: world.clock.executor) { await failure { try await ask() } }
        try await story()
        asking.cancel()
        _ = await asking.value
    }

    @Test("a vault opens while a server hangs", arguments: ["/v1/challenges", "/v1/token"])
    func aVaultOpensWhileAServerHangs(_ path: String) async throws {
        try await World.enrolled { world in
            let slow = LateAnswers(server: world.server, clock: world.clock, path: path)
            let platform = world.phone.platform(transport: slow)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let vault = Vault(named: "designs", platform: platform, access: .userPresence)
            try await Self.with(world, { _ = try await auth.authenticate("Unlock") }) {
                await Self.wait(.seconds(1), world)
                let start = world.clock.now
                expect(try await vault.unlocked("Open") { $0.rung }, is: .biometric)
                #expect(start.duration(to: world.clock.now) < .seconds(1))
            }
        }
    }

    @Test func aPaymentThatWaitsForATapBlocksNoUnlock() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            try await Self.with(world, { _ = try await world.auth.authenticate("Pay", policy: .highRisk, by: .screen) }) {
                await Self.wait(.seconds(1), world)
                let start = world.clock.now
                expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
                #expect(start == world.clock.now && world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func aTapThatComesWhileTheChallengeIsFetchedCounts() async throws {
        try await World.enrolled { world in
            let slow = LateAnswers(server: world.server, clock: world.clock, path: "/v1/challenges", .seconds(5))
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            let start = world.clock.now
            async let screen = auth.authenticate("Pay", policy: .highRisk, by: .screen).rung
            await Self.wait(.seconds(1), world)
            expect(try await auth.authenticate("Pay", policy: .highRisk).rung, is: .biometric)
            expect(try await screen, is: .biometric)
            #expect(start.duration(to: world.clock.now) == .seconds(5))
        }
    }

    @Test func anotherWayIsForTheCallThatThePersonSees() async throws {
        try await World.enrolled { world in
            world.phone.next(.ignore, .match)
            let start = world.clock.now
            let (seen, other) = (Question(), Question())
            async let rung = seen.asking { try await world.auth.authenticate("Unlock").rung }
            await Self.wait(.seconds(3), world)
            other.useAnotherWay()
            await Self.wait(.seconds(1), world)
            seen.useAnotherWay()
            expect(try await rung, is: .devicePasscode)
            #expect(start.duration(to: world.clock.now) == .seconds(4))
        }
    }

    @Test func theSensorsTimeStartsWhenItsPromptIsShown() async throws {
        try await World.enrolled { world in
            let start = world.clock.now
            world.phone.next(.match, after: .seconds(20))
            world.phone.next(.match, after: .seconds(10))
            async let first = world.auth.authenticate("First", policy: UnlockPolicy(ladder: [.devicePasscode])).rung
            await Self.wait(.milliseconds(100), world)
            async let second = world.auth.authenticate("Second").rung
            expect(try await first, is: .devicePasscode)
            expect(try await second, is: .biometric)
            #expect(start.duration(to: world.clock.now) == .seconds(30))
        }
    }

    @Test func aStaleChallengeIsRenewedWithoutTheScreen() async throws {
        try await World.enrolled { world in
            var platform = world.auth.platform
            platform.transport = LateAnswers(server: world.server, clock: world.clock, path: "/v1/challenges", .seconds(10))
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let vault = Vault(named: "designs", platform: platform, access: .userPresence)
            let passcode = UnlockPolicy(ladder: [.devicePasscode])
            let start = world.clock.now
            world.phone.next(.match, after: .seconds(1200))
            async let first = world.auth.authenticate("First", policy: passcode).rung
            await Self.wait(.seconds(1), world)
            async let second = auth.authenticate("Second").rung
            await Self.wait(.seconds(1198), world)
            _ = try? await first
            let opened = world.clock.now
            expect(try await vault.unlocked("Open") { $0.rung }, is: .biometric)
            #expect(opened == world.clock.now, "the vault does not wait for the second challenge")
            expect(try await second, is: .biometric)
            #expect(start.duration(to: world.clock.now) >= .seconds(1210))
        }
    }

    /// The flow looks at the device once more after its wait, which takes a while; the app goes to the back meanwhile.
    @Test func aFlowThatBeginsInTheBackHearsOfIt() async throws {
        try await PromptCoordinatorTests.enrolled { world, auth, app in
            var platform = auth.platform
            let stores = try SlowStores(of: platform, on: world.clock, .init())
            platform.secrets = stores
            let slow = try Authenticator(server: InMemoryServer.url, platform: platform)
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(5))
            async let first = auth.authenticate("First").rung
            await Self.wait(.seconds(1), world)
            async let second = slow.authenticate("Second").rung
            await Self.wait(.seconds(3), world)
            stores.slowDown(to: .seconds(1))
            expect(try await first, is: .biometric)
            await Self.wait(.milliseconds(500), world)
            app.move(to: .back)
            stores.slowDown(to: .zero)
            await Self.wait(.seconds(600), world)
            app.move(to: .front)
            expect(try await second, is: .biometric, "the sensor's time has not run out in the back")
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func aCallThatWasGivenTheScreenAndLeftGivesItOn() async throws {
        try await World.enrolled { world in
            world.phone.next(.match, after: .seconds(2))
            async let first = world.auth.authenticate("First").rung
            await Self.wait(.milliseconds(100), world)
            let leaving = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await world.auth.authenticate("Second") }
            }
            await Self.wait(.milliseconds(100), world)
            async let third = world.auth.authenticate("Third").rung
            await Self.wait(.milliseconds(100), world)
            leaving.cancel()
            #expect(await leaving.value?.code == .cancelledByApp)
            expect(try await first, is: .biometric)
            expect(try await third, is: .biometric)
        }
    }

    @Test func aStepUpSharesNoPromptWithAnEqualUnlock() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            world.phone.next(.match, .match, after: .seconds(1))
            let action = try #require(StepUpAction("pay", maximumAge: .zero))
            async let unlock = world.auth.authenticate("Pay", policy: .highRisk)
            async let stepUp = world.auth.stepUp(for: action, reason: "Pay")
            _ = try await (unlock, stepUp)
            #expect(world.phone.promptCount == prompts + 2)
        }
    }
}

// MARK: - PIN screens

extension PromptTurnsTests {
    @Test func choosingAPINWaitsForAPINScreenThatIsUp() async throws {
        try await AppPINTests.enrolled { world in
            let entry = SlowEntry(clock: world.clock)
            var platform = world.phone.platform(transport: world.server)
            platform.pin = platform.pin.map { PINSupport(entry: entry, key: $0.key) }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let other = try Authenticator(server: InMemoryServer.url, account: "work", platform: platform)
            async let rung = auth.authenticate("Unlock", policy: AppPINTests.policy).rung
            await Self.wait(.seconds(1), world)
            async let enrolled = other.enrol(with: World.signIn, policy: AppPINTests.policy)
            expect(try await rung, is: .appPIN)
            _ = try await enrolled
            #expect(entry.log.withLock { $0.shown } == ["enter", "choose"])
            #expect(entry.log.withLock { $0.mostUp } == 1, "one PIN screen at a time")
        }
    }

    @Test func aPINJudgedByAHangingServerHoldsNoScreen() async throws {
        try await Self.judgedByServer { world, platform in
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let vault = Vault(named: "designs", platform: platform, access: .userPresence)
            try await Self.with(world, { _ = try await auth.authenticate("Unlock", policy: AppPINTests.policy) }) {
                await Self.wait(.seconds(1), world)
                #expect(world.phone.pinRequests.count == 1, "the PIN is entered, and the server judges it")
                let start = world.clock.now
                expect(try await vault.unlocked("Open") { $0.rung }, is: .biometric)
                #expect(start.duration(to: world.clock.now) < .seconds(1))
            }
        }
    }

    @Test func aPINOfOneServerDoesNotWaitForAnother() async throws {
        try await Self.judgedByServer { world, platform in
            let hanging = try Authenticator(server: InMemoryServer.url, platform: platform)
            var quick = platform
            quick.transport = world.server
            let other = try Authenticator(server: InMemoryServer.url, account: "work", platform: quick)
            try await other.enrol(with: World.signIn, policy: AppPINTests.policy)
            try await Self.with(world, { _ = try await hanging.authenticate("Unlock", policy: AppPINTests.policy) }) {
                await Self.wait(.seconds(1), world)
                let start = world.clock.now
                expect(try await other.authenticate("Unlock", policy: AppPINTests.policy).rung, is: .appPIN)
                #expect(start.duration(to: world.clock.now) < .seconds(1))
            }
        }
    }

    /// A phone with a PIN that only the server can judge, and a server that hangs over proofs.
    static func judgedByServer(_ story: @escaping @Sendable (World, DevicePlatform) async throws -> Void) async throws {
        var model = SimulatedPhone.Model.plain
        model.pin = .derived
        let world = try World(model, hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let slow = LateAnswers(server: world.server, clock: world.clock, path: "/v1/token")
            try await story(world, world.phone.platform(transport: slow))
        }
    }
}

// MARK: - Settling

extension PromptTurnsTests {
    @Test func anUnlockDoesNotWaitForWhatIsSettledAfterIt() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            world.server.state.withLock { $0.losesAnswerTo = "/v1/devices/current" }
            try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            let slow = LateAnswers(server: world.server, clock: world.clock, path: "/v1/devices/current", .seconds(3600))
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            let start = world.clock.now
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
            #expect(start == world.clock.now)
            // What is being settled is in no later call's way either.
            try await auth.changePIN()
            #expect(start.duration(to: world.clock.now) < .seconds(1))
        }
    }
}

/// A server that takes its time over one path.
private struct LateAnswers: Transport {
    let server: InMemoryServer
    let clock: VirtualClock
    let path: String
    let time: Duration

    init(server: InMemoryServer, clock: VirtualClock, path: String, _ time: Duration = .seconds(24 * 3600)) {
        (self.server, self.clock, self.path, self.time) = (server, clock, path, time)
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        if request.url.hasSuffix(path) {
            do { try await clock.sleep(until: clock.now.advanced(by: time)) } catch { throw Failure(.cancelledByApp) }
        }
        return try await server.send(request)
    }
}

/// A PIN screen at which the person takes five seconds.
private final class SlowEntry: PINEntry {
    let log = Mutex((shown: [String](), up: 0, mostUp: 0))
    private let clock: VirtualClock

    init(clock: VirtualClock) {
        self.clock = clock
    }

    func enter(_ request: PINRequest) async -> PINAnswer { await show("enter") }
    func choose() async -> PINAnswer { await show("choose") }

    private func show(_ name: String) async -> PINAnswer {
        log.withLock { log in
            log.shown.append(name)
            log.up += 1
            log.mostUp = max(log.mostUp, log.up)
        }
        defer { log.withLock { $0.up -= 1 } }
        try? await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
        guard let pin = PIN(SimulatedPhone.pin) else { preconditionFailure("this is a PIN") }
        return .entered(pin)
    }
}
