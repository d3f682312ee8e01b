import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnVerifier
import ThumbturnURLSession

/// The keys that run on every machine; the TPM's have a suite of their own.
@Suite struct DeviceKeysTests {
    enum Implementation: CaseIterable, Sendable {
        case simulatedPhone, softwareFiles
    }

    private func with(_ implementation: Implementation, _ body: (DevicePlatform) async throws -> Void) async throws {
        let phone = SimulatedPhone().platform()
        switch implementation {
        case .simulatedPhone: try await body(phone)
        case .softwareFiles:
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await body(
                DevicePlatform(
                    sensor: phone.sensor, keys: SoftwareKeys(folder: folder), secrets: FileSecrets(folder: folder),
                    place: .folder(folder))
            )
        }
    }

    @Test(arguments: Implementation.allCases) func aKeyLives(_ implementation: Implementation) async throws {
        try await with(implementation) { platform in
            try await DeviceKeysConformance.aKeyLives(platform.keys)
        }
    }

    @Test(arguments: Implementation.allCases) func aVerifyingKeyNeedsThePerson(_ implementation: Implementation) async throws {
        try await with(implementation) { platform in
            for (kind, rung) in [(KeyKind.biometric, Rung.biometric), (.passcode, .devicePasscode)] {
                let name = KeyName(server: "https://a.example", account: "x", kind: kind)
                let made = try await platform.keys.create(name)
                await expectFailure(.notMatched) { _ = try await platform.keys.sign([1], with: name, presence: nil) }
                let request = PromptRequest(rung: rung, reason: "Test", cancelButton: .cancel, key: name, message: [1])
                guard case .matched(let presence) = await platform.sensor.prompt(request, hearing: { _ in }) else {
                    Issue.record("no match")
                    return
                }
                let signature = try await platform.keys.sign([1], with: name, presence: presence)
                #expect(try VerifyingKey(made).isValid(signature, for: [1]))
            }
        }
    }

    @Test(arguments: Implementation.allCases) func secretsAreKept(_ implementation: Implementation) async throws {
        try await with(implementation) { platform in
            let secrets = platform.secrets
            #expect(try await secrets.read("a") == nil)
            try await secrets.write([1, 2], as: "a")
            try await secrets.write([3], as: "a")
            #expect(try await secrets.read("a") == [3])
            try await secrets.delete("a")
            try await secrets.delete("a")
            #expect(try await secrets.read("a") == nil)
        }
    }

    @Test func aMatchOnASimulatedPhoneSignsOneMessageWithOneKey() async throws {
        let platform = SimulatedPhone().platform()
        let name = KeyName(server: "https://a.example", account: "x", kind: .biometric)
        let passcode = KeyName(server: "https://a.example", account: "x", kind: .passcode)
        _ = try await platform.keys.create(name)
        _ = try await platform.keys.create(passcode)
        let request = PromptRequest(rung: .biometric, reason: "Test", cancelButton: .cancel, key: name, message: [1])
        guard case .matched(let presence) = await platform.sensor.prompt(request, hearing: { _ in }) else {
            Issue.record("no match")
            return
        }
        await expectFailure(.notMatched) { _ = try await platform.keys.sign([2], with: name, presence: presence) }
        await expectFailure(.notMatched) { _ = try await platform.keys.sign([1], with: passcode, presence: presence) }
    }

    @Test func aDamagedKeyFileIsGoneForGood() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let keys = SoftwareKeys(folder: folder)
        let name = KeyName(server: "s", account: "a", kind: .session)
        _ = try keys.create(name)
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
        #expect(keys.state(of: name).isDead)
    }

    @Test func removedFacesInvalidateTheirKeys() async throws {
        let phone = SimulatedPhone()
        let keys = phone.platform().keys
        let name = KeyName(server: "s", account: "a", kind: .biometric)
        _ = try await keys.create(name)
        phone.removeFaces()
        #expect(await keys.state(of: name).isDead)
        await expectFailure(.biometryNotEnrolled) { _ = try await keys.create(name) }
        phone.enrolNewFace()
        #expect(await keys.state(of: name).isDead, "another face brings nothing back")
    }

    @Test func onlyTheOwnerCanReadSoftwareKeys() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try SoftwareKeys(folder: folder).create(KeyName(server: "s", account: "a", kind: .session))
        try await FileSecrets(folder: folder).write([1], as: "token")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(folder) == 0o700)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count == 3, "the key, the secret and the lock of the secrets")
        for file in files { #expect(try mode("\(folder)/\(file)") == 0o600) }
    }
}
