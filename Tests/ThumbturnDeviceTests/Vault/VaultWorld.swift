import Foundation
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A phone with a vault, in virtual time and without a network.
struct VaultWorld: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let sensor: WatchedSensor
    let news = World.News()
    private let parts: DevicePlatform

    init(_ model: SimulatedPhone.Model = .plain, hasSensor: Bool = true, hasPasscode: Bool = true) {
        phone = SimulatedPhone(model, clock: clock, hasSensor: hasSensor, hasPasscode: hasPasscode)
        var parts = phone.platform(transport: NoNetwork())
        sensor = WatchedSensor(sensor: parts.sensor)
        parts.sensor = sensor
        self.parts = parts
    }

    var platform: DevicePlatform { parts }

    /// A vault as the app makes it at each start; `platform` is another one where the parts are replaced.
    func vault(
        _ name: String = "designs", _ access: VaultAccess = .biometryCurrentSet, policy: UnlockPolicy = .unlock,
        on platform: DevicePlatform? = nil
    ) -> Vault {
        let news = news
        return Vault(named: name, platform: platform ?? parts, policy: policy, access: access) { news.hear($0) }
    }

    /// Runs a story in virtual time.
    static func tell(
        _ model: SimulatedPhone.Model = .plain, hasSensor: Bool = true, hasPasscode: Bool = true,
        _ story: @escaping @Sendable (VaultWorld) async throws -> Void
    ) async throws {
        let world = VaultWorld(model, hasSensor: hasSensor, hasPasscode: hasPasscode)
        try await world.clock.run { try await story(world) }
    }

    /// Mismatches of a stranger who unlocks the phone itself in between, so that only the library's own count slows them.
    func mismatches(_ count: Int, _ vault: Vault) async {
        for _ in 0..<count {
            phone.unlockWithPasscode()
            phone.next(.noMatch, .cancel, .cancel)
            _ = try? await vault.unlocked("Open") { _ in }
            phone.forgetActs()
        }
    }
}

extension Vault {
    /// Opens the vault, and returns the rung that opened it.
    func rung() async throws -> Rung { try await unlocked("Open the vault") { $0.rung } }

    func read(_ name: String) async throws -> String? {
        try await unlocked("Open the vault") { try await $0.read(name) }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func save(_ text: String, as name: String) async throws {
        try await unlocked("Open the vault") { try await $0.save(SecretBytes(text), as: name) }
    }
}

/// A sensor that remembers its prompts, and whether two of them were ever up at once.
final class WatchedSensor: Sensor {
    private let sensor: any Sensor
    private let log = Mutex((requests: [PromptRequest](), up: 0, mostUp: 0))

    init(sensor: any Sensor) {
        self.sensor = sensor
    }

    var requests: [PromptRequest] { log.withLock { $0.requests } }
    var mostAtOnce: Int { log.withLock { $0.mostUp } }
    var up: Int { log.withLock { $0.up } }

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func enrolmentMark() async -> EnrolmentMark? { await sensor.enrolmentMark() }
    var liftsLockouts: Bool { sensor.liftsLockouts }
    func liftLockout(_ reason: String) async -> PromptAnswer { await sensor.liftLockout(reason) }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        log.withLock { log in
            log.requests.append(request)
            log.up += 1
            log.mostUp = max(log.mostUp, log.up)
        }
        defer { log.withLock { $0.up -= 1 } }
        return await sensor.prompt(request, hearing: hearing)
    }
}

/// A network that fails the test: a vault needs none.
struct NoNetwork: Transport {
    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        Issue.record("a vault asked the network for \(request.url)")
        throw Failure(.unreachable)
    }
}

/// The stores of an app that dies at its nth write: that one and all later ones throw. Both stores count as one.
final class DyingStores: SecretStore, ProtectedStore {
    /// Whether the last write still reaches the disk.
    enum Manner: CaseIterable, Sendable { case beforeTheWrite, afterTheWrite }

    private let secrets: any SecretStore
    private let vaults: any ProtectedStore
    private let manner: Manner
    private let left: Mutex<Int>

    init(of platform: DevicePlatform, at write: Int, _ manner: Manner) throws {
        secrets = platform.secrets
        vaults = try #require(platform.vaults)
        self.manner = manner
        left = Mutex(write)
    }

    var isDead: Bool { left.withLock { $0 <= 0 } }

    private func write<Value>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        let left = left.withLock { left in
            left -= 1
            return left
        }
        let value: Value? = left > 0 || (left == 0 && manner == .afterTheWrite) ? try await body() : nil
        guard left > 0, let value else { throw Failure(.platform) }
        return value
    }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await secrets.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try await write { () async throws(Failure) in try await secrets.write(secret, as: name) }
    }
    func delete(_ name: String) async throws(Failure) {
        try await write { () async throws(Failure) in try await secrets.delete(name) }
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try await write { () async throws(Failure) in try await secrets.replace(old, by: new, as: name) }
    }

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        try await write { () async throws(Failure) in try await vaults.protect(secret, as: name, access: access) }
    }
    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        try await vaults.release(name, presence: presence)
    }
    func state(of name: KeyName) async -> KeyState { await vaults.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) {
        try await write { () async throws(Failure) in try await vaults.delete(name) }
    }
}
