#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// The state of a phone's sensor, read without a prompt.
@Suite struct SensorFactsTests {
    /// A phone, an event, and the state of the sensor afterwards.
    struct Story: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var hasSensor = true
        var hasPasscode = true
        var more: @Sendable (inout StandInFacts) -> Void = { _ in }
        var befalls: @Sendable (SimulatedPhone) -> Void = { _ in }
        var state: BiometryState
        var isPasscodeSet = true
    }

    static let stories = [
        Story(testDescription: "as it is", state: .ready),
        Story(testDescription: "no sensor", hasSensor: false, state: .absent),
        Story(testDescription: "denied", befalls: { $0.setPermission(false) }, state: .permissionDenied),
        Story(testDescription: "no face enrolled", befalls: { $0.removeFaces() }, state: .notEnrolled),
        Story(testDescription: "no passcode", befalls: { $0.removePasscode() }, state: .passcodeNotSet, isPasscodeSet: false),
        Story(
            testDescription: "no sensor and no passcode", hasSensor: false, hasPasscode: false, state: .absent,
            isPasscodeSet: false),
        Story(testDescription: "lid closed", befalls: { $0.setLidClosed(true) }, state: .lidClosed),
        Story(testDescription: "restarted", befalls: { $0.reboot() }, state: .lockedOut(.untilPasscode)),
        Story(
            testDescription: "locked, and only the environment reports it", more: { $0.isLockedOut = true },
            state: .lockedOut(.untilPasscode)),
    ]

    @Test(arguments: stories) func theStateOfTheSensorNeedsNoPrompt(story: Story) async throws {
        let world = AppleWorld(hasSensor: story.hasSensor, hasPasscode: story.hasPasscode, story.more)
        story.befalls(world.phone)
        try await world.run {
            let sensor = AppleSensor(world.system)
            #expect(await sensor.biometry() == story.state)
            #expect(await sensor.isPasscodeSet() == story.isPasscodeSet)
            #expect(await sensor.kind() == (story.hasSensor ? .face : nil))
        }
        #expect(world.device.calls("canEvaluatePolicy") >= 3)
        #expect(world.phone.promptCount == 0)
    }

    @Test func aLockoutIsDetectedWithoutLAEnvironment() async throws {
        let world = AppleWorld()
        world.phone.reboot()
        var system = world.system
        system.environment = nil
        let sensor = AppleSensor(system)
        try await world.run { #expect(await sensor.biometry() == .lockedOut(.untilPasscode)) }
        #expect(world.device.calls("LAEnvironment") == 0)
    }

    @Test(arguments: [(SensorKind.face, SensorName.faceID), (.finger, .touchID), (.iris, .opticID)])
    func everySensorHasItsName(kind: SensorKind, name: SensorName) async throws {
        let world = AppleWorld(.iPhone(kind))
        try await world.run {
            let sensor = AppleSensor(world.system)
            #expect(await sensor.kind() == kind)
            #expect(await sensor.name() == name)
            #expect(await world.phone.platform().sensor.name() == name, "the simulated phone says the same")
        }
    }

    @Test func theEnrolmentMarkIsTheSystems() async throws {
        let world = AppleWorld()
        try await world.run {
            let sensor = AppleSensor(world.system)
            let first = await sensor.enrolmentMark()
            #expect(first == world.phone.facts().mark)
            #expect(first != nil)
            world.phone.enrolNewFace()
            let second = await sensor.enrolmentMark()
            #expect(EnrolmentMark.change(from: first, to: second) == .changed)
            world.phone.upgradeSystem()
            #expect(EnrolmentMark.change(from: second, to: await sensor.enrolmentMark()) == .afterUpgrade)
        }
    }

    @Test func aRefusedPolicyGivesNoEnrolmentMark() async throws {
        let world = AppleWorld { $0.stateHash = Data([1]) }
        try await world.run {
            let sensor = AppleSensor(world.system)
            #expect(await sensor.enrolmentMark()?.state == [1])
            world.phone.setPermission(false)
            #expect(await sensor.enrolmentMark() == nil)
        }
    }
}
#endif
