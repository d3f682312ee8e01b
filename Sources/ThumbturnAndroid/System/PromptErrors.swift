import ThumbturnCore

/// The errors with which `android.hardware.biometrics.BiometricPrompt` ends a prompt.
enum PromptErrors {
    static let domain = "android.hardware.biometrics.BiometricPrompt"

    /// One code with its meaning.
    struct Row: Sendable {
        var number: Int
        var name: String
        var code: Failure.Code
        var recovery: Recovery

        init(_ number: Int, _ name: String, _ code: Failure.Code, _ recovery: Recovery) {
            (self.number, self.name, self.code, self.recovery) = (number, name, code, recovery)
        }
    }

    /// The codes. A code that is not listed, such as those of makers from 1000 on, is a fault to report.
    static let rows: [Row] = [
        Row(1, "HW_UNAVAILABLE", .biometryUnavailable, .fallBack(.devicePasscode)),
        Row(2, "UNABLE_TO_PROCESS", .biometryUnavailable, .retry),
        Row(3, "TIMEOUT", .timedOut, .retry),
        Row(4, "NO_SPACE", .biometryUnavailable, .fallBack(.devicePasscode)),
        // Also the end of a prompt that the app dismissed: `failure(of:on:)`.
        Row(5, "CANCELED", .cancelledBySystem, .retry),
        // Lasts 30 s. The system does not tell how much of it is left.
        Row(7, "LOCKOUT", .lockedOut, .wait(.seconds(30))),
        Row(8, "VENDOR", .biometryUnavailable, .fallBack(.devicePasscode)),
        Row(9, "LOCKOUT_PERMANENT", .lockedOut, .fallBack(.devicePasscode)),
        Row(10, "USER_CANCELED", .cancelledByUser, .retry),
        Row(11, "NO_BIOMETRICS", .biometryNotEnrolled, .openSettings),
        Row(12, "HW_NOT_PRESENT", .biometryAbsent, .fallBack(.devicePasscode)),
        // The button may lead to another way: `failure(of:on:)`.
        Row(13, "NEGATIVE_BUTTON", .cancelledByUser, .retry),
        Row(14, "NO_DEVICE_CREDENTIAL", .passcodeNotSet, .setPasscode),
        Row(15, "SECURITY_UPDATE_REQUIRED", .biometryUnavailable, .fallBack(.devicePasscode)),
        // The person has switched the camera off for all apps.
        Row(18, "SENSOR_PRIVACY", .biometryUnavailable, .openSettings),
        Row(20, "IDENTITY_CHECK_NOT_ACTIVE", .biometryUnavailable, .fallBack(.devicePasscode)),
        // The person has switched biometrics off for apps.
        Row(21, "NOT_ENABLED_FOR_APPS", .biometryUnavailable, .openSettings),
    ]

    /// The meaning of a code, which every failure keeps.
    ///
    /// - Parameters:
    ///   - number: the code of `onAuthenticationError`.
    ///   - button: where the prompt's negative button leads.
    static func failure(of number: Int, on button: UnlockFlow.CancelButton) -> Failure {
        var failure =
            switch lockout(of: number) {
            case let lockout?: BiometryState.lockedOut(lockout).obstacle ?? Failure(.lockedOut)
            case nil:
                rows.first { $0.number == number }.map { Failure($0.code, recovery: $0.recovery) } ?? Failure(.platform)
            }
        // A button with the name of another way is a choice.
        if number == 13, case .use(let rung) = button { failure.recovery = .fallBack(rung) }
        failure.status = .init(domain: domain, code: number)
        return failure
    }

    /// The lockout that a code reports; nil for every other code.
    static func lockout(of number: Int) -> Lockout? {
        switch number {
        case 7: .temporary
        case 9: .untilPasscode
        default: nil
        }
    }
}
