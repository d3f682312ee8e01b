#if Server
internal import ThumbturnCore

/// A rate of a report: of what, among what.
package enum Rate: String, CaseIterable, Sendable {
    /// Unlocks that succeeded on any rung, of all.
    case success
    /// Unlocks that the sensor opened at its first attempt, of those in which it was asked.
    case firstAttempt = "first_attempt"
    /// Mismatches of the sensor, of its verdicts.
    case mismatch = "mismatch_per_attempt"
    /// Unlocks that fell back from the sensor after it was asked, of those in which it was asked.
    case fallback
    /// Unlocks whose sensor had no answer in its time, of those in which it was asked.
    case timeout
    /// Unlocks with the hint, of those in which the sensor was asked.
    case hint
    /// Unlocks that the person cancelled or that were abandoned, of all.
    case abandonment
    /// Unlocks that were cancelled, by the person, the system or the app, of all.
    case cancel
    /// Unlocks that the person cancelled, of all.
    case cancelByPerson = "cancel_by_person"
    /// Unlocks that the person cancelled or that were abandoned after the sensor's time was over, of those in which it was.
    case abandonmentAfterTimeout = "abandonment_after_timeout"
    /// Unlocks that the person cancelled or that were abandoned after the hint, of those with the hint.
    case abandonmentAfterHint = "abandonment_after_hint"
    /// Unlocks with a lockout, of all.
    case lockout
    /// Unlocks that found a dead key, of all.
    case deadKey = "dead_key"

    /// The rate in a tally.
    package func of(_ tally: UnlockTally) -> Proportion {
        switch self {
        case .success: Proportion(tally.successes, of: tally[.unlocks])
        case .firstAttempt: Proportion(tally[.firstAttempt], of: tally[.sensorAsked])
        case .mismatch: Proportion(tally[.sensorMismatches], of: tally[.sensorMismatches] + tally[.sensorMatches])
        case .fallback: Proportion(tally[.fellBack], of: tally[.sensorAsked])
        case .timeout: Proportion(tally[.timedOut], of: tally[.sensorAsked])
        case .hint: Proportion(tally[.hinted], of: tally[.sensorAsked])
        case .abandonment: Proportion(tally.left, of: tally[.unlocks])
        case .cancel: Proportion(tally[.cancelled], of: tally[.unlocks])
        case .cancelByPerson: Proportion(tally[.cancelled(.cancelledByUser)], of: tally[.unlocks])
        case .abandonmentAfterTimeout: Proportion(tally[.leftAfterTimeout], of: tally[.timedOut])
        case .abandonmentAfterHint: Proportion(tally[.leftAfterHint], of: tally[.hinted])
        case .lockout: Proportion(tally[.withLockout], of: tally[.unlocks])
        case .deadKey: Proportion(tally[.withDeadKey], of: tally[.unlocks])
        }
    }

    /// The rate in words.
    package var words: String {
        switch self {
        case .success: "success"
        case .firstAttempt: "opened at the first attempt"
        case .mismatch: "mismatches of the sensor's verdicts"
        case .fallback: "fallback from the sensor"
        case .timeout: "sensor's time over"
        case .hint: "hint shown"
        case .abandonment: "cancelled by the person or abandoned"
        case .cancel: "cancelled"
        case .cancelByPerson: "cancelled by the person"
        case .abandonmentAfterTimeout: "given up after a timeout"
        case .abandonmentAfterHint: "given up after the hint"
        case .lockout: "lockout"
        case .deadKey: "dead key"
        }
    }
}
#endif
