import Synchronization
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The stores of one process, each call of which takes a time, so that another process comes in between.
final class SlowStores: SecretStore, ProtectedStore {
    /// The copies that all processes have made and not deleted.
    final class Copies: Sendable {
        private let kept = Mutex<Set<KeyName>>([])

        var names: Set<KeyName> { kept.withLock { $0 } }

        func note(_ name: KeyName, isKept: Bool) {
            kept.withLock { _ = isKept ? $0.insert(name).memberAfterInsert : $0.remove(name) }
        }
    }

    private let secrets: any SecretStore
    private let vaults: any ProtectedStore
    private let clock: VirtualClock
    private let copies: Copies
    private let time = Mutex(Duration.zero)

    init(of platform: DevicePlatform, on clock: VirtualClock, _ copies: Copies) throws {
        secrets = platform.secrets
        vaults = try #require(platform.vaults)
        self.clock = clock
        self.copies = copies
    }

    /// Every call from now on takes this time.
    func slowDown(to duration: Duration) { time.withLock { $0 = duration } }

    private func takeTime() async {
        let time = time.withLock { $0 }
        if time > .zero { try? await clock.sleep(until: clock.now.advanced(by: time)) }
    }

    func read(_ name: String) async throws(Failure) -> [UInt8]? {
        await takeTime()
        return try await secrets.read(name)
    }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        await takeTime()
        try await secrets.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) {
        await takeTime()
        try await secrets.delete(name)
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        await takeTime()
        return try await secrets.replace(old, by: new, as: name)
    }

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        await takeTime()
        try await vaults.protect(secret, as: name, access: access)
        copies.note(name, isKept: true)
    }
    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        try await vaults.release(name, presence: presence)
    }
    func state(of name: KeyName) async -> KeyState { await vaults.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) {
        await takeTime()
        try await vaults.delete(name)
        copies.note(name, isKept: false)
    }
}
