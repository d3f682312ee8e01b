import Synchronization
package import ThumbturnCore
package import ThumbturnDevice

extension SimulatedPhone {
    /// The state of this phone's operating system, for stand-ins of a system's frameworks that an adapter is run
    /// against.
    package struct Facts: Sendable {
        package var isReadable: Bool
        /// Identifies the passcode; nil without one.
        package var passcode: Int?
        /// Identifies the enrolled set as biometric keys see it; nil where nothing is enrolled.
        package var enrolment: Int?
        package var biometry: BiometryState
        package var sensor: SensorKind?
        package var mark: EnrolmentMark?
        package var afterEnrolmentChange: Model.DeadKey
        package var isInBack: Bool
    }

    /// The current state.
    ///
    /// - Parameter process: see `platform(transport:process:)`.
    package func facts(process: String = "app") -> Facts {
        let mark = enrolmentMark(for: process)
        let now = clock.now
        return state.withLock { state in
            Facts(
                isReadable: state.isReadable, passcode: state.hasPasscode ? state.passcode : nil,
                enrolment: state.hasFace && state.hasSensor ? state.enrolment : nil, biometry: Self.biometry(state, at: now),
                sensor: state.model.sensor, mark: mark, afterEnrolmentChange: state.model.afterEnrolmentChange,
                isInBack: state.phase == .back)
        }
    }

    /// Shows a prompt that is for no particular key.
    package func ask(_ rung: Rung, reason: String, cancelButton: UnlockFlow.CancelButton = .cancel) async -> PromptAnswer {
        let key = KeyName(server: "", account: "", kind: rung.key ?? .passcode)
        return await prompt(
            PromptRequest(rung: rung, reason: reason, cancelButton: cancelButton, key: key, message: []), { _ in })
    }

    /// Takes the next instruction for a prompt that blocks its caller; it takes no time.
    package func actNow() -> Act { state.withLock { $0.acts.isEmpty ? .match : $0.acts.removeFirst().act } }

    /// The app's phases, as the device library receives them.
    package var appPhases: any AppPhases { PhonePhases(phone: self) }
}
