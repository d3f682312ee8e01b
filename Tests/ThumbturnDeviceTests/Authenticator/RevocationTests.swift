import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Revoking ends with no key, whatever else is running, fails or is damaged.
@Suite struct RevocationTests {
    typealias Device = EnrolmentJournalTests.Device

    /// Where an enrolment can be held up: at a request to the server, or at the prompt.
    static let heldPaths = ["/v1/challenges", "/v1/accounts/sign-in", "/v1/devices", "prompt"]

    /// Runs a story on an enrolled device.
    static func enrolled(_ story: @escaping @Sendable (Device, Authenticator) async throws -> Void) async throws {
        let device = try Device()
        try await device.world.clock.run {
            let auth = try device.start()
            try await auth.enrol(with: World.signIn)
            _ = try await auth.authenticate("Unlock")
            try await story(device, auth)
        }
    }

    /// Begins an enrolment that is held at a path for a while, and runs a story meanwhile.
    ///
    /// - Returns: what the enrolment threw.
    static func held(
        at path: String, on device: Device, _ platform: DevicePlatform, _ ifExists: Authenticator.IfExists,
        _ story: (Authenticator) async throws -> Void
    ) async throws -> Failure? {
        let clock = device.world.clock
        var platform = platform
        // The first challenge is asked for before the credentials.
        platform.transport = HeldPath(
            server: device.world.server, clock: clock, path: path, answersFirst: path == "/v1/challenges")
        let auth = try device.start(platform)
        if path == "prompt" { device.world.phone.next(.match, after: .seconds(10)) }
        async let outcome = failure { try await auth.enrol(with: World.signIn, ifExists: ifExists) }
        try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
        try await story(auth)
        return await outcome
    }

    // MARK: - Overtaken

    @Test("an enrolment that was overtaken says so and leaves no key", arguments: heldPaths)
    func overtaken(_ path: String) async throws {
        let device = try Device()
        try await device.world.clock.run {
            // The locks of these two processes do not meet, as where one of them was lost.
            let parts = device.platform
            let other = DevicePlatform(
                sensor: parts.sensor, keys: parts.keys, secrets: parts.secrets, place: .ofThisProcess("a lost lock \(path)"),
                clock: parts.clock, transport: parts.transport, pin: parts.pin)
            let outcome = try await Self.held(at: path, on: device, device.platform, .keep) { _ in
                await (try device.start(other)).settle()
                #expect(device.world.phone.keyCount == 0)
            }
            #expect(outcome?.code == .superseded)
            #expect(device.world.phone.keyCount == 0 && device.leftovers == [])
            // A request that was on its way arrives all the same; the record that it made has no key any more.
            #expect(device.records == (path == "/v1/devices" ? 1 : 0))
            let next = try device.start()
            #expect(await !next.readiness().isEnrolled)
            try await next.enrol(with: World.signIn)
            expect(try await next.authenticate("Unlock").rung, is: .biometric)
            #expect(device.world.phone.keyCount == 4)
        }
    }

    @Test("settling in another process undoes no running enrolment", arguments: heldPaths)
    func settlingInAnotherProcess(_ path: String) async throws {
        let device = try Device()
        try await device.world.clock.run {
            var other = device.world.phone.platform(transport: device.world.server, process: "extension")
            other.secrets = device.secrets
            let outcome = try await Self.held(at: path, on: device, device.platform, .keep) { _ in
                await (try device.start(other)).settle()
            }
            #expect(outcome == nil)
            #expect(device.world.phone.keyCount == 4 && device.records == 1)
            expect(try await device.start().authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func aChangeThatWasOvertakenLeavesNoKey() async throws {
        try await Self.enrolled { device, _ in
            var platform = device.platform
            platform.transport = HeldPath(
                server: device.world.server, clock: device.world.clock, path: "/v1/devices/current/keys")
            let auth = try device.start(platform)
            async let outcome = failure { try await auth.replaceBiometricKey(with: World.signIn) }
            try await device.world.clock.sleep(until: device.world.clock.now.advanced(by: .seconds(1)))
            try await (try device.start()).revoke()
            #expect(device.world.phone.keyCount == 0)
            #expect(await outcome != nil)
            #expect(device.world.phone.keyCount == 0)
            await (try device.start()).settle()
            #expect(device.leftovers == [])
        }
    }

    @Test("revoking during an enrolment ends with no key", arguments: heldPaths, [Authenticator.IfExists.keep, .replace])
    func duringAnEnrolment(_ path: String, _ ifExists: Authenticator.IfExists) async throws {
        let device = try Device()
        try await device.world.clock.run {
            let platform = device.platform
            if ifExists == .replace { try await device.start(platform).enrol(with: World.signIn) }
            let records = device.records
            let outcome = try await Self.held(at: path, on: device, platform, ifExists) { auth in
                let began = device.world.clock.now
                try await auth.revoke()
                #expect(began.duration(to: device.world.clock.now) <= .seconds(6), "it waits for the other at most five seconds")
                #expect(device.world.phone.keyCount == 0)
                #expect(device.records == 0 && records == (ifExists == .replace ? 1 : 0))
            }
            #expect(outcome != nil, "no enrolment that was ended is told as a success")
            #expect(device.world.phone.keyCount == 0 && device.leftovers == [])
            let next = try device.start()
            #expect(await !next.readiness().isEnrolled)
            await expectFailure(.notEnrolled) { try await next.revoke() }
            try await next.enrol(with: World.signIn)
            expect(try await next.authenticate("Unlock").rung, is: .biometric)
        }
    }

    static let dismissals: [(name: String, act: @Sendable (Authenticator) async throws -> Void)] = [
        ("locked", { $0.platform.prompts.voidEverything() }), ("forgotten", { await $0.forgetRecentAuthentication() }),
        ("stronger rung", { try await $0.requireStrongerRungNextTime() }),
    ]

    @Test("a person who is dismissed during an enrolment is not enrolled", arguments: heldPaths, 0..<3)
    func dismissedDuringAnEnrolment(_ path: String, _ dismissal: Int) async throws {
        for ifExists in [Authenticator.IfExists.keep, .replace] {
            let device = try Device()
            try await device.world.clock.run {
                let platform = device.platform
                if ifExists == .replace { try await device.start(platform).enrol(with: World.signIn) }
                let (keys, records) = (device.world.phone.keyCount, device.records)
                let outcome = try await Self.held(at: path, on: device, platform, ifExists) { auth in
                    try await Self.dismissals[dismissal].act(auth)
                }
                #expect(outcome?.code == .cancelledByApp, "\(Self.dismissals[dismissal].name), \(ifExists)")
                #expect(device.world.phone.keyCount == keys && device.records == records)
                let next = try device.start()
                #expect(await next.readiness().isEnrolled == (ifExists == .replace))
                try await next.enrol(with: World.signIn)
                expect(try await next.authenticate("Unlock").rung, is: .biometric)
            }
        }
    }

    @Test func aPersonWhomAnotherProcessDismissedDuringAnEnrolmentIsNotEnrolled() async throws {
        let device = try Device()
        try await device.world.clock.run {
            var other = device.world.phone.platform(transport: device.world.server, process: "extension")
            other.secrets = device.secrets
            let outcome = try await Self.held(at: "/v1/devices", on: device, device.platform, .keep) { _ in
                try await (try device.start(other)).requireStrongerRungNextTime()
            }
            #expect(outcome?.code == .cancelledByApp)
            #expect(device.world.phone.keyCount == 0 && device.records == 0)
        }
    }

    @Test("a person who is dismissed during a change of keys changes none", arguments: 0..<3)
    func dismissedDuringAChange(_ dismissal: Int) async throws {
        typealias Make = @Sendable (Authenticator) async throws -> Void
        // A lock before the credentials is no matter: the person may have left the app for them.
        let changes: [(path: String, answersFirst: Bool, make: Make)] = [
            ("/v1/challenges", true, { try await $0.resetPIN(with: World.signIn) }),
            ("/v1/accounts/sign-in", false, { try await $0.resetPIN(with: World.signIn) }),
            ("/v1/accounts/sign-in", false, { try await $0.replaceBiometricKey(with: World.signIn) }),
            ("/v1/challenges", false, { try await $0.changePIN() }),
        ]
        for change in changes {
            try await Self.enrolled { device, _ in
                var platform = device.platform
                platform.transport = HeldPath(
                    server: device.world.server, clock: device.world.clock, path: change.path, answersFirst: change.answersFirst)
                let (auth, keys) = (try device.start(platform), device.world.phone.keyCount)
                let prompts = device.world.phone.promptCount
                async let outcome = failure { try await change.make(auth) }
                try await device.world.clock.sleep(until: device.world.clock.now.advanced(by: .seconds(1)))
                try await Self.dismissals[dismissal].act(auth)
                #expect(await outcome?.code == .cancelledByApp)
                #expect(device.world.phone.keyCount == keys && device.world.phone.promptCount == prompts)
                #expect(!device.world.server.paths.contains("POST /v1/devices/current/keys"))
            }
        }
    }

    /// The server's word about an enrolment comes late: it was ended on this device meanwhile.
    @Test(arguments: [Authenticator.IfExists.keep, .replace])
    func anEnrolmentThatWasRevokedBeforeTheServerAnsweredIsNoSuccess(_ ifExists: Authenticator.IfExists) async throws {
        try await Self.enrolled { device, _ in
            var platform = device.platform
            platform.transport = LateAnswer(
                server: device.world.server, clock: device.world.clock, path: "/v1/devices/current")
            let auth = try device.start(platform)
            async let outcome = failure { try await auth.enrol(with: World.signIn, ifExists: ifExists) }
            try await device.world.clock.sleep(until: device.world.clock.now.advanced(by: .seconds(1)))
            try await (try device.start()).revoke()
            #expect(device.world.phone.keyCount == 0)
            #expect(await outcome?.code == .superseded)
            #expect(device.world.phone.keyCount == 0 && device.leftovers == [])
            #expect(await !(try device.start()).readiness().isEnrolled)
        }
    }

    // MARK: - Failing parts

    @Test("killed at every step of a revocation", arguments: DyingParts.Manner.allCases)
    func killed(_ manner: DyingParts.Manner) async throws {
        let (steps, halves) = try await DyingParts.atEveryStep(manner) { device, step in
            let before = try device.start()
            try await before.enrol(with: World.signIn)
            _ = try await before.authenticate("Unlock")
            let parts = DyingParts(of: device.platform, at: step, manner)
            _ = try? await device.start(parts.platform).revoke()

            let next = try device.start()
            let isEnrolled = await next.readiness().isEnrolled
            await next.settle()
            let story = "step \(step), \(manner)"
            #expect(await next.readiness().isEnrolled == isEnrolled, "\(story): what is told stays true")
            #expect(device.world.phone.keyCount == (isEnrolled ? 4 : 0), "\(story)")
            #expect(device.records == (isEnrolled ? 1 : 0), "\(story)")
            if !isEnrolled {
                #expect(device.leftovers == [] && !device.secrets.names.contains { $0.hasPrefix("enrolments ") }, "\(story)")
                try await next.enrol(with: World.signIn)
            }
            expect(try await next.authenticate("Unlock").rung, is: .biometric, "\(story)")
            #expect(device.records == 1 && device.world.phone.keyCount == 4, "\(story)")
            return (parts, isEnrolled)
        }
        // What the person answered goes before the change-over.
        #expect(steps > 10 && halves == [true, false], "in \(steps) steps")
    }

    @Test func aServerThatHangsIsWaitedForTenSeconds() async throws {
        try await Self.enrolled { device, _ in
            var platform = device.platform
            platform.transport = HeldPath(
                server: device.world.server, clock: device.world.clock, path: "/v1/devices/current")
            let (auth, began) = (try device.start(platform), device.world.clock.now)
            await expectFailure(.unreachable) { try await auth.revoke() }
            #expect(began.duration(to: device.world.clock.now) == .seconds(10))
            #expect(device.world.phone.keyCount == 0 && device.leftovers == [])
        }
    }

    @Test func aKeyThatCannotBeDeletedNowIsDeletedLater() async throws {
        try await Self.enrolled { device, _ in
            var platform = device.platform
            let stubborn = StubbornKeys(keys: platform.keys)
            platform.keys = stubborn
            let auth = try device.start(platform)
            await expectFailure(.notYetReadable) { try await auth.revoke() }
            #expect(device.world.phone.keyCount == 1 && device.records == 0, "everything else is gone, and the server was told")
            #expect(await !auth.readiness().isEnrolled)
            stubborn.refuses.withLock { $0 = false }
            try await auth.revoke()
            #expect(device.world.phone.keyCount == 0 && device.leftovers == [])
            await expectFailure(.notEnrolled) { try await auth.revoke() }
        }
    }

    @Test func aKeyThatNoJournalNamesIsDeletedToo() async throws {
        try await Self.enrolled { device, auth in
            let forgotten = auth.name(of: .biometric, in: 7)
            _ = try await auth.platform.keys.create(forgotten)
            let others = KeyName(server: forgotten.server, account: "another", enrolment: 7, kind: .session)
            _ = try await auth.platform.keys.create(others)
            try await auth.revoke()
            #expect(device.world.phone.keyCount == 1, "only the other account's key is left")
            #expect(await auth.platform.keys.state(of: others) == .usable)
        }
    }

    @Test func aLockedDeviceRevokesNothing() async throws {
        try await World.enrolled { world in
            let keys = world.phone.keyCount
            world.phone.prewarm()
            await expectFailure(.notYetReadable) { try await world.auth.revoke() }
            #expect(world.phone.keyCount == keys)
        }
    }

    // MARK: - Sessions

    @Test func aSessionThatArrivesDuringARevocationIsNotKept() async throws {
        try await Self.enrolled { device, other in
            var platform = device.platform
            // Another process revokes between the answer of the server and the write.
            platform.secrets = InterruptedSecrets(store: device.secrets, at: "session ") { try await other.revoke() }
            let auth = try device.start(platform)
            _ = try? await auth.authenticate("Unlock")
            #expect(device.world.phone.keyCount == 0 && device.leftovers == [])
        }
    }

    @Test func aSlowRefreshDoesNotOverwriteANewerSession() async throws {
        try await Self.enrolled { device, other in
            var platform = device.platform
            platform.secrets = InterruptedSecrets(store: device.secrets, at: "session ") {
                _ = try await other.authenticate("Unlock")
            }
            let auth = try device.start(platform)
            try await auth.refresh()
            let stored = device.secrets.names.first { $0.hasPrefix("session ") }.flatMap { device.secrets.read($0) }
            #expect(String(decoding: try #require(stored), as: UTF8.self).contains("access-3"))
        }
    }

    // MARK: - A damaged journal

    static let damages = [
        "{", "", "[1]", #"{"live":"7"}"#, String(repeating: "[", count: 1 << 20), #"{"begun":[],"sent":[],"pinHandle":"h"}"#,
    ]

    private static func damaged(
        _ text: String, _ story: @escaping @Sendable (Device, Authenticator) async throws -> Void
    ) async throws {
        try await enrolled { device, auth in
            device.secrets.write(Array(text.utf8), as: await auth.enrolmentsName)
            try await story(device, try device.start())
        }
    }

    @Test("a damaged journal says that the person has to be set up again", arguments: damages)
    func readinessOfADamagedJournal(_ text: String) async throws {
        try await Self.damaged(text) { device, auth in
            let readiness = await auth.readiness()
            #expect(KeyKind.allCases.allSatisfy { readiness.state(of: $0) == .invalidated(.unknown) })
            #expect(!readiness.isEnrolled && readiness.nextRung == .fullCredentials)
            await auth.settle()
            #expect(await failure { _ = try await auth.authenticate("Unlock") }?.recovery == .reEnrol)
            #expect(await failure { _ = try await auth.me() }?.recovery == .reEnrol)
            let prompts = device.world.phone.promptCount
            let refused = await failure { try await auth.enrol(with: World.signIn, ifExists: .fail) }
            #expect(refused?.recovery == .reEnrol && device.world.phone.promptCount == prompts)
        }
    }

    @Test("a damaged journal is a way out", arguments: damages, [Authenticator.IfExists.keep, .replace])
    func enrollingOverADamagedJournal(_ text: String, _ ifExists: Authenticator.IfExists) async throws {
        try await Self.damaged(text) { device, auth in
            try await auth.enrol(with: World.signIn, ifExists: ifExists)
            #expect(device.world.phone.keyCount == 4, "the keys that the journal named are gone")
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("over a damaged journal the person signs in", arguments: damages)
    func signingInOverADamagedJournal(_ text: String) async throws {
        try await Self.damaged(text) { device, auth in
            expect(try await auth.signIn(with: World.signIn).rung, is: .fullCredentials)
            #expect(device.world.phone.keyCount == 1, "the keys that the journal named are gone")
            expect(try await auth.me().name, is: "ada")
        }
    }

    @Test("a damaged journal is revoked", arguments: damages)
    func revokingADamagedJournal(_ text: String) async throws {
        try await Self.damaged(text) { device, auth in
            try await auth.revoke()
            #expect(device.world.phone.keyCount == 0)
            #expect(await auth.readiness().state(of: .session) == .missing)
            try await auth.enrol(with: World.signIn)
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("what the person answered and preferred goes with a damaged journal", arguments: ["revoke", "enrol"])
    func answersOfADamagedJournal(_ way: String) async throws {
        try await Self.damaged("{") { _, auth in
            try await auth.prefer(.devicePasscode)
            try await auth.answerBiometricOffer(.never)
            if way == "revoke" { try await auth.revoke() } else { try await auth.enrol(with: World.signIn) }
            expect(try await auth.biometricOffer().isDeclined, is: false)
            #expect(await auth.history.preferred() == nil)
        }
    }

    @Test func anAppThatIsKilledOverADamagedJournalGoesOnAtTheNextStart() async throws {
        for step in 1...4 {
            try await Self.damaged("{") { device, _ in
                let parts = DyingParts(of: device.platform, at: step, .beforeTheStep)
                _ = try? await device.start(parts.platform).revoke()
                let next = try device.start()
                if await next.readiness().state(of: .session) != .missing { try await next.revoke() }
                #expect(device.world.phone.keyCount == 0)
            }
        }
    }
}

// MARK: - Parts

/// A server that answers one path after 20 seconds.
final class HeldPath: Transport {
    private let server: InMemoryServer
    private let clock: VirtualClock
    private let path: String
    private let answers: Mutex<Bool>

    /// - Parameter answersFirst: whether the first request at that path is answered at once.
    init(server: InMemoryServer, clock: VirtualClock, path: String, answersFirst: Bool = false) {
        (self.server, self.clock, self.path) = (server, clock, path)
        answers = Mutex(answersFirst)
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let isHeld =
            request.url.hasSuffix(path)
            && !answers.withLock { answers in
                defer { answers = false }
                return answers
            }
        if isHeld { try? await clock.sleep(until: clock.now.advanced(by: .seconds(20))) }
        return try await server.send(request)
    }
}

/// A server whose answer at one path is on its way for 20 seconds.
struct LateAnswer: Transport {
    let server: InMemoryServer
    let clock: VirtualClock
    let path: String

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let answer = try await server.send(request)
        if request.url.hasSuffix(path) { try? await clock.sleep(until: clock.now.advanced(by: .seconds(20))) }
        return answer
    }
}

/// Keys of which the biometric one cannot be deleted for a while.
private final class StubbornKeys: DeviceKeys {
    let refuses = Mutex(true)
    private let keys: any DeviceKeys

    init(keys: any DeviceKeys) { self.keys = keys }

    func create(_ name: KeyName) async throws(Failure) -> PublicKey { try await keys.create(name) }
    func state(of name: KeyName) async -> KeyState { await keys.state(of: name) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: name) }
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await keys.sign(message, with: name, presence: presence)
    }
    func delete(_ name: KeyName) async throws(Failure) {
        if name.kind == .biometric, refuses.withLock({ $0 }) { throw Failure(.notYetReadable) }
        try await keys.delete(name)
    }
    func deleteAll(server: String, account: String) async throws(Failure) {
        if refuses.withLock({ $0 }) { throw Failure(.notYetReadable) }
        try await keys.deleteAll(server: server, account: account)
    }
}

/// Secrets of which another process changes one just before it is written for the first time.
final class InterruptedSecrets: SecretStore {
    private let store: any SecretStore
    private let beginning: String
    private let interruption: Mutex<(@Sendable () async throws -> Void)?>

    init(store: any SecretStore, at beginning: String, _ interruption: @escaping @Sendable () async throws -> Void) {
        self.store = store
        self.beginning = beginning
        self.interruption = Mutex(interruption)
    }

    private func interrupt(_ name: String) async {
        guard name.hasPrefix(beginning) else { return }
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        try? await interruption?()
    }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await store.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        await interrupt(name)
        try await store.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) { try await store.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        await interrupt(name)
        return try await store.replace(old, by: new, as: name)
    }
}
