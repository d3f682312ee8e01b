/// What a sensor, a passcode prompt or the app's PIN screen answered.
public enum SensorAnswer: Hashable, Sendable {
    case matched
    /// A PIN was entered. Nobody has judged it yet; the key will.
    case entered
    /// One real mismatch, as this platform counts them. A cancelled prompt is none.
    case notMatched
    /// The prompt ended without a verdict: cancelled, locked out, or an error of the platform.
    case failed(Failure)

    var outcome: String {
        switch self {
        case .matched: "matched"
        case .entered: "entered"
        case .notMatched: "notMatched"
        case .failed(let failure): failure.code.name
        }
    }
}

/// A reading that gave no verdict. The sensor asks again by itself; it is never a mismatch.
public enum PoorReading: String, Hashable, Sendable, Codable, CaseIterable {
    /// The finger or face was there for too short a time.
    case tooShort
    /// Only a part was seen.
    case notCentered
    /// The sensor wants the finger lifted and put down again.
    case removeAndRetry
    /// Too little could be told: wet, dirty, dark, or for no reason given.
    case tooPoor
}

/// The signature of a device key over a challenge: a compact JWS of type `thumbturn-proof+jwt`. It is a secret until it is spent.
public struct Proof: Hashable, Sendable, Redacted {
    /// The compact serialisation.
    public let jws: String

    /// A proof in compact serialisation.
    public init(jws: String) {
        self.jws = jws
    }
}

/// Why the ladder moved on.
public enum Trigger: Hashable, Sendable {
    case timeout
    case mismatches
    case lockedOut
    case keyInvalidated
    /// The person chose it.
    case choice
    /// The rung could not be asked; the name of the failure's code says why.
    case skipped(String)
}

/// What happened, without identifiers and without free text.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Telemetry: Hashable, Sendable {
    case promptShown(Rung)
    case sensorAnswered(String, after: Duration)
    case readPoorly(PoorReading)
    case retry(Int)
    case hintShown
    case fellBack(from: Rung, to: Rung, Trigger)
    case cancelled(String)
    case lockedOut(Lockout)
    case keyInvalidated(KeyLoss)
    case authenticated(Rung, after: Duration, attempts: Int)
    /// An earlier flow never came to its end: the app was closed or killed.
    case abandoned(UnlockFlow.Phase, after: Duration)
}

extension UnlockFlow {
    /// In which part of a flow a person is.
    public enum Phase: Hashable, Sendable, Codable {
        case beforeThePrompt
        case firstAttempt
        case retry
        /// The hint was shown.
        case hinted
        /// A rung below the sensor is asked.
        case fallback(Rung)
        case signing
        /// The app is in the back, or the system has the screen.
        case away
        case ended
    }
}
