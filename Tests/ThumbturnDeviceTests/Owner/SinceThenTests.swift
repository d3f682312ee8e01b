import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A right that came from what a person did ends when that person is dismissed, locked out or gone, wherever it is kept.
@Suite struct SinceThenTests {
    typealias Dismissal = @Sendable (World) async throws -> Void

    static let dismissals: [(name: String, act: Dismissal)] = [
        ("forgotten", { await $0.auth.forgetRecentAuthentication() }),
        ("stronger rung", { try await $0.auth.requireStrongerRungNextTime() }),
        ("everyone", { try await $0.auth.platform.requireStrongerRungEverywhere() }),
        ("locked", { $0.auth.platform.lockNow() }),
        ("stronger rung, in the extension", { try await $0.anotherProcess().requireStrongerRungNextTime() }),
        ("signed out", { try await $0.auth.signOut(forgetDevice: false) }),
        ("revoked, in the extension", { try await $0.anotherProcess().revoke() }),
        ("five minutes", { try await $0.clock.sleep(until: $0.clock.now.advanced(by: .seconds(300))) }),
        ("rebooted", { $0.phone.reboot() }),
    ]

    @Test("who was dismissed after the sign-in adds no biometrics", arguments: 0..<dismissals.count)
    func dismissedBeforeAddingBiometrics(_ dismissal: Int) async throws {
        for isEnrolled in [false, true] {
            let world = try World()
            try await world.clock.run {
                if isEnrolled { try await world.auth.enrol(with: World.signIn) }
                _ = try await world.auth.signIn(with: World.signIn)
                #expect(await world.auth.shouldOfferBiometrics() == !isEnrolled)
                try await Self.dismissals[dismissal].act(world)
                let (prompts, story) = (world.phone.promptCount, "\(Self.dismissals[dismissal].name), \(isEnrolled)")
                #expect(await !world.auth.shouldOfferBiometrics(), "\(story)")
                expect(await failure { try await world.auth.addBiometrics() }?.recovery, is: .signInAgain, "\(story)")
                #expect(world.phone.promptCount == prompts, "\(story): nobody is asked for a face")
            }
        }
    }

    /// Nothing in this process hears of it, so only the place shows it.
    @Test("a person whom another process dismisses while the server answers gets nothing", arguments: ["unlock", "step-up"])
    func dismissedElsewhereDuringTheAnswer(_ kind: String) async throws {
        try await World.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            platform.transport = FollowedTokens(server: world.server) {
                try? await world.anotherProcess().requireStrongerRungNextTime()
            }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            await expectFailure(.cancelledByApp) {
                if kind == "unlock" {
                    _ = try await auth.authenticate("Unlock")
                } else {
                    _ = try await auth.stepUp(for: .statementExport, reason: "Export")
                }
            }
            expect(await auth.lastStepUp == nil, is: true)
            expect(await auth.lastUnlock == nil, is: true)
            await expectFailure(.sessionOver) { _ = try await auth.me() }
        }
    }

    @Test func aNewProcessAddsNoBiometricsByAnEarlierOnesSignIn() async throws {
        let world = try World()
        try await world.clock.run {
            _ = try await world.auth.signIn(with: World.signIn)
            let other = try world.anotherProcess()
            expect(try await other.me().name, is: "ada")
            #expect(await !other.shouldOfferBiometrics())
            expect(await failure { try await other.addBiometrics() }?.recovery, is: .signInAgain)
        }
    }

    /// A panic stays a panic: the enrolment that the sign-in of before allows would switch the sensor on again.
    @Test func aPanicDuringAVisitIsLiftedByNothingOfBefore() async throws {
        let world = try World()
        try await world.clock.run(mainActorToo: true) { @MainActor in
            try await world.auth.enrol(with: World.signIn)
            _ = try await world.auth.signIn(with: World.signIn)
            try await world.auth.requireStrongerRungNextTime()
            let offer = BiometricOfferModel(for: world.auth) { try await world.auth.addBiometrics() }
            await offer.refresh()
            #expect(!offer.isShown)
            await offer.answer(.setUp)
            #expect(offer.message != nil)
            expect(await world.auth.readiness().biometry, is: .lockedOut(.untilStrongerRung))
            // A sign-in after the panic is a stronger rung.
            _ = try await world.auth.signIn(with: World.signIn)
            expect(await world.auth.readiness().biometry, is: .ready)
        }
    }

    @Test func nothingIsOfferedBehindALock() async throws {
        let world = try World()
        try await world.clock.run(mainActorToo: true) { @MainActor in
            let lock = AppLockModel(for: world.auth, reason: "Unlock Acme", rules: .init(lockAfter: .zero))
            let running = Task(executorPreference: world.clock.executor) { await lock.run() }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            let vault = Vault(named: "notes", platform: world.auth.platform)
            for _ in 1...2 {
                lock.unlocked(by: try await world.auth.signIn(with: World.signIn))
                #expect(!lock.isLocked)
                #expect(await world.auth.shouldOfferBiometrics())
                #expect(await vault.shouldOfferBiometrics())
                world.phone.moveToBack()
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(120)))
                world.phone.moveToFront()
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
                #expect(lock.isLocked)
                #expect(await !world.auth.shouldOfferBiometrics())
                #expect(await !vault.shouldOfferBiometrics())
                expect(await failure { try await world.auth.addBiometrics() }?.recovery, is: .signInAgain)
            }
            running.cancel()
            await running.value
            // A lock that follows no app keeps nothing closed.
            #expect(await vault.shouldOfferBiometrics())
        }
    }

    /// Another process dismisses the person, and they sign in again before the app has heard of it.
    @Test func whoSignsInAgainIsNotLockedOutByADismissalOfBefore() async throws {
        let phone = SharedPhone(hasPIN: false)
        try await phone.clock.run(mainActorToo: true) {
            let stage = try await Stage(phone, .nothing, hasLock: true)
            await stage.unlocked(by: try await stage.app.auth.signIn(with: World.signIn))
            try await phone.pass()
            try await stage.other.auth.requireStrongerRungNextTime()
            #expect(await stage.isOpen, "the app has not heard of it")
            await stage.unlocked(by: try await stage.app.auth.signIn(with: World.signIn))
            try await stage.leaveAndReturn()
            #expect(await stage.isOpen)
            await stage.end()
        }
    }

    @Test("signing out dismisses before anything may fail", arguments: [true, false])
    func signingOutDuringTheFirstSignIn(_ forgetsDevice: Bool) async throws {
        let world = try World()
        try await world.clock.run {
            var platform = world.phone.platform(transport: world.server)
            platform.transport = HeldPath(server: world.server, clock: world.clock, path: "/v1/token")
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            async let signIn = failure { _ = try await auth.signIn(with: World.signIn) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
            _ = await failure { try await auth.signOut(forgetDevice: forgetsDevice) }
            expect(await signIn?.code, is: .cancelledByApp)
            await expectFailure(.notEnrolled) { _ = try await auth.me() }
            #expect(world.phone.keyCount == 0)
            expect(try await auth.enrolments().isEmpty, is: true)
        }
    }

    @Test func whatCannotBeDeletedKeepsNothingElseFromEnding() async throws {
        let world = try World()
        try await world.clock.run {
            var platform = world.phone.platform(transport: world.server)
            let secrets = StuckSecrets(platform.secrets)
            platform.secrets = secrets
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await auth.enrol(with: World.signIn)
            _ = try await auth.authenticate("Unlock")
            _ = try await auth.signIn(with: World.signIn)
            secrets.isStuck.store(true, ordering: .relaxed)
            await expectFailure(.platform) { try await auth.signOut(forgetDevice: false) }
            #expect(world.server.state.withLock { $0.endedSessions.count } == 2)
            secrets.isStuck.store(false, ordering: .relaxed)
            try await auth.signOut(forgetDevice: false)
            await expectFailure(.sessionOver) { _ = try await auth.me() }
        }
    }

    @Test func aPanicClosesAVaultAlthoughOnlyTheSensorOpensIt() async throws {
        let world = try World()
        try await world.clock.run {
            let vault = Vault(named: "notes", platform: world.auth.platform, access: .biometryCurrentSet)
            try await vault.save("secret", as: "name")
            try await vault.unlocked("Open the notes") { unlock in
                await expectFailure(.policyDenies) { try await vault.requireStrongerRungNextTime() }
                await expectFailure(.vaultClosed) { _ = try await unlock.read("name") }
            }
            try await vault.unlocked("Open the notes") { unlock in
                try await world.auth.platform.requireStrongerRungEverywhere()
                await expectFailure(.vaultClosed) { _ = try await unlock.read("name") }
            }
        }
    }

    @Test("a step-up's token is signed for nobody after a lock", arguments: [SessionKeeping.stored, .untilLock])
    func aStepUpAfterTheLock(_ sessions: SessionKeeping) async throws {
        try await World.enrolled { world in
            let api = "https://api.acme.example"
            let auth = try Authenticator(
                server: InMemoryServer.url, resources: [try #require(URL(string: api))],
                platform: world.phone.platform(transport: world.server), sessions: sessions)
            _ = try await auth.authenticate("Unlock")
            var request = TransportRequest(method: "GET", url: api + "/card")
            try await auth.authorize(&request, doing: .cardDetails, reason: "Show the card")
            let token = request.headers["Authorization"]
            auth.platform.lockNow()
            let answer = TransportResponse(
                status: 401, headers: ["www-authenticate": "DPoP error=\"use_dpop_nonce\"", "dpop-nonce": "abc"], body: [])
            switch sessions {
            case .untilLock:
                await expectFailure(.sessionOver) {
                    _ = try await auth.authorize(&request, after: answer, doing: .cardDetails, reason: "Show the card")
                }
            case .stored:
                // The session goes on; what was proved for the action does not.
                expect(
                    try await auth.authorize(&request, after: answer, doing: .cardDetails, reason: "Show the card"), is: true)
                #expect(request.headers["Authorization"] != token)
            }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            expect(await auth.lastStepUp == nil, is: true)
            expect(await auth.sessionUnlock == nil, is: true)
            expect(await auth.lastUnlock == nil, is: true)
        }
    }

    @Test func aChoiceIsForTheQuestionThatWasShown() async throws {
        try await World.enrolled { world in
            let (shown, hidden) = (Question(), Question())
            let prompts = world.phone.promptCount
            async let first = shown.asking { try await world.auth.authenticate("Confirm", policy: .transaction, by: .screen) }
            async let second = hidden.asking { try await world.auth.authenticate("Confirm", policy: .highRisk, by: .screen) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
            #expect(world.phone.promptCount == prompts)
            shown.prompt()
            expect(try await first.rung, is: .biometric)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
            #expect(world.phone.promptCount == prompts + 1, "a question with the same words waits")
            hidden.prompt()
            expect(try await second.rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func oneGestureDismissesEveryone() async throws {
        let world = try World()
        try await world.clock.run(mainActorToo: true) { @MainActor in
            let platform = world.auth.platform
            let work = try Authenticator(server: InMemoryServer.url, account: "work", platform: platform)
            let notes = Vault(named: "notes", platform: platform, access: .userPresence)
            let (never, face) = (
                Vault(named: "never", platform: platform, access: .userPresence), Vault(named: "face", platform: platform)
            )
            try await world.auth.enrol(with: World.signIn)
            try await work.enrol(with: OwnerTests.bob)
            for vault in [notes, face] { try await vault.unlocked("Make") { _ in } }
            let lock = AppLockModel(platform: platform) { try await work.authenticate("Unlock") }
            let running = Task(executorPreference: world.clock.executor) { await lock.run() }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
            #expect(!lock.isLocked)

            try await platform.requireStrongerRungEverywhere()
            try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(10)))
            #expect(lock.isLocked)
            running.cancel()
            for account in [world.auth, work] {
                expect(await account.readiness().biometry, is: .lockedOut(.untilStrongerRung))
            }
            for vault in [notes, never] { expect(try await vault.unlocked("Open") { $0.rung }, is: .devicePasscode) }
            // No other rung could switch it on again: it pauses.
            expect(await face.readiness().biometry != .ready, is: true)
            // Each is lifted by a stronger rung of its own.
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            expect(await world.auth.readiness().biometry, is: .ready)
            expect(await work.readiness().biometry, is: .lockedOut(.untilStrongerRung))
            // It holds in every process and for who comes later.
            let other = world.phone.platform(transport: world.server, process: "extension")
            let later = try Authenticator(server: InMemoryServer.url, account: "work", platform: other)
            expect(await later.readiness().biometry, is: .lockedOut(.untilStrongerRung))
        }
    }
}

/// Secrets of which no session can be deleted while they are stuck.
private final class StuckSecrets: SecretStore {
    let isStuck = Atomic(false)
    private let base: any SecretStore

    init(_ base: any SecretStore) { self.base = base }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await base.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) { try await base.write(secret, as: name) }
    func delete(_ name: String) async throws(Failure) {
        if isStuck.load(ordering: .relaxed), name.hasPrefix("session ") { throw Failure(.platform) }
        try await base.delete(name)
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try await base.replace(old, by: new, as: name)
    }
}
