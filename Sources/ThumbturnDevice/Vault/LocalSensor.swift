import ThumbturnCore

/// The sensor of a vault's flow. The full sign-in opens no vault, so no cancel button may offer it.
struct LocalSensor: Sensor {
    let sensor: any Sensor

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func kind() async -> SensorKind? { await sensor.kind() }
    func name() async -> SensorName? { await sensor.name() }
    var tellsAppearance: Bool { sensor.tellsAppearance }
    var liftsLockouts: Bool { sensor.liftsLockouts }
    func liftLockout(_ reason: String) async -> PromptAnswer { await sensor.liftLockout(reason) }
    func enrolmentMark() async -> EnrolmentMark? { await sensor.enrolmentMark() }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        var request = request
        if request.cancelButton == .use(.fullCredentials) { request.cancelButton = .cancel }
        return await sensor.prompt(request, hearing: hearing)
    }
}

extension UnlockNews {
    /// Whether a screen would offer the full sign-in, which opens no vault.
    var namesTheFullSignIn: Bool {
        switch self {
        case .hint(.fullCredentials), .moved(from: _, to: .fullCredentials, because: _, over: _): true
        case .hint, .readPoorly, .offerSetUp, .moved, .began, .ended, .telemetry: false
        }
    }
}

extension Failure {
    /// The same failure of a vault, which no full sign-in opens, nor a rung that it lacks: its recovery is the step that removes
    /// the obstacle.
    func inVault(_ vault: Readiness) -> Failure {
        var failure = self
        switch recovery {
        case .fallBack(let rung) where vault.ladder.contains(rung): break
        case .signInAgain, .fallBack: failure.recovery = localRecovery(vault)
        case .retry, .wait, .reEnrol, .openSettings, .setPasscode, .report: break
        }
        return failure
    }

    /// The code's usual next step, with a vault's exceptions: a sensor or a platform that failed may work the next time,
    /// a sensor that is too weak stays so, and a missing key means to make the vault again.
    private func localRecovery(_ vault: Readiness) -> Recovery {
        switch code {
        // After the passcode, which ends the lockout here or at the device's own lock screen, the sensor is back.
        case .lockedOut: vault.liftsLockout ? .fallBack(.devicePasscode) : .retry
        case .biometryUnavailable, .biometryUnconfirmed, .platform: .retry
        case .biometryTooWeak, .biometryAbsent, .biometryForbidden: .report
        case .notEnrolled: .reEnrol
        default: code.usualRecovery
        }
    }
}
