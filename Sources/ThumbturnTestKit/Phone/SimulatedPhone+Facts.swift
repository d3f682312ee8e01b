import Synchronization
package import ThumbturnCore
package import ThumbturnDevice

extension SimulatedPhone {
    /// What this phone's operating system knows of itself: for stand-ins of a system's frameworks, which an adapter is run against.
    package struct Facts: Sendable {
        package var isReadable: Bool
        /// Names the passcode; nil where there is none.
        package var passcode: Int?
        /// Names the enrolled set as biometric keys see it; nil where nobody is enrolled.
        package var enrolment: Int?
        package var biometry: BiometryState
        package var sensor: SensorKind?
        package var mark: EnrolmentMark?
        package var afterEnrolmentChange: Model.DeadKey
        package var isInBack: Bool
    }

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

    /// Shows a prompt, for whatever key.
    package func ask(_ rung: Rung, reason: String, cancelButton: UnlockFlow.CancelButton = .cancel) async -> PromptAnswer {
        let key = KeyName(server: "", account: "", kind: rung.key ?? .passcode)
        return await prompt(
            PromptRequest(rung: rung, reason: reason, cancelButton: cancelButton, key: key, message: []), { _ in })
    }

    /// What the person does at a prompt that blocks whoever shows it, in no time at all.
    package func actNow() -> Act { state.withLock { $0.acts.isEmpty ? .match : $0.acts.removeFirst().act } }

    /// Where the app is on the screen, as the device library hears it.
    package var appPhases: any AppPhases { PhonePhases(phone: self) }
}
