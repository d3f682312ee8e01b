#if STAND_INS
import Foundation
import Security
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// A8: a simulator has no Secure Enclave. Depending on its version it refuses keys that a sensor protects, or opens them
/// without a prompt.
@Suite struct SimulatorTests {
    @Test("A8: a failure in a simulator says so, and what to use", arguments: [true, false])
    func failures(_ isSimulator: Bool) async throws {
        let world = AppleWorld { if isSimulator { $0.simulator = .refusesKeys } }
        try await world.run {
            // A device fails too, for a full disk.
            if !isSimulator { world.device.keychain.failNext("SecKeyCreateRandomKey", with: -34) }
            let failed = await failure { _ = try await world.parts().keys.create(.of(.biometric)) }
            #expect(failed != nil && (failed?.developerHint?.contains("appleWithSoftwareKeys") == true) == isSimulator)
            #expect((failed?.debugDescription.contains("simulator") == true) == isSimulator)
            let chosen = try #require(PIN("824193"))
            let pin = EnclavePINKeys(keychain: world.keychain(), rounds: 10)
            world.device.keychain.failNext("SecKeyCreateRandomKey", with: -50)
            let noPIN = await failure { _ = try await pin.create(.of(.pin), pin: chosen) }
            #expect((noPIN?.developerHint != nil) == isSimulator)
            world.device.keychain.failNext("SecItemAdd", with: -50)
            let noVault = await failure {
                try await world.parts().vaults?.protect(SecretBytes("x"), as: .of(.biometric), access: .biometryAny)
            }
            #expect((noVault?.developerHint != nil) == isSimulator)
        }
    }

    @Test("A8: the first prompt of a debug build in a simulator advises on its keys")
    func advice() async throws {
        let world = AppleWorld { $0.simulator = .opensEverything }
        let told = AppleSensorTests.Told()
        var system = world.system
        system.advise = { told.hear($0) }
        // Without keys in hardware there is nothing to advise on.
        let sensors = [AppleSensor(system, asksByPolicy: true), AppleSensor(system)]
        #if DEBUG
        let sentences: [[String]] = [[], [AppleSystem.ofSimulators]]
        #else
        let sentences: [[String]] = [[], []]
        #endif
        for (sensor, sentences) in zip(sensors, sentences) {
            try await world.run { for _ in 1...2 { _ = await sensor.prompt(AppleSensorTests.request()) { _ in } } }
            #expect(told.sentences == sentences)
        }
    }

    @Test("A8: with software keys an app lives in a simulator", arguments: StandInSimulator.allCases)
    func softwareKeys(_ simulator: StandInSimulator) async throws {
        let world = AppleWorld(hasPIN: true) { $0.simulator = simulator }
        let folder = FileManager.default.temporaryDirectory.appending(path: "thumbturn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = InMemoryServer(clock: world.phone.clock)
        try await world.run {
            var platform = DevicePlatform.appleWithSoftwareKeys(
                in: folder, on: world.system, pinEntry: world.phone.platform(transport: server).pin?.entry, transport: server,
                phases: world.phone.appPhases, clock: world.phone.clock, pinRounds: 10)
            platform.promptGap = .zero
            #expect(platform.evidence == nil)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await auth.enrol(with: AppleLifeTests.signIn)
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
            world.phone.next(.noMatch, .noMatch, .noMatch)
            #expect(try await auth.authenticate("Unlock").rung != .biometric)
            let vault = Vault(named: "designs", platform: platform)
            try await vault.unlocked("Open the vault") { try await $0.save(SecretBytes("x"), as: "a") }
        }
        #expect(world.phone.promptCount > 2, "the person is asked all the same")
        #expect(world.device.calls("evaluatePolicy") > 0 && world.device.calls("evaluateAccessControl") == 0)
        #expect(world.items.isEmpty, "nothing is in the keychain")
        world.expectNothingOnTheSide()
    }

    @Test("A8: the platform with software keys has a folder of its own")
    func folder() {
        let platform = DevicePlatform.appleWithSoftwareKeys(phases: AlwaysInFront())
        #expect(platform.keys is SoftwareKeys && platform.secrets is FileSecrets && platform.pin == nil)
        #expect(platform.sensor is AppleSensor && platform.vaults is FileVaultStore)
    }

    @Test func thisBuildIsForNoSimulator() { #expect(!AppleSystem().isSimulator && !AppleSystem.isBuiltForSimulators) }
}
#endif
