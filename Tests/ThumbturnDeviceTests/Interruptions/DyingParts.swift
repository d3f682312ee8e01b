import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The parts of an app that dies at its nth step: that one and all later ones do nothing and throw. Keys, the disk, the network,
/// the sensor and the PIN screen count as one.
final class DyingParts: Sendable {
    /// Whether the last step still happens.
    enum Manner: CaseIterable, Sendable { case beforeTheStep, afterTheStep }

    private let alive: DevicePlatform
    private let manner: Manner
    private let left: Mutex<Int>

    init(of platform: DevicePlatform, at step: Int, _ manner: Manner) {
        alive = platform
        self.manner = manner
        left = Mutex(step)
    }

    var isDead: Bool { left.withLock { $0 <= 0 } }

    /// Counts the steps from here on.
    func die(at step: Int) { left.withLock { $0 = step } }

    /// Another process, which shares nothing with the platform that it was made of.
    var platform: DevicePlatform {
        let pin = alive.pin.map {
            PINSupport(entry: DyingEntry(entry: $0.entry, parts: self), key: DyingPINKeys(key: $0.key, parts: self))
        }
        return DevicePlatform(
            sensor: DyingSensor(sensor: alive.sensor, parts: self), keys: DyingKeys(keys: alive.keys, parts: self),
            secrets: DyingSecrets(secrets: alive.secrets, parts: self), place: .ofThisProcess("\(ObjectIdentifier(self))"),
            clock: alive.clock,
            transport: DyingTransport(transport: alive.transport, parts: self), pin: pin, promptGap: .zero
        )
    }

    fileprivate func step<Value>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        let left = left.withLock { left in
            left -= 1
            return left
        }
        let value: Value? = left > 0 || (left == 0 && manner == .afterTheStep) ? try await body() : nil
        guard left > 0, let value else { throw Self.death }
        return value
    }

    fileprivate static let death = Failure(.platform)

    /// Has the app of a new device die at its first step, of the next one at its second, and so on, until one ends alive.
    ///
    /// - Parameter trial: makes the parts that die at this step, and returns them with the side of the change-over on which
    ///   they died.
    /// - Returns: how many devices there were, and the sides.
    static func atEveryStep<Side: Hashable & Sendable>(
        _ manner: Manner,
        _ trial: @escaping @Sendable (EnrolmentJournalTests.Device, _ step: Int) async throws -> (DyingParts, Side)
    ) async throws -> (steps: Int, sides: Set<Side>) {
        var (step, isDead, sides) = (0, true, Set<Side>())
        while isDead {
            step += 1
            let (device, at) = (try EnrolmentJournalTests.Device(), step)
            let (parts, side) = try await device.world.clock.run { try await trial(device, at) }
            sides.insert(side)
            isDead = parts.isDead
        }
        return (step, sides)
    }
}

private struct DyingKeys: DeviceKeys {
    let keys: any DeviceKeys
    let parts: DyingParts

    func create(_ name: KeyName) async throws(Failure) -> PublicKey {
        try await parts.step { () async throws(Failure) in try await keys.create(name) }
    }
    func state(of name: KeyName) async -> KeyState { await keys.state(of: name) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: name) }
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await parts.step { () async throws(Failure) in try await keys.sign(message, with: name, presence: presence) }
    }
    func delete(_ name: KeyName) async throws(Failure) {
        try await parts.step { () async throws(Failure) in try await keys.delete(name) }
    }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await parts.step { () async throws(Failure) in try await keys.deleteAll(server: server, account: account) }
    }
}

private struct DyingSecrets: SecretStore {
    let secrets: any SecretStore
    let parts: DyingParts

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await secrets.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try await parts.step { () async throws(Failure) in try await secrets.write(secret, as: name) }
    }
    func delete(_ name: String) async throws(Failure) {
        try await parts.step { () async throws(Failure) in try await secrets.delete(name) }
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try await parts.step { () async throws(Failure) in try await secrets.replace(old, by: new, as: name) }
    }
}

private struct DyingTransport: Transport {
    let transport: any Transport
    let parts: DyingParts

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        try await parts.step { () async throws(Failure) in try await transport.send(request) }
    }
}

private struct DyingSensor: Sensor {
    let sensor: any Sensor
    let parts: DyingParts

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        let answer = try? await parts.step { () async throws(Failure) in await sensor.prompt(request, hearing: hearing) }
        return answer ?? .failed(DyingParts.death)
    }
}

private struct DyingEntry: PINEntry {
    let entry: any PINEntry
    let parts: DyingParts

    func enter(_ request: PINRequest) async -> PINAnswer {
        let answer = try? await parts.step { () async throws(Failure) in await entry.enter(request) }
        return answer ?? .failed(DyingParts.death)
    }
    func choose() async -> PINAnswer {
        let answer = try? await parts.step { () async throws(Failure) in await entry.choose() }
        return answer ?? .failed(DyingParts.death)
    }
}

private struct DyingPINKeys: PINKey {
    let key: any PINKey
    let parts: DyingParts

    var judge: PINJudge { key.judge }
    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey {
        try await parts.step { () async throws(Failure) in try await key.create(name, pin: pin) }
    }
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        try await parts.step { () async throws(Failure) in try await key.sign(message, with: name, pin: pin) }
    }
    func state(of name: KeyName) async -> KeyState { await key.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) {
        try await parts.step { () async throws(Failure) in try await key.delete(name) }
    }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await parts.step { () async throws(Failure) in try await key.deleteAll(server: server, account: account) }
    }
}

/// Secrets in memory whose names a test can read.
final class NamedSecrets: SecretStore {
    private let kept = Mutex<[String: [UInt8]]>([:])

    var names: [String] { kept.withLock { $0.keys.sorted() } }

    func read(_ name: String) -> [UInt8]? { kept.withLock { $0[name] } }
    func write(_ secret: [UInt8], as name: String) { kept.withLock { $0[name] = secret } }
    func delete(_ name: String) { kept.withLock { $0[name] = nil } }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) -> Bool {
        kept.withLock { kept in
            guard kept[name] == old else { return false }
            kept[name] = new
            return true
        }
    }
}
