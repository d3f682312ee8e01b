import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// Small secrets and the secrets of vaults: files that the Keystore encrypts.
@Suite struct KeystoreSecretsTests {
    /// The same store, as two processes have it.
    private static func stores(_ world: AndroidWorld, _ count: Int = 2) -> [any SecretStore] {
        (0..<count).map { _ in KeystoreSecrets(folder: world.android.folder, Keystore(on: world.android)) }
    }

    private static func files(_ world: AndroidWorld, _ ending: String = ".secret") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: world.android.folder).filter { $0.hasSuffix(ending) }
            .map { "\(world.android.folder)/\($0)" }
    }

    @Test func secretsLive() async throws {
        let world = AndroidWorld()
        try await world.run { try await SecretStoreConformance.secretsLive(in: Self.stores(world)) }
    }

    @Test func processesExcludeEachOther() async throws {
        let world = AndroidWorld()
        try await world.run {
            try await SecretStoreConformance.oneOfManyWritersWins(in: Self.stores(world, 5))
            try await SecretStoreConformance.noChangeIsLost(in: Self.stores(world, 3))
            #expect(world.android.calls(.createKey) == 1, "and make one key together")
        }
    }

    @Test("a file holds neither the secret nor its name, and only its owner can read it")
    func files() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            try await store.write(Array("a token".utf8), as: "session of ada")
            let path = try #require(try Self.files(world).first)
            let bytes = try #require(FileManager.default.contents(atPath: path))
            #expect(
                bytes.range(of: Data("token".utf8)) == nil && bytes.range(of: Data("ada".utf8)) == nil && !path.contains("ada"))
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try await store.write(Array("a token".utf8), as: "session of ada")
            #expect(FileManager.default.contents(atPath: path) != bytes, "each time with another nonce")
        }
    }

    @Test("a file that came back without its key is gone for good, and can be written anew")
    func restored() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            try await store.write([1], as: "a")
            try await store.write([2], as: "b")
            world.android.state.withLock { $0.keys = [:] }
            for _ in 1...2 {
                let lost = await failure { _ = try await store.read("a") }
                #expect(lost?.code == .keyInvalidated && lost?.recovery == .reEnrol)
                await expectFailure(.keyInvalidated) { _ = try await store.replace([1], by: [3], as: "a") }
            }
            try await store.write([3], as: "a")
            expect(try await store.read("a"), is: [3])
            // What the former key encrypted went when another one was made.
            expect(try await store.read("b"), is: nil)
            #expect(try Self.files(world).count == 1)
        }
    }

    @Test("files whose key is gone go also where the next key cannot be made at once")
    func restoredBeforeACrash() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            try await store.write([1], as: "a")
            try await store.write([2], as: "b")
            world.android.state.withLock { $0.keys = [:] }
            world.android.failNext(.createKey, "java.security.ProviderException")
            _ = await failure { try await store.write([3], as: "c") }
            #expect(try Self.files(world).isEmpty)
            try await store.write([3], as: "c")
            expect(try await store.read("c"), is: [3])
        }
    }

    @Test("a file that was cut, changed or exchanged is not read")
    func damaged() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            try await store.write([1, 2, 3], as: "a")
            let path = try #require(try Self.files(world).first)
            let whole = try #require(FileManager.default.contents(atPath: path))
            for count in 0..<whole.count {
                try whole.prefix(count).write(to: URL(fileURLWithPath: path))
                await expectFailure(.keyInvalidated) { _ = try await store.read("a") }
            }
            for index in whole.indices where index > 0 {
                var changed = whole
                changed[index] ^= 1
                try changed.write(to: URL(fileURLWithPath: path))
                await expectFailure(.keyInvalidated) { _ = try await store.read("a") }
            }
            try whole.write(to: URL(fileURLWithPath: path))
            expect(try await store.read("a"), is: [1, 2, 3])
            try await store.write([9], as: "b")
            let other = try #require(try Self.files(world).first { $0 != path })
            try whole.write(to: URL(fileURLWithPath: other))
            await expectFailure(.keyInvalidated) { _ = try await store.read("b") }
        }
    }

    @Test("a file reaches the Keystore only where a ciphertext follows its nonce")
    func noCiphertext() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            try await store.write([1, 2, 3], as: "a")
            let path = try #require(try Self.files(world).first)
            let whole = try #require(FileManager.default.contents(atPath: path))
            let start = 1 + Int(whole[0])
            for (count, calls) in [(start, 0), (start + 1, 1)] {
                try whole.prefix(count).write(to: URL(fileURLWithPath: path))
                await expectFailure(.keyInvalidated) { _ = try await store.read("a") }
                #expect(world.android.calls(.decryptNow) == calls, "\(count) bytes")
            }
            try Data([0, 1]).write(to: URL(fileURLWithPath: path))
            await expectFailure(.keyInvalidated) { _ = try await store.read("a") }
        }
    }

    @Test("a process that keeps the lock is waited for five seconds, and then the change can be tried again")
    func keptLock() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            let lock = try #require(try FileLocks(folder: world.android.folder).tryLock("secrets"))
            let began = world.clock.now
            let failed = await failure { try await store.write([1], as: "a") }
            #expect(failed?.code == .platform && failed?.recovery == .retry)
            #expect(began.duration(to: world.clock.now) == .seconds(5))
            lock.release()
            try await store.write([1], as: "a")
            expect(try await store.read("a"), is: [1])
        }
    }

    @Test func aKeystoreThatIsBusyLosesNothing() async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = Self.stores(world)[0]
            try await store.write([1], as: "a")
            for (operation, work) in [
                (AndroidOperation.decryptNow, { @Sendable in _ = try await store.read("a") }),
                (.encryptNow, { @Sendable in try await store.write([2], as: "a") }),
            ] {
                world.android.failNext(operation, "android.security.keystore.BackendBusyException")
                let busy = await failure(work)
                #expect(busy?.code == .platform && busy?.recovery == .retry)
            }
            // A Keystore that cannot even tell whether the key is there has not lost it.
            for operation in [AndroidOperation.encryptNow, .keyExists] {
                world.android.failNext(operation, "java.security.UnrecoverableKeyException")
            }
            let unknown = await failure { try await store.write([2], as: "a") }
            #expect(unknown?.code == .platform && unknown?.recovery == .retry)
            expect(try await store.read("a"), is: [1])
            #expect(world.android.calls(.createKey) == 1)
        }
    }

    @Test("before the first unlock a secret is neither there nor missing")
    func direct() async throws {
        let world = AndroidWorld()
        try await world.run {
            world.phone.prewarm()
            let store = Self.stores(world)[0]
            await expectFailure(.notYetReadable) { _ = try await store.read("a") }
            await expectFailure(.notYetReadable) { try await store.write([1], as: "a") }
            await expectFailure(.notYetReadable) { _ = try await store.replace(nil, by: [1], as: "a") }
            await expectFailure(.notYetReadable) { try await store.delete("a") }
            world.phone.unlockWithPasscode()
            expect(try await store.read("a"), is: nil)
        }
    }

    // MARK: Vaults

    private static func name(_ kind: KeyKind, _ vault: String = "designs") -> KeyName {
        KeyName(server: Vault.realm, account: vault, kind: kind)
    }

    private static func presence(_ kind: KeyKind, on platform: DevicePlatform) async throws -> Presence {
        let rung: Rung = kind == .biometric ? .biometric : .devicePasscode
        return try await ProtectedStoreConformance.presence(name(kind), rung, platform.sensor)
    }

    @Test(arguments: [30, 31, 36])
    func aSecretLives(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            try await ProtectedStoreConformance.aSecretLives(on: try await world.platform()) { world.phone.promptCount }
            #expect(world.aliases == [KeyAlias.secrets], "no key is left behind")
            #expect(world.handles == 0)
        }
    }

    @Test("before API 30 a vault has the sensor's rung alone", arguments: [28, 29])
    func oldLevels(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            let platform = try await world.platform()
            let store = try #require(platform.vaults)
            try await store.protect(SecretBytes("x"), as: Self.name(.biometric), access: .userPresence)
            let presence = try await Self.presence(.biometric, on: platform)
            expect(try await store.release(Self.name(.biometric), presence: presence).bytes, is: Array("x".utf8))
            let refused = await failure {
                try await store.protect(SecretBytes("x"), as: Self.name(.passcode), access: .userPresence)
            }
            #expect(refused == AndroidFacts.noCredentialForKeys)
        }
    }

    @Test(arguments: VaultAccess.allCases, KeyKind.allCases)
    func aRungThatTheAccessDoesNotHaveIsRefused(_ access: VaultAccess, _ kind: KeyKind) async throws {
        let has = access.rungs.contains { $0.key == kind }
        let made = NewKeyKind(access, behind: kind)
        #expect((made != nil) == has)
        if kind == .biometric, has { #expect(made == (access == .biometryCurrentSet ? .vaultBiometric : .vaultAnyBiometric)) }
        let world = AndroidWorld()
        try await world.run {
            let store = try #require(try await world.platform().vaults)
            guard !has else { return }
            await expectFailure(.policyDenies) { try await store.protect(SecretBytes("x"), as: Self.name(kind), access: access) }
            #expect(world.android.calls(.createKey) == 0)
        }
    }

    @Test(
        "a new finger ends the current set's secret and no other",
        arguments: [VaultAccess.biometryCurrentSet, .biometryAny, .userPresence])
    func newFinger(_ access: VaultAccess) async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let store = try #require(platform.vaults)
            try await store.protect(SecretBytes("x"), as: Self.name(.biometric), access: access)
            world.phone.enrolNewFace()
            let isOver = access == .biometryCurrentSet
            #expect(await store.state(of: Self.name(.biometric)) == (isOver ? .invalidated(.enrolmentChanged) : .usable))
            let request = PromptRequest(
                rung: .biometric, reason: "Test", cancelButton: .cancel, key: Self.name(.biometric), message: [])
            let answer = await platform.sensor.prompt(request, hearing: { _ in })
            #expect(AndroidSensorTests.end(answer)?.code == (isOver ? .keyInvalidated : nil))
        }
    }

    @Test(
        "a removed lock screen ends each vault's key, and another lock screen does not turn that into a new finger",
        arguments: VaultAccess.allCases)
    func removedLockScreen(_ access: VaultAccess) async throws {
        let world = AndroidWorld()
        try await world.run {
            let store = try #require(try await world.platform().vaults)
            let kinds = access.rungs.compactMap(\.key)
            for kind in kinds { try await store.protect(SecretBytes("x"), as: Self.name(kind), access: access) }
            world.phone.removePasscode()
            for kind in kinds { #expect(await store.state(of: Self.name(kind)) == .invalidated(.passcodeRemoved)) }
            world.phone.setPasscode()
            guard access != .biometryCurrentSet else { return }
            for kind in kinds { #expect(await store.state(of: Self.name(kind)) == .invalidated(.passcodeRemoved)) }
        }
    }

    @Test("a restored secret without its key is invalidated", arguments: [true, false])
    func restoredVault(_ keepsSecretsKey: Bool) async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let store = try #require(platform.vaults)
            let name = Self.name(.biometric)
            try await store.protect(SecretBytes("x"), as: name, access: .biometryCurrentSet)
            let presence = try await Self.presence(.biometric, on: platform)
            world.android.state.withLock { state in
                state.keys = state.keys.filter { keepsSecretsKey && $0.key == KeyAlias.secrets }
            }
            #expect(await store.state(of: name) == .invalidated(.restored))
            let lost = await failure { _ = try await store.release(name, presence: presence) }
            #expect(lost?.code == .keyInvalidated && lost?.recovery == .reEnrol)
            try await store.protect(SecretBytes("y"), as: name, access: .biometryCurrentSet)
            let again = try await Self.presence(.biometric, on: platform)
            expect(try await store.release(name, presence: again).bytes, is: Array("y".utf8))
        }
    }

    @Test("a vault's record is its slot, its kind and at least one byte of an encrypted secret")
    func shortestRecord() async throws {
        let world = AndroidWorld()
        try await world.run {
            let keystore = Keystore(on: world.android)
            let secrets = KeystoreSecrets(folder: world.android.folder, keystore)
            let store = KeystoreVault(keystore: keystore, secrets: secrets)
            let name = Self.name(.biometric)
            try await store.protect(SecretBytes("x"), as: name, access: .biometryCurrentSet)
            let record = "vault \(KeyAlias.of(name, in: .vault))"
            let whole = try #require(try await secrets.read(record))
            for (count, state) in [(2, KeyState.invalidated(.restored)), (3, .usable)] {
                try await secrets.write(Array(whole.prefix(count)), as: record)
                #expect(await store.state(of: name) == state, "\(count) bytes")
            }
        }
    }

    @Test(
        "after a crash there is the old secret or the new one",
        arguments: [AndroidOperation.createKey, .wrap, .encryptNow, .deleteKey])
    func crash(_ operation: AndroidOperation) async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let store = try #require(platform.vaults)
            let name = Self.name(.biometric)
            try await store.protect(SecretBytes("old"), as: name, access: .biometryCurrentSet)
            for round in 1...2 {
                world.android.failNext(operation, "java.security.ProviderException")
                _ = await failure { try await store.protect(SecretBytes("new \(round)"), as: name, access: .biometryCurrentSet) }
                let presence = try await Self.presence(.biometric, on: platform)
                let kept = try await store.release(name, presence: presence).bytes
                #expect(kept == Array((operation == .deleteKey ? "new \(round)" : "old").utf8))
            }
            try await store.delete(name)
            #expect(world.aliases == [KeyAlias.secrets])
        }
    }

    @Test func aMatchOpensOneSecretOnce() async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let store = try #require(platform.vaults)
            let other = Self.name(.biometric, "plans")
            for name in [Self.name(.biometric), other] {
                try await store.protect(SecretBytes("x"), as: name, access: .biometryAny)
            }
            let presence = try await Self.presence(.biometric, on: platform)
            await expectFailure(.notMatched) { _ = try await store.release(other, presence: presence) }
            for wrong in [Presence(context: ()), Presence(context: AndroidEmptyPresence())] {
                await expectFailure(.notMatched) { _ = try await store.release(other, presence: wrong) }
            }
            _ = try await store.release(Self.name(.biometric), presence: presence)
            await expectFailure(.notMatched) { _ = try await store.release(Self.name(.biometric), presence: presence) }
        }
    }

    @Test func aSecretIsAsLongAsOneBlock() async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let store = try #require(platform.vaults)
            let longest = [UInt8](repeating: 7, count: KeystoreVault.longestSecret)
            await expectFailure(.tooLarge) {
                try await store.protect(SecretBytes(longest + [7]), as: Self.name(.biometric), access: .biometryAny)
            }
            try await store.protect(SecretBytes(longest), as: Self.name(.biometric), access: .biometryAny)
            let presence = try await Self.presence(.biometric, on: platform)
            expect(try await store.release(Self.name(.biometric), presence: presence).bytes, is: longest)
        }
    }

    @Test func aVaultLivesOnAnAndroid() async throws {
        let world = AndroidWorld()
        try await world.run {
            let vault = Vault(named: "designs", platform: try await world.platform(), access: .userPresence)
            try await vault.unlocked("Save your token") { try await $0.save(SecretBytes("a token"), as: "token") }
            let again = Vault(named: "designs", platform: try await world.platform(), access: .userPresence)
            world.phone.next(.noMatch, .match)
            let token = try await again.unlocked("Open your token") { try await $0.read("token") }
            #expect(token?.bytes == Array("a token".utf8))
            world.phone.enrolNewFace()
            _ = try await again.unlocked("Open your token") { try await $0.read("token") }
            #expect(world.handles == 0)
        }
    }
}
