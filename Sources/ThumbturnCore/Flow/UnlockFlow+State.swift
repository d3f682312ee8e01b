// The states of a flow, and the values that they carry.

extension UnlockFlow {
    /// The state of a flow. Each case carries what is true only in it.
    package enum State: Hashable, Sendable {
        case idle
        /// The screen is there, and no rung has been asked yet. The automatic prompt is due at this time; nil waits for
        /// a tap.
        case waiting(Readiness, due: Instant?)
        /// The app went to the back before any rung was asked. What the person chose meanwhile counts on the return.
        case awayBeforePrompt(Readiness, wantsAnotherWay: Bool)
        /// A rung is being asked.
        case prompting(Prompt, Attempt, Progress)
        /// The prompt was answered, and the key is making the proof. Only here is a PIN judged.
        case signing(Prompt, Attempt, Progress)
        /// The app went to the back while a rung was asked.
        case away(Attempt, Progress, since: Instant)
        /// The system took the prompt, which it also does just before an app goes to the back.
        case interrupted(Attempt, Progress, since: Instant)
        case finished(End)
    }

    /// A prompt on the screen, or about to be.
    package struct Prompt: Hashable, Sendable {
        /// Identifies this prompt within its flow.
        package let id: Int
        /// The rung that is asked.
        package let rung: Rung
        /// The text of the system's cancel button in this phase.
        package let cancelButton: CancelButton

        /// Creates a prompt; a flow numbers its prompts from 1.
        package init(id: Int, rung: Rung, cancelButton: CancelButton) {
            self.id = id
            self.rung = rung
            self.cancelButton = cancelButton
        }
    }

    /// The text of the system's cancel button.
    public enum CancelButton: Hashable, Sendable {
        /// "Cancel": pressing it ends the flow.
        case cancel
        /// "Use …": pressing it moves on to this rung.
        case use(Rung)

        /// The text on the button.
        public var message: PersonMessage {
            switch self {
            case .cancel: PersonMessage(.cancel)
            case .use(let rung): rung.button
            }
        }
    }

    /// One rung being asked, from its first prompt until another rung takes its place.
    package struct Attempt: Hashable, Sendable {
        /// The rung that is asked.
        package let rung: Rung
        /// Mismatches on this rung, wrong PINs included.
        var mismatches = 0
        /// The limits of the sensor's prompts. Nil for the other rungs, because a person who types is not hurried.
        var sensor: SensorClock?

        var phase: Phase {
            guard let sensor else { return .fallback(rung) }
            return sensor.isHintShown ? .hinted : sensor.retryUntil == nil ? .firstAttempt : .retry
        }
    }

    /// What a flow has gathered since its first prompt.
    package struct Progress: Hashable, Sendable {
        /// What the device can do, as last reported.
        package var readiness: Readiness
        /// When the first prompt appeared, or was asked for; later by the time that the app was away.
        var started: Instant
        /// When the current prompt appeared, or asked again; until then, when it was asked for.
        var shown: Instant
        /// Whether the current prompt has appeared.
        var hasAppeared = false
        /// The rungs of the ladder that have not been asked, in the person's order. Empty once the ladder has given its
        /// proof, because no rung may replace one of the additional rungs.
        package var remaining: ArraySlice<Rung>
        /// The number of prompts so far; each has its number as its id.
        var prompts = 0
        /// Mismatches after which the prompt stayed.
        private var retriesInPrompts = 0
        /// How often a rung was tried.
        var attempts: Int { prompts + retriesInPrompts }
        /// How often the system took a prompt.
        var interruptions = 0
        /// Whether the person chose another way while the app was in the back.
        package var wantsAnotherWay = false
        /// The proofs so far; nil before the ladder has given one.
        package var grant: Grant?
        /// The failure that the person hears about if every rung is used up.
        var cause: Failure?
    }

    /// The proofs that the keys have made so far.
    package struct Grant: Hashable, Sendable {
        /// The rung of the ladder that made the first proof.
        let rung: Rung
        let output: Output
        /// The proofs of the policy's additional rungs, in their order.
        package var additional: [Output] = []
    }

    /// Names what a key gave: its signature, or the secret that was released. The flow passes the name on, and the
    /// thing itself stays with the run.
    package struct Output: Hashable, Sendable {
        /// Different for each output of a flow.
        package let name: String

        /// Names an output.
        package init(_ name: String) {
            self.name = name
        }
    }

    /// How a flow ended.
    package enum End: Hashable, Sendable {
        /// The keys made every proof that the policy demands: the ladder's, and those of the additional rungs in the
        /// policy's order.
        case granted(Rung, Output, additional: [Output] = [])
        /// A key did not sign; the failure carries the next step.
        case failed(Failure)
    }

    /// A phase of a flow, as telemetry reports it.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Phase: Hashable, Sendable {
        /// No prompt was shown yet.
        case beforeThePrompt
        /// The first prompt is shown.
        case firstAttempt
        /// The sensor is asked again, after a mismatch.
        case retry
        /// The hint was shown.
        case hinted
        /// A rung below the sensor is asked.
        case fallback(Rung)
        /// The prompt was answered, and the key makes its proof.
        case signing
        /// The app is in the back, or the system has the screen.
        case away
        /// The flow has ended.
        case ended
    }
}

// MARK: - Progress

extension UnlockFlow.Progress {
    init(readiness: Readiness, started: Instant, remaining: ArraySlice<Rung>) {
        self.init(readiness: readiness, started: started, shown: started, remaining: remaining)
    }

    /// The report of an answer to the current prompt.
    func report(_ outcome: Telemetry.Outcome, at now: Instant) -> UnlockFlow.Effect {
        .emit(.sensorAnswered(outcome, after: shown.duration(to: now), total: started.duration(to: now)))
    }

    /// Counts another prompt, asked for now.
    mutating func countPrompt(at now: Instant) {
        prompts += 1
        (shown, hasAppeared) = (now, false)
    }

    /// Counts another try in the prompt that stays, whose time counts from now.
    mutating func countRetry(at now: Instant) {
        retriesInPrompts += 1
        shown = now
    }

    /// The current prompt has appeared now: its time counts from here, and the total, too, where it is the first one.
    mutating func appeared(at now: Instant) {
        (shown, hasAppeared) = (now, true)
        if prompts == 1 { started = now }
    }

    /// Excludes an absence from the total time.
    mutating func exclude(_ absence: Duration) { started = started.advanced(by: absence) }

    /// The progress with a newer report of what the device can do.
    func knowing(_ readiness: Readiness) -> Self {
        var copy = self
        copy.readiness = readiness
        return copy
    }

    /// The rung that a button or a hint names: the next one that can be asked. A ladder may hold rungs that this device
    /// lacks.
    var nextUsableRung: Rung {
        remaining.first { readiness.obstacle(to: $0) == nil } ?? .fullCredentials
    }

    /// Whether a rung's key is known to be gone, which makes its proof worthless. Wrong PINs prove nothing here,
    /// because the running attempt is counted among them.
    func isDead(_ rung: Rung?) -> Bool {
        guard let loss = rung.flatMap({ readiness.loss(of: $0) }) else { return false }
        return loss != .wrongPINs
    }

    /// Keeps the failure that the person should hear about in the end. The first cause stays unless a later one is more
    /// useful: a lockout more than a mismatch, a pause that ends by itself more than both, a dead key most; and of two
    /// pauses the shorter.
    mutating func note(_ failure: Failure) {
        func weight(_ failure: Failure) -> Int {
            if failure.recovery == .reEnrol { return 3 }
            switch failure.code {
            case .paused: return 2
            case .lockedOut: return 1
            default: return 0
            }
        }
        guard let cause else { return self.cause = failure }
        if case .wait(let one) = cause.recovery, case .wait(let other) = failure.recovery, other < one {
            self.cause = failure
        }
        if weight(failure) > weight(cause) { self.cause = failure }
    }
}

extension UnlockFlow.CancelButton: CustomStringConvertible {
    /// For example `use app PIN`.
    public var description: String {
        switch self {
        case .cancel: "cancel"
        case .use(let rung): "use \(rung)"
        }
    }
}

extension UnlockFlow.Phase: CustomStringConvertible {
    /// The phase in words.
    public var description: String {
        switch self {
        case .beforeThePrompt: "before the prompt"
        case .firstAttempt: "first attempt"
        case .retry: "retry"
        case .hinted: "hint shown"
        case .fallback(let rung): "fallback to \(rung)"
        case .signing: "signing"
        case .away: "away"
        case .ended: "ended"
        }
    }
}
