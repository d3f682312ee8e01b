#if STAND_INS
import DeviceCheck
import Foundation
import LocalAuthentication
import Security
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// Runs the logic of Examples/Probe against the stand-ins. The file is here through a link.
@Suite struct ProbeTests {
    /// Takes steps in real time, with the phone's device behind the stand-ins.
    private static func take(_ steps: [Probe.Step], _ world: AppleWorld) async -> [String] {
        await StandIns.$device.withValue(world.device) {
            await StandInAttest.$current.withValue(StandInAttest()) {
                let probe = Probe()
                var lines: [String] = []
                for step in steps { lines += await probe.take(step) }
                return lines
            }
        }
    }

    /// Takes a step in which the person answers, in virtual time.
    private static func prompted(_ step: Probe.Step, _ world: AppleWorld) async throws -> [String] {
        try await world.run {
            let clock = world.clock
            let probe = Probe(executor: clock.executor) { try await clock.sleep(until: clock.now.advanced(by: $0)) }
            return await probe.take(step)
        }
    }

    private static func has(_ lines: [String], _ beginnings: String..., at place: SourceLocation = #_sourceLocation) {
        for text in beginnings {
            #expect(lines.contains { $0.hasPrefix(text) }, "\(text) is not in \(lines)", sourceLocation: place)
        }
    }

    @Test func theReportOfAWorkingPhone() async throws {
        let world = AppleWorld()
        let lines = await Self.take([.facts, .make, .look, .pin, .attest], world)
        Self.has(
            lines, "sensor: face", "keychain: readable", "DCErrorDomain: ", "make key of the enrolled set: made",
            "make key without privateKeyUsage: made", "make key of a password: made", "make secret: 0",
            "silent key of the enrolled set: com.apple.LocalAuthentication -1004",
            "silent key without privateKeyUsage: com.apple.LocalAuthentication -1009", "access control of the key: told",
            "silent secret, attributes: 0, access control told", "silent secret, data: -25308", "right password: signed",
            "wrong password: NSOSStatusErrorDomain -25293", "no password: com.apple.LocalAuthentication -1004", "evidence: ")
        #expect(world.phone.promptCount == 0)
        let asked = try await Self.prompted(.ask, world)
        Self.has(
            asked, "prompt for the own access control: matched", "prompt for the fresh access control: matched",
            "then key of the enrolled set: signed", "then key without privateKeyUsage: com.apple.LocalAuthentication -1009")
        #expect(world.phone.promptCount == 2)
        _ = await Self.take([.delete], world)
        #expect(world.items.isEmpty)
        world.expectNothingOnTheSide()
    }

    @Test func theReportAfterANewFace() async throws {
        let world = AppleWorld {
            $0.dead = .token(-3, aks: StandInRefusal.policyInvalid)
            ($0.deadOnlyAfterAMatch, $0.deadPrompt) = (true, .authentication(-1))
        }
        _ = await Self.take([.make], world)
        world.phone.enrolNewFace()
        let lines = try await Self.prompted(.ask, world)
        Self.has(
            lines, "prompt for the own access control: com.apple.LocalAuthentication -1",
            "prompt for the fresh access control: matched",
            "then key of the enrolled set: CryptoTokenKit -3, AKSError -536362999")
    }

    @Test(arguments: [true, false]) func theReportOfASheetThatIsTakenAway(_ stays: Bool) async throws {
        let world = AppleWorld { $0.keepsSheets = stays }
        world.phone.next(.match, after: .seconds(60))
        let lines = try await Self.prompted(.dismiss, world)
        Self.has(lines, stays ? "no reply 5 s after" : "reply com.apple.LocalAuthentication -9")
    }

    @Test func theReportOfADeviceWithoutKeys() async throws {
        let world = AppleWorld(hasSensor: false)
        Self.has(
            await Self.take([.make, .look], world), "make key of the enrolled set: com.apple.LocalAuthentication -7",
            "silent key of the enrolled set: lookup -25300", "access control of the key: not told")
        Self.has(try await Self.prompted(.ask, world), "own access control: none")
    }
}
#endif
