import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

@MainActor @Suite struct AppLockModelTests {
    @Test func locksCoversAndAsksByItself() async throws {
        try await ScreenWorld.tell { world in
            let locks = Mutex(0)
            let lock = AppLockModel(rules: .init(lockAfter: .seconds(30)), platform: world.platform, unlock: world.unlock) {
                locks.withLock { $0 += 1 }
            }
            let prompts = world.world.phone.promptCount
            #expect(lock.isLocked && lock.isCovered)
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && !lock.isCovered)
                #expect(world.world.phone.promptCount == prompts + 1)

                world.app.move(to: .inactive)
                await world.wait(.seconds(1))
                #expect(lock.isCovered && !lock.isLocked)
                world.app.move(to: .back)
                await world.wait(.seconds(31))
                #expect(lock.isLocked, "also while no screen is shown")
                #expect(locks.withLock { $0 } == 1)
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && !lock.isCovered)
                #expect(world.world.phone.promptCount == prompts + 2)

                lock.lockNow()
                #expect(lock.isLocked && locks.withLock { $0 } == 2)
                await world.wait(.seconds(60))
                #expect(world.world.phone.promptCount == prompts + 2, "after locking by hand no prompt comes by itself")
                lock.tap()
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
            }
        }
    }

    // MARK: - Other processes

    private static let dismissals: [(name: String, act: @Sendable (Authenticator) async throws -> Void)] = [
        ("stronger rung", { try await $0.requireStrongerRungNextTime() }), ("revoked", { try await $0.revoke() }),
        ("another person", { try await $0.enrol(with: EnrolmentTests.bob) }),
    ]

    /// Whether the app was covered each time it was locked.
    @MainActor private final class Covers {
        weak var lock: AppLockModel?
        var atLocks: [Bool] = []

        func note() { if let lock { atLocks.append(lock.isCovered) } }
    }

    /// An open lock, and an authenticator of the account in another process.
    private func withAnotherProcess(
        _ dismissal: Int, _ covers: Covers = Covers(),
        _ story: @escaping @MainActor @Sendable (ScreenWorld, AppLockModel, () async throws -> Void) async throws -> Void
    ) async throws {
        try await ScreenWorld.tell { world in
            let other = try Authenticator(
                server: InMemoryServer.url,
                platform: world.world.phone.platform(transport: world.world.server, process: "extension"))
            let lock = AppLockModel(rules: .init(lockAfter: .seconds(3600)), platform: world.platform, unlock: world.unlock) {
                covers.note()
            }
            covers.lock = lock
            try await world.withOpenLock(lock) {
                try await story(world, lock) { try await Self.dismissals[dismissal].act(other) }
            }
        }
    }

    @Test("a dismissal by another process locks the app before it shows again", arguments: 0..<3)
    func dismissedByAnotherProcess(_ dismissal: Int) async throws {
        let covers = Covers()
        try await withAnotherProcess(dismissal, covers) { world, lock, dismiss in
            try await dismiss()
            world.app.move(to: .back)
            await world.wait(.seconds(1))
            #expect(!lock.isLocked && lock.isCovered, "processes tell each other nothing")
            world.app.move(to: .front)
            await world.wait(.seconds(1))
            #expect(lock.isLocked && !lock.isCovered && covers.atLocks == [true])
        }
    }

    @Test func aReturnWithoutADismissalKeepsTheAppOpen() async throws {
        try await withAnotherProcess(0) { world, lock, _ in
            world.app.move(to: .back)
            await world.wait(.seconds(1))
            world.app.move(to: .front)
            await world.wait(.seconds(1))
            #expect(!lock.isLocked && !lock.isCovered)
        }
    }

    @Test func aPersonWhoEnrolsAnewKeepsTheAppOpen() async throws {
        try await withAnotherProcess(0) { world, lock, _ in
            try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            world.app.move(to: .back)
            await world.wait(.seconds(1))
            world.app.move(to: .front)
            await world.wait(.seconds(1))
            #expect(!lock.isLocked && !lock.isCovered)
        }
    }

    @Test("a success of before another process's dismissal opens nothing for long", arguments: 0..<3)
    func aSuccessOfBeforeAnotherProcessesDismissal(_ dismissal: Int) async throws {
        try await withAnotherProcess(dismissal) { world, lock, dismiss in
            lock.lockNow()
            let grant = try await world.auth.authenticate("Unlock Acme")
            try await dismiss()
            lock.unlocked(by: grant)
            await world.wait(.seconds(1))
            #expect(lock.isLocked)
        }
    }

    @Test("a vault that another process closed locks the app that it opened", arguments: ["deleted", "stronger rung"])
    func aVaultThatAnotherProcessClosed(_ act: String) async throws {
        try await ScreenWorld.tell { world in
            let vaults = [world.platform, world.world.phone.platform(process: "extension")].map {
                Vault(named: "designs", platform: $0, access: .userPresence)
            }
            let lock = AppLockModel(rules: .init(lockAfter: .seconds(3600)), platform: world.platform) {
                try await vaults[0].unlocked("Open") { $0.answered }
            }
            try await world.withOpenLock(lock) {
                if act == "deleted" { try await vaults[1].delete() } else { try await vaults[1].requireStrongerRungNextTime() }
                world.app.move(to: .back)
                await world.wait(.seconds(1))
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(lock.isLocked)
            }
        }
    }

    // MARK: - Prompts

    @Test func ourOwnPromptNeitherCoversNorLoops() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.match, .cancel, after: .seconds(5))
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            await world.with({ await lock.run() }) {
                let prompts = world.world.phone.promptCount
                world.app.move(to: .inactive)
                await world.wait(.seconds(1))
                #expect(lock.isAsking && !lock.isCovered)
                await world.wait(.seconds(5))
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
                lock.lockNow()
                lock.tap()
                await world.wait(.seconds(6))
                for phase in [AppPhase.inactive, .front, .back, .front] {
                    world.app.move(to: phase)
                    await world.wait(.seconds(1))
                }
                #expect(lock.isLocked && lock.message == PersonMessage(.readyWhenYouAre))
                #expect(world.world.phone.promptCount == prompts + 1, "after a cancellation it waits for a tap")
            }
        }
    }
}

/// Only evidence of an ask that began after the last lock, absence and dismissal opens an app.
@MainActor @Suite struct AppLockEvidenceTests {
    @Test("a success that began before the lock opens nothing", arguments: [false, true])
    func aSuccessThatBeganBeforeTheLockOpensNothing(_ isDeafToCancellation: Bool) async throws {
        try await ScreenWorld.tell { world in
            let (phone, clock) = (world.world.phone, world.world.clock)
            var platform = world.platform
            platform.transport = SlowTokens(server: world.world.server, clock: clock)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let lock = AppLockModel(platform: platform) {
                guard isDeafToCancellation else { return try await auth.authenticate("Unlock Acme") }
                return try await Task(executorPreference: clock.executor) { try await auth.authenticate("Unlock Acme") }.value
            }
            let prompts = phone.promptCount
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(lock.isAsking && phone.promptCount == prompts + 1, "the owner has matched, and the server is slow")
                world.app.move(to: .back)
                await world.wait(.seconds(1))
                #expect(lock.isLocked && !lock.isAsking)
                phone.next(.ignore)
                world.app.move(to: .front)
                await world.wait(.seconds(11))
                #expect(lock.isLocked && lock.isAsking, "the late answer was for the one who left")
                #expect(phone.promptCount == prompts + 2, "another person is asked anew")
            }
        }
    }

    @Test func lockingWhileAskingVoidsTheAsk() async throws {
        try await ScreenWorld.tell { world in
            let phone = world.world.phone
            phone.next(.match, after: .seconds(5))
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            let prompts = phone.promptCount
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(lock.isAsking)
                lock.lockNow()
                #expect(lock.isLocked && !lock.isAsking)
                await world.wait(.seconds(20))
                #expect(lock.isLocked && phone.promptCount == prompts + 1)
                lock.tap()
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && phone.promptCount == prompts + 2)
            }
        }
    }

    @Test func aRunThatEndsLocksAndCovers() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(rules: .init(lockAfter: .seconds(600)), platform: world.platform, unlock: world.unlock)
            await world.withOpenLock(lock) {}
            #expect(lock.isLocked && lock.isCovered)
            lock.tap()
            await world.wait(.seconds(1))
            #expect(lock.isLocked && lock.isCovered && !lock.isAsking, "nothing follows the app")
        }
    }

    @Test func runningAgainFollowsAgain() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            for _ in 1...2 {
                let prompts = world.world.phone.promptCount
                await world.withOpenLock(lock) {
                    #expect(world.world.phone.promptCount == prompts + 1)
                    world.app.move(to: .back)
                    await world.wait(.seconds(1))
                    #expect(lock.isLocked && lock.isCovered)
                    world.app.move(to: .front)
                    await world.wait(.seconds(1))
                    #expect(!lock.isLocked && world.world.phone.promptCount == prompts + 2)
                }
            }
        }
    }

    @Test func anAskThatIgnoresItsCancellationKeepsNoRunAlive() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform) {
                await Task(executorPreference: world.world.clock.executor) { await world.wait(.seconds(3600)) }.value
                return try await world.auth.authenticate("Unlock Acme")
            }
            let start = world.world.clock.now
            await world.with({ await lock.run() }) { await world.wait(.seconds(1)) }
            #expect(start.duration(to: world.world.clock.now) < .seconds(2))
            await world.wait(.seconds(7200))
            #expect(lock.isLocked)
        }
    }

    @Test func aPhaseStreamThatEndsLocks() async throws {
        try await ScreenWorld.tell { world in
            let phases = EndingPhases()
            var platform = world.platform
            platform.phases = phases
            let lock = AppLockModel(platform: platform, unlock: world.unlock)
            await world.withOpenLock(lock) {
                phases.end()
                await world.wait(.seconds(1))
                #expect(lock.isLocked && lock.isCovered)
            }
        }
    }

    @Test func leavingUnderAPromptLocksWhenThePromptGoes() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            await world.withOpenLock(lock) {
                world.world.phone.next(.match, after: .seconds(30))
                async let paid = failure { _ = try await world.auth.stepUp(for: .newRecipient, reason: "Pay") }
                await world.wait(.seconds(1))
                world.app.move(to: .back)
                await world.wait(.seconds(10))
                #expect(lock.isLocked && lock.isCovered)
                #expect(await paid != nil)
            }
        }
    }

    @Test func anAppThatStaysInactiveLocks() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            await world.withOpenLock(lock) {
                world.app.move(to: .inactive)
                await world.wait(.seconds(59))
                #expect(!lock.isLocked && lock.isCovered)
                await world.wait(.seconds(2))
                #expect(lock.isLocked)
            }
        }
    }

    /// A lock that the person has refused to open.
    private static func refused(
        _ lock: AppLockModel, in world: ScreenWorld, _ story: @MainActor () async throws -> Void
    ) async throws {
        world.world.phone.next(.cancel)
        try await world.with({ await lock.run() }) {
            await world.wait(.seconds(1))
            #expect(lock.isLocked && !lock.isAsking)
            try await story()
        }
    }

    @Test func aStaleGrantOpensNothing() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            try await Self.refused(lock, in: world) {
                var grant = try await world.auth.authenticate("Sign in")
                lock.lockNow()
                lock.unlocked(by: grant)
                #expect(lock.isLocked, "the app was locked since")
                grant = try await world.auth.authenticate("Sign in")
                await world.auth.forgetRecentAuthentication()
                lock.unlocked(by: grant)
                #expect(lock.isLocked, "the person was dismissed since")
                grant = try await world.auth.authenticate("Sign in")
                for phase in [AppPhase.inactive, .back, .inactive, .front] {
                    world.app.move(to: phase)
                    await world.wait(.milliseconds(10))
                }
                lock.unlocked(by: grant)
                #expect(lock.isLocked, "the person left since")
                lock.unlocked(by: try await world.auth.authenticate("Sign in"))
                #expect(!lock.isLocked)
            }
        }
    }

    @Test func aGrantOfAnotherAccountOpensNothing() async throws {
        try await ScreenWorld.tell { world in
            let bob = try Authenticator(server: InMemoryServer.url, account: "bob", platform: world.platform)
            try await bob.enrol(with: World.signIn)
            let lock = AppLockModel(for: world.auth, reason: "Unlock Acme")
            try await Self.refused(lock, in: world) {
                lock.unlocked(by: try await bob.authenticate("Unlock Acme"))
                #expect(lock.isLocked)
                let elsewhere = try Authenticator(
                    server: InMemoryServer.url,
                    platform: world.world.phone.platform(transport: world.world.server, process: "extension"))
                lock.unlocked(by: try await elsewhere.authenticate("Unlock Acme"))
                #expect(lock.isLocked, "what another process asks is neither locked nor dismissed with this one")
                lock.unlocked(by: try await world.auth.authenticate("Unlock Acme"))
                #expect(!lock.isLocked)
            }
        }
    }

    @Test func aClosureThatHandsOnAnEarlierSuccessOpensNothing() async throws {
        try await ScreenWorld.tell { world in
            let earlier = try await world.auth.authenticate("Unlock Acme")
            let lock = AppLockModel(platform: world.platform) { earlier }
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(lock.isLocked && !lock.isAsking && lock.message == PersonMessage(.readyWhenYouAre))
            }
        }
    }

    @Test func noUnlockIsReusedAcrossALock() async throws {
        try await ScreenWorld.tell { world in
            var policy = UnlockPolicy.unlock
            policy.reuse = .seconds(300)
            let lock = AppLockModel(for: world.auth, reason: "Unlock Acme", policy: policy)
            await world.withOpenLock(lock) {
                let prompts = world.world.phone.promptCount
                lock.lockNow()
                lock.tap()
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    enum DismissalOfAda: CaseIterable {
        case forgetting, requiringAStrongerRung, revoking
    }

    @Test("dismissing the person who opened the app locks it", arguments: DismissalOfAda.allCases)
    func dismissals(_ dismissal: DismissalOfAda) async throws {
        try await ScreenWorld.tell { world in
            let locks = Mutex(0)
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock) { locks.withLock { $0 += 1 } }
            // Another screen of the app may have authenticators of its own.
            let other = try Authenticator(server: InMemoryServer.url, platform: world.platform)
            let bob = try Authenticator(server: InMemoryServer.url, account: "bob", platform: world.platform)
            try await world.withOpenLock(lock) {
                let prompts = world.world.phone.promptCount
                try await bob.requireStrongerRungNextTime()
                await world.wait(.seconds(1))
                #expect(!lock.isLocked, "bob did not open it")
                switch dismissal {
                case .forgetting: await other.forgetRecentAuthentication()
                case .requiringAStrongerRung: try await other.requireStrongerRungNextTime()
                case .revoking: try await other.revoke()
                }
                await world.wait(.seconds(60))
                #expect(lock.isLocked && locks.withLock { $0 } == 1)
                #expect(world.world.phone.promptCount == prompts, "it waits for a tap")
            }
        }
    }

    @Test func aVaultOpensTheAppAndDeletingItLocks() async throws {
        try await ScreenWorld.tell { world in
            let vault = Vault(named: "designs", platform: world.platform)
            let lock = AppLockModel(platform: world.platform) { try await vault.unlocked("Open the vault") { $0.answered } }
            try await world.withOpenLock(lock) {
                try await vault.delete()
                await world.wait(.seconds(1))
                #expect(lock.isLocked)
            }
        }
    }
}

/// The phase of an app in front, until it ends.
private final class EndingPhases: AppPhases {
    private let listeners = Mutex<[AsyncStream<AppPhase>.Continuation]>([])

    func end() { listeners.withLock { $0.forEach { $0.finish() } } }

    func phases() -> AsyncStream<AppPhase> {
        let (stream, listener) = AsyncStream.makeStream(of: AppPhase.self)
        listener.yield(.front)
        listeners.withLock { $0.append(listener) }
        return stream
    }
}

@MainActor @Suite struct UnlockScreenTests {
    @Test func asksByItselfAMomentAfterItAppeared() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            #expect(screen.buttons == [], "what the device can do is not known yet")
            await world.with({ await screen.appear() }) {
                await world.wait(.milliseconds(398))
                #expect(world.world.phone.promptCount == prompts)
                #expect(screen.buttons.map(\.words) == [PersonMessage(.useBiometrics)])
                #expect(screen.stage == .ready)
                await world.wait(.milliseconds(2))
                #expect(world.world.phone.promptCount == prompts + 1)
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func aTapWhileItWaitsForItsMomentAsksAtOnce() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            world.world.phone.next(.match, after: .seconds(1))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.milliseconds(100))
                screen.press(.ask)
                await world.wait(.milliseconds(100))
                #expect(screen.stage == .asking && world.world.phone.promptCount == prompts + 1)
                await world.wait(.seconds(2))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func aPolicyThatNeedsATapNeedsItOnEveryScreen() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            let screen = UnlockScreen(
                reason: "Pay", news: world.news, platform: world.platform,
                unlock: { (start) async throws(Failure) in
                    try await world.auth.authenticate("Pay", policy: .highRisk, by: start)
                })
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(60))
                #expect(screen.stage == .ready && world.world.phone.promptCount == prompts)
                #expect(screen.buttons.map(\.action) == [.ask])
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func aPaymentWaitsForATap() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            let screen = UnlockScreen(
                reason: "Pay", news: world.news, platform: world.platform, purpose: .payment, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(3600))
                #expect(world.world.phone.promptCount == prompts)
                screen.press(.ask)
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func theHintOffersAnotherWayAndTheMoveIsAnnounced() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.ignore)
            world.world.phone.next(.match, after: .seconds(2))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(9))
                #expect(screen.message == PersonMessage(.hintPasscode))
                #expect(screen.buttons.map(\.words) == [PersonMessage(.usePasscode)])
                screen.press(.anotherWay)
                await world.wait(.seconds(1))
                #expect(screen.rung == .devicePasscode && screen.message == PersonMessage(.nowPasscode))
                #expect(screen.buttons == [])
                await world.wait(.seconds(2))
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func theScreenNamesTheSensor() async throws {
        try await ScreenWorld.tell(.iPhone(.face)) { world in
            world.world.phone.next(.match, after: .seconds(2))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, purpose: .payment,
                readiness: { await world.auth.readiness() }, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.buttons.first.map { "\($0.words)" } == "Use Face ID")
                screen.press(.ask)
                await world.wait(.seconds(3))
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func theScreenWaitsForATapAfterACancellation() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.cancel)
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.message == PersonMessage(.readyWhenYouAre))
                #expect(screen.buttons.map(\.action) == [.ask])
            }
            let prompts = world.world.phone.promptCount
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(60))
                #expect(world.world.phone.promptCount == prompts, "not on every appearance")
            }
        }
    }

    @Test func aScreenThatAppearsAgainAsksAgain() async throws {
        try await ScreenWorld.tell { world in
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            for _ in 1...2 {
                let prompts = world.world.phone.promptCount
                await world.with({ await screen.appear() }) {
                    #expect(screen.stage == .ready && screen.answered == nil)
                    await world.wait(.seconds(1))
                    #expect(screen.stage == .unlocked && screen.answered != nil)
                    #expect(world.world.phone.promptCount == prompts + 1)
                }
            }
        }
    }

    @Test func anEarlierSuccessDoesNotOutliveItsAppearance() async throws {
        try await ScreenWorld.tell { world in
            let screen = UnlockScreen(
                reason: "Pay", news: world.news, platform: world.platform, purpose: .payment, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked)
            }
            let prompts = world.world.phone.promptCount
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(60))
                #expect(screen.stage == .ready && screen.answered == nil && screen.buttons.map(\.action) == [.ask])
                #expect(world.world.phone.promptCount == prompts)
            }
        }
    }

    @Test func aPressWhileItIsNotShownChangesNothing() async throws {
        try await ScreenWorld.tell { world in
            let screen = UnlockScreen(
                reason: "Pay", news: world.news, platform: world.platform, purpose: .payment, unlock: world.screenUnlock)
            let prompts = world.world.phone.promptCount
            for _ in 1...2 {
                screen.press(.ask)
                screen.press(.anotherWay)
                await world.wait(.seconds(60))
                #expect(screen.stage == .ready)
                await world.with({ await screen.appear() }) { await world.wait(.seconds(1)) }
                #expect(world.world.phone.promptCount == prompts, "nor is it made up for later")
            }
            await world.with({ await screen.appear() }) {
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func aLateAnswerToAnEarlierAppearanceIsNone() async throws {
        try await ScreenWorld.tell { world in
            let calls = Mutex(0)
            let screen = UnlockScreen(reason: "Pay", news: world.news, platform: world.platform, purpose: .payment) { start in
                let isFirst = calls.withLock { calls in
                    calls += 1
                    return calls == 1
                }
                // The app's first call ignores that the screen is gone.
                let wait: Duration = isFirst ? .seconds(10) : .seconds(3600)
                await Task(executorPreference: world.world.clock.executor) { await world.wait(wait) }.value
                return try await Task(executorPreference: world.world.clock.executor) {
                    try await world.auth.authenticate("Pay", by: start)
                }.value
            }
            let first = Task(executorPreference: world.world.clock.executor) { await screen.appear() }
            await world.wait(.milliseconds(1))
            screen.press(.ask)
            await world.wait(.seconds(1))
            let second = Task(executorPreference: world.world.clock.executor) { await screen.appear() }
            await world.wait(.seconds(20))
            #expect(screen.stage == .ready && screen.answered == nil, "the earlier appearance has ended")
            await first.value
            second.cancel()
            await second.value
        }
    }

    @Test func aSuccessOfBeforeTheDismissalIsNone() async throws {
        try await ScreenWorld.tell { world in
            let earlier = try await world.auth.authenticate("Unlock Acme")
            await world.auth.forgetRecentAuthentication()
            let screen = UnlockScreen(reason: "Unlock Acme", news: world.news, platform: world.platform) { _ in earlier }
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.stage == .stopped(Failure(.cancelledByApp)) && screen.answered == nil)
                #expect(screen.message == PersonMessage(.readyWhenYouAre) && screen.buttons.map(\.action) == [.ask])
            }
        }
    }

    // MARK: The end of a success

    /// What ends the worth of a success.
    enum EndOfASuccess: CaseIterable, Sendable {
        case dismissed, strongerRung, locked, left
    }

    @Test(
        "a success goes when it is worth nothing any more, on the screen of an account and on one of any unlock",
        arguments: EndOfASuccess.allCases, [false, true])
    func endsOfASuccess(_ end: EndOfASuccess, _ isOfAnyUnlock: Bool) async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform) { () async throws -> Grant in throw Failure(.cancelledByUser) }
            let screen =
                isOfAnyUnlock
                ? UnlockScreen(
                    reason: "Unlock Acme", news: world.news, platform: world.platform, purpose: .payment,
                    unlock: world.screenUnlock)
                : UnlockScreen(for: world.auth, reason: "Unlock Acme", purpose: .payment)
            try await world.with({ await lock.run() }) {
                try await world.with({ await screen.appear() }) {
                    screen.press(.ask)
                    await world.wait(.seconds(1))
                    lock.unlocked(by: try #require(screen.answered))
                    await world.wait(.seconds(1))
                    #expect(screen.stage == .unlocked && !lock.isLocked)
                    let prompts = world.world.phone.promptCount
                    switch end {
                    case .dismissed: await world.auth.forgetRecentAuthentication()
                    case .strongerRung: try await world.auth.requireStrongerRungNextTime()
                    case .locked: lock.lockNow()
                    case .left: world.app.move(to: .back)
                    }
                    await world.wait(.seconds(600))
                    #expect(screen.stage == .ready && screen.answered == nil)
                    #expect(screen.buttons.first?.action == .ask && world.world.phone.promptCount == prompts)
                    world.app.move(to: .front)
                    await world.wait(.seconds(1))
                    #expect(screen.stage == .ready && world.world.phone.promptCount == prompts, "a payment waits for a tap")
                }
            }
        }
    }

    @Test func aScreenOfAnyUnlockAsksAnewWhenTheAppComesBack() async throws {
        try await ScreenWorld.tell { world in
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked)
                let prompts = world.world.phone.promptCount
                world.app.move(to: .back)
                await world.wait(.seconds(60))
                #expect(screen.stage == .ready && world.world.phone.promptCount == prompts)
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    /// The screen would not hear of the end of such a success.
    @Test func aSuccessOnAnotherPlatformDoesNotCount() async throws {
        try await ScreenWorld.tell { world in
            let elsewhere = SimulatedPhone(clock: world.world.clock).platform()
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: elsewhere, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                guard case .stopped(let failure) = screen.stage else {
                    Issue.record("the screen is \(screen.stage)")
                    return
                }
                #expect(failure.code == .cancelledByApp && screen.answered == nil)
                #expect(failure.developerHint?.contains("platform") == true)
            }
        }
    }

    @Test func theScreensEvidenceOpensTheApp() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(platform: world.platform) { () async throws -> Grant in throw Failure(.cancelledByUser) }
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            try await world.with({ await lock.run() }) {
                try await world.with({ await screen.appear() }) {
                    await world.wait(.seconds(1))
                    #expect(lock.isLocked)
                    lock.unlocked(by: try #require(screen.answered))
                    #expect(!lock.isLocked)
                }
                lock.lockNow()
                lock.unlocked(by: try #require(screen.answered))
                #expect(lock.isLocked, "the same evidence opens it once")
            }
        }
    }

    @Test func aRecoveryByTheAppIsAButton() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.enrolNewFace()
            let asked = Mutex<[Recovery]>([])
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform,
                unlock: { (_) async throws(Failure) in try await world.auth.authenticate("Unlock Acme", policy: .highRisk) },
                recover: { recovery in asked.withLock { $0.append(recovery) } })
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.message == PersonMessage(.setUpAgain))
                for button in screen.buttons { screen.press(button.action) }
                #expect(asked.withLock { $0 } == [.reEnrol])
            }
        }
    }

    @Test func aScreenThatDisappearsDismissesItsPrompt() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.match, after: .seconds(5))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, platform: world.platform, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) { await world.wait(.seconds(1)) }
            await world.wait(.seconds(10))
            guard case .stopped(let failure) = screen.stage else {
                Issue.record("the screen is gone, and so is its prompt")
                return
            }
            #expect(failure.code == .cancelledByApp)
        }
    }
}

@MainActor @Suite struct PINEntryModelTests {
    private static func request(_ wrong: Int) -> PINRequest {
        PINRequest(reason: "Unlock Acme", cancelButton: .use(.fullCredentials), wrongInARow: wrong)
    }

    private static func digits(_ answer: PINAnswer) -> [UInt8]? { if case .entered(let pin) = answer { pin.digits } else { nil } }

    @Test func theScreenShowsDotsAndTriesLeftAndGivesThePIN() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            #expect(screen.purpose == nil)
            async let answer = screen.enter(Self.request(7))
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            #expect(screen.purpose == .enter && screen.reason == "Unlock Acme")
            #expect(screen.triesLeft == 3 && screen.message == .pinTriesLeft(3))
            #expect(screen.cancelButton == PersonMessage(.signIn))
            for digit in "8241x9" { screen.type(digit) }
            #expect(screen.digitCount == 5 && !screen.canConfirm)
            screen.confirm()
            #expect(screen.purpose == .enter, "too short to be one")
            screen.deleteLast()
            for digit in "9343" { screen.type(digit) }
            screen.deleteLast()
            screen.deleteLast()
            screen.type("3")
            #expect("\(screen)" == "PINEntryModel")
            screen.confirm()
            expect(Self.digits(await answer), is: Array("8241933".utf8))
            #expect(screen.purpose == nil && screen.digitCount == 0, "nothing is left on the screen")
        }
    }

    @Test func aSecondCallChangesNothingOfTheScreen() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            async let answer = screen.enter(Self.request(7))
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            let other = PINRequest(reason: "Pay 900 euros", cancelButton: .cancel, wrongInARow: 0)
            for second in [await screen.enter(other), await screen.choose()] {
                guard case .failed(let failure) = second else {
                    Issue.record("one PIN is asked for at a time")
                    return
                }
                #expect(failure.code == .superseded)
                #expect(screen.purpose == .enter && screen.reason == "Unlock Acme" && screen.triesLeft == 3)
                #expect(screen.message == .pinTriesLeft(3) && screen.cancelButton == PersonMessage(.signIn))
            }
            for digit in "824193" { screen.type(digit) }
            screen.confirm()
            expect(Self.digits(await answer), is: Array("824193".utf8))
        }
    }

    @Test func anEasilyGuessedPINIsRefusedAndTheScreenStays() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            async let answer = screen.choose()
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            for digit in "123456" { screen.type(digit) }
            screen.confirm()
            #expect(screen.message == PersonMessage(.pinEasilyGuessed) && screen.digitCount == 0)
            for digit in "824193" { screen.type(digit) }
            screen.confirm()
            expect(Self.digits(await answer), is: Array("824193".utf8))
        }
    }

    @Test func cancelledByThePersonOrByTheApp() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            for byTheApp in [false, true] {
                let call = Task(executorPreference: clock.executor) { await screen.enter(Self.request(0)) }
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                screen.type("8")
                if byTheApp { call.cancel() } else { screen.cancel() }
                guard case .failed(let failure) = await call.value else {
                    Issue.record("a cancel enters nothing")
                    return
                }
                #expect(failure.code == (byTheApp ? .cancelledByApp : .cancelledByUser))
                #expect(screen.purpose == nil && screen.digitCount == 0)
            }
        }
    }

    /// A cancellation reaches the screen a moment after the call that it was for has its answer.
    @Test func aLateCancellationEndsNoLaterQuestion() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            let call = Task { @MainActor in await screen.enter(Self.request(0)) }
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            let next = Task { @MainActor in await screen.choose() }
            screen.cancel()
            call.cancel()
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            #expect(screen.purpose == .choose)
            for digit in "824193" { screen.type(digit) }
            screen.confirm()
            expect(Self.digits(await next.value), is: Array("824193".utf8))
        }
    }

    @Test func aPauseIsShownWithItsEnd() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            screen.show(Failure(.paused, recovery: .wait(.seconds(30))))
            #expect(screen.pausedUntil == clock.now.advanced(by: .seconds(30)))
            #expect(screen.message == .pinPaused(for: .seconds(30)))
        }
    }
}

@MainActor @Suite struct BiometricsModelTests {
    @Test func theSwitchShowsTheStateOfTheKey() async throws {
        try await ScreenWorld.tell { world in
            let toggle = BiometricsToggleModel(for: world.auth, setUp: world.enrol)
            await toggle.refresh()
            #expect(toggle.state == .on)
            world.world.phone.enrolNewFace()
            await toggle.refresh()
            #expect(toggle.state == .off, "an invalidated key does not count, whatever was switched on before")
            await toggle.set(true)
            #expect(toggle.state == .on && toggle.message == nil)
            await toggle.set(false)
            #expect(toggle.state == .off)
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
            world.world.phone.setPermission(false)
            await toggle.refresh()
            #expect(toggle.state == .unavailable && toggle.message == PersonMessage(.permissionNeeded).naming(.face))
        }
    }

    @Test func switchingOnNeedsTheStrongerRungAndStaysOffWithoutIt() async throws {
        try await ScreenWorld.tell { world in
            let toggle = BiometricsToggleModel(for: world.auth) { () async throws(Failure) in
                try await world.auth.enrol(with: PasswordSignIn(account: "ada", password: "wrong"))
            }
            await toggle.set(false)
            await toggle.set(true)
            #expect(toggle.state == .off && toggle.message == PersonMessage(.notAccepted))
            expect(try await world.auth.biometricOffer().isDeclined, is: true, "the earlier refusal is kept")
        }
    }

    @Test func theOfferIsShownAnsweredAndKept() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.enrolNewFace()
            let offer = BiometricOfferModel(for: world.auth, setUp: world.enrol)
            await offer.refresh()
            #expect(offer.isShown)
            await offer.answer(.notNow)
            #expect(!offer.isShown && offer.message == PersonMessage(.offerLater))
            await offer.refresh()
            #expect(!offer.isShown)
            await world.wait(.seconds(7 * 24 * 3600))
            await offer.refresh()
            #expect(offer.isShown)
            await offer.answer(.setUp)
            #expect(!offer.isShown && offer.message == nil)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    /// The app looks whether the offer is due while the person answers it, sooner or later.
    @Test(arguments: 0..<60) func aRefreshDoesNotBringAnAnsweredOfferBack(turns: Int) async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.enrolNewFace()
            let offer = BiometricOfferModel(for: world.auth, setUp: world.enrol)
            await offer.refresh()
            #expect(offer.isShown)
            async let refresh: Void = offer.refresh()
            for _ in 0..<turns { await Task.yield() }
            async let another: Void = offer.answer(.notNow)
            await refresh
            await offer.refresh()
            await another
            #expect(!offer.isShown)
        }
    }

    /// Sign in first, then the value in one screen, then the system's dialog.
    @Test func theFirstStartsOfferComesAfterTheSignIn() async throws {
        let world = try World(.iPhone(.face))
        try await world.clock.run(mainActorToo: true) { @MainActor in
            let offer = BiometricOfferModel(for: world.auth) { try await world.auth.addBiometrics() }
            func pass(_ seconds: Int) async throws {
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(seconds)))
                await offer.refresh()
            }
            await offer.refresh()
            #expect(!offer.isShown, "no person has signed in")
            _ = try await world.auth.signIn(with: World.signIn)
            try await pass(0)
            #expect(offer.isShown && world.phone.promptCount == 0)
            #expect("\(offer.text)" == "Use Face ID instead of typing. What the sensor sees stays on this device.")
            try await pass(300)
            #expect(!offer.isShown, "it would need another sign-in")
            _ = try await world.auth.signIn(with: World.signIn)
            try await pass(0)
            await offer.answer(.notNow)
            try await pass(1)
            #expect(!offer.isShown && world.phone.promptCount == 0)
            try await pass(7 * 24 * 3600)
            _ = try await world.auth.signIn(with: World.signIn)
            try await pass(0)
            await offer.answer(.setUp)
            #expect(!offer.isShown && offer.message == nil && world.phone.promptCount == 1)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            try await pass(0)
            #expect(!offer.isShown)
        }
    }

    @Test func aPersonWithoutAFaceIsToldHowToAddOne() async throws {
        try await ScreenWorld.tell(.iPhone(.face)) { world in
            world.world.phone.removeFaces()
            let recoveries = Mutex<[Recovery]>([])
            let offer = BiometricOfferModel(for: world.auth, setUp: world.enrol) { recovery in
                recoveries.withLock { $0.append(recovery) }
            }
            await offer.refresh()
            #expect(offer.isShown && "\(offer.text)" == "You can set up Face ID in Settings.")
            #expect(offer.buttons.map { "\($0.words)" } == ["Open Settings", "Not now", "Don’t ask again"])
            await offer.answer(.setUp)
            #expect(recoveries.withLock { $0 } == [.openSettings])
            #expect(offer.isShown, "the person comes back with a face")
            world.world.phone.enrolNewFace()
            await offer.refresh()
            #expect("\(offer.text)" == "Use Face ID instead of typing. What the sensor sees stays on this device.")
            #expect("\(offer.buttons[0].words)" == "Set up")
            await offer.answer(.setUp)
            #expect(!offer.isShown && recoveries.withLock { $0.count } == 1)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test(arguments: [
        (SimulatedPhone.Model.iPhone(.finger), "Touch ID"), (.iPhone(.iris), "Optic ID"), (.android(.finger), "Fingerprint"),
    ]) func theSwitchAndTheLockNameTheSensor(_ model: SimulatedPhone.Model, _ name: String) async throws {
        try await ScreenWorld.tell(model) { world in
            let toggle = BiometricsToggleModel(for: world.auth, setUp: world.enrol)
            #expect("\(toggle.name)" == "Face or fingerprint", "not known yet")
            await toggle.refresh()
            #expect("\(toggle.name)" == name)
            expect(await world.auth.readiness().sensor?.kind, is: model.sensor)
        }
    }

    @Test func aLockThatNeedsPermissionNamesTheSensor() async throws {
        try await ScreenWorld.tell(.iPhone(.face)) { world in
            let lock = AppLockModel(platform: world.platform) { () async throws -> Grant in throw Failure(.permissionDenied) }
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(lock.message.map { "\($0)" } == "To use Face ID here, allow it in Settings.")
            }
        }
    }
}

@MainActor @Suite struct ApprovalSheetModelTests {
    private static let line = ApprovalDetails.Line(label: "Amount", value: "€1,250.00")

    /// A sheet whose approval is a step-up.
    private static func sheet(
        _ world: ScreenWorld, sign: @escaping @Sendable (ApprovalDetails) async throws -> Grant,
        decline: @escaping @Sendable () async throws -> Void = { Issue.record("no person declined") }
    ) throws -> ApprovalSheetModel {
        let details = try #require(ApprovalDetails(title: "Payment", lines: [line]))
        return ApprovalSheetModel(details, platform: world.platform, sign: sign, decline: decline)
    }

    private static let notSigned: @Sendable (ApprovalDetails) async throws -> Grant = { _ in
        Issue.record("no person approved")
        throw Failure(.refused)
    }

    @Test func showsExactlyWhatIsSignedAndOnlyATapAsks() async throws {
        try await ScreenWorld.tell { world in
            let signed = Mutex<[ApprovalDetails]>([])
            let sheet = try Self.sheet(world) { details in
                signed.withLock { $0.append(details) }
                return try await world.auth.stepUp(for: .newRecipient, reason: "Pay")
            }
            #expect(sheet.stage == .shown && signed.withLock { $0 } == [])
            await sheet.approve()
            await sheet.approve()
            await sheet.decline()
            #expect(sheet.stage == .approved && signed.withLock { $0 } == [sheet.details], "once")
        }
    }

    @Test func aSuccessThatBeganBeforeTheTapApprovesNothing() async throws {
        try await ScreenWorld.tell { world in
            let earlier = try await world.auth.stepUp(for: .statementExport, reason: "Export")
            let prompts = world.world.phone.promptCount
            let handsOn = try Self.sheet(world) { _ in earlier }
            let reuses = try Self.sheet(world) { _ in try await world.auth.stepUp(for: .statementExport, reason: "Pay") }
            for sheet in [handsOn, reuses] {
                await sheet.approve()
                #expect(sheet.stage == .stopped(Failure(.cancelledByApp)) && sheet.canApprove)
            }
            #expect(world.world.phone.promptCount == prompts)
        }
    }

    @Test func oneSuccessApprovesOneSheet() async throws {
        try await ScreenWorld.tell { world in
            let success = Task(executorPreference: world.world.clock.executor) {
                await world.wait(.seconds(1))
                return try await world.auth.authenticate("Confirm the payment", policy: .highRisk)
            }
            let sheets = try (1...2).map { _ in try Self.sheet(world) { _ in try await success.value } }
            async let first: Void = sheets[0].approve()
            async let second: Void = sheets[1].approve()
            _ = await (first, second)
            #expect(sheets.filter { $0.stage == .approved }.count == 1)
            #expect(sheets.filter { $0.stage == .stopped(Failure(.cancelledByApp)) }.count == 1)
        }
    }

    @Test func aSharedPromptApprovesNoSheet() async throws {
        try await ScreenWorld.tell { world in
            @MainActor func sheet() throws -> ApprovalSheetModel {
                try Self.sheet(world) { _ in
                    await world.wait(.seconds(1))
                    return try await world.auth.authenticate("Confirm the payment", policy: .highRisk)
                }
            }
            let (one, other) = (try sheet(), try sheet())
            let prompts = world.world.phone.promptCount
            world.world.phone.next(.match, after: .seconds(1))
            async let first: Void = one.approve()
            async let second: Void = other.approve()
            _ = await (first, second)
            #expect(world.world.phone.promptCount == prompts + 1, "equal asks share their prompt")
            for sheet in [one, other] {
                #expect(sheet.stage == .stopped(Failure(.cancelledByApp)), "a shared prompt is no sheet's own")
                await sheet.approve()
                #expect(sheet.stage == .approved)
            }
            #expect(world.world.phone.promptCount == prompts + 3, "each asks for itself")
        }
    }

    /// A sheet whose closure takes a second before it asks the person.
    private static func lateSheet(_ world: ScreenWorld) throws -> ApprovalSheetModel {
        try sheet(world) { _ in
            await world.wait(.seconds(1))
            return try await world.auth.authenticate("Confirm", policy: .highRisk)
        }
    }

    @Test func aPromptThatAnotherCallSharesApprovesNoSheet() async throws {
        try await ScreenWorld.tell { world in
            let sheet = try Self.lateSheet(world)
            let prompts = world.world.phone.promptCount
            world.world.phone.next(.match, after: .seconds(3))
            async let approved: Void = sheet.approve()
            await world.wait(.milliseconds(500))
            async let other = world.auth.authenticate("Confirm", policy: .highRisk)
            _ = try await other
            await approved
            #expect(world.world.phone.promptCount == prompts + 1, "equal asks share their prompt")
            #expect(sheet.stage == .stopped(Failure(.cancelledByApp)))
            await sheet.approve()
            #expect(sheet.stage == .approved && world.world.phone.promptCount == prompts + 2)
        }
    }

    @Test func thePromptOfAnAppLockApprovesNoSheet() async throws {
        try await ScreenWorld.tell { world in
            let sheet = try Self.lateSheet(world)
            let lock = AppLockModel(platform: world.platform) {
                try await world.auth.authenticate("Confirm", policy: .highRisk)
            }
            world.world.phone.next(.match, after: .seconds(3))
            let approved = Task(executorPreference: world.world.clock.executor) { await sheet.approve() }
            await world.wait(.milliseconds(500))
            await world.with({ await lock.run() }) {
                await approved.value
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
                #expect(sheet.stage == .stopped(Failure(.cancelledByApp)))
            }
        }
    }

    @Test func anUnlockThatIsReusedApprovesNoSheet() async throws {
        try await ScreenWorld.tell { world in
            var policy = UnlockPolicy.unlock
            policy.reuse = .seconds(300)
            let lax = policy
            let sheet = try Self.sheet(world) { _ in
                await world.wait(.seconds(1))
                return try await world.auth.authenticate("Confirm", policy: lax)
            }
            async let approved: Void = sheet.approve()
            await world.wait(.milliseconds(100))
            _ = try await world.auth.authenticate("Show the balance", policy: lax)
            await approved
            #expect(sheet.stage == .stopped(Failure(.cancelledByApp)), "the sheet has shown no prompt of its own")
        }
    }

    @Test func aPersonWhomAnotherProcessDismissesApprovesNoSheet() async throws {
        try await ScreenWorld.tell { world in
            let other = try Authenticator(
                server: InMemoryServer.url,
                platform: world.world.phone.platform(transport: world.world.server, process: "extension"))
            let sheet = try Self.sheet(world) { _ in
                let grant = try await world.auth.authenticate("Confirm", policy: .highRisk)
                await world.wait(.seconds(1))
                return grant
            }
            async let approved: Void = sheet.approve()
            await world.wait(.milliseconds(500))
            try await other.requireStrongerRungNextTime()
            await approved
            #expect(sheet.stage == .stopped(Failure(.cancelledByApp)))
        }
    }

    @Test func aTapOfBeforeALockApprovesNothing() async throws {
        try await ScreenWorld.tell { world in
            let sheet = try Self.lateSheet(world)
            async let approved: Void = sheet.approve()
            await world.wait(.milliseconds(500))
            world.platform.prompts.voidEverything()
            await approved
            #expect(sheet.stage == .stopped(Failure(.cancelledByApp)))
            await sheet.approve()
            #expect(sheet.stage == .approved)
        }
    }

    @Test("an approval is approved where the server says that this account has signed", arguments: [true, false])
    func anApprovalThatIsNotSignedIsNotApproved(_ isSigned: Bool) async throws {
        try await ScreenWorld.tell { world in
            var platform = world.platform
            platform.transport = ApprovingServer(server: world.world.server, isSigned: isSigned)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let approval = try await auth.approval(ApprovingServer.id)
            let sheet = ApprovalSheetModel(approval, for: auth, in: .english)
            let prompts = world.world.phone.promptCount
            await sheet.approve()
            #expect(world.world.phone.promptCount == prompts + 1)
            #expect(sheet.stage == (isSigned ? .approved : .stopped(Failure(.unexpectedAnswer))))
        }
    }

    @Test func aDeclinedApprovalIsNotSignedAndTheServerIsToldOnce() async throws {
        try await ScreenWorld.tell { world in
            let told = Mutex(0)
            let sheet = try Self.sheet(world, sign: Self.notSigned) { told.withLock { $0 += 1 } }
            await sheet.decline()
            await sheet.decline()
            await sheet.approve()
            #expect(sheet.stage == .declined && told.withLock { $0 } == 1)
        }
    }

    @Test func aDeclineThatCannotBeToldIsNoDecline() async throws {
        try await ScreenWorld.tell { world in
            let isAway = Mutex(true)
            let sheet = try Self.sheet(world, sign: Self.notSigned) {
                if isAway.withLock({ $0 }) { throw Failure(.unreachable) }
            }
            await sheet.decline()
            #expect(sheet.stage == .stopped(Failure(.unreachable)) && sheet.message == Failure(.unreachable).message)
            isAway.withLock { $0 = false }
            await sheet.decline()
            #expect(sheet.stage == .declined && sheet.message == nil)
        }
    }

    @Test func theSheetMayBeTappedAgainAfterACancellation() async throws {
        try await ScreenWorld.tell { world in
            let tries = Mutex(0)
            let sheet = try Self.sheet(world) { _ in
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                throw Failure(number == 1 ? .cancelledByUser : .refused)
            }
            await sheet.approve()
            #expect(sheet.canApprove && sheet.message == PersonMessage(.readyWhenYouAre))
            await sheet.approve()
            #expect(!sheet.canApprove)
        }
    }

    @Test(
        "what would look like something else is not shown at all",
        arguments: ["", "  ", "12\u{202E}34", "1\n2", "zero\u{200B}width", "line\u{2028}", "\u{0}"])
    func text(_ text: String) {
        #expect(ApprovalDetails(title: "Payment", lines: [.init(label: "Amount", value: text)]) == nil)
        #expect(ApprovalDetails(title: "Payment", lines: [.init(label: text, value: "1")]) == nil)
        #expect(ApprovalDetails(title: text, lines: [Self.line]) == nil)
        #expect(ApprovalDetails(title: "Payment", lines: []) == nil)
    }
}

/// A server with one open approval, whose answer to a proof says whether the account has signed.
struct ApprovingServer: Transport {
    static let id = Base64URL.encode([UInt8](repeating: 7, count: 16))
    let server: InMemoryServer
    let isSigned: Bool
    private let txn = Base64URL.encode(
        Array(
            #"{"payload":{"action":"Sign in","service":"Acme","transaction_id":"1"},"type":"urn:eudi:sca:login_risk_transaction:1"}"#
                .utf8))

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard let range = request.url.firstRange(of: "/v1/approvals/" + Self.id) else { return try await server.send(request) }
        if request.url[range.upperBound...] == "/challenge" { return answer(challenge(request)) }
        return answer(
            ApprovalRecord(
                id: Self.id, state: .open, txn: txn, demand: .oneKey, from: "Acme", createdAt: UnixTime(seconds: 0),
                expiresAt: UnixTime(seconds: 86400), signed: isSigned))
    }

    /// The device cannot check a challenge's MAC.
    private func challenge(_ request: TransportRequest) -> ChallengeAnswer {
        let kids = (try? StrictJSON.decode(ApprovalChallengeRequest.self, from: request.body))?.kids ?? []
        let session = server.state.withLock { $0.devices.keys.first ?? "" }
        let claims = ChallengeClaims(
            iss: "https://bank.example", aud: "https://bank.example", jti: Self.id, iat: UnixTime(seconds: 1),
            exp: UnixTime(seconds: 121), kids: kids, cnf: KeyConfirmation(jkt: session),
            purpose: .approve, act: Self.id, txn: txn, demand: .oneKey)
        let input = CompactJWS.signingInput(header: Array("{}".utf8), payload: StrictJSON.encode(claims))
        return ChallengeAnswer(challenge: CompactJWS.compact(signingInput: input, signature: [1]), expiresIn: 120)
    }

    private func answer(_ message: some Message) -> TransportResponse {
        TransportResponse(status: 200, headers: [:], body: StrictJSON.encode(message))
    }
}
