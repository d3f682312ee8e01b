/// One event to count, of an unlock or the answer to an offer, without identifiers and without free text.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Telemetry: Hashable, Sendable {
    /// A prompt for this rung was asked for.
    case promptShown(Rung)
    /// A prompt for this rung appeared, or was asked for where the system does not tell that it appeared.
    case promptAppeared(Rung, Appearance)
    /// A prompt, or the key behind it, answered. `after` is the time since this prompt appeared. `total` is the time since
    /// the flow's first prompt appeared, without the time in which the app was away. A prompt that never appeared counts
    /// from when it was asked for.
    ///
    /// Every mismatch and every wrong PIN is exactly one `failed(notMatched)`, also one that begins a pause or a lockout of
    /// the library's own. A lockout that the system reports at a prompt is a `failed(lockedOut)`: what its sheet has seen
    /// before is not told. A PIN is `entered` first, and judged after that.
    case sensorAnswered(Outcome, after: Duration, total: Duration)
    /// The sensor saw too little for a verdict.
    case readPoorly(PoorReading)
    /// The rung is asked again after this many mismatches on it. The mismatch with which the flow moves on has none.
    case retry(Int)
    /// The hint that offers another way was shown.
    case hintShown
    /// The flow moved on to another rung.
    case fellBack(from: Rung, to: Rung, because: Trigger)
    /// The flow was cancelled; the code says who cancelled it.
    case cancelled(Failure.Code)
    /// The sensor was refused after too many mismatches.
    case lockedOut(Lockout)
    /// A key was found to be gone for good.
    case keyInvalidated(KeyLoss)
    /// The rung that succeeded, the total time as in `sensorAnswered`, and the number of prompts.
    case authenticated(Rung, after: Duration, attempts: Int)
    /// An earlier flow did not reach its end: the app was closed or killed.
    case abandoned(UnlockFlow.Phase, after: Duration)
    /// The person answered the offer of biometrics. It is a report of its own, which counts as no unlock.
    case offerAnswered(BiometricOffer.Answer)

    /// What the moment of `promptAppeared` is.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Appearance: String, Hashable, Sendable, Codable, CaseIterable {
        /// The system told that the person can answer now: the sheet is up, or the reader waits for a finger.
        case told
        /// The system tells nothing, as Apple's do: the prompt was asked for, with the app in front and no other prompt up.
        /// The app's own screens count from here, too.
        case requested
    }

    /// How a prompt, or the key behind it, answered.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Hashable, Sendable {
        /// The sensor or the passcode matched.
        case matched
        /// A PIN was entered. It was not judged yet.
        case entered
        /// There was no match; `notMatched` is a mismatch or a wrong PIN.
        case failed(Failure.Code)
    }
}

extension Telemetry: CustomStringConvertible {
    /// For example `fell back from biometric to app PIN: mismatches`.
    public var description: String {
        switch self {
        case .promptShown(let rung): "\(rung) prompt asked for"
        case .promptAppeared(let rung, let appearance): "\(rung) prompt appeared (\(appearance))"
        case .sensorAnswered(let outcome, let time, let total): "\(outcome) after \(time), in total \(total)"
        case .readPoorly(let reading): "poor reading: \(reading)"
        case .retry(let count): "retry after \(count) mismatches"
        case .hintShown: "hint shown"
        case .fellBack(let from, let to, let trigger): "fell back from \(from) to \(to): \(trigger)"
        case .cancelled(let code): "cancelled: \(code)"
        case .lockedOut(let lockout): "locked out: \(lockout)"
        case .keyInvalidated(let loss): "key gone for good: \(loss)"
        case .authenticated(let rung, let time, let attempts): "\(rung) succeeded after \(time), prompts: \(attempts)"
        case .abandoned(let phase, let time): "abandoned after \(time): \(phase)"
        case .offerAnswered(let answer): "offer of biometrics answered: \(answer)"
        }
    }
}

extension Telemetry.Appearance: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension Telemetry.Outcome: CustomStringConvertible {
    /// The name of the answer or of the failure's code.
    public var description: String {
        switch self {
        case .matched: "matched"
        case .entered: "entered"
        case .failed(let code): code.name
        }
    }
}
