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

@Suite struct KeychainSecretsTests {
    @Test func secretsAreKept() async throws {
        let world = AppleWorld()
        try await world.run {
            let secrets = world.parts().secrets
            expect(try await secrets.read("a"), is: nil)
            try await secrets.write([1, 2], as: "a")
            try await secrets.write([9], as: "b")
            try await secrets.write([], as: "a")
            expect(try await secrets.read("a"), is: [])
            try await secrets.write([3], as: "a")
            #expect(world.device.calls("SecItemDelete") == 0, "a replaced secret is never missing")
            expect(try await secrets.read("a"), is: [3])
            expect(try await secrets.read("b"), is: [9])
            #expect(world.items.map(\.protection) == ["cku", "cku"] && world.items.allSatisfy { $0.flags == nil })
            try await secrets.delete("a")
            try await secrets.delete("a")
            expect(try await secrets.read("a"), is: nil)
            expect(try await secrets.read("b"), is: [9])
        }
        #expect(world.device.calls("SecItemAdd") == 2)
        world.expectNothingOnTheSide()
    }

    @Test func theConformanceOfSecretsHolds() async throws {
        for conformance in [
            SecretStoreConformance.secretsLive, SecretStoreConformance.oneOfManyWritersWins,
            SecretStoreConformance.noChangeIsLost,
        ] {
            let world = AppleWorld()
            // Two values with queues of their own, as an app and its extension have them.
            try await world.run { try await conformance([world.parts().secrets, world.parts().secrets]) }
            world.expectNothingOnTheSide()
        }
    }

    /// The keychain compares by itself: a change by another process between the look and the change is noticed.
    @Test func aSecretThatAnotherProcessChangesInBetweenIsNotReplaced() async throws {
        let world = AppleWorld()
        try await world.run {
            let (secrets, others) = (world.parts().secrets, world.parts().secrets)
            try await secrets.write([1], as: "a")
            let query = KeychainPlace(service: "test").query(.secret("a"))
            let seen = try #require(try KeychainCalls.marked(query))
            #expect(seen.bytes == [1])
            // The same bytes again are another change.
            try await others.write([2], as: "a")
            try await others.write([1], as: "a")
            var marked = query
            marked[kSecAttrGeneric as String] = seen.mark
            #expect(try KeychainCalls.update(marked, to: [kSecValueData as String: Data([3])]) == false)
            #expect(try KeychainCalls.delete(marked) == false)
            expect(try await secrets.read("a"), is: [1])
        }
    }

    /// Another process adds the secret, or changes its bytes and with them its mark.
    private static func another(addsOrWrites byte: UInt8) {
        let query = KeychainPlace(service: "test").query(.secret("a"))
        let bytes: [String: Any] = [
            kSecValueData as String: Data([byte]), kSecAttrGeneric as String: Data(UUID().uuidString.utf8),
        ]
        if SecItemUpdate(query as CFDictionary, bytes as CFDictionary) == errSecSuccess { return }
        #expect(SecItemAdd(query.merging(bytes) { $1 } as CFDictionary, nil) == errSecSuccess)
    }

    @Test func aSecretThatAnotherProcessAddsInBetweenIsWrittenOver() async throws {
        let world = AppleWorld()
        try await world.run {
            let secrets = world.parts().secrets
            world.device.keychain.beforeNext("SecItemAdd") { Self.another(addsOrWrites: 9) }
            try await secrets.write([1], as: "a")
            expect(try await secrets.read("a"), is: [1])
        }
        world.expectNothingOnTheSide()
    }

    @Test func aSecretThatAnotherProcessAddsAndDeletesInBetweenIsNotWritten() async throws {
        let world = AppleWorld()
        try await world.run {
            let secrets = world.parts().secrets
            world.device.keychain.failNext("SecItemAdd", with: errSecDuplicateItem)
            await expectFailure(.platform) { try await secrets.write([1], as: "a") }
            expect(try await secrets.read("a"), is: nil)
        }
    }

    @Test(arguments: ["SecItemAdd", "SecItemUpdate", "SecItemDelete"])
    func aReplacementYieldsToAnotherProcessInBetween(_ call: String) async throws {
        let world = AppleWorld()
        try await world.run {
            let secrets = world.parts().secrets
            let old: [UInt8]? = call == "SecItemAdd" ? nil : [1]
            if let old { try await secrets.write(old, as: "a") }
            world.device.keychain.beforeNext(call) { Self.another(addsOrWrites: 9) }
            expect(try await secrets.replace(old, by: call == "SecItemDelete" ? nil : [2], as: "a"), is: false)
            expect(try await secrets.read("a"), is: [9])
        }
        world.expectNothingOnTheSide()
    }

    @Test func beforeTheFirstUnlockNoSecretIsReportedGone() async throws {
        let world = AppleWorld()
        try await world.run {
            let secrets = world.parts().secrets
            try await secrets.write([1], as: "a")
            world.phone.prewarm()
            await expectFailure(.notYetReadable) { _ = try await secrets.read("a") }
            await expectFailure(.notYetReadable) { try await secrets.write([2], as: "a") }
            await expectFailure(.notYetReadable) { try await secrets.delete("a") }
            for new in [[2], nil] as [[UInt8]?] {
                await expectFailure(.notYetReadable) { _ = try await secrets.replace([1], by: new, as: "a") }
            }
            world.phone.unlockWithPasscode()
            expect(try await secrets.read("a"), is: [1])
        }
    }

    @Test func aPlatformHasAllOfItsParts() async throws {
        // This process has no Info.plist that says why it asks for a face.
        let world = AppleWorld(.iPhone(.finger))
        let folder = URL(fileURLWithPath: Built.temporaryFolder())
        defer { try? FileManager.default.removeItem(at: folder) }
        // Made as an app makes it: with the system's own clock and threads.
        try await StandIns.$device.withValue(world.device) {
            let platform = DevicePlatform.apple(in: KeychainPlace(service: "test"), pinEntry: NoPINEntry(), installation: folder)
            try await platform.secrets.write([1], as: "a")
            expect(try await platform.secrets.read("a"), is: [1])
            _ = try await platform.keys.create(.of(.session))
            try await platform.vaults?.protect(SecretBytes("x"), as: .of(.passcode), access: .passcode)
            #expect(platform.pin?.key.judge == .key && platform.promptGap == .milliseconds(300))
            #expect(await platform.sensor.biometry() == .ready)
            #expect(InstallMarker(folder: folder, of: KeychainPlace(service: "test")).look() == .found)
        }
        #expect(DevicePlatform.apple().pin == nil)
        #expect(world.items.count == 4)
        world.expectNothingOnTheSide()
    }

    private struct NoPINEntry: PINEntry {
        func enter(_ request: PINRequest) async -> PINAnswer { .failed(Failure(.cancelledByApp)) }
        func choose() async -> PINAnswer { .failed(Failure(.cancelledByApp)) }
    }

    /// An app may choose any name for a secret.
    @Test func noNameOfASecretReachesAnotherItem() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            try await platform.vaults?.protect(SecretBytes("x"), as: .of(.passcode), access: .passcode)
            for account in world.items.map(\.account) { expect(try await platform.secrets.read(account), is: nil) }
        }
    }
}

/// A file in the app's own folder tells one installation from the next.
@Suite struct InstallMarkerTests {
    private static let place = KeychainPlace(service: "test")

    private func withFolder(_ body: @escaping @Sendable (AppleWorld, URL) async throws -> Void) async throws {
        let folder = URL(fileURLWithPath: Built.temporaryFolder())
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = AppleWorld()
        try await world.run { try await body(world, folder) }
        world.expectNothingOnTheSide()
    }

    private static func fill(_ platform: DevicePlatform) async throws {
        for kind in [KeyKind.biometric, .passcode, .session] { _ = try await platform.keys.create(.of(kind)) }
        try await platform.secrets.write([1], as: "a")
        try await platform.vaults?.protect(SecretBytes("x"), as: .of(.biometric), access: .biometryAny)
    }

    @Test func aNewInstallationStartsClean() async throws {
        try await withFolder { world, folder in
            try await Self.fill(world.parts(installedIn: folder))
            let count = world.items.count
            // Foreign items: one of another library, one of another place.
            let theirs: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "another library",
                kSecAttrAccount as String: "a", kSecValueData as String: Data([1]), kSecUseDataProtectionKeychain as String: true,
            ]
            #expect(SecItemAdd(theirs as CFDictionary, nil) == errSecSuccess)
            let elsewhere = world.parts(KeychainPlace(service: "test", accessGroup: "T.g"))
            _ = try await elsewhere.keys.create(.of(.session))

            let again = world.parts(installedIn: folder)
            #expect(await again.keys.state(of: .of(.biometric)) == .usable, "the next start is not a new installation")
            #expect(world.items.count == count + 2)

            // A marker that disappears while the app runs does not mean a new installation.
            try FileManager.default.removeItem(at: folder)
            #expect(await again.keys.state(of: .of(.biometric)) == .usable)

            world.phone.reinstallApp()
            let anew = world.parts(installedIn: folder)
            #expect(await anew.keys.state(of: .of(.biometric)) == .missing)
            expect(try await anew.secrets.read("a"), is: nil)
            expect(await anew.vaults?.state(of: .of(.biometric)), is: .missing)
            #expect(world.items.count == 2)
            #expect(await elsewhere.keys.state(of: .of(.session)) == .usable)
            try await Self.fill(anew)
            let mark = InstallMarker(folder: folder, of: Self.place)
            #expect(mark.look() == .found)
            try FileManager.default.removeItem(at: folder)
            #expect(await anew.keys.state(of: .of(.session)) == .usable)
            try mark.set()
            #expect(await world.parts(installedIn: folder).keys.state(of: .of(.session)) == .usable)
        }
    }

    @Test func aMarkerThatWasSetIsNotReadAgain() async throws {
        try await withFolder { world, folder in
            let keys = world.parts(installedIn: folder).keys
            _ = try await keys.create(.of(.session))
            try FileManager.default.removeItem(at: folder)
            #expect(await keys.state(of: .of(.session)) == .usable)
        }
    }

    @Test(arguments: ["keys", "secrets", "vaults", "signature", "match"]) func everyFirstUseWipes(
        _ first: String
    ) async throws {
        try await withFolder { world, folder in
            try await Self.fill(world.parts())
            let presence = try await ProtectedStoreConformance.presence(.of(.biometric), .biometric, world.parts().sensor)
            let platform = world.parts(installedIn: folder)
            switch first {
            case "match":
                await expectFailure(.notEnrolled) {
                    _ = try await platform.keys.sign([], with: .of(.biometric), presence: presence)
                }
            case "keys": _ = await platform.keys.state(of: .of(.session))
            case "secrets": _ = try await platform.secrets.read("a")
            case "vaults": _ = await platform.vaults?.state(of: .of(.biometric))
            default:
                await expectFailure(.notEnrolled) { _ = try await platform.keys.sign([], with: .of(.session), presence: nil) }
            }
            #expect(world.items.isEmpty)
        }
    }

    @Test func aMarkerThatCannotBeReadWipesNothing() async throws {
        try await withFolder { world, folder in
            try await Self.fill(world.parts())
            // A link to itself cannot be opened, not even by root.
            let link = folder.appendingPathComponent("loop")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: link.path)
            let marker = InstallMarker(folder: link, of: Self.place)
            #expect(marker.look() == .unreadable)
            let keys = EnclaveKeys(keychain: Keychain(Self.place, on: world.system, marker: marker))
            #expect(await keys.state(of: .of(.session)) == .usable)
            // A new item might be deleted once the marker can be read again.
            await expectFailure(.notYetReadable) { _ = try await keys.create(.of(.session)) }
            await expectFailure(.notYetReadable) {
                try await KeychainSecrets(keychain: Keychain(Self.place, on: world.system, marker: marker)).write([1], as: "a")
            }
            let secrets = KeychainSecrets(keychain: Keychain(Self.place, on: world.system, marker: marker))
            await expectFailure(.notYetReadable) { _ = try await secrets.replace([1], by: [2], as: "a") }
            expect(try await secrets.replace([1], by: nil, as: "a"), is: true)
            let count = world.items.count
            await expectFailure(.notYetReadable) {
                let vault = KeychainVault(keychain: Keychain(Self.place, on: world.system, marker: marker))
                try await vault.protect(SecretBytes("x"), as: .of(.passcode), access: .userPresence)
            }
            #expect(world.items.count == count)
            // The marker proves to be missing later, in the same process.
            try FileManager.default.removeItem(at: link)
            #expect(await keys.state(of: .of(.session)) == .missing)
            #expect(marker.look() == .found)
        }
    }

    @Test func beforeTheFirstUnlockNothingCanBeWiped() async throws {
        try await withFolder { world, folder in
            try await Self.fill(world.parts())
            world.phone.prewarm()
            let platform = world.parts(installedIn: folder)
            #expect(await platform.keys.state(of: .of(.session)) == .notYetReadable)
            #expect(InstallMarker(folder: folder, of: Self.place).look() == .missing, "nothing was wiped yet")
            world.phone.unlockWithPasscode()
            #expect(await platform.keys.state(of: .of(.session)) == .missing)
            #expect(world.items.isEmpty)
        }
    }

    /// Otherwise the next start would delete what is made now.
    @Test func withoutAMarkerNothingIsMade() async throws {
        try await withFolder { world, folder in
            // A file where the folder should be.
            try Data().write(to: folder)
            let marker = InstallMarker(folder: folder.appendingPathComponent("in"), of: Self.place)
            #expect(marker.look() == .unreadable)
            let gone = InstallMarker(folder: URL(fileURLWithPath: "/proc/thumbturn"), of: Self.place)
            #expect(gone.look() == .missing)
            let keychain = Keychain(Self.place, on: world.system, marker: gone)
            await expectFailure(.platform) { _ = try await EnclaveKeys(keychain: keychain).create(.of(.session)) }
            #expect(world.items.isEmpty)
        }
    }

    /// An extension has a folder of its own, and may see items without a group.
    @Test func anotherAppWipesNothingOfThisApp() async throws {
        try await withFolder { world, folder in
            let (app, other) = (
                KeychainPlace(service: "acme", accessGroup: nil, app: "com.acme.bank"),
                KeychainPlace(service: "acme", accessGroup: nil, app: "com.acme.bank.widget")
            )
            try await Self.fill(world.parts(app))
            #expect(await world.parts(other, installedIn: folder).keys.state(of: .of(.session)) == .missing)
            #expect(await world.parts(app).keys.state(of: .of(.session)) == .usable)
        }
    }

    @Test func aSharedGroupHasNoMarkerByDefault() {
        #expect(InstallMarker.folder(for: KeychainPlace(service: "a", accessGroup: "T.g")) == nil)
        #expect(InstallMarker.folder(for: KeychainPlace(service: "a"))?.lastPathComponent == "Thumbturn")
    }
}
#endif
