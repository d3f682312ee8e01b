import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnDevice

/// Changes of the keys of a live enrolment, on a phone with a PIN.
@Suite struct KeyChangeTests {
    static let pinOnly = UnlockPolicy(ladder: [.appPIN])
    static let another = SimulatedPhone.PINAct.enter("719350")
    static let old = SimulatedPhone.PINAct.enter(SimulatedPhone.pin)
    static let wrong = SimulatedPhone.PINAct.enter("000000")

    static func enrolled(
        policy: UnlockPolicy = .unlock, _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn, policy: policy)
            try await story(world)
        }
    }

    static let withoutPIN = UnlockPolicy(ladder: [.biometric, .devicePasscode])

    static func opens(_ pin: SimulatedPhone.PINAct, _ world: World, _ auth: Authenticator? = nil) async -> Bool {
        world.phone.pins(pin, .cancel)
        let failure = await failure { _ = try await (auth ?? world.auth).authenticate("Unlock", policy: pinOnly) }
        if failure == nil { world.phone.forgetPINs() }
        return failure == nil
    }

    /// A revocation by another process waits five seconds for the lock of a change, and goes on without it.
    @Test func aChangeWhoseDeviceWasRevokedMeanwhileIsNoSuccess() async throws {
        try await Self.enrolled { world in
            let other = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server, process: "extension"))
            var platform = world.phone.platform(transport: world.server)
            platform.keys = RevokedKeys(keys: platform.keys) { () async throws(Failure) in try await other.revoke() }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            await expectFailure(.superseded) { try await auth.removeBiometricKey() }
            #expect(await !auth.readiness().isEnrolled)
            #expect(world.phone.keyCount == 0)
        }
    }

    /// The passcode answers after the dismissal, and belongs to an ask of before it.
    @Test func aPersonWhomAnotherProcessDismissesGetsNoPIN() async throws {
        try await Self.enrolled(policy: Self.withoutPIN) { world in
            world.phone.next(.match, after: .seconds(2))
            world.phone.pins(Self.another)
            async let set = failure { try await world.auth.setPIN(policy: UnlockPolicy(ladder: [.devicePasscode])) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await world.anotherProcess().requireStrongerRungNextTime()
            #expect(await set?.code == .cancelledByApp)
            #expect(await world.auth.readiness().state(of: .pin) == .missing)
        }
    }

    // MARK: Cancelled

    /// The request has arrived, and its answer is on its way when the caller leaves.
    @Test("a change that was cancelled after the server made it is made", arguments: ["PIN", "sensor", "remove"])
    func cancelledOnTheWay(_ change: String) async throws {
        try await Self.enrolled { world in
            let slow = LateAnswer(server: world.server, clock: world.clock, path: "/v1/devices/current/keys")
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            world.phone.pins(Self.another)
            let call = Task(executorPreference: world.clock.executor) {
                await failure {
                    switch change {
                    case "PIN": try await auth.changePIN()
                    case "sensor": try await auth.replaceBiometricKey(with: World.signIn)
                    default: try await auth.removePIN(policy: UnlockPolicy(ladder: [.biometric]))
                    }
                }
            }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            call.cancel()
            let outcome = await call.value
            #expect(outcome == nil || outcome?.code == .cancelledByApp)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(60)))
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            switch change {
            case "PIN": #expect(await Self.opens(Self.another, world))
            case "sensor": break
            default: #expect(await world.auth.readiness().state(of: .pin) == .missing)
            }
        }
    }

    // MARK: The PIN

    @Test func aFirstPINIsSetUnderTheSensor() async throws {
        try await Self.enrolled(policy: Self.withoutPIN) { world in
            let before = world.phone.promptCount
            world.phone.pins(Self.another)
            try await world.auth.setPIN()
            #expect(world.phone.promptCount == before + 1)
            #expect(await world.auth.readiness().state(of: .pin) == .usable)
            #expect(await Self.opens(Self.another, world))
            let again = await failure { try await world.auth.setPIN() }
            #expect(again == Failure(.alreadyEnrolled))
            #expect(world.phone.promptCount == before + 1, "and no prompt was shown")
        }
    }

    @Test func thePasscodeSetsAFirstPINWhereTheSensorFails() async throws {
        try await Self.enrolled(policy: Self.withoutPIN) { world in
            world.phone.next(.noMatch, .noMatch, .noMatch)
            try await world.auth.setPIN()
            #expect(
                world.news.all.contains(
                    .moved(from: .biometric, to: .devicePasscode, because: .mismatches, over: .milliseconds(250))))
            #expect(await Self.opens(Self.old, world))
        }
    }

    @Test func theOldPINChangesThePIN() async throws {
        try await Self.enrolled { world in
            let (prompts, keys) = (world.phone.promptCount, world.phone.keyCount)
            let handle = try await world.auth.livePINHandle()
            world.phone.pins(Self.old, Self.another)
            try await world.auth.changePIN(policy: Self.pinOnly)
            #expect(world.phone.promptCount == prompts && world.phone.keyCount == keys)
            #expect(try await world.auth.livePINHandle() != handle)
            #expect(await Self.opens(Self.another, world))
            #expect(await !Self.opens(Self.old, world))
        }
    }

    @Test func theSensorChangesThePINToo() async throws {
        try await Self.enrolled { world in
            world.phone.pins(Self.another)
            try await world.auth.changePIN()
            #expect(world.phone.pinRequests.isEmpty)
            #expect(await Self.opens(Self.another, world))
        }
    }

    @Test func aWrongOldPINChangesNothingAndIsCounted() async throws {
        try await Self.enrolled { world in
            world.phone.pins(Self.wrong, Self.wrong, .cancel)
            _ = await failure { try await world.auth.changePIN(policy: Self.pinOnly) }
            #expect(await Self.opens(Self.old, world))
            #expect(world.phone.pinRequests.map(\.wrongInARow) == [0, 1, 2, 2])
            #expect(!world.server.paths.contains("POST /v1/devices/current/keys"))
        }
    }

    @Test func aNewPINStartsANewLedger() async throws {
        try await Self.enrolled { world in
            await AppPINTests.wrongPINs(5, world)
            #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(30)))
            world.phone.pins(Self.another)
            try await world.auth.changePIN()
            #expect(await world.auth.readiness().state(of: .pin) == .usable)
            #expect(await Self.opens(Self.another, world))
            #expect(world.phone.pinRequests.last?.wrongInARow == 0)
        }
    }

    @Test func aForgottenPINIsResetWithThePassword() async throws {
        try await Self.enrolled { world in
            world.phone.pins(Self.another)
            let prompts = world.phone.promptCount
            try await world.auth.resetPIN(with: World.signIn)
            #expect(world.phone.promptCount == prompts)
            #expect(await Self.opens(Self.another, world))
            #expect(await !Self.opens(Self.old, world))
        }
    }

    @Test func aWrongPasswordResetsNothing() async throws {
        try await Self.enrolled { world in
            world.phone.pins(Self.another)
            let typed = PasswordSignIn(account: "ada", password: "wrong")
            await expectFailure(.refused) { try await world.auth.resetPIN(with: typed) }
            world.phone.forgetPINs()
            #expect(await Self.opens(Self.old, world))
            #expect(!world.server.paths.contains("POST /v1/devices/current/keys"))
        }
    }

    @Test func aUsedUpPINIsReset() async throws {
        try await Self.enrolled { world in
            await AppPINTests.wrongPINs(5, world)
            for pause in [30, 60, 120, 240] {
                world.clock.advance(by: .seconds(pause))
                await AppPINTests.wrongPINs(1, world)
            }
            world.clock.advance(by: .seconds(300))
            world.phone.pins(Self.wrong)
            _ = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.pinOnly) }
            #expect(await world.auth.readiness().state(of: .pin).isDead)
            try await world.auth.resetPIN(with: World.signIn)
            #expect(await Self.opens(Self.old, world))
        }
    }

    @Test func anEasilyGuessedPINChangesNothing() async throws {
        try await Self.enrolled { world in
            let keys = world.phone.keyCount
            world.phone.pins(Self.old, "123456")
            await expectFailure(.pinEasilyGuessed) { try await world.auth.changePIN(policy: Self.pinOnly) }
            #expect(world.phone.keyCount == keys)
            #expect(await Self.opens(Self.old, world))
        }
    }

    @Test func aRemovedPINIsGoneAndAnotherCanBeSet() async throws {
        try await Self.enrolled { world in
            let keys = world.phone.keyCount
            try await world.auth.removePIN()
            #expect(await world.auth.readiness().state(of: .pin) == .missing)
            #expect(world.phone.keyCount == keys - 1)
            await expectFailure(.notEnrolled) { try await world.auth.changePIN() }
            await expectFailure(.notEnrolled) { try await world.auth.removePIN() }
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            world.phone.pins(Self.another)
            try await world.auth.setPIN()
            #expect(await Self.opens(Self.another, world))
        }
    }

    // MARK: The sensor

    @Test func afterAChangedFaceThePasswordBringsTheSensorBack() async throws {
        try await Self.enrolled { world in
            world.phone.enrolNewFace()
            #expect(await world.auth.readiness().state(of: .biometric).isDead)
            let keys = world.phone.keyCount
            try await world.auth.replaceBiometricKey(with: World.signIn)
            #expect(world.phone.keyCount == keys)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(await Self.opens(Self.old, world), "the other keys stay")
        }
    }

    @Test("the passcode brings it back only where the server allows that", arguments: [false, true])
    func thePasscodeBringsItBack(_ isAllowed: Bool) async throws {
        try await Self.enrolled { world in
            world.server.state.withLock { $0.letsPasscodeReplaceBiometricKey = isAllowed }
            world.phone.enrolNewFace()
            let keys = world.phone.keyCount
            if isAllowed {
                try await world.auth.replaceBiometricKey()
                expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            } else {
                await expectFailure(.refused) { try await world.auth.replaceBiometricKey() }
                #expect(await world.auth.readiness().state(of: .biometric).isDead)
                expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            }
            #expect(world.phone.keyCount == keys, "no key is left over")
        }
    }

    @Test func switchingTheSensorOffAndOnNeedsTheSameAuthorisation() async throws {
        try await Self.enrolled { world in
            world.phone.enrolNewFace()
            try await world.auth.removeBiometricKey()
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
            await expectFailure(.refused) { try await world.auth.replaceBiometricKey() }
            await expectFailure(.notEnrolled) { try await world.auth.removeBiometricKey() }
            try await world.auth.replaceBiometricKey(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func aBiometricKeyIsNotReplacedWithoutAnEnrolledFace() async throws {
        try await Self.enrolled { world in
            world.phone.removeFaces()
            let sent = world.server.paths.count
            await expectFailure(.biometryNotEnrolled) { try await world.auth.replaceBiometricKey(with: World.signIn) }
            #expect(world.server.paths.count == sent)
        }
    }

    // MARK: Interrupted

    @Test("an answer that is lost is asked for", arguments: InMemoryServer.Loss.allCases, [false, true])
    func lost(_ loss: InMemoryServer.Loss, _ isAwayAfterwards: Bool) async throws {
        try await Self.enrolled { world in
            let keys = world.phone.keyCount
            world.server.state.withLock { $0.loses = loss }
            world.phone.pins(Self.another)
            let transport = Failing(server: world.server)
            transport.isAwayAfterChange.withLock { $0 = isAwayAfterwards }
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: transport))
            let failed = await failure { try await auth.changePIN() }
            #expect((failed == nil) == (loss == .answer && !isAwayAfterwards))
            if isAwayAfterwards {
                #expect(await auth.readiness().state(of: .pin) == .usable, "until it is known, nothing is deleted")
                #expect(world.phone.keyCount == keys + 1)
                transport.isAway.withLock { $0 = false }
            }
            // Another start of the app.
            let restarted = try AppPINTests.restarted(world)
            #expect(await Self.opens(loss == .answer ? Self.another : Self.old, world, restarted))
            #expect(await !Self.opens(loss == .answer ? Self.old : Self.another, world, restarted))
            #expect(world.phone.keyCount == keys)
        }
    }

    @Test("an app that is killed at any write or request goes on with the old PIN or the new one", arguments: 0..<14)
    func killed(_ step: Int) async throws {
        try await Self.enrolled { world in
            let keys = world.phone.keyCount
            var platform = world.phone.platform(transport: world.server)
            let life = Life(steps: step)
            platform.secrets = MortalSecrets(store: platform.secrets, life: life)
            platform.transport = MortalTransport(transport: platform.transport, life: life)
            let dying = try Authenticator(server: InMemoryServer.url, platform: platform)
            world.phone.pins(Self.another)
            let failed = await failure { try await dying.changePIN(policy: .unlock) }
            world.phone.forgetPINs()
            let restarted = try AppPINTests.restarted(world)
            // An app that was killed before the server answered has one of the two keys, and never none.
            let new = await Self.opens(Self.another, world, restarted)
            let old = await Self.opens(Self.old, world, restarted)
            #expect(new != old, "step \(step): \(String(describing: failed))")
            #expect(failed != nil || new)
            #expect(world.phone.keyCount == keys, "step \(step): nothing is left over")
        }
    }

    @Test func theHandleIsWrittenBeforeItIsUsed() async throws {
        let world = try World(hasPIN: true)
        var platform = world.phone.platform(transport: world.server)
        let log = EventLog()
        platform.secrets = LoggedSecrets(store: platform.secrets, log: log)
        platform.transport = LoggedTransport(transport: platform.transport, log: log)
        let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        try await world.clock.run {
            try await auth.enrol(with: World.signIn)
            world.phone.pins(Self.another)
            try await auth.changePIN()
        }
        let events = log.all
        let handle = try #require(try await auth.livePINHandle())
        let written = try #require(events.firstIndex { $0.hasPrefix("write") && $0.contains(handle) })
        let sent = try #require(events.firstIndex { $0.hasPrefix("send") && $0.contains("/keys") })
        #expect(written < sent)
    }

    @Test func oneChangeAtATime() async throws {
        try await Self.enrolled { world in
            world.phone.pins(.ignore)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = await failure { try await world.auth.changePIN(policy: Self.pinOnly) } }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                await expectFailure(.superseded) { try await world.auth.resetPIN(with: World.signIn) }
                await expectFailure(.superseded) { try await world.auth.enrol(with: World.signIn, ifExists: .replace) }
                group.cancelAll()
            }
            #expect(await Self.opens(Self.old, world))
        }
    }

    @Test func enrollingAnewLeavesNothingOfEarlierChanges() async throws {
        try await Self.enrolled { world in
            let keys = world.phone.keyCount
            world.phone.pins(Self.another)
            try await world.auth.changePIN()
            world.phone.enrolNewFace()
            try await world.auth.replaceBiometricKey(with: World.signIn)
            try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            #expect(world.phone.keyCount == keys)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(await Self.opens(Self.old, world))
            world.phone.pins(Self.another)
            try await world.auth.changePIN()
            try await world.auth.revoke()
            #expect(world.phone.keyCount == 0)
        }
    }

    @Test("a challenge for another change is not signed", arguments: ["change-pin", "remove-pin", nil])
    func otherAct(_ act: String?) async throws {
        try await Self.enrolled(policy: Self.withoutPIN) { world in
            world.server.state.withLock { $0.tamper = { $0.act = act } }
            let prompts = world.phone.promptCount
            await expectFailure(.unexpectedAnswer) { try await world.auth.setPIN() }
            #expect(world.phone.promptCount == prompts)
        }
    }
}

// MARK: - Parts that die

/// Counts the steps until the app is killed; from then on nothing it does has an effect.
private final class Life: Sendable {
    private let left: Mutex<Int>
    init(steps: Int) { left = Mutex(steps) }

    func step() throws(Failure) {
        let isAlive = left.withLock { left in
            left -= 1
            return left >= 0
        }
        if !isAlive { throw Failure(.platform) }
    }
}

private struct MortalSecrets: SecretStore {
    let store: any SecretStore
    let life: Life

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await store.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try life.step()
        try await store.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) {
        try life.step()
        try await store.delete(name)
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try life.step()
        return try await store.replace(old, by: new, as: name)
    }
}

private struct MortalTransport: Transport {
    let transport: any Transport
    let life: Life

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        try life.step()
        let answer = try await transport.send(request)
        try life.step()
        return answer
    }
}

/// A network that is gone once a change was sent.
private final class Failing: Transport {
    let server: InMemoryServer
    let isAwayAfterChange = Mutex(false)
    let isAway = Mutex(false)

    init(server: InMemoryServer) { self.server = server }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        if isAway.withLock({ $0 }) { throw Failure(.unreachable) }
        if request.url.hasSuffix("/keys"), isAwayAfterChange.withLock({ $0 }) { isAway.withLock { $0 = true } }
        return try await server.send(request)
    }
}

private final class EventLog: Sendable {
    private let events = Mutex<[String]>([])
    var all: [String] { events.withLock { $0 } }
    func add(_ event: String) { events.withLock { $0.append(event) } }
}

private struct LoggedSecrets: SecretStore {
    let store: any SecretStore
    let log: EventLog

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await store.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        log.add("write \(String(decoding: secret, as: UTF8.self))")
        try await store.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) { try await store.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        if let new { log.add("write \(String(decoding: new, as: UTF8.self))") }
        return try await store.replace(old, by: new, as: name)
    }
}

private struct LoggedTransport: Transport {
    let transport: any Transport
    let log: EventLog

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        log.add("send \(request.url)")
        return try await transport.send(request)
    }
}

/// Keys of a device that is revoked when the first of them is deleted.
private final class RevokedKeys: DeviceKeys {
    private let keys: any DeviceKeys
    private let revoke: @Sendable () async throws(Failure) -> Void
    private let isRevoked = Mutex(false)

    init(keys: any DeviceKeys, _ revoke: @escaping @Sendable () async throws(Failure) -> Void) {
        (self.keys, self.revoke) = (keys, revoke)
    }

    func create(_ name: KeyName) async throws(Failure) -> PublicKey { try await keys.create(name) }
    func state(of name: KeyName) async -> KeyState { await keys.state(of: name) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: name) }
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await keys.sign(message, with: name, presence: presence)
    }
    func delete(_ name: KeyName) async throws(Failure) {
        let isFirst = isRevoked.withLock { isRevoked in
            defer { isRevoked = true }
            return !isRevoked
        }
        if isFirst { try await revoke() }
        try await keys.delete(name)
    }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keys.deleteAll(server: server, account: account)
    }
}
