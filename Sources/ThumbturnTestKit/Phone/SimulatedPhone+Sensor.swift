import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// The sensor and the passcode prompt, as one process of the app sees them.
struct PhoneSensor: Sensor {
    let phone: SimulatedPhone
    let process: String

    func biometry() -> BiometryState { phone.reportedBiometry }
    func isPasscodeSet() -> Bool { phone.canAskPasscode }
    func kind() -> SensorKind? { phone.state.withLock { $0.model.sensor } }
    func name() -> SensorName? {
        let model = phone.model
        return model.sensor.map { model.system == .apple ? .ofApple($0) : SensorName($0) }
    }
    var tellsAppearance: Bool { phone.model.tellsAppearance }
    func enrolmentMark() -> EnrolmentMark? { phone.enrolmentMark(for: process) }

    var liftsLockouts: Bool { phone.model.hasPasscode && phone.model.passcodeUnlocksKeys }
    func liftLockout(_ reason: String) async -> PromptAnswer { await phone.ask(.devicePasscode, reason: reason) }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        await phone.prompt(request, hearing)
    }
}

extension SimulatedPhone {
    /// The sensor's state as it is reported without a prompt.
    fileprivate var reportedBiometry: BiometryState {
        let now = clock.now
        return state.withLock { state in
            let truth = Self.biometry(state, at: now)
            if case .lockedOut = truth, !state.model.tellsLockout { return .ready }
            return truth
        }
    }

    /// Whether the app can use the passcode: one that no prompt asks for to unlock a key is of no use to it.
    fileprivate var canAskPasscode: Bool { state.withLock { $0.hasPasscode && $0.model.passcodeUnlocksKeys } }

    /// The actual state of the sensor.
    static func biometry(_ state: borrowing State, at now: Instant) -> BiometryState {
        if !state.hasSensor { return .absent }
        if state.isLidClosed { return .lidClosed }
        if state.isSwitchedOff { return .switchedOff }
        if !state.model.isStrong { return .weak }
        if state.permissionDenied, state.model.asksPermission { return .permissionDenied }
        if !state.hasPasscode, state.model.hasPasscode, state.model.withoutPasscode != .ready {
            return state.model.withoutPasscode
        }
        if !state.hasFace { return .notEnrolled }
        return state.lockout(at: now).map { .lockedOut($0) } ?? .ready
    }
}
