/// One unlock, from the first look at the sensor to a proof or a failure.
///
/// A value without clock, chance or input and output of its own: events go in with the time they happened, effects come out.
/// One task owns it. Events that come late, twice, or from a prompt that is gone change nothing.
///
///     idle ──began──▶ prompting ──matched──▶ signing ──signed──▶ finished(granted)
///                      │  ▲  │    entered       │ │
///              mismatch└──┴──┼──── wrong PIN ───┘ │
///                            └─────────┬──────────┘
///                                      ▼ timeout, lockout, dead key, person's choice
///                               next rung: prompting again, or finished(failed) where only the full sign-in is left
public struct UnlockFlow: Hashable, Sendable {
    /// Where the flow stands.
    public enum State: Hashable, Sendable {
        case idle
        /// The person is being asked.
        case prompting(Prompt)
        /// The prompt was answered; the key is making the proof. A PIN is judged only here.
        case signing(Prompt)
        case finished(End)
    }

    /// A prompt on the screen, or about to be.
    public struct Prompt: Hashable, Sendable {
        /// Tells this prompt from earlier ones.
        public let id: Int
        /// Which rung is asked.
        public let rung: Rung
        /// What the system's cancel button says in this phase.
        public let cancelButton: CancelButton

        /// A prompt; flows number theirs from 1.
        public init(id: Int, rung: Rung, cancelButton: CancelButton) {
            self.id = id
            self.rung = rung
            self.cancelButton = cancelButton
        }
    }

    /// What the system's cancel button says.
    public enum CancelButton: Hashable, Sendable {
        case cancel
        /// "Use …": pressing it moves on to this rung.
        case use(Rung)
    }

    /// How the flow ended.
    public enum End: Hashable, Sendable {
        /// There is no grant without the proof that a key made.
        case granted(Rung, Proof)
        /// No key signed; the failure carries the next step.
        case failed(Failure)
    }

    /// What happened. Late, doubled and foreign events change nothing.
    public enum Event: Hashable, Sendable {
        /// The flow may start; this is what the device can do.
        case began(Readiness)
        /// A prompt ended.
        case answered(SensorAnswer, prompt: Int)
        /// The sensor saw too little for a verdict, and asks again by itself.
        case readPoorly(PoorReading, prompt: Int)
        /// The person asked for another way.
        case hintChosen
        /// The key made the proof, or could not.
        case signed(Proof, prompt: Int)
        case signingFailed(Failure, prompt: Int)
        /// The app ended the flow: its task was cancelled, or another prompt took the place.
        case stopped(Failure)
        /// A time that was asked for has come.
        case woke
    }

    /// What to do. Effects are carried out in order.
    public enum Effect: Hashable, Sendable {
        /// Puts the prompt on the screen, once an earlier one has gone.
        case show(Prompt)
        /// Takes the prompt off the screen; whatever it still answers is stale.
        case dismiss(Prompt)
        /// Has the rung's key make the proof.
        case sign(Prompt)
        /// Sends `woke` at this time.
        case wake(at: Instant)
        /// "Having trouble? Use … instead."
        case showHint(Rung)
        case move(from: Rung, to: Rung, because: Trigger)
        case emit(Telemetry)
        case finish(End)
    }

    /// Where the flow stands.
    public private(set) var state: State = .idle
    /// The numbers and the ladder.
    public let policy: UnlockPolicy

    private var readiness: Readiness?
    private var started: Instant?
    /// When the running retry has to be over; nil in the first attempt.
    private var retryUntil: Instant?
    private var hintShown = false
    /// How many prompts there were; each is named by its number.
    private var prompts = 0
    /// Mismatches on this rung, wrong PINs among them.
    private var mismatches = 0
    /// What the person should hear if every rung is used up: the first thing that went wrong, unless a later one says more; see
    /// `note`.
    private var cause: Failure?

    /// A flow that has not begun.
    public init(policy: UnlockPolicy) {
        self.policy = policy
    }

    /// Takes an event, and returns what to do about it.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch (state, event) {
        case (.idle, .began(let readiness)):
            self.readiness = readiness
            started = now
            return begin(at: now)

        case (.prompting(let prompt), .answered(let answer, let id)) where id == prompt.id:
            return answered(answer, to: prompt, at: now)

        case (.prompting(let prompt), .readPoorly(let reading, let id)) where id == prompt.id:
            return [.emit(.readPoorly(reading))]

        case (.prompting(let prompt), .hintChosen):
            return [.dismiss(prompt)] + moveOn(from: prompt.rung, because: .choice, at: now)

        case (.prompting(let prompt), .woke):
            return woke(during: prompt, at: now)

        case (.signing(let prompt), .signed(let proof, let id)) where id == prompt.id:
            let end = End.granted(prompt.rung, proof)
            state = .finished(end)
            return [.emit(.authenticated(prompt.rung, after: elapsed(now), attempts: prompts)), .finish(end)]

        case (.signing(let prompt), .signingFailed(let failure, let id)) where id == prompt.id:
            guard prompt.rung == .appPIN, failure.code == .notMatched else { return refused(failure, at: prompt.rung, now) }
            // Only the key can tell that a PIN is wrong.
            return [.emit(.sensorAnswered(failure.code.name, after: elapsed(now)))] + mismatched(prompt, at: now)

        case (.idle, .stopped(let failure)):
            return fail(failure)
        case (.prompting(let prompt), .stopped(let failure)), (.signing(let prompt), .stopped(let failure)):
            return [.dismiss(prompt), .emit(.cancelled(failure.code.name))] + fail(failure)

        // A flow begins once.
        case (.prompting, .began), (.signing, .began),
            // Nothing is asked before the beginning, and answers come from prompts that are gone.
            (.idle, .answered), (.idle, .readPoorly), (.idle, .hintChosen), (.idle, .woke), (.idle, .signed),
            (.idle, .signingFailed),
            (.prompting, .answered), (.prompting, .readPoorly), (.prompting, .signed), (.prompting, .signingFailed),
            // The match came first: a second answer, a late choice or a timer does not undo it.
            (.signing, .answered), (.signing, .readPoorly), (.signing, .hintChosen), (.signing, .woke), (.signing, .signed),
            (.signing, .signingFailed),
            // The end is reached once.
            (.finished, _):
            return []
        }
    }
}

// MARK: - Beginning and moving on

extension UnlockFlow {
    private mutating func begin(at now: Instant) -> [Effect] {
        guard let first = policy.ladder.first else {
            return fail(Failure(.policyDenies, recovery: .report))
        }
        return ask(first, at: now)
    }

    /// Asks a rung if it can be asked, or passes on to the next one without a prompt.
    private mutating func ask(_ rung: Rung, at now: Instant) -> [Effect] {
        guard let readiness else { preconditionFailure("no rung is asked before the flow began") }
        if rung == .fullCredentials { return needCredentials() }
        if let obstacle = readiness.obstacle(to: rung) {
            // Keys that cannot be read yet say nothing about the person: this is for later, and never means signed out.
            if obstacle.code == .notYetReadable { return fail(obstacle) }
            let dead: [Effect] = obstacle.code == .keyInvalidated ? [.emit(.keyInvalidated)] : []
            note(obstacle)
            return dead + moveOn(from: rung, because: .skipped(obstacle.code.name), at: now)
        }
        return show(rung, cancelButton: .cancel, at: now)
    }

    private mutating func show(_ rung: Rung, cancelButton: CancelButton, at now: Instant) -> [Effect] {
        prompts += 1
        let prompt = Prompt(id: prompts, rung: rung, cancelButton: cancelButton)
        state = .prompting(prompt)
        var effects: [Effect] = [.show(prompt), .emit(.promptShown(rung))]
        if let next = deadline(of: prompt) { effects.append(.wake(at: next)) }
        return effects
    }

    /// Moves to the next rung of the ladder. The ladder never dead-ends: below it there is the full sign-in.
    private mutating func moveOn(from rung: Rung, because trigger: Trigger, at now: Instant) -> [Effect] {
        let next = rungAfter(rung)
        mismatches = 0
        return [.move(from: rung, to: next, because: trigger), .emit(.fellBack(from: rung, to: next, trigger))]
            + ask(next, at: now)
    }

    private func rungAfter(_ rung: Rung) -> Rung { rungs(after: rung).first ?? .fullCredentials }

    /// The way that a button or a hint may name: the next rung that can be asked. A ladder may hold rungs that this device lacks.
    private func offer(after rung: Rung) -> Rung {
        rungs(after: rung).first { readiness?.obstacle(to: $0) == nil } ?? .fullCredentials
    }

    private func rungs(after rung: Rung) -> ArraySlice<Rung> {
        guard let index = policy.ladder.firstIndex(of: rung) else { return [] }
        return policy.ladder[(index + 1)...]
    }

    /// Keeps what the person should hear in the end. The first cause stays, unless a later one says more: a lockout more than a
    /// mismatch, a pause that ends by itself more than both, a dead key most; and of two pauses the shorter.
    private mutating func note(_ failure: Failure) {
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

    /// No rung of this device is left.
    private mutating func needCredentials() -> [Effect] {
        var failure = cause ?? Failure(.notEnrolled, recovery: .signInAgain)
        // A dead key asks for enrolment, and a pause for patience; whatever else it was, the full sign-in is the way on.
        if failure.recovery != .reEnrol, failure.code != .paused { failure.recovery = .signInAgain }
        return fail(failure)
    }

    private mutating func fail(_ failure: Failure) -> [Effect] {
        let end = End.failed(failure)
        state = .finished(end)
        return [.finish(end)]
    }
}

// MARK: - Answers

extension UnlockFlow {
    private mutating func answered(_ answer: SensorAnswer, to prompt: Prompt, at now: Instant) -> [Effect] {
        let heard = Effect.emit(.sensorAnswered(answer.outcome, after: elapsed(now)))
        switch answer {
        case .matched, .entered:
            state = .signing(prompt)
            return [heard, .sign(prompt)]
        case .notMatched:
            return [heard] + mismatched(prompt, at: now)
        case .failed(let failure):
            return [heard] + refused(failure, at: prompt.rung, now)
        }
    }

    private mutating func mismatched(_ prompt: Prompt, at now: Instant) -> [Effect] {
        mismatches += 1
        let next = offer(after: prompt.rung)
        note(Failure(.notMatched, recovery: .fallBack(next)))
        // Nobody is hurried while typing a passcode: the window is the sensor's.
        let inTime = prompt.rung != .biometric || policy.timeLimitsLifted || elapsed(now) < policy.retryWindow
        guard inTime, mismatches < limit(of: prompt.rung) else {
            let pause = PINLedger.pause(afterWrong: mismatches)
            if prompt.rung == .appPIN, pause > .zero { note(Failure(.paused, recovery: .wait(pause))) }
            return moveOn(from: prompt.rung, because: .mismatches, at: now)
        }
        if prompt.rung == .biometric { retryUntil = now.advanced(by: policy.retryLimit) }
        return [.emit(.retry(mismatches))] + show(prompt.rung, cancelButton: .use(next), at: now)
    }

    private func limit(of rung: Rung) -> Int { rung == .appPIN ? policy.pinMismatchLimit : policy.mismatchLimit }

    /// The prompt or the key ended with a failure of the platform.
    private mutating func refused(_ failure: Failure, at rung: Rung, _ now: Instant) -> [Effect] {
        switch failure.code {
        case .cancelledByUser:
            // From the second prompt on the button says "Use …", so pressing it is a choice and no refusal.
            if case .prompting(let prompt) = state, case .use = prompt.cancelButton {
                return moveOn(from: rung, because: .choice, at: now)
            }
            return [.emit(.cancelled(failure.code.name))] + fail(failure)
        case .cancelledBySystem, .cancelledByApp, .superseded, .notYetReadable:
            return [.emit(.cancelled(failure.code.name))] + fail(failure)
        case .lockedOut:
            note(failure)
            return [.emit(.lockedOut)] + moveOn(from: rung, because: .lockedOut, at: now)
        case .paused:
            note(failure)
            return moveOn(from: rung, because: .mismatches, at: now)
        case .keyInvalidated:
            note(failure)
            return [.emit(.keyInvalidated)] + moveOn(from: rung, because: .keyInvalidated, at: now)
        default:
            // Whatever else a platform says, known or not, the person goes on with the next rung.
            note(failure)
            return moveOn(from: rung, because: .skipped(failure.code.name), at: now)
        }
    }
}

// MARK: - Time

extension UnlockFlow {
    private mutating func woke(during prompt: Prompt, at now: Instant) -> [Effect] {
        // Only the sensor's prompt has limits of ours: nobody is hurried while typing a passcode.
        guard prompt.rung == .biometric, !policy.timeLimitsLifted else { return [] }
        if now >= fallbackTime {
            note(Failure(.timedOut, recovery: .fallBack(offer(after: prompt.rung))))
            return [.dismiss(prompt)] + moveOn(from: prompt.rung, because: .timeout, at: now)
        }
        var effects: [Effect] = []
        if !hintShown, now >= hintTime {
            hintShown = true
            effects += [.showHint(offer(after: prompt.rung)), .emit(.hintShown)]
        }
        // Early, stale and doubled wakes end here: they ask for the next one and change nothing else.
        if let next = deadline(of: prompt) { effects.append(.wake(at: next)) }
        return effects
    }

    /// The next time at which something is due for a prompt.
    private func deadline(of prompt: Prompt) -> Instant? {
        guard prompt.rung == .biometric, !policy.timeLimitsLifted else { return nil }
        return hintShown ? fallbackTime : min(hintTime, fallbackTime)
    }

    private var hintTime: Instant { start.advanced(by: policy.hintAfter) }

    /// The limit counts from the beginning; a retry may end it sooner, never later.
    private var fallbackTime: Instant {
        let limit = start.advanced(by: policy.fallbackAfter)
        guard let retryUntil else { return limit }
        return min(limit, retryUntil)
    }

    private var start: Instant {
        guard let started else { preconditionFailure("no time is measured before the flow began") }
        return started
    }
    private func elapsed(_ now: Instant) -> Duration { start.duration(to: now) }
}

extension Readiness {
    /// What stands in the way of asking a rung; nil where nothing does.
    func obstacle(to rung: Rung) -> Failure? {
        guard let key = rung.key else { return nil }
        for kind in [KeyKind.session, key] {
            switch state(of: kind) {
            case .usable: break
            case .missing: return Failure(.notEnrolled, recovery: .signInAgain)
            case .invalidated: return Failure(.keyInvalidated, recovery: .reEnrol)
            case .paused(let duration): return Failure(.paused, recovery: .wait(duration))
            case .notYetReadable: return Failure(.notYetReadable, recovery: .retry)
            }
        }
        return rung == .biometric ? biometry.obstacle : nil
    }
}
