import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// A phone whose app gave its authenticator a full sign-in.
struct SignInWorld: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let server: InMemoryServer
    let screen: SimulatedSignIn
    let auth: Authenticator
    let news = World.News()

    init(
        _ model: SimulatedPhone.Model = .plain, hasSensor: Bool = true, hasPasscode: Bool = true, hasPIN: Bool = false
    ) throws {
        phone = SimulatedPhone(model, clock: clock, hasSensor: hasSensor, hasPasscode: hasPasscode, hasPIN: hasPIN)
        server = InMemoryServer(clock: clock)
        screen = SimulatedSignIn(account: "ada", password: InMemoryServer.password, clock: clock)
        let news = news
        auth = try Authenticator(
            server: InMemoryServer.url, platform: phone.platform(transport: server), signIn: screen
        ) { news.hear($0) }
    }

    /// Another person's password.
    static let eve = PasswordSignIn(account: "eve", password: InMemoryServer.password)
}

@Suite struct FullSignInTests {
    @Test func aPasswordOpensASessionWithoutAnEnrolment() async throws {
        let world = try World()
        try await world.clock.run {
            let grant = try await world.auth.signIn(with: World.signIn)
            #expect(grant.rung == .fullCredentials)
            #expect(world.phone.promptCount == 0)
            expect(try await world.auth.me().name, is: "ada")
            let readiness = await world.auth.readiness()
            #expect(!readiness.isEnrolled)
        }
    }

    @Test func aWrongPasswordOpensNothing() async throws {
        let world = try World()
        try await world.clock.run {
            await expectFailure(.refused) {
                _ = try await world.auth.signIn(with: PasswordSignIn(account: "ada", password: "wrong"))
            }
            await expectFailure(.notEnrolled) { _ = try await world.auth.me() }
            #expect(world.phone.keyCount == 0)
        }
    }

    @Test func aServerWithoutSuchSessionsRefuses() async throws {
        let world = try World()
        world.server.state.withLock { $0.letsVisit = false }
        try await world.clock.run {
            await expectFailure(.refused) { _ = try await world.auth.signIn(with: World.signIn) }
            #expect(world.phone.keyCount == 0)
        }
    }

    @Test func biometricsAreAddedAfterASignInWithoutAnotherPassword() async throws {
        let world = try World()
        try await world.clock.run {
            _ = try await world.auth.signIn(with: World.signIn)
            let device = try await world.auth.addBiometrics()
            #expect(device.keys.contains { $0.kind == .biometric })
            #expect(world.server.paths.count { $0 == "POST /v1/accounts/sign-in" } == 1)
            #expect(world.phone.promptCount == 1)
            // The session of the sign-in goes on: the first start needs no second prompt.
            expect(try await world.auth.me().name, is: "ada")
            #expect(world.phone.promptCount == 1)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func biometricsAreAddedOncePerSignIn() async throws {
        let world = try World()
        try await world.clock.run {
            expect(await failure { try await world.auth.addBiometrics() }?.recovery, is: .signInAgain)
            _ = try await world.auth.signIn(with: World.signIn)
            try await world.auth.addBiometrics()
            try await world.auth.revoke()
            expect(await failure { try await world.auth.addBiometrics() }?.recovery, is: .signInAgain)
        }
    }

    @Test func whoeverHasNeitherSensorNorPasscodeNorPINGetsIn() async throws {
        let world = try SignInWorld(hasSensor: false, hasPasscode: false)
        try await world.clock.run {
            let grant = try await world.auth.authenticate("Unlock Acme")
            #expect(grant.rung == .fullCredentials)
            #expect(world.screen.requests.map(\.reason) == ["Unlock Acme"])
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func aLockoutUnderHighRiskEndsWithThePassword() async throws {
        let world = try SignInWorld()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            world.phone.next(.noMatch, .noMatch, .noMatch)
            let grant = try await world.auth.authenticate("Pay", policy: .highRisk)
            #expect(grant.rung == .fullCredentials)
            #expect(
                world.news.all.contains {
                    if case .moved(from: .biometric, to: .fullCredentials, _, _) = $0 { true } else { false }
                }
            )
        }
    }

    @Test func aMistypedPasswordEndsTheUnlockAndTheNextOneMayTryAgain() async throws {
        let world = try SignInWorld(hasSensor: false, hasPasscode: false)
        try await world.clock.run {
            world.screen.next(.mistype)
            await expectFailure(.refused) { _ = try await world.auth.authenticate("Unlock") }
            expect(try await world.auth.authenticate("Unlock").rung, is: .fullCredentials)
        }
    }

    @Test func aCancelledSignInLeavesTheSessionOfBefore() async throws {
        let world = try SignInWorld(hasSensor: false, hasPasscode: false)
        try await world.clock.run {
            _ = try await world.auth.authenticate("Unlock")
            let keys = world.phone.keyCount
            world.screen.next(.cancel)
            await expectFailure(.cancelledByUser) { _ = try await world.auth.authenticate("Unlock") }
            #expect(world.phone.keyCount == keys)
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func theUnlockBeginsAtTheRungThatWasChosen() async throws {
        let world = try SignInWorld(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let prompts = world.phone.promptCount
            expect(try await world.auth.authenticate("Unlock", startingAt: .fullCredentials).rung, is: .fullCredentials)
            expect(try await world.auth.authenticate("Unlock", startingAt: .appPIN).rung, is: .appPIN)
            #expect(world.phone.promptCount == prompts)
            expect(try await world.auth.authenticate("Unlock", startingAt: .devicePasscode).rung, is: .devicePasscode)
        }
    }

    @Test func anotherPersonsPasswordUnlocksNothingHere() async throws {
        let world = try World()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            await expectFailure(.anotherAccount) { _ = try await world.auth.signIn(with: SignInWorld.eve) }
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func whatAVisitUnlockedEndsWithTheNextPersonsVisit() async throws {
        let world = try World()
        try await world.clock.run(mainActorToo: true) { @MainActor in
            let lock = AppLockModel(for: world.auth, reason: "Unlock Acme")
            try await Self.run(lock, in: world.clock) {
                let first = try await world.auth.signIn(with: World.signIn)
                lock.unlocked(by: first)
                #expect(!lock.isLocked)
                _ = try await world.auth.signIn(with: SignInWorld.eve)
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                #expect(lock.isLocked)
                lock.unlocked(by: first)
                #expect(lock.isLocked)
                // The lock made everything of before worthless.
                lock.unlocked(by: try await world.auth.signIn(with: SignInWorld.eve))
                #expect(!lock.isLocked)
            }
        }
    }

    /// The lock that closes because the next person signs in leaves that sign-in alone, also where the disk is slow.
    @Test func theLockThatAVisitClosesDoesNotEndThatVisit() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            var platform = SimulatedPhone(.plain, clock: clock).platform(transport: InMemoryServer(clock: clock))
            platform.secrets = SlowSecrets(secrets: platform.secrets, clock: clock)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let lock = AppLockModel(for: auth, reason: "Unlock Acme")
            try await Self.run(lock, in: clock) {
                lock.unlocked(by: try await auth.signIn(with: World.signIn))
                #expect(!lock.isLocked)
                let next = try await auth.signIn(with: SignInWorld.eve)
                #expect(lock.isLocked)
                lock.unlocked(by: next)
                #expect(!lock.isLocked)
            }
        }
    }

    @Test func aKeysSessionTakesThePlaceOfAVisits() async throws {
        let world = try World()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            _ = try await world.auth.signIn(with: World.signIn)
            let keys = world.phone.keyCount
            _ = try await world.auth.authenticate("Unlock")
            #expect(world.phone.keyCount == keys - 1)
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func aStepUpAsksForNoPassword() async throws {
        let world = try SignInWorld()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            world.phone.next(.noMatch, .noMatch, .noMatch)
            await expectFailure(.lockedOut) {
                _ = try await world.auth.stepUp(for: .newRecipient, reason: "Add a recipient")
            }
            #expect(world.screen.requests.isEmpty)
        }
    }

    @Test func anAppLockOpensByThePasswordAndStaysOpenWhileBiometricsAreAdded() async throws {
        let world = try SignInWorld()
        try await world.clock.run(mainActorToo: true) { @MainActor in
            let lock = AppLockModel(for: world.auth, reason: "Unlock Acme")
            try await Self.run(lock, in: world.clock) {
                #expect(!lock.isLocked && world.screen.requests.count == 1)
                try await world.auth.addBiometrics()
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
                #expect(!lock.isLocked)
            }
        }
    }

    /// Runs a lock beside a story, which begins two seconds later.
    @MainActor private static func run(
        _ lock: AppLockModel, in clock: VirtualClock, _ story: @MainActor () async throws -> Void
    ) async throws {
        let running = Task(executorPreference: clock.executor) { await lock.run() }
        try await clock.sleep(until: clock.now.advanced(by: .seconds(2)))
        try await story()
        running.cancel()
        await running.value
    }
}

/// Secrets on a disk that takes a second for each of them.
private struct SlowSecrets: SecretStore {
    let secrets: any SecretStore
    let clock: any DeviceClock

    private func pause() async { try? await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await secrets.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        await pause()
        try await secrets.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) { try await secrets.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        await pause()
        return try await secrets.replace(old, by: new, as: name)
    }
}
