import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Platforms over one place, in one process and in several.
@Suite struct PlaceTests {
    @Test func platformsOfOneProcessOverOnePlaceAreOne() {
        let (phone, other) = (SimulatedPhone(), SimulatedPhone())
        let one = phone.platform()
        #expect(phone.platform().shared === one.shared)
        #expect(phone.platform(process: "extension").shared !== one.shared)
        #expect(other.platform().shared !== one.shared)
        phone.killApp()
        #expect(phone.platform().shared !== one.shared)
    }

    @Test func aFolderIsOnePlaceHoweverItIsNamed() throws {
        let folder = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let roundabout = folder + "/../" + URL(fileURLWithPath: folder).lastPathComponent
        #expect(DevicePlace.folder(roundabout).name == DevicePlace.folder(folder).name)
        #expect(DevicePlace.folder(folder + "/in").name != DevicePlace.folder(folder).name)
    }

    /// Equal unlocks of two platforms share one prompt, as those of one platform do.
    @Test func twoPlatformsShowOnePrompt() async throws {
        let world = try World()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let other = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: world.server))
            let before = world.phone.promptCount
            world.phone.next(.match, after: .seconds(2))
            async let one = world.auth.authenticate("Unlock")
            async let two = other.authenticate("Unlock")
            _ = try await (one, two)
            #expect(world.phone.promptCount == before + 1)
        }
    }

    /// An extension that starts while the app enrols does not take its keys for leftovers of a crash.
    @Test(arguments: ["app", "extension"]) func aRunningEnrolmentIsLeftAlone(_ process: String) async throws {
        let world = try World()
        try await world.clock.run {
            world.phone.next(.match, after: .seconds(2))
            async let enrolled = world.auth.enrol(with: World.signIn)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            let other = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server, process: process))
            await other.settle()
            let refused = await failure { try await other.enrol(with: World.signIn) }
            #expect(refused?.code == .superseded)
            _ = try await enrolled
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    /// An app that settles when it starts, and a server that takes its time.
    @Test func anEnrolmentEndsASettlingThatIsRunning() async throws {
        try await World.enrolled { world in
            try await world.auth.edit { (journal) throws(Failure) in
                journal.begin(77)
                try journal.sent(77)
            }
            _ = try await world.auth.platform.keys.create(world.auth.name(of: .session, in: 77))
            let slow = HeldPath(server: world.server, clock: world.clock, path: "/v1/devices/current")
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            async let settled: Void = auth.settle()
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            #expect(await failure { try await auth.enrol(with: World.signIn, ifExists: .replace) } == nil)
            await settled
        }
    }

    @Test func anUnlockStandsInForNoOtherPersonWhomAnotherProcessEnrolled() async throws {
        try await World.enrolled { world in
            var lax = UnlockPolicy(ladder: [.biometric])
            lax.reuse = .seconds(300)
            _ = try await world.auth.authenticate("Unlock", policy: lax)
            let other = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server, process: "extension"))
            try await other.enrol(with: EnrolmentTests.bob)
            _ = try await other.authenticate("Unlock")
            let prompts = world.phone.promptCount
            _ = try await world.auth.authenticate("Unlock", policy: lax)
            #expect(world.phone.promptCount == prompts + 1, "her unlock gives her none of his tokens")
        }
    }

    /// The lock of a killed process is free.
    @Test func aKilledEnrolmentIsUndoneByTheNextProcess() async throws {
        try await World.killedWhileEnrolling { world in
            #expect(world.phone.keyCount > 0)
            let other = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server, process: "extension"))
            await other.settle()
            #expect(world.phone.keyCount == 0)
        }
    }

    // MARK: - Locks that cannot be made

    /// A folder on a full disk, or one that cannot be written.
    @Test func aLockThatCannotBeMadeSaysWhy() async throws {
        try await World.enrolled { world in
            let auth = try Authenticator(server: InMemoryServer.url, platform: Self.withBrokenLocks(world.auth.platform))
            let calls: [@Sendable () async throws -> Void] = [
                { try await auth.enrol(with: World.signIn) }, { try await auth.declineBiometrics() },
                { try await auth.replaceBiometricKey(with: World.signIn) },
            ]
            for call in calls { #expect(await failure { try await call() } == BrokenLocks.failure) }
            await auth.settle()
            expect(try await auth.authenticate("Unlock").rung, is: .biometric, "an unlock changes no key")
            let began = world.clock.now
            try await auth.revoke()
            #expect(began == world.clock.now, "there is no other process to wait for")
            #expect(world.phone.keyCount == 0)
        }
    }

    /// What is left of an earlier change waits for a lock; the person does not.
    @Test func aLockThatCannotBeMadeKeepsNoPersonOut() async throws {
        try await World.enrolled { world in
            try await world.auth.edit { (journal) throws(Failure) in
                try journal.change(.init(kind: .pin, number: 77))
                journal.undo(.init(kind: .pin, number: 77))
            }
            let auth = try Authenticator(server: InMemoryServer.url, platform: Self.withBrokenLocks(world.auth.platform))
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    private static func withBrokenLocks(_ parts: DevicePlatform) -> DevicePlatform {
        DevicePlatform(
            sensor: parts.sensor, keys: parts.keys, secrets: parts.secrets,
            place: DevicePlace("broken locks \(UUID())", locks: BrokenLocks()), clock: parts.clock,
            transport: parts.transport, pin: parts.pin, vaults: parts.vaults)
    }

    // MARK: - Vaults

    /// A record of one process's key beside the other's copies could never be opened.
    @Test func twoProcessesThatMakeAVaultMakeOne() async throws {
        let world = VaultWorld()
        try await world.clock.run {
            let vaults = ["app", "extension"].map { process in
                var platform = world.phone.platform(transport: NoNetwork(), process: process)
                platform.vaults = platform.vaults.map { SlowStore(store: $0, clock: world.clock) }
                return Vault(named: "designs", platform: platform, access: .passcode)
            }
            async let one: Void = vaults[0].unlocked("Open") { try await $0.save(SecretBytes("1"), as: "one") }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(500)))
            async let two: Void = vaults[1].unlocked("Open") { try await $0.save(SecretBytes("2"), as: "two") }
            _ = try await (one, two)
            for vault in vaults {
                expect(try await vault.read("one"), is: "1")
                expect(try await vault.read("two"), is: "2")
            }
        }
    }

    @Test func whatAnotherProcessSavesMeanwhileStays() async throws {
        let world = VaultWorld()
        try await world.clock.run {
            let other = Vault(
                named: "designs", platform: world.phone.platform(transport: NoNetwork(), process: "extension"))
            try await other.unlocked("Open") { rival in
                var platform = world.phone.platform(transport: NoNetwork())
                let secrets = RivalSecrets(secrets: platform.secrets) { try? await rival.save(SecretBytes("2"), as: "two") }
                platform.secrets = secrets
                try await Vault(named: "designs", platform: platform).unlocked("Open") {
                    secrets.hasRival.withLock { $0 = true }
                    try await $0.save(SecretBytes("1"), as: "one")
                    expect(try await $0.read("two")?.bytes, is: Array("2".utf8))
                }
            }
            expect(try await other.read("one"), is: "1")
        }
    }
}

/// A protected store that takes a second to protect a copy.
private struct SlowStore: ProtectedStore {
    let store: any ProtectedStore
    let clock: VirtualClock

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        try? await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
        try await store.protect(secret, as: name, access: access)
    }
    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        try await store.release(name, presence: presence)
    }
    func state(of name: KeyName) async -> KeyState { await store.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await store.delete(name) }
}

/// A store in which another process is faster once, just before a record is written.
private final class RivalSecrets: SecretStore {
    let secrets: any SecretStore
    let hasRival = Mutex(false)
    let rival: @Sendable () async -> Void

    init(secrets: any SecretStore, _ rival: @escaping @Sendable () async -> Void) {
        self.secrets = secrets
        self.rival = rival
    }

    private func meetRival() async {
        let isNow = hasRival.withLock { hasRival in
            defer { hasRival = false }
            return hasRival
        }
        if isNow { await rival() }
    }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await secrets.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        await meetRival()
        try await secrets.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) { try await secrets.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        await meetRival()
        return try await secrets.replace(old, by: new, as: name)
    }
}

/// Locks of a folder in which no file can be made.
private struct BrokenLocks: PlaceLocks {
    static let failure = Failure(.platform, status: .init(domain: "POSIX", code: 30))

    func tryLock(_ name: String) throws(Failure) -> PlaceLock? { throw Self.failure }
}
