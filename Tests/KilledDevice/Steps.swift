import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// Counts the steps of a process that others can see: those that change keys or files, reach the server or ask the person.
/// Before one of them it sends the process a signal. What a process reads changes nothing, so a process that is killed after a
/// step leaves the same as one that is killed before the next one.
final class Steps: Sendable {
    private let counted = Mutex<Int?>(nil)
    private let last: Int
    private let signal: Int32

    /// Sends this signal before the step of this number.
    init(_ signal: Int32, before last: Int) {
        (self.signal, self.last) = (signal, last)
    }

    var count: Int { counted.withLock { $0 ?? 0 } }

    /// Counts from here on.
    func begin() { counted.withLock { $0 = 0 } }

    func take<Value>(_ step: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        count(one: ())
        return try await step()
    }

    func take<Value>(_ step: () async -> Value) async -> Value {
        count(one: ())
        return await step()
    }

    private func count(one: Void) {
        let number = counted.withLock { counted in
            counted = counted.map { $0 + 1 }
            return counted
        }
        // The signal of a thread to itself has arrived before the call returns; one to the process may come later.
        if number == last { raise(signal) }
    }
}

extension DevicePlatform {
    /// This platform, whose parts count their steps.
    func counted(by steps: Steps) -> DevicePlatform {
        var platform = self
        platform.sensor = CountingSensor(sensor: sensor, steps: steps)
        platform.keys = CountingKeys(keys: keys, steps: steps)
        platform.secrets = CountingSecrets(secrets: secrets, steps: steps)
        platform.transport = CountingTransport(transport: transport, steps: steps)
        platform.pin = pin.map {
            PINSupport(entry: CountingEntry(entry: $0.entry, steps: steps), key: CountingPINKeys(key: $0.key, steps: steps))
        }
        platform.vaults = vaults.map { CountingVaults(vaults: $0, steps: steps) }
        return platform
    }
}

private struct CountingKeys: DeviceKeys {
    let keys: any DeviceKeys
    let steps: Steps

    func create(_ name: KeyName) async throws(Failure) -> PublicKey {
        try await steps.take { () async throws(Failure) in try await keys.create(name) }
    }
    func state(of name: KeyName) async -> KeyState { await keys.state(of: name) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: name) }
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await keys.sign(message, with: name, presence: presence)
    }
    func delete(_ name: KeyName) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await keys.delete(name) }
    }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await keys.deleteAll(server: server, account: account) }
    }
}

private struct CountingSecrets: SecretStore {
    let secrets: any SecretStore
    let steps: Steps

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await secrets.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await secrets.write(secret, as: name) }
    }
    func delete(_ name: String) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await secrets.delete(name) }
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try await steps.take { () async throws(Failure) in try await secrets.replace(old, by: new, as: name) }
    }
}

private struct CountingTransport: Transport {
    let transport: any Transport
    let steps: Steps

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        try await steps.take { () async throws(Failure) in try await transport.send(request) }
    }
}

private struct CountingSensor: Sensor {
    let sensor: any Sensor
    let steps: Steps

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        await steps.take { await sensor.prompt(request, hearing: hearing) }
    }
}

private struct CountingEntry: PINEntry {
    let entry: any PINEntry
    let steps: Steps

    func enter(_ request: PINRequest) async -> PINAnswer { await steps.take { await entry.enter(request) } }
    func choose() async -> PINAnswer { await steps.take { await entry.choose() } }
}

/// A key that signs is a step: hardware counts it. The secrets below it count theirs.
private struct CountingPINKeys: PINKey {
    let key: any PINKey
    let steps: Steps

    var judge: PINJudge { key.judge }

    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey {
        try await steps.take { () async throws(Failure) in try await key.create(name, pin: pin) }
    }
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        try await steps.take { () async throws(Failure) in try await key.sign(message, with: name, pin: pin) }
    }
    func state(of name: KeyName) async -> KeyState { await key.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await key.delete(name) }
    }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await key.deleteAll(server: server, account: account) }
    }
}

private struct CountingVaults: ProtectedStore {
    let vaults: any ProtectedStore
    let steps: Steps

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await vaults.protect(secret, as: name, access: access) }
    }
    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        try await vaults.release(name, presence: presence)
    }
    func state(of name: KeyName) async -> KeyState { await vaults.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) {
        try await steps.take { () async throws(Failure) in try await vaults.delete(name) }
    }
}
