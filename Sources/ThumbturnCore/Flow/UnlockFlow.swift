/// One unlock, from the first look at the sensor to a proof or a failure.
///
/// A value without a clock, chance, input or output of its own: events go in with the time they happened, effects come
/// out. One task owns it. Events that are late, doubled, or of a prompt that is gone change nothing.
///
///     idle ──began──▶ waiting ──tap, or 400 ms──▶ prompting ──matched──▶ signing ──signed──▶ finished(granted)
///                                                  │  ▲  │    entered       │ │
///                                          mismatch└──┴──┼──── wrong PIN ───┘ │
///                                                        └─────────┬──────────┘
///                                                                  ▼ timeout, lockout, dead key, person's choice
///                                            next rung: prompting again, or finished(failed) if only the full
///                                            sign-in is left
///
/// From `waiting` the app may go to the back (`awayBeforePrompt`) and wait again. From `prompting` the app may go to
/// the back (`away`), or the system may take the prompt (`interrupted`); both ask the same rung again. The full sign-in
/// stays where it is while the app is in the back, because a person may fetch a one-time code there.
public struct UnlockFlow: Hashable, Sendable {
    /// The current state, with everything that is true only in it.
    package internal(set) var state: State = .idle
    /// The numbers and the ladder.
    package let policy: UnlockPolicy
    /// The person who is asked. The flow updates the pace, which the next flow starts from.
    package internal(set) var person: Person

    /// A flow that has not begun.
    package init(policy: UnlockPolicy, person: Person = Person()) {
        self.policy = policy
        self.person = person
    }

    /// Takes an event, and returns what to do about it.
    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch (state, event) {
        case (.idle, .began(let readiness, let start)):
            if let problem = policy.problem { return fail(Failure(.policyDenies, hint: UnlockPolicy.hint(on: problem))) }
            switch start {
            case .tap: return askFirst(readiness, at: now)
            case .screen: return wait(readiness, at: now)
            case .rung(let rung): return askFirst(readiness, from: rung, at: now)
            }

        case (.waiting(let readiness, _), .tapped):
            return askFirst(readiness, at: now)
        case (.waiting(let readiness, let due?), .woke):
            // An early wake asks for another one; a doubled one finds another state.
            return now >= due ? askFirst(readiness, at: now) : [.wake(at: due)]
        case (.waiting(let readiness, _), .hintChosen):
            return askSecond(readiness, at: now)
        case (.waiting(let readiness, _), .wentBack):
            state = .awayBeforePrompt(readiness, wantsAnotherWay: false)
            return []
        case (.awayBeforePrompt(let readiness, _), .hintChosen):
            // No prompt while the app is in the back.
            state = .awayBeforePrompt(readiness, wantsAnotherWay: true)
            return []
        case (.awayBeforePrompt(let readiness, let wantsAnotherWay), .cameFront):
            return wantsAnotherWay ? askSecond(readiness, at: now) : wait(readiness, at: now)

        case (.prompting(let prompt, let attempt, let progress), .answered(let answer, let id)) where id == prompt.id:
            return answered(answer, to: prompt, attempt, progress, at: now)
        case (.prompting(let prompt, let attempt, let progress), .readPoorly(let reading, let id)) where id == prompt.id:
            return [.emit(.readPoorly(reading))] + readPoorly(prompt, attempt, progress, at: now)
        case (.prompting(let prompt, let attempt, let progress), .mismatched(let id))
        where id == prompt.id && attempt.sensor != nil:
            return mismatched(during: prompt, attempt, progress, at: now)
        case (.prompting(let prompt, let attempt, var progress), .appeared(let appearance, let id))
        where id == prompt.id && !progress.hasAppeared:
            progress.appeared(at: now)
            state = .prompting(prompt, attempt, progress)
            return [.emit(.promptAppeared(prompt.rung, appearance))]
        // Below the full sign-in there is no other way.
        case (.prompting(_, let attempt, _), .hintChosen) where attempt.rung == .fullCredentials:
            return []
        case (.prompting(let prompt, let attempt, let progress), .hintChosen):
            return [.dismiss(prompt)] + moveOn(from: attempt.rung, because: .choice, progress, at: now)
        case (.prompting(let prompt, let attempt, let progress), .woke):
            return considerTime(during: prompt, attempt, progress, at: now)
        // A person may have to leave the app for a one-time code, and comes back to what they have typed.
        case (.prompting(_, let attempt, _), .wentBack) where attempt.rung == .fullCredentials:
            return []
        case (.prompting(let prompt, let attempt, let progress), .wentBack):
            state = .away(attempt, progress, since: now)
            return [.dismiss(prompt)]

        case (.signing(let prompt, let attempt, let progress), .signed(let output, let id)) where id == prompt.id:
            return signed(output, by: attempt, progress, at: now)
        case (.signing(let prompt, let attempt, let progress), .signingFailed(let failure, let id)) where id == prompt.id:
            return signingFailed(failure, attempt, progress, at: now)

        case (.away(let attempt, var progress, let since), .cameFront) where progress.wantsAnotherWay:
            progress.exclude(since.duration(to: now))
            return moveOn(from: attempt.rung, because: .choice, progress, at: now)
        case (.away(let attempt, var progress, let since), .hintChosen):
            progress.wantsAnotherWay = attempt.rung != .fullCredentials
            state = .away(attempt, progress, since: since)
            return []
        case (.interrupted(let attempt, let progress, _), .hintChosen) where attempt.rung != .fullCredentials:
            return moveOn(from: attempt.rung, because: .choice, progress, at: now)
        case (.away(let attempt, let progress, let since), .cameFront),
            (.interrupted(let attempt, let progress, let since), .cameFront),
            (.interrupted(let attempt, let progress, let since), .tapped):
            return askAgain(attempt, progress, after: since.duration(to: now), at: now)
        case (.interrupted(let attempt, let progress, let since), .wentBack):
            state = .away(attempt, progress, since: since)
            return []
        case (.interrupted(_, _, let since), .woke):
            // The app stayed in front, so it was only the prompt that the system took.
            guard now >= since.advanced(by: Self.settling) else { return [] }
            return cancelled(Failure(.cancelledBySystem))

        case (.waiting(_, let due), .changed(let readiness)):
            state = .waiting(readiness, due: due)
            return []
        case (.awayBeforePrompt(_, let wantsAnotherWay), .changed(let readiness)):
            state = .awayBeforePrompt(readiness, wantsAnotherWay: wantsAnotherWay)
            return []
        case (.prompting(let prompt, let attempt, let progress), .changed(let readiness)):
            return changed(during: prompt, attempt, progress.knowing(readiness), at: now)
        case (.signing(let prompt, let attempt, let progress), .changed(let readiness)):
            state = .signing(prompt, attempt, progress.knowing(readiness))
            return []
        case (.away(let attempt, let progress, let since), .changed(let readiness)):
            state = .away(attempt, progress.knowing(readiness), since: since)
            return []
        case (.interrupted(let attempt, let progress, let since), .changed(let readiness)):
            state = .interrupted(attempt, progress.knowing(readiness), since: since)
            return []

        case (.idle, .stopped(let failure)):
            return fail(failure)
        case (.prompting(let prompt, _, _), .stopped(let failure)), (.signing(let prompt, _, _), .stopped(let failure)):
            return [.dismiss(prompt)] + cancelled(failure)
        case (.waiting, .stopped(let failure)), (.awayBeforePrompt, .stopped(let failure)), (.away, .stopped(let failure)),
            (.interrupted, .stopped(let failure)):
            return cancelled(failure)

        // A flow begins once.
        case (.waiting, .began), (.awayBeforePrompt, .began), (.prompting, .began), (.signing, .began), (.away, .began),
            (.interrupted, .began),
            // Before the beginning there is nothing to ask.
            (.idle, .tapped), (.idle, .answered), (.idle, .appeared), (.idle, .readPoorly), (.idle, .mismatched),
            (.idle, .hintChosen),
            (.idle, .signed),
            (.idle, .signingFailed), (.idle, .changed), (.idle, .wentBack), (.idle, .cameFront), (.idle, .woke),
            // Without an automatic prompt the flow waits for a tap, and asked for no wake.
            (.waiting(_, due: nil), .woke),
            // Where no prompt is on the screen, answers come from prompts that are gone.
            (.waiting, .answered), (.waiting, .appeared), (.waiting, .readPoorly), (.waiting, .mismatched), (.waiting, .signed),
            (.waiting, .signingFailed),
            (.waiting, .cameFront),
            (.awayBeforePrompt, .answered), (.awayBeforePrompt, .appeared), (.awayBeforePrompt, .readPoorly),
            (.awayBeforePrompt, .mismatched),
            (.awayBeforePrompt, .signed),
            (.awayBeforePrompt, .signingFailed), (.awayBeforePrompt, .wentBack), (.awayBeforePrompt, .tapped),
            (.awayBeforePrompt, .woke),
            (.away, .answered), (.away, .appeared), (.away, .readPoorly), (.away, .mismatched), (.away, .signed),
            (.away, .signingFailed),
            (.away, .wentBack),
            (.away, .tapped), (.away, .woke),
            (.interrupted, .answered), (.interrupted, .appeared), (.interrupted, .readPoorly), (.interrupted, .mismatched),
            (.interrupted, .hintChosen),
            (.interrupted, .signed), (.interrupted, .signingFailed),
            // The app's own prompt makes the app active again when it goes: that starts no second one.
            (.prompting, .cameFront), (.prompting, .tapped),
            // A prompt appears once, and answers of prompts that are gone are stale.
            (.prompting, .appeared), (.prompting, .answered), (.prompting, .readPoorly), (.prompting, .mismatched),
            (.prompting, .signed),
            (.prompting, .signingFailed),
            // The match came first: a second answer, a late choice, a timer, or the app in the back does not undo it.
            (.signing, .tapped), (.signing, .appeared), (.signing, .answered), (.signing, .readPoorly), (.signing, .mismatched),
            (.signing, .hintChosen),
            (.signing, .wentBack), (.signing, .cameFront), (.signing, .woke), (.signing, .signed), (.signing, .signingFailed),
            // The end is reached once.
            (.finished, _):
            return []
        }
    }
}

// MARK: - Derived from the state

extension UnlockFlow {
    /// Whether the app is in the back, or may be about to go there.
    package var isAway: Bool {
        switch state {
        case .awayBeforePrompt, .away, .interrupted: true
        case .idle, .waiting, .prompting, .signing, .finished: false
        }
    }

    /// The prompt whose answers count; nil where none does.
    package var prompt: Prompt? {
        switch state {
        case .prompting(let prompt, _, _), .signing(let prompt, _, _): prompt
        case .idle, .waiting, .awayBeforePrompt, .away, .interrupted, .finished: nil
        }
    }

    /// The phase of the flow, for the report of a flow that did not reach its end.
    package var phase: Phase {
        switch state {
        case .idle, .waiting: .beforeThePrompt
        case .awayBeforePrompt, .away, .interrupted: .away
        case .finished: .ended
        case .signing: .signing
        case .prompting(_, let attempt, _): attempt.phase
        }
    }
}

extension UnlockFlow: CustomStringConvertible {
    /// How far the flow has come.
    public var description: String { "unlock, \(phase)" }
}
