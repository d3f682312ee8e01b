#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

@Suite struct KeychainVaultTests {
    private static func name(_ kind: KeyKind, _ vault: String = "designs") -> KeyName {
        KeyName(server: Vault.realm, account: vault, kind: kind)
    }

    @Test func aSecretLives() async throws {
        let world = AppleWorld()
        try await world.run {
            try await ProtectedStoreConformance.aSecretLives(on: world.parts()) { world.phone.promptCount }
        }
        #expect(world.device.calls("evaluateAccessControl") > 0)
        world.expectNothingOnTheSide()
    }

    /// "Not available" means a missing passcode only for an item that needs one.
    @Test func onlyItemsThatNeedAPasscodeReportItMissing() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            world.device.keychain.failNext("SecItemAdd", with: -25291)
            await expectFailure(.passcodeNotSet) {
                try await platform.vaults?.protect(SecretBytes("x"), as: Self.name(.biometric), access: .biometryAny)
            }
            world.device.keychain.failNext("SecKeyCreateRandomKey", with: -25291)
            await expectFailure(.passcodeNotSet) { _ = try await platform.keys.create(.of(.biometric)) }
            world.device.keychain.failNext("SecKeyCreateRandomKey", with: -25291)
            await expectFailure(.platform) { _ = try await platform.keys.create(.of(.session)) }
            world.device.keychain.failNext("SecItemAdd", with: -25291)
            await expectFailure(.platform) { try await platform.secrets.write([1], as: "a") }
        }
    }

    @Test(arguments: VaultAccess.allCases, KeyKind.allCases)
    func aRungThatTheAccessDoesNotHaveIsRefused(_ access: VaultAccess, _ kind: KeyKind) {
        let has = access.rungs.contains { $0.key == kind }
        #expect(((try? Guard.of(access, behind: kind)) != nil) == has)
    }

    @Test(arguments: [
        (KeyKind.biometric, VaultAccess.biometryCurrentSet, UInt(0x8)), (.biometric, .biometryAny, 0x2),
        (.biometric, .userPresence, 0x2), (.passcode, .userPresence, 0x10), (.passcode, .passcode, 0x10),
    ])
    func everySecretIsGuardedByItsRung(_ kind: KeyKind, _ access: VaultAccess, _ flags: UInt) async throws {
        let world = AppleWorld()
        try await world.run {
            try await world.parts().vaults?.protect(SecretBytes("x"), as: Self.name(kind), access: access)
            #expect(await world.keychain().access(of: Self.name(kind)) == access)
        }
        let secrets = world.items.filter { $0.account.hasPrefix("vault-secret") }
        #expect(secrets.map(\.protection) == ["akpu"] && secrets.map(\.flags?.rawValue) == [flags])
        let records = world.items.filter { !$0.account.hasPrefix("vault-secret") }
        #expect(records.map(\.protection) == ["cku"] && records.allSatisfy { $0.flags == nil })
        world.expectNothingOnTheSide()
    }

    /// The operations of a vault on the keychain: save, read, update, delete and contains, several of them under one
    /// prompt.
    @Test(arguments: VaultAccess.allCases) func aVaultWorks(_ access: VaultAccess) async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            func vault(_ name: String = "designs") -> Vault { Vault(named: name, platform: platform, access: access) }
            try await vault().unlocked("Open the vault") { secrets in
                try await secrets.save(SecretBytes("1"), as: "a")
                try await secrets.save(SecretBytes("2"), as: "b")
                try await secrets.update("a") { _ in SecretBytes("3") }
                expect(try await secrets.read("a")?.bytes, is: Array("3".utf8))
                expect(try await secrets.read("b")?.bytes, is: Array("2".utf8))
                try await secrets.delete("b")
            }
            #expect(world.phone.promptCount == 1, "one prompt for all operations")
            #expect(try await vault().contains("a"))
            #expect(try await !vault().contains("b"))
            #expect(try await !vault("other").contains("a"))
            #expect(world.phone.promptCount == 1, "`contains` shows no prompt")
            let again = try await vault().unlocked("Open the vault") { try await $0.read("a")?.bytes }
            #expect(again == Array("3".utf8) && world.phone.promptCount == 2)
            try await vault().delete()
            #expect(try await !vault().contains("a"))
            #expect(world.phone.promptCount == 2)
        }
        #expect(world.items.filter { $0.account.hasPrefix("vault") }.isEmpty)
        world.expectNothingOnTheSide()
    }

    @Test func aMatchReleasesOneSecretOnce() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            let store = try #require(platform.vaults)
            let names = [Self.name(.biometric), Self.name(.biometric, "other"), Self.name(.passcode)]
            for name in names { try await store.protect(SecretBytes("x"), as: name, access: .userPresence) }
            let presence = try await ProtectedStoreConformance.presence(names[0], .biometric, platform.sensor)
            for other in names[1...] {
                await expectFailure(.notMatched) { _ = try await store.release(other, presence: presence) }
            }
            await expectFailure(.notMatched) { _ = try await store.release(names[0], presence: Presence(context: true)) }
            _ = try await store.release(names[0], presence: presence)
            let twice = await failure { _ = try await store.release(names[0], presence: presence) }
            #expect(twice == Failure(.notMatched))
            // A match for a vault signs nothing.
            let key = KeyName.of(.biometric)
            _ = try await platform.keys.create(key)
            let vaults = try await ProtectedStoreConformance.presence(names[0], .biometric, platform.sensor)
            await expectFailure(.notMatched) { _ = try await platform.keys.sign([1], with: key, presence: vaults) }
        }
        world.expectNothingOnTheSide()
    }

    @Test(arguments: [SimulatedPhone.Model.DeadKey.unexplained, .gone])
    func aNewFaceInvalidatesOnlySecretsOfTheCurrentSet(_ manner: SimulatedPhone.Model.DeadKey) async throws {
        let world = AppleWorld(iPhone(manner))
        try await world.run {
            let platform = world.parts()
            let store = try #require(platform.vaults)
            let (set, any) = (Self.name(.biometric, "set"), Self.name(.biometric, "any"))
            try await store.protect(SecretBytes("x"), as: set, access: .biometryCurrentSet)
            try await store.protect(SecretBytes("y"), as: any, access: .biometryAny)
            let presence = try await ProtectedStoreConformance.presence(set, .biometric, platform.sensor)
            world.phone.enrolNewFace()
            let gone = await failure { _ = try await store.release(set, presence: presence) }
            #expect(gone?.code == .keyInvalidated && gone?.recovery == .reEnrol && gone?.status != nil)
            #expect(await store.state(of: set) == .invalidated(.unknown))
            #expect(await store.state(of: any) == .usable)
            let other = try await ProtectedStoreConformance.presence(any, .biometric, platform.sensor)
            expect(try await store.release(any, presence: other).bytes, is: Array("y".utf8))
            try await store.protect(SecretBytes("z"), as: set, access: .biometryCurrentSet)
            #expect(await store.state(of: set) == .usable)
            world.phone.removeFaces()
            #expect(await store.state(of: set).isDead)
            await expectFailure(.biometryNotEnrolled) {
                try await store.protect(SecretBytes("z"), as: set, access: .biometryCurrentSet)
            }
        }
        world.expectNothingOnTheSide()
    }

    /// No face is enrolled any more, and a use without a prompt reports just that. The next face may open a secret for
    /// any face.
    @Test func aSecretForAnyFaceOutlivesTheLastFace() async throws {
        let world = AppleWorld { $0.obstacleComesFirst = true }
        try await world.run {
            let store = try #require(world.parts().vaults)
            let (set, any) = (Self.name(.biometric, "set"), Self.name(.biometric, "any"))
            try await store.protect(SecretBytes("x"), as: set, access: .biometryCurrentSet)
            try await store.protect(SecretBytes("y"), as: any, access: .biometryAny)
            world.phone.removeFaces()
            #expect(await store.state(of: set) == .invalidated(.unknown))
            #expect(await store.state(of: any) == .usable)
        }
        world.expectNothingOnTheSide()
    }

    @Test func removingThePasscodeInvalidatesTheSecrets() async throws {
        let world = AppleWorld()
        try await world.run {
            let store = try #require(world.parts().vaults)
            for kind in [KeyKind.biometric, .passcode] {
                try await store.protect(SecretBytes("x"), as: Self.name(kind), access: .userPresence)
            }
            world.phone.removePasscode()
            for kind in [KeyKind.biometric, .passcode] {
                #expect(await store.state(of: Self.name(kind)) == .invalidated(.unknown))
                await expectFailure(.passcodeNotSet) {
                    try await store.protect(SecretBytes("x"), as: Self.name(kind), access: .userPresence)
                }
                try await store.delete(Self.name(kind))
                #expect(await store.state(of: Self.name(kind)) == .missing)
            }
        }
        world.expectNothingOnTheSide()
    }

    @Test func beforeTheFirstUnlockNoSecretIsReportedGone() async throws {
        let world = AppleWorld()
        try await world.run {
            let store = try #require(world.parts().vaults)
            try await store.protect(SecretBytes("x"), as: Self.name(.biometric), access: .biometryCurrentSet)
            world.phone.prewarm()
            #expect(await store.state(of: Self.name(.biometric)) == .notYetReadable)
            #expect(await store.state(of: Self.name(.passcode)) == .missing, "no secret was ever stored there")
            await expectFailure(.notYetReadable) {
                _ = try await store.release(Self.name(.biometric), presence: Presence(context: true))
            }
            world.phone.unlockWithPasscode()
            #expect(await store.state(of: Self.name(.biometric)) == .usable)
        }
    }

    /// The new secret lies beside the old one until the record names it.
    @Test func aCrashLeavesTheOldSecretOrTheNewOne() async throws {
        let world = AppleWorld()
        try await world.run {
            let keychain = world.keychain()
            let platform = world.parts()
            let store = try #require(platform.vaults)
            let name = Self.name(.biometric)
            func content() async throws -> String {
                let presence = try await ProtectedStoreConformance.presence(name, .biometric, platform.sensor)
                return String(decoding: try await store.release(name, presence: presence).bytes, as: UTF8.self)
            }
            try await store.protect(SecretBytes("old"), as: name, access: .biometryAny)
            // A crash before the new secret, and one between it and its record.
            for step in ["SecItemAdd", "SecItemUpdate"] {
                world.device.keychain.failNext(step, with: -34)
                await expectFailure(.platform) { try await store.protect(SecretBytes("new"), as: name, access: .biometryAny) }
                #expect(await store.state(of: name) == .usable)
                expect(try await content(), is: "old")
            }
            #expect(world.items.count == 3, "an invalid secret does no harm")
            try await store.protect(SecretBytes("new"), as: name, access: .biometryCurrentSet)
            expect(try await content(), is: "new")
            #expect(world.items.map(\.flags?.rawValue).contains(0x8) && world.items.count == 2)
            // A crash between the record and the deletion of the old secret.
            try await keychain.write(Array("old".utf8), as: .vaultSecret(name, .first))
            expect(try await content(), is: "new")
            try await store.protect(SecretBytes("newest"), as: name, access: .biometryCurrentSet)
            expect(try await content(), is: "newest")
            #expect(world.items.count == 2)
        }
        world.expectNothingOnTheSide()
    }

    @Test func onlyTheSensorAndThePasscodeProtectSecrets() async throws {
        let world = AppleWorld()
        try await world.run {
            let store = try #require(world.parts().vaults)
            for kind in [KeyKind.session, .pin] {
                await expectFailure(.policyDenies) {
                    try await store.protect(SecretBytes("x"), as: Self.name(kind), access: .userPresence)
                }
            }
        }
        #expect(world.items.isEmpty)
    }
}
#endif
