/// One unlock, from the first look at the sensor to a proof or a failure.
///
/// A value without clock, chance or input and output of its own: events go in with the time they happened, effects come out.
/// One task owns it. Events that come late, twice, or from a prompt that is gone change nothing.
///
///     idle ──began──▶ waiting ──tap, or 400 ms──▶ prompting ──matched──▶ signing ──signed──▶ finished(granted)
///                                                  │  ▲  │    entered       │ │
///                                          mismatch└──┴──┼──── wrong PIN ───┘ │
///                                                        └─────────┬──────────┘
///                                                                  ▼ timeout, lockout, dead key, person's choice
///                                            next rung: prompting again, or finished(failed) where only the full sign-in is left
///
/// From `prompting` the app may go to the back (`away`), or the system may take the prompt (`interrupted`); both come back to the
/// same rung.
public struct UnlockFlow: Hashable, Sendable {
    /// Where the flow stands.
    public private(set) var state: State = .idle
    /// The numbers and the ladder.
    public let policy: UnlockPolicy
    /// Who is asked; the pace goes on with the flow, for the next one.
    public private(set) var person: Person

    /// The policy's rungs in this person's order.
    private let ladder: [Rung]
    private var readiness: Readiness?
    /// When the automatic prompt is due; nil where a tap is waited for.
    private var promptDue: Instant?
    /// When the first prompt was shown.
    private var started: Instant?
    /// When the sensor was asked first, without the time that the app was away: its limits count from here.
    private var sensorStarted: Instant?
    /// When the app left, or the system took the prompt.
    private var left: Instant?
    /// When the running retry has to be over; nil in the first attempt.
    private var retryUntil: Instant?
    private var hintShown = false
    /// Poor readings in this flow, counted up to as many as bring the hint forward.
    private var poorReadings = 0
    /// How many prompts there were; each is named by its number.
    private var prompts = 0
    /// How often the system took a prompt; it does not go on for ever.
    private var interruptions = 0
    /// Mismatches on this rung, wrong PINs among them.
    private var mismatches = 0
    /// What the ladder gave, while further rungs have to answer as well.
    private var firstGrant: Grant?
    /// What those rungs have given so far.
    private var furtherProofs: [Proof] = []
    /// What the person should hear if every rung is used up: the first thing that went wrong, unless a later one says more; see
    /// `note`.
    private var cause: Failure?

    private struct Grant: Hashable, Sendable {
        var rung: Rung
        var proof: Proof
    }

    /// A flow that has not begun.
    public init(policy: UnlockPolicy, person: Person = Person()) {
        self.policy = policy
        self.person = person
        ladder = Self.order(policy.ladder, person.preferred)
    }

    /// The person's preferred rung first, where the policy has it and a key answers for it.
    private static func order(_ ladder: [Rung], _ preferred: Rung?) -> [Rung] {
        guard let preferred, preferred.key != nil, ladder.contains(preferred) else { return ladder }
        return [preferred] + ladder.filter { $0 != preferred }
    }

    /// Takes an event, and returns what to do about it.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch (state, event) {
        case (.idle, .began(let readiness, let start)):
            self.readiness = readiness
            return begin(by: start, at: now)

        case (.waiting, .tapped):
            return askFirst(at: now)
        case (.waiting, .woke):
            // A doubled wake after the first prompt finds another state; an early one asks again.
            guard let due = promptDue else { return [] }
            return now >= due ? askFirst(at: now) : [.wake(at: due)]
        case (.waiting, .wentBack):
            state = .away(nil)
            return []
        case (.waiting, .changed(let readiness)), (.away, .changed(let readiness)), (.interrupted, .changed(let readiness)),
            (.signing, .changed(let readiness)):
            self.readiness = readiness
            return []

        case (.prompting(let prompt), .answered(let answer, let id)) where id == prompt.id:
            return answered(answer, to: prompt, at: now)
        case (.prompting(let prompt), .readPoorly(let reading, let id)) where id == prompt.id:
            let hurriedBefore = poorReadings == Self.poorReadingsThatHurry
            poorReadings = min(poorReadings + 1, Self.poorReadingsThatHurry)
            let hurries = !hurriedBefore && poorReadings == Self.poorReadingsThatHurry
            return [.emit(.readPoorly(reading))] + (hurries ? considerTime(during: prompt, at: now) : [])
        case (.prompting(let prompt), .hintChosen):
            return [.dismiss(prompt)] + moveOn(from: prompt.rung, because: .choice, at: now)
        case (.prompting(let prompt), .woke):
            return considerTime(during: prompt, at: now)
        case (.prompting(let prompt), .changed(let readiness)):
            self.readiness = readiness
            return changed(during: prompt, at: now)
        case (.prompting(let prompt), .wentBack):
            leave(for: .away(prompt.rung), at: now)
            return [.dismiss(prompt)]

        case (.signing(let prompt), .signed(let proof, let id)) where id == prompt.id:
            return signed(proof, by: prompt, at: now)
        case (.signing(let prompt), .signingFailed(let failure, let id)) where id == prompt.id:
            guard prompt.rung == .appPIN, failure.code == .notMatched else { return refused(failure, at: prompt.rung, now) }
            // Only the key can tell that a PIN is wrong.
            return [.emit(.sensorAnswered(failure.code.name, after: elapsed(now)))] + mismatched(prompt, at: now)

        case (.away(nil), .cameFront):
            return wait(at: now)
        case (.away(let rung?), .cameFront), (.interrupted(let rung), .cameFront), (.interrupted(let rung), .tapped):
            return comeBack(to: rung, at: now)
        case (.interrupted(let rung), .wentBack):
            state = .away(rung)
            return []
        case (.interrupted, .woke):
            // The app did not go to the back after all: it was only the prompt that the system took.
            guard let left, now >= left.advanced(by: Self.settling) else { return [] }
            return cancelled(Failure(.cancelledBySystem))

        case (.idle, .stopped(let failure)):
            return fail(failure)
        case (.prompting(let prompt), .stopped(let failure)), (.signing(let prompt), .stopped(let failure)):
            return [.dismiss(prompt)] + cancelled(failure)
        case (.waiting, .stopped(let failure)), (.away, .stopped(let failure)), (.interrupted, .stopped(let failure)):
            return cancelled(failure)

        // A flow begins once.
        case (.waiting, .began), (.prompting, .began), (.signing, .began), (.away, .began), (.interrupted, .began),
            // Nothing is asked before the beginning.
            (.idle, .tapped), (.idle, .answered), (.idle, .readPoorly), (.idle, .hintChosen), (.idle, .signed),
            (.idle, .signingFailed), (.idle, .changed), (.idle, .wentBack), (.idle, .cameFront), (.idle, .woke),
            // Where no prompt is on the screen, answers come from prompts that are gone, and there is nothing to choose.
            (.waiting, .answered), (.waiting, .readPoorly), (.waiting, .hintChosen), (.waiting, .signed),
            (.waiting, .signingFailed), (.waiting, .cameFront),
            (.away, .answered), (.away, .readPoorly), (.away, .hintChosen), (.away, .signed),
            (.away, .signingFailed), (.away, .wentBack), (.away, .tapped), (.away, .woke),
            (.interrupted, .answered), (.interrupted, .readPoorly), (.interrupted, .hintChosen),
            (.interrupted, .signed), (.interrupted, .signingFailed),
            // A prompt of our own makes the app active again when it goes: that starts no second one.
            (.prompting, .cameFront), (.prompting, .tapped),
            // Answers of prompts that are gone.
            (.prompting, .answered), (.prompting, .readPoorly), (.prompting, .signed),
            (.prompting, .signingFailed),
            // The match came first: a second answer, a late choice, a timer, or the app in the back does not undo it.
            (.signing, .tapped), (.signing, .answered), (.signing, .readPoorly), (.signing, .hintChosen),
            (.signing, .wentBack), (.signing, .cameFront), (.signing, .woke), (.signing, .signed), (.signing, .signingFailed),
            // The end is reached once.
            (.finished, _):
            return []
        }
    }
}

// MARK: - Beginning and moving on

extension UnlockFlow {
    private mutating func begin(by start: Start, at now: Instant) -> [Effect] {
        guard policy.problem == nil else { return fail(Failure(.policyDenies)) }
        switch start {
        case .tap: return askFirst(at: now)
        case .screen: return wait(at: now)
        }
    }

    private mutating func wait(at now: Instant) -> [Effect] {
        state = .waiting
        promptDue = policy.automaticPrompt.map { now.advanced(by: $0) }
        return promptDue.map { [.wake(at: $0)] } ?? []
    }

    private mutating func askFirst(at now: Instant) -> [Effect] {
        started = now
        return ask(ladder[0], at: now)
    }

    /// Asks a rung if it can be asked, or passes on to the next one without a prompt.
    private mutating func ask(_ rung: Rung, at now: Instant) -> [Effect] {
        guard let readiness else { preconditionFailure("no rung is asked before the flow began") }
        if rung == .fullCredentials { return needCredentials() }
        if let obstacle = readiness.obstacle(to: rung) {
            // Keys that cannot be read yet say nothing about the person: this is for later, and never means signed out.
            if obstacle.code == .notYetReadable { return fail(obstacle) }
            note(obstacle)
            var effects: [Effect] = []
            if let loss = readiness.loss(of: rung) { effects.append(.emit(.keyInvalidated(loss))) }
            if case .lockedOut(let lockout) = readiness.biometry, obstacle.code == .lockedOut {
                effects.append(.emit(.lockedOut(lockout)))
            }
            if obstacle.recovery == .openSettings || obstacle.recovery == .setPasscode { effects.append(.offerSetUp(obstacle)) }
            return effects + moveOn(from: rung, because: .skipped(obstacle.code.name), at: now)
        }
        // Whoever comes back to a retry still has its button.
        return show(rung, cancelButton: mismatches > 0 ? .use(offer(after: rung)) : .cancel, at: now)
    }

    private mutating func show(_ rung: Rung, cancelButton: CancelButton, at now: Instant) -> [Effect] {
        prompts += 1
        let prompt = Prompt(id: prompts, rung: rung, cancelButton: cancelButton)
        state = .prompting(prompt)
        if rung == .biometric, sensorStarted == nil { sensorStarted = now }
        var effects: [Effect] = [.show(prompt), .emit(.promptShown(rung))]
        if let next = deadline(of: prompt) { effects.append(.wake(at: next)) }
        return effects
    }

    /// Moves to the next rung of the ladder. The ladder never dead-ends: below it there is the full sign-in.
    private mutating func moveOn(from rung: Rung, because trigger: Trigger, at now: Instant) -> [Effect] {
        if rung == .biometric, trigger.isTheSensors { person.pace.missed() }
        let next = rungAfter(rung)
        mismatches = 0
        retryUntil = nil
        return [.move(from: rung, to: next, because: trigger), .emit(.fellBack(from: rung, to: next, trigger))]
            + ask(next, at: now)
    }

    private func rungAfter(_ rung: Rung) -> Rung { rungs(after: rung).first ?? .fullCredentials }

    /// The way that a button or a hint may name: the next rung that can be asked. A ladder may hold rungs that this device lacks.
    private func offer(after rung: Rung) -> Rung {
        rungs(after: rung).first { readiness?.obstacle(to: $0) == nil } ?? .fullCredentials
    }

    /// The rungs that may take a rung's place. Nothing takes the place of one that has to answer as well.
    private func rungs(after rung: Rung) -> ArraySlice<Rung> {
        guard firstGrant == nil, let index = ladder.firstIndex(of: rung) else { return [] }
        return ladder[(index + 1)...]
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
        var failure = cause ?? Failure(.notEnrolled)
        // A dead key asks for enrolment, and a pause for patience; whatever else it was, the full sign-in is the way on.
        if failure.recovery != .reEnrol, failure.code != .paused { failure.recovery = .signInAgain }
        return fail(failure)
    }

    private mutating func cancelled(_ failure: Failure) -> [Effect] {
        [.emit(.cancelled(failure.code.name))] + fail(failure)
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
            if prompt.rung == .biometric { keepPace(of: prompt, at: now) }
            state = .signing(prompt)
            return [heard, .sign(prompt)]
        case .notMatched:
            return [heard] + mismatched(prompt, at: now)
        case .failed(let failure):
            return [heard] + refused(failure, at: prompt.rung, now)
        }
    }

    private mutating func signed(_ proof: Proof, by prompt: Prompt, at now: Instant) -> [Effect] {
        if [prompt.rung, firstGrant?.rung].contains(where: isDead) {
            return refused(Failure(.keyInvalidated), at: prompt.rung, now)
        }
        if let first = firstGrant {
            furtherProofs.append(proof)
            return finish(first, at: now)
        }
        let first = Grant(rung: prompt.rung, proof: proof)
        firstGrant = first
        return finish(first, at: now)
    }

    /// Whether a rung's key is known to be gone: what it signed before is worth nothing. Wrong PINs say nothing here: the running
    /// attempt is in them.
    private func isDead(_ rung: Rung?) -> Bool {
        guard let loss = rung.flatMap({ readiness?.loss(of: $0) }) else { return false }
        return loss != .wrongPINs
    }

    /// Asks the rungs that have to answer as well, one after another; after the last the flow is granted.
    private mutating func finish(_ first: Grant, at now: Instant) -> [Effect] {
        guard furtherProofs.count == policy.additionalRungs.count else {
            mismatches = 0
            retryUntil = nil
            cause = nil
            return ask(policy.additionalRungs[furtherProofs.count], at: now)
        }
        let end = End.granted(first.rung, first.proof, also: furtherProofs)
        state = .finished(end)
        return [.emit(.authenticated(first.rung, after: elapsed(now), attempts: prompts)), .finish(end)]
    }

    private mutating func mismatched(_ prompt: Prompt, at now: Instant) -> [Effect] {
        mismatches += 1
        let next = offer(after: prompt.rung)
        note(Failure(.notMatched, recovery: .fallBack(next)))
        guard mayRetry(prompt.rung, at: now), mismatches < limit(of: prompt.rung) else {
            let pause = PINLedger.pause(afterWrong: mismatches)
            if prompt.rung == .appPIN, pause > .zero { note(Failure(.paused, recovery: .wait(pause))) }
            return moveOn(from: prompt.rung, because: .mismatches, at: now)
        }
        if prompt.rung == .biometric { retryUntil = now.advanced(by: policy.retryLimit) }
        return [.emit(.retry(mismatches))] + show(prompt.rung, cancelButton: .use(next), at: now)
    }

    /// Nobody is hurried while typing: the window is the sensor's.
    private func mayRetry(_ rung: Rung, at now: Instant) -> Bool {
        guard rung == .biometric, let window = person.timeLimits.applied(to: policy.retryWindow) else { return true }
        return sensorStart.duration(to: now) < window
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
            return cancelled(failure)
        case .cancelledBySystem:
            // Just before an app goes to the back its prompt is taken: wait and see.
            guard case .prompting = state, interruptions < Self.mostInterruptions else { return cancelled(failure) }
            interruptions += 1
            leave(for: .interrupted(rung), at: now)
            return [.wake(at: now.advanced(by: Self.settling))]
        case .cancelledByApp, .superseded, .notYetReadable:
            return cancelled(failure)
        case .lockedOut:
            note(failure)
            return [.emit(.lockedOut(failure.lockout))] + moveOn(from: rung, because: .lockedOut, at: now)
        case .paused:
            note(failure)
            return moveOn(from: rung, because: .mismatches, at: now)
        case .keyInvalidated:
            note(failure)
            return [.emit(.keyInvalidated(.unknown))] + moveOn(from: rung, because: .keyInvalidated, at: now)
        default:
            // Whatever else a platform says, known or not, the person goes on with the next rung.
            note(failure)
            return moveOn(from: rung, because: .skipped(failure.code.name), at: now)
        }
    }

    /// A rung that could be asked and no longer can gives way. Counts and lockouts say nothing here: the running attempt is in them.
    private mutating func changed(during prompt: Prompt, at now: Instant) -> [Effect] {
        guard let obstacle = readiness?.obstacle(to: prompt.rung) else { return [] }
        switch obstacle.code {
        case .paused, .lockedOut, .notYetReadable: return []
        default: return [.dismiss(prompt)] + ask(prompt.rung, at: now)
        }
    }
}

// MARK: - Away and back

extension UnlockFlow {
    /// How long after a prompt was taken the app may still turn out to be going to the back.
    private static let settling: Duration = .seconds(1)
    /// A system that takes prompts again and again has something else to show.
    private static let mostInterruptions = 3

    private mutating func leave(for place: State, at now: Instant) {
        state = place
        left = now
    }

    /// Asks the rung again. The time away is nobody's fault.
    private mutating func comeBack(to rung: Rung, at now: Instant) -> [Effect] {
        if let left {
            let away = left.duration(to: now)
            sensorStarted = sensorStarted?.advanced(by: away)
            retryUntil = retryUntil?.advanced(by: away)
        }
        return ask(rung, at: now)
    }
}

// MARK: - Time

extension UnlockFlow {
    /// Does what is due. Early, stale and doubled wakes end here: they ask for the next one and change nothing else.
    private mutating func considerTime(during prompt: Prompt, at now: Instant) -> [Effect] {
        // Only the sensor's prompt has limits of ours: nobody is hurried while typing a passcode.
        guard prompt.rung == .biometric else { return [] }
        if let fallback = fallbackTime, now >= fallback {
            note(Failure(.timedOut, recovery: .fallBack(offer(after: prompt.rung))))
            return [.dismiss(prompt)] + moveOn(from: prompt.rung, because: .timeout, at: now)
        }
        var effects: [Effect] = []
        if let hint = hintTime, now >= hint {
            hintShown = true
            effects += [.showHint(offer(after: prompt.rung)), .emit(.hintShown)]
        }
        if let next = deadline(of: prompt) { effects.append(.wake(at: next)) }
        return effects
    }

    /// The next time at which something is due for a prompt.
    private func deadline(of prompt: Prompt) -> Instant? {
        guard prompt.rung == .biometric else { return nil }
        switch (hintTime, fallbackTime) {
        case (let hint?, let fallback?): return min(hint, fallback)
        case (let hint, let fallback): return hint ?? fallback
        }
    }

    /// When the hint is due; nil where it was shown, or nobody is hurried. A sensor that reads poorly brings it forward.
    private var hintTime: Instant? {
        guard !hintShown else { return nil }
        let due = poorReadings >= Self.poorReadingsThatHurry ? policy.earliestHint : person.pace.hint(policy)
        return person.timeLimits.applied(to: due).map { sensorStart.advanced(by: $0) }
    }

    /// So many readings without a verdict, and the person may want another way.
    private static let poorReadingsThatHurry = 3

    /// The limit counts from the sensor's first prompt; a retry may end it sooner, never later. Nothing is taken away from people who need
    /// more time.
    private var fallbackTime: Instant? {
        guard person.timeLimits == .ofThePolicy else { return nil }
        let limit = sensorStart.advanced(by: person.pace.fallback(policy))
        guard let retryUntil else { return limit }
        return min(limit, retryUntil)
    }

    private mutating func keepPace(of prompt: Prompt, at now: Instant) {
        if prompt.id == 1 {
            person.pace.matched(after: sensorStart.duration(to: now))
        } else {
            person.pace.matchedLater()
        }
    }

    private var sensorStart: Instant {
        guard let sensorStarted else { preconditionFailure("the sensor's time is asked only while its prompt is shown") }
        return sensorStarted
    }

    /// Since the first prompt, time away included: what the person felt.
    private func elapsed(_ now: Instant) -> Duration { (started ?? now).duration(to: now) }
}

extension UnlockFlow {
    /// What changes while a flow runs tells flows apart well enough; policy and person are most often the same.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(state)
        hasher.combine(sensorStarted)
        hasher.combine(retryUntil)
        hasher.combine(hintShown)
        hasher.combine(poorReadings)
        hasher.combine(mismatches)
        hasher.combine(interruptions)
        hasher.combine(cause?.code)
    }
}

// MARK: - What the person is doing

extension UnlockFlow {
    /// Whether the app is in the back, or about to be.
    public var isAway: Bool {
        switch state {
        case .away, .interrupted: true
        case .idle, .waiting, .prompting, .signing, .finished: false
        }
    }

    /// In which part of the flow the person is, for the report of one that never came to its end.
    public var phase: Phase {
        switch state {
        case .idle, .waiting: .beforeThePrompt
        case .away, .interrupted: .away
        case .finished: .ended
        case .signing: .signing
        case .prompting(let prompt) where prompt.rung != .biometric: .fallback(prompt.rung)
        case .prompting: hintShown ? .hinted : retryUntil == nil ? .firstAttempt : .retry
        }
    }
}

extension Trigger {
    /// Whether the sensor was asked and did not answer for the person.
    fileprivate var isTheSensors: Bool {
        switch self {
        case .timeout, .mismatches, .lockedOut, .choice: true
        case .keyInvalidated, .skipped: false
        }
    }
}

extension Failure {
    /// Which lockout it is: one that ends by itself, or one that another rung has to end.
    fileprivate var lockout: Lockout {
        if case .wait = recovery { .temporary } else { .untilPasscode }
    }
}
