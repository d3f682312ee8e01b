import ThumbturnCore

/// The raw status of a system beside a failure, which an adapter keeps for bug reports.
extension SimulatedPhone.Model {
    /// The failure as this model's system reports it to the app.
    func reported(_ failure: Failure, _ lockout: Lockout?) -> Failure {
        if flattensErrors { return Self.flattened(failure) }
        var reported = failure
        switch system {
        case .apple:
            // A prompt that another one replaced has the code of a cancellation by the system.
            if failure.code == .superseded { reported = Failure(.cancelledBySystem) }
            reported.status = Self.appleCodes[reported.code].map { .init(domain: "com.apple.LocalAuthentication", code: $0) }
        case .android:
            let code = failure.code == .lockedOut && lockout == .untilPasscode ? 9 : Self.androidCodes[failure.code]
            reported.status = code.map { .init(domain: "androidx.biometric.BiometricPrompt", code: $0) }
        case nil: break
        }
        return reported
    }

    /// `LAError.Code`.
    private static let appleCodes: [Failure.Code: Int] = [
        .cancelledByUser: -2, .cancelledBySystem: -4, .passcodeNotSet: -5, .biometryUnavailable: -6, .biometryAbsent: -6,
        .permissionDenied: -6, .biometryNotEnrolled: -7, .lockedOut: -8, .cancelledByApp: -9, .notYetReadable: -1004,
    ]

    /// The error codes of `BiometricPrompt`.
    private static let androidCodes: [Failure.Code: Int] = [
        .biometryUnavailable: 1, .timedOut: 3, .cancelledBySystem: 5, .superseded: 5, .cancelledByApp: 5, .lockedOut: 7,
        .cancelledByUser: 10, .biometryNotEnrolled: 11, .biometryTooWeak: 11, .biometryAbsent: 12, .passcodeNotSet: 14,
    ]

    /// A keychain read that prompts has three codes: cancelled (-128), not allowed to ask (-25308), and -25293 for
    /// everything else, a mismatch included. The caller cannot tell the last ones apart.
    static func flattened(_ failure: Failure) -> Failure {
        func status(_ code: Int) -> Failure.PlatformStatus { .init(domain: "NSOSStatusErrorDomain", code: code) }
        switch failure.code {
        case .cancelledByUser: return Failure(.cancelledByUser, status: status(-128))
        case .notYetReadable: return Failure(.notYetReadable, status: status(-25308))
        default: return Failure(.platform, recovery: .retry, status: status(-25293))
        }
    }
}
