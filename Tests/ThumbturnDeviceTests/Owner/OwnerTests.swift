import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Two people on one device: the place is never of both.
@Suite struct OwnerTests {
    static let bob = PasswordSignIn(account: "bob", password: InMemoryServer.password)

    /// A phone without an enrolment, with an app and an extension that share its place.
    struct Shared: Sendable {
        let world: World
        let app: Authenticator
        let other: Authenticator

        init(_ sessions: SessionKeeping = .stored, _ transport: (World) -> any Transport = { $0.server }) throws {
            world = try World()
            let transport = transport(world)
            app = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: transport), sessions: sessions)
            other = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: transport, process: "extension"),
                sessions: sessions)
        }

        func pass(_ time: Duration) async throws {
            try await world.clock.sleep(until: world.clock.now.advanced(by: time))
        }

        var ended: [String] { world.server.state.withLock { $0.endedSessions } }
    }

    private static func tell(
        _ sessions: SessionKeeping = .stored, _ transport: (World) -> any Transport = { $0.server },
        _ story: @escaping @MainActor @Sendable (Shared) async throws -> Void
    ) async throws {
        let shared = try Shared(sessions, transport)
        try await shared.world.clock.run(mainActorToo: true) { try await story(shared) }
    }

    /// Runs a lock beside a story.
    @MainActor private static func locked(
        _ auth: Authenticator, in clock: VirtualClock, _ story: @MainActor (AppLockModel) async throws -> Void
    ) async throws {
        let lock = AppLockModel(for: auth, reason: "Unlock Acme")
        let running = Task(executorPreference: clock.executor) { await lock.run() }
        try await clock.sleep(until: clock.now.advanced(by: .seconds(2)))
        try await story(lock)
        running.cancel()
        await running.value
    }

    @Test("an enrolment over another person's visit takes everything over", arguments: [SessionKeeping.stored, .untilLock])
    func enrolmentOverAVisit(_ sessions: SessionKeeping) async throws {
        try await Self.tell(sessions) { shared in
            let (auth, phone) = (shared.app, shared.world.phone)
            try await Self.locked(auth, in: shared.world.clock) { lock in
                lock.unlocked(by: try await auth.signIn(with: World.signIn))
                #expect(!lock.isLocked)
                try await auth.answerBiometricOffer(.notNow)
                try await auth.enrol(with: Self.bob)
                try await shared.pass(.seconds(1))
                #expect(lock.isLocked, "ada's success opens nothing of bob's")
                expect(await failure { _ = try await auth.me() }?.code, is: .sessionOver)
                expect(try await auth.biometricOffer(), is: BiometricOffer())
                #expect(shared.ended.count == 1, "the server was told that ada's visit is over")
                expect(await failure { try await auth.addBiometrics() }?.recovery, is: .signInAgain)
                #expect(phone.keyCount == 3, "bob's keys")
                _ = try await auth.authenticate("Unlock")
                expect(try await auth.me().name, is: "bob")
                expect(try await shared.other.enrolments().owner.account, is: InMemoryServer.id(of: "bob"))
                await expectFailure(.anotherAccount) { _ = try await auth.signIn(with: World.signIn) }
            }
        }
    }

    @Test("the visit of the ladder's last rung is a visit like any other", arguments: [SessionKeeping.stored, .untilLock])
    func enrolmentOverTheLastRung(_ sessions: SessionKeeping) async throws {
        try await Self.tell(sessions) { shared in
            let platform = shared.world.phone.platform(transport: shared.world.server)
            let auth = try Authenticator(
                server: InMemoryServer.url, platform: platform, sessions: sessions, signIn: World.signIn)
            expect(try await auth.authenticate("Unlock").rung, is: .fullCredentials)
            try await auth.enrol(with: Self.bob)
            expect(await failure { _ = try await auth.me() }?.code, is: .sessionOver)
            _ = try await auth.authenticate("Unlock")
            expect(try await auth.me().name, is: "bob")
        }
    }

    @Test("what the network delayed does not take the place from who came later", arguments: [false, true])
    func aLateEnrolment(_ isInTheExtension: Bool) async throws {
        let held = { (world: World) in HeldPath(server: world.server, clock: world.clock, path: "/v1/devices") }
        try await Self.tell(.stored, held) { shared in
            let auth = shared.app
            let next = isInTheExtension ? shared.other : auth
            async let late = failure { try await auth.enrol(with: World.signIn) }
            try await shared.pass(.seconds(3))
            _ = try await next.signIn(with: Self.bob)
            expect(await late?.code, is: .cancelledByApp)
            for process in [auth, shared.other] {
                expect(try await process.me().name, is: "bob")
                #expect(await !process.readiness().isEnrolled)
            }
            #expect(shared.world.phone.keyCount == 1 && shared.world.server.state.withLock { $0.devices.isEmpty })
        }
    }

    @Test("a late sign-in of an earlier person opens nothing", arguments: [false, true])
    func aLateVisit(_ isInTheExtension: Bool) async throws {
        let held = { (world: World) in
            HeldOnce(transport: world.server, clock: world.clock, path: "/v1/token")
        }
        try await Self.tell(.stored, held) { shared in
            let next = isInTheExtension ? shared.other : shared.app
            async let late = failure { _ = try await shared.app.signIn(with: World.signIn) }
            try await shared.pass(.seconds(3))
            try await next.enrol(with: Self.bob)
            #expect(await late != nil)
            #expect(shared.world.phone.keyCount == 3, "bob's keys")
            _ = try await shared.app.authenticate("Unlock")
            expect(try await shared.app.me().name, is: "bob")
        }
    }

    @Test func anOwnerWhoComesBackMeanwhileStays() async throws {
        let held = { (world: World) in HeldPath(server: world.server, clock: world.clock, path: "/v1/devices") }
        try await Self.tell(.stored, held) { shared in
            _ = try await shared.app.signIn(with: World.signIn)
            async let late = failure { try await shared.other.enrol(with: Self.bob) }
            try await shared.pass(.seconds(3))
            _ = try await shared.app.signIn(with: World.signIn)
            expect(await late?.code, is: .superseded)
            for process in [shared.app, shared.other] { expect(try await process.me().name, is: "ada") }
            #expect(shared.world.phone.keyCount == 1)
        }
    }

    @Test("revoking ends the visit too, here and at the server", arguments: [SessionKeeping.stored, .untilLock])
    func revokingAVisit(_ sessions: SessionKeeping) async throws {
        for isEnrolled in [true, false] {
            try await Self.tell(sessions) { shared in
                if isEnrolled { try await shared.app.enrol(with: World.signIn) }
                _ = try await shared.app.signIn(with: World.signIn)
                try await shared.app.revoke()
                try await shared.pass(.seconds(1))
                #expect(shared.ended.count == 1 && shared.world.phone.keyCount == 0)
                expect(try await shared.app.enrolments().isEmpty, is: true)
                await expectFailure(.notEnrolled) { _ = try await shared.app.me() }
                try await shared.app.enrol(with: Self.bob)
                _ = try await shared.app.authenticate("Unlock")
                expect(try await shared.app.me().name, is: "bob")
            }
        }
    }

    /// With sessions until the lock each process has its own, also of a full sign-in.
    @Test func aVisitUntilTheLockEndsNoOtherProcesssSession() async throws {
        try await Self.tell(.untilLock) { shared in
            try await shared.app.enrol(with: World.signIn)
            _ = try await shared.other.authenticate("Open the extension")
            _ = try await shared.app.signIn(with: World.signIn)
            for process in [shared.app, shared.other] { expect(try await process.me().name, is: "ada") }
            _ = try await shared.other.authenticate("Open the extension")
            for process in [shared.app, shared.other] { expect(try await process.me().name, is: "ada") }
            try await shared.other.signOut(forgetDevice: false)
            expect(try await shared.app.me().name, is: "ada")
        }
    }

    /// Whoever holds the app open is not the person who signs in elsewhere after a revocation or another owner.
    @Test("an owner who comes back elsewhere keeps no lock open", arguments: [Cut.revokeElsewhere, .anotherSignsInElsewhere])
    func anOwnerWhoComesBackElsewhereKeepsNoLockOpen(_ dismissal: Cut) async throws {
        let phone = SharedPhone(hasPIN: false)
        try await phone.clock.run(mainActorToo: true) {
            let stage = try await Stage(phone, .nothing, hasLock: true)
            await stage.unlocked(by: try await stage.app.auth.signIn(with: Resident.ada.signIn))
            #expect(await stage.isOpen)
            #expect(await dismissal.act(stage, .bob, cancelling: Task<Void, Never>?.none))
            _ = try await stage.other.auth.signIn(with: Resident.ada.signIn)
            try await stage.leaveAndReturn()
            #expect(await !stage.isOpen)
            await stage.end()
        }
    }

    /// The app has not heard that it has another owner when that owner's success is passed to its lock.
    @Test("what the app shows is forgotten before it opens for another owner", arguments: [Resident.bob, .ada])
    func theLockForgetsWhatItShowsBeforeItOpensForAnotherOwner(_ next: Resident) async throws {
        let phone = SharedPhone(hasPIN: false)
        try await phone.clock.run(mainActorToo: true) {
            let stage = try await Stage(phone, .nothing, hasLock: true)
            await stage.unlocked(by: try await stage.app.auth.signIn(with: Resident.ada.signIn))
            try await phone.pass()
            let locks = await stage.locks
            if next == .ada {
                try await stage.other.auth.revoke()
            } else {
                _ = try await stage.other.auth.signIn(with: next.signIn)
            }
            await stage.unlocked(by: try await stage.app.auth.signIn(with: next.signIn))
            #expect(await stage.locks == locks + 1)
            try await stage.leaveAndReturn()
            #expect(await stage.isOpen, "the next person's own success counts")
            #expect(await stage.locks == locks + 1)
            // The same person's next success takes nothing away.
            await stage.unlocked(by: try await stage.app.auth.signIn(with: next.signIn))
            #expect(await stage.locks == locks + 1)
            await stage.end()
        }
    }

    @Test("signing out ends what another process has of the person", arguments: [SessionKeeping.stored, .untilLock])
    func signingOutElsewhere(_ keeping: SessionKeeping) async throws {
        let phone = SharedPhone(.plain, keeping, hasPIN: false)
        try await phone.clock.run(mainActorToo: true) {
            let stage = try await Stage(phone, .nothing, hasLock: true)
            try await stage.app.auth.enrol(with: Resident.ada.signIn)
            _ = try await stage.other.auth.authenticate("Unlock", policy: SharedPhone.anyRung)
            await stage.unlocked(by: try await stage.app.auth.authenticate("Unlock", policy: SharedPhone.anyRung))
            #expect(await stage.isOpen)
            try await stage.other.auth.signOut(forgetDevice: false)
            try await stage.leaveAndReturn()
            // Sessions in memory are each process's own.
            #expect(await stage.isOpen == (keeping == .untilLock))
            await stage.end()
        }
    }

    /// Whatever operation of the storage fails: the session is there, or nothing of it.
    @Test func aSignInThatFailsKeepsNoSession() async throws {
        var failed = 0
        for number in 0... {
            let world = try World()
            var platform = world.phone.platform(transport: world.server)
            let secrets = FailingOnce(platform.secrets, at: number)
            platform.secrets = secrets
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let isOver = Mutex(false)
            try await world.clock.run {
                let signIn = await failure { _ = try await auth.signIn(with: World.signIn) }
                secrets.stopCounting()
                let use = await failure { _ = try await auth.me() }
                let visits = try await auth.enrolments().visits
                #expect((signIn == nil) == (use == nil), "operation \(number): \(String(describing: signIn))")
                #expect(signIn == nil || visits.isEmpty, "operation \(number)")
                isOver.withLock { $0 = signIn != nil }
            }
            failed += isOver.withLock { $0 } ? 1 : 0
            guard secrets.wasReached else { break }
        }
        #expect(failed > 5)
    }

    @Test func aSignInThatWasLeftLeavesNothing() async throws {
        let world = try SignInWorld()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let keys = world.phone.keyCount
            // The person chooses the passcode while the sign-in's screen is up.
            world.screen.next(.ignore)
            async let left = failure { _ = try await world.auth.authenticate("Unlock", startingAt: .fullCredentials) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
            await world.auth.forgetRecentAuthentication()
            expect(await left?.code, is: .cancelledByApp)
            #expect(world.phone.keyCount == keys)
            expect(try await world.auth.enrolments().opening, is: [])
            expect(try await world.auth.enrolments().isUnsettled(at: world.clock.civilTime), is: false)
        }
    }
}

/// A network that holds its first request of a path for 20 seconds.
private final class HeldOnce: Transport {
    private let transport: any Transport
    private let clock: VirtualClock
    private let path: String
    private let isHeld = Mutex(true)

    init(transport: any Transport, clock: VirtualClock, path: String) {
        (self.transport, self.clock, self.path) = (transport, clock, path)
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let waits =
            request.url.hasSuffix(path)
            && isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
        if waits { try? await clock.sleep(until: clock.now.advanced(by: .seconds(20))) }
        return try await transport.send(request)
    }
}

/// Secrets of which one operation fails, by its number.
private final class FailingOnce: SecretStore {
    private let base: any SecretStore
    private let number: Int
    private let operations = Atomic(0)
    private let isCounting = Atomic(true)

    init(_ base: any SecretStore, at number: Int) { (self.base, self.number) = (base, number) }

    var wasReached: Bool { operations.load(ordering: .relaxed) > number }

    func stopCounting() { isCounting.store(false, ordering: .relaxed) }

    private func count() throws(Failure) {
        guard isCounting.load(ordering: .relaxed) else { return }
        if operations.add(1, ordering: .relaxed).oldValue == number { throw Failure(.platform) }
    }

    func read(_ name: String) async throws(Failure) -> [UInt8]? {
        try count()
        return try await base.read(name)
    }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try count()
        try await base.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) {
        try count()
        try await base.delete(name)
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try count()
        return try await base.replace(old, by: new, as: name)
    }
}
