package import ThumbturnCore

/// The meaning of fprintd's statuses and errors, as tables.
///
/// The names are those of the interfaces `net.reactivated.Fprint.Manager` and `.Device` (fprintd 1.94) and of the bus
/// itself.
package enum FprintStatus {
    /// The meaning of one `VerifyStatus` signal.
    package enum Verdict: Hashable, Sendable {
        /// The finger is one of the user's enrolled fingers.
        case matched
        /// The finger is none of the user's enrolled fingers.
        case notMatched
        /// The reading was too poor for a verdict; fprintd waits for the finger again.
        case poor(PoorReading)
        /// The verification ended without a verdict.
        case failed(Failure)
    }

    /// The meaning of a `VerifyStatus`. A status that is not in the table is a failure that keeps its name.
    package static func verdict(ofStatus name: String) -> Verdict {
        statuses[name] ?? .failed(Failure(.biometryUnavailable, recovery: .retry, status: status(name)))
    }

    /// The failure for a D-Bus error. An error that is not in the table is reported with its name.
    package static func failure(ofError name: String) -> Failure {
        let (code, recovery) = errors[name] ?? (.platform, .report)
        return Failure(code, recovery: recovery, status: status(name))
    }

    /// The state of the sensor after a D-Bus error.
    package static func state(ofError name: String) -> BiometryState {
        switch failure(ofError: name).code {
        case .biometryNotEnrolled: .notEnrolled
        case .biometryForbidden: .forbidden
        case .biometryAbsent: .absent
        default: .unavailable
        }
    }

    /// Each known status with its meaning.
    package static let statuses: [String: Verdict] = [
        "verify-match": .matched,
        "verify-no-match": .notMatched,
        "verify-retry-scan": .poor(.tooPoor),
        "verify-swipe-too-short": .poor(.tooShort),
        "verify-finger-not-centered": .poor(.notCentered),
        "verify-remove-and-retry": .poor(.removeAndRetry),
        "verify-disconnected": .failed(
            Failure(.biometryUnavailable, recovery: .fallBack(.appPIN), status: status("verify-disconnected"))
        ),
        "verify-unknown-error": .failed(Failure(.biometryUnavailable, recovery: .retry, status: status("verify-unknown-error"))),
    ]

    /// Each known error with its failure code and the next step.
    package static let errors: [String: (Failure.Code, Recovery)] = [
        // The rules of polkit, which are the administrator's.
        fprint + "PermissionDenied": (.biometryForbidden, .fallBack(.appPIN)),
        fprint + "NoSuchDevice": (.biometryAbsent, .fallBack(.appPIN)),
        fprint + "NoEnrolledPrints": (.biometryNotEnrolled, .openSettings),
        // Another client has claimed the reader, to verify or to enrol a finger.
        fprint + "AlreadyInUse": (.biometryUnavailable, .retry),
        fprint + "ClaimDevice": (.biometryUnavailable, .retry),
        fprint + "NoActionInProgress": (.biometryUnavailable, .retry),
        fprint + "Internal": (.biometryUnavailable, .retry),
        fprint + "InvalidFingername": (.platform, .report),
        // Errors of enrolling and deleting, which a verification does not cause.
        fprint + "FingerAlreadyEnrolled": (.platform, .report),
        fprint + "PrintsNotDeleted": (.platform, .report),
        fprint + "PrintsNotDeletedFromDevice": (.platform, .report),
        bus + "ServiceUnknown": (.biometryUnavailable, .fallBack(.appPIN)),
        bus + "NameHasNoOwner": (.biometryUnavailable, .fallBack(.appPIN)),
        bus + "FileNotFound": (.biometryUnavailable, .fallBack(.appPIN)),
        bus + "UnknownObject": (.biometryUnavailable, .retry),
        bus + "NoReply": (.biometryUnavailable, .retry),
        bus + "Timeout": (.biometryUnavailable, .retry),
        bus + "Disconnected": (.biometryUnavailable, .retry),
        bus + "LimitsExceeded": (.biometryUnavailable, .retry),
        bus + "AccessDenied": (.biometryForbidden, .fallBack(.appPIN)),
        bus + "Spawn.ServiceNotFound": (.biometryUnavailable, .fallBack(.appPIN)),
    ]

    static let service = "net.reactivated.Fprint"
    static let deviceInterface = "net.reactivated.Fprint.Device"
    static let busName = "org.freedesktop.DBus"
    static let daemonGone = bus + "Disconnected"

    static func status(_ name: String) -> Failure.PlatformStatus { Failure.PlatformStatus(domain: name, code: 0) }

    private static let fprint = "net.reactivated.Fprint.Error."
    private static let bus = "org.freedesktop.DBus.Error."
}
