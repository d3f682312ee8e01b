import ThumbturnCore

/// The results of `BiometricManager.canAuthenticate`.
enum AuthenticatorStates {
    /// One result with its meaning.
    struct Row: Sendable {
        var number: Int
        var name: String
        var state: BiometryState

        init(_ number: Int, _ name: String, _ state: BiometryState) {
            (self.number, self.name, self.state) = (number, name, state)
        }
    }

    /// The system does not say what state the sensor is in.
    static let cannotTell = -1

    /// The results for `BIOMETRIC_STRONG`, on API 29 for the call without an argument. One that is not listed means that the
    /// sensor cannot be used now. A lockout is not among them: only a prompt tells it.
    static let rows: [Row] = [
        Row(0, "SUCCESS", .ready),
        // Some systems cannot tell; the prompt does.
        Row(cannotTell, "STATUS_UNKNOWN", .ready),
        Row(-2, "ERROR_UNSUPPORTED", .unavailable),
        Row(1, "ERROR_HW_UNAVAILABLE", .unavailable),
        Row(11, "ERROR_NONE_ENROLLED", .notEnrolled),
        // Also the result for a sensor that is too weak.
        Row(12, "ERROR_NO_HARDWARE", .absent),
        Row(15, "ERROR_SECURITY_UPDATE_REQUIRED", .unavailable),
        Row(20, "ERROR_IDENTITY_CHECK_NOT_ACTIVE", .unavailable),
        Row(21, "ERROR_NOT_ENABLED_FOR_APPS", .switchedOff),
    ]

    /// The state of the sensor.
    ///
    /// - Parameters:
    ///   - strong: the result for `BIOMETRIC_STRONG`; nil on API 28, which has no such call.
    ///   - weak: the result for `BIOMETRIC_WEAK`; nil before API 30.
    ///   - fingers: what `FingerprintManager` tells on API 28.
    static func state(strong: Int?, weak: Int?, fingers: Fingers) -> BiometryState {
        guard let strong else { return fingers.state }
        let state = rows.first { $0.number == strong }?.state ?? .unavailable
        // No strong sensor, and one of Class 2, set up or not.
        if state == .absent, let weak, [0, 11].contains(weak) { return .weak }
        return state
    }

    /// What `FingerprintManager` tells; nil where the phone has none.
    struct Fingers: Hashable, Sendable {
        var isDetected: Bool?
        var hasEnrolled: Bool?

        /// A phone of API 28 with another sensor than a fingerprint reader does not tell how strong it is.
        var state: BiometryState {
            guard isDetected == true else { return .absent }
            return hasEnrolled == true ? .ready : .notEnrolled
        }
    }
}
