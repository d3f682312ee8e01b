#if STAND_INS
import DeviceCheck
import Foundation
import LocalAuthentication
import Security
import Testing
import TestSupport
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

@Suite struct DiagnosticsTests {
    @Test func aWorkingDeviceNeedsNoAdvice() async throws {
        let world = AppleWorld()
        let found = try await StandInAttest.$current.withValue(StandInAttest()) {
            try await world.run { await Diagnostics.writingTestItem(on: world.system) }
        }
        let expected = Diagnostics(
            sensor: .face, biometry: .ready, isPasscodeSet: true, isSensorCovered: false, hasFaceIDReason: true,
            isSimulator: false, hasAppAttest: true, keychain: .readable)
        #expect(found == expected)
        #expect(found.advice == nil)
        #expect(
            found.description == """
                sensor: face, ready
                passcode: set
                lid: open
                NSFaceIDUsageDescription: present
                device: not a simulator
                App Attest: supported
                keychain: readable
                """)
        #expect(world.device.calls("SecItemAdd") == 1)
        #expect(world.items.isEmpty, "the test item is deleted")
        #expect(world.phone.promptCount == 0)
        world.expectNothingOnTheSide()
    }

    @Test("a snapshot writes nothing, and says that the keychain was not tried")
    func snapshot() async throws {
        let world = AppleWorld()
        let found = try await world.run { await Diagnostics.snapshot(of: world.system) }
        #expect(found.keychain == nil && found.description.contains("keychain: not tried"))
        #expect(!found.hasAppAttest && found.description.contains("App Attest: not supported"))
        for call in ["SecItemAdd", "SecItemUpdate", "SecItemDelete", "SecItemCopyMatching", "SecKeyCreateRandomKey"] {
            #expect(world.device.calls(call) == 0, "\(call)")
        }
    }

    @Test("a simulator is named, with what to use there", arguments: StandInSimulator.allCases)
    func simulator(_ simulator: StandInSimulator) async throws {
        let world = AppleWorld { $0.simulator = simulator }
        let found = try await world.run { await Diagnostics.snapshot(of: world.system) }
        #expect(found.isSimulator && found.description.contains("device: a simulator"))
        #expect(found.advice?.contains("appleWithSoftwareKeys") == true)
    }

    @Test func everyProblemIsNamed() async throws {
        let world = AppleWorld { $0.accessGroups = [] }
        world.phone.removePasscode()
        var system = world.system
        system.faceIDReason = { nil }
        system.environment = nil
        let (given, group) = (system, KeychainPlace(accessGroup: "TEAM.acme"))
        let found = try await world.run { await Diagnostics.writingTestItem(on: given, in: group) }
        #expect(found.biometry == .passcodeNotSet)
        #expect(!found.isPasscodeSet)
        #expect(found.keychain == .missingEntitlement)
        #expect(found.isSensorCovered == nil)
        #expect(found.advice?.contains("NSFaceIDUsageDescription") == true)
        #expect(found.description.contains("-34018"))
        #expect(!found.description.contains("TEAM"))
    }

    @Test func beforeTheFirstUnlockTheKeychainIsNotYetReadable() async throws {
        let world = AppleWorld(.iPhone(.finger))
        world.phone.reboot()
        var system = world.system
        system.faceIDReason = { nil }
        let given = system
        let found = try await world.run { await Diagnostics.writingTestItem(on: given) }
        #expect(found.keychain == .notYetReadable)
        #expect(found.advice == nil, "only Face ID needs the text")
    }

    static let answers: [(Int32, Diagnostics.KeychainAnswer)] = [
        (-25299, .readable), (-34018, .missingEntitlement), (-25308, .notYetReadable),
        (-36, .trouble(.init(domain: NSOSStatusErrorDomain, code: -36))),
    ]

    @Test(arguments: answers) func everyAnswerOfTheKeychainIsNamed(
        _ status: Int32, _ answer: Diagnostics.KeychainAnswer
    ) async throws {
        let world = AppleWorld()
        world.device.keychain.failNext("SecItemAdd", with: status)
        let found = try await world.run { await Diagnostics.writingTestItem(on: world.system) }
        #expect(found.keychain == answer)
    }

    @Test func aTestItemTouchesNoItemOfTheApp() async throws {
        let world = AppleWorld()
        let place = KeychainPlace(service: "test")
        try await world.run {
            try await world.parts(place).secrets.write([7], as: "probe")
            _ = await Diagnostics.writingTestItem(on: world.system, in: place)
            expect(try await world.parts(place).secrets.read("probe"), is: [7])
        }
        #expect(world.items.count == 1)
    }

    @Test func theUsageTextIsReadFromTheBundle() async throws {
        let world = AppleWorld()
        let folder = FileManager.default.temporaryDirectory.appending(path: "thumbturn-\(UUID().uuidString).bundle")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let info = ["CFBundleIdentifier": "example.acme", "NSFaceIDUsageDescription": "To unlock Acme"]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: folder.appending(path: "Info.plist"))
        let bundle = try #require(Bundle(url: folder))
        #expect(bundle.faceIDReason == "To unlock Acme")
        #expect(Bundle.main.faceIDReason == nil)
        let (with, without) = await StandIns.$device.withValue(world.device) {
            (await Diagnostics.snapshot(bundle: bundle), await Diagnostics.writingTestItem())
        }
        #expect(with.hasFaceIDReason)
        #expect(!without.hasFaceIDReason)
    }
}
#endif
