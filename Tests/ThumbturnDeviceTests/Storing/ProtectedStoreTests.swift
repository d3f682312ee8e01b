import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The stores of vault keys that run on every machine.
@Suite struct ProtectedStoreTests {
    enum Implementation: CaseIterable, Sendable {
        case simulatedPhone, files
    }

    private static let name = KeyName(server: Vault.realm, account: "designs", kind: .biometric)

    private static func with(
        _ implementation: Implementation, _ body: @escaping @Sendable (SimulatedPhone, DevicePlatform) async throws -> Void
    ) async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(clock: clock)
        var platform = phone.platform()
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if implementation == .files {
            platform.vaults = FileVaultStore(folder: folder)
            platform.secrets = FileSecrets(folder: folder)
        }
        let made = platform
        try await clock.run { try await body(phone, made) }
    }

    @Test(arguments: Implementation.allCases) func aSecretLives(_ implementation: Implementation) async throws {
        try await Self.with(implementation) { phone, platform in
            try await ProtectedStoreConformance.aSecretLives(on: platform) { phone.promptCount }
        }
    }

    @Test(arguments: Implementation.allCases, VaultAccess.allCases)
    func aVaultWorks(_ implementation: Implementation, _ access: VaultAccess) async throws {
        try await Self.with(implementation) { phone, platform in
            func vault() -> Vault { Vault(named: "designs", platform: platform, access: access) }
            try await vault().save("s3cret", as: "token")
            expect(try await vault().read("token"), is: "s3cret")
            #expect(phone.promptCount == 2)
            try await vault().delete()
            #expect(try await !vault().contains("token"))
            expect(try await vault().read("token"), is: nil)
        }
    }

    @Test func onlyTheOwnerCanReadTheFilesOfAVault() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = FileVaultStore(folder: folder)
        try store.protect(SecretBytes("old"), as: Self.name, access: .biometryAny)
        let file = folder + "/" + (try #require(FileManager.default.contentsOfDirectory(atPath: folder).first))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        // A crash in the middle of a write leaves a draft, which is ignored.
        try Data("half a".utf8).write(to: URL(fileURLWithPath: folder + "/.thumbturn-draft-1"))
        expect(try store.release(Self.name, presence: Presence(context: 0)).bytes, is: Array("old".utf8))
        try store.protect(SecretBytes("new"), as: Self.name, access: .biometryAny)
        expect(try store.release(Self.name, presence: Presence(context: 0)).bytes, is: Array("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }

    @Test func aFileThatIsNoKeyOpensNothing() async throws {
        try await Self.with(.files) { _, platform in
            let vault = Vault(named: "designs", platform: platform)
            try await vault.save("s3cret", as: "token")
            let record = try #require(try await platform.secrets.read("vault designs").flatMap { VaultRecord($0) })
            let copy = KeyName(server: Vault.realm, account: "designs", enrolment: record.number, kind: .biometric)
            try await platform.vaults?.protect(SecretBytes("short"), as: copy, access: .biometryCurrentSet)
            #expect(await failure { _ = try await vault.rung() } != nil)
        }
    }

    @Test func aMatchOnASimulatedPhoneReleasesOneSecret() async throws {
        let platform = SimulatedPhone().platform()
        let store = try #require(platform.vaults)
        let passcode = KeyName(server: Vault.realm, account: "designs", kind: .passcode)
        let other = KeyName(server: Vault.realm, account: "other", kind: .biometric)
        for name in [Self.name, passcode, other] {
            try await store.protect(SecretBytes("s3cret"), as: name, access: .userPresence)
        }
        let presence = try await ProtectedStoreConformance.presence(Self.name, .biometric, platform.sensor)
        for name in [passcode, other] {
            await expectFailure(.notMatched) { _ = try await store.release(name, presence: presence) }
        }
        await expectFailure(.notMatched) { _ = try await store.release(Self.name, presence: Presence(context: true)) }
        // A passcode prompt instead of the sensor's.
        let typed = try await ProtectedStoreConformance.presence(Self.name, .devicePasscode, platform.sensor)
        await expectFailure(.notMatched) { _ = try await store.release(Self.name, presence: typed) }
    }

    @Test func removedFacesAndPasscodesInvalidateTheirSecrets() async throws {
        let phone = SimulatedPhone()
        let store = try #require(phone.platform().vaults)
        try await store.protect(SecretBytes("a"), as: Self.name, access: .biometryCurrentSet)
        phone.enrolNewFace()
        #expect(await store.state(of: Self.name) == .invalidated(.enrolmentChanged))
        try await store.protect(SecretBytes("a"), as: Self.name, access: .biometryAny)
        phone.enrolNewFace()
        #expect(await store.state(of: Self.name) == .usable)
        phone.removePasscode()
        #expect(await store.state(of: Self.name) == .invalidated(.passcodeRemoved))
        let presence = Presence(context: true)
        let gone = await failure { _ = try await store.release(Self.name, presence: presence) }
        #expect(gone == Failure(.keyInvalidated))
        let refused = await failure { try await store.protect(SecretBytes("a"), as: Self.name, access: .biometryAny) }
        #expect(refused == Failure(.passcodeNotSet))
    }
}
