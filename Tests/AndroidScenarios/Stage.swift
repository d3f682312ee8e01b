package import TestSupport
package import ThumbturnCore
package import ThumbturnDevice
package import ThumbturnTestKit
import ScenarioScript

/// A phone on which scenarios are played through an adapter, in virtual time.
package protocol Stage: Sendable {
    /// The phone and its person.
    var phone: SimulatedPhone { get }
    var server: InMemoryServer { get }

    /// The platform as an app gets it at each start.
    func platform() async throws(Failure) -> DevicePlatform

    /// How many prompts the adapter has asked the system for.
    var prompts: Int { get }

    /// How often the adapter has let a key of a prompt or of a PIN work.
    var signatures: Int { get }

    /// Sets the code of the next failure of a prompt, in place of the phone's own.
    func refuseNextPrompt(_ code: Int64)

    /// Lets the next signature after a prompt fail.
    func breakNextSignature()

    /// Replaces the phone by another one, which is set up from a backup of this one.
    func restoreOnAnotherPhone()
}

extension Stage {
    /// The model of the phone that a scenario needs.
    package static func model() -> SimulatedPhone.Model {
        var model = SimulatedPhone.Model.android(.finger)
        // What the person does ends a prompt in a file; the system's own limit of 30 s does not.
        model.promptTimeout = nil
        return model
    }
}

extension Scenario {
    /// Whether the phone has a sensor when it is set up.
    package var needsSensor: Bool { readiness.biometry != .absent || readiness.keys[.biometric] != nil }

    /// Whether the app has a PIN.
    package var needsPIN: Bool { readiness.keys[.pin] != nil }
}
