#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

@Suite struct DiagnosticsTests {
    @Test func aGoodDeviceHasNothingToAdvise() async throws {
        let world = AppleWorld()
        let found = try await world.run { await Diagnostics.snapshot(of: world.system) }
        let expected = Diagnostics(
            sensor: .face, biometry: .ready, isPasscodeSet: true, isSensorCovered: false, hasFaceIDReason: true,
            keychain: .readable)
        #expect(found == expected)
        #expect(found.advice == nil)
        #expect(
            found.description == """
                sensor: face, ready
                passcode: set
                lid: open
                NSFaceIDUsageDescription: present
                keychain: readable
                """)
        #expect(world.device.calls("SecItemCopyMatching") == 1)
        #expect(world.phone.promptCount == 0)
    }

    @Test func whatIsWrongIsNamed() async throws {
        let world = AppleWorld { $0.accessGroups = [] }
        world.phone.removePasscode()
        var system = world.system
        system.faceIDReason = { nil }
        system.environment = nil
        let (given, group) = (system, KeychainPlace(accessGroup: "TEAM.acme"))
        let found = try await world.run { await Diagnostics.snapshot(of: given, place: group) }
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
        let found = try await world.run { await Diagnostics.snapshot(of: given) }
        #expect(found.keychain == .notYetReadable)
        #expect(found.advice == nil, "only Face ID needs the text")
    }

    @Test func theTextIsThatOfTheBundle() async throws {
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
            (await Diagnostics.snapshot(bundle: bundle), await Diagnostics.snapshot())
        }
        #expect(with.hasFaceIDReason)
        #expect(!without.hasFaceIDReason)
    }
}

@Suite struct ScenePhasesTests {
    @Test(arguments: ["UIApplication", "NSApplication"]) func theNotificationsOfTheSystemAreHeard(family: String) async {
        let center = NotificationCenter()
        let phases = ScenePhases(center)
        let names =
            family == "UIApplication"
            ? ["WillResignActive", "DidEnterBackground", "WillEnterForeground", "DidBecomeActive"]
            : ["DidResignActive", "DidHide", "DidUnhide", "DidBecomeActive"]
        var heard = phases.phases().makeAsyncIterator()
        #expect(await heard.next() == .front)
        for (name, phase) in zip(names, [AppPhase.inactive, .back, .inactive, .front]) {
            center.post(name: Notification.Name("\(family)\(name)Notification"), object: nil)
            #expect(await heard.next() == phase)
        }
        center.post(name: Notification.Name("\(family)\(names[1])Notification"), object: nil)
        var late = phases.phases().makeAsyncIterator()
        #expect(await late.next() == .back)
    }
}
#endif
