package import ThumbturnCore
package import ThumbturnTestKit

// The part of a scenario that can be seen from outside, and its demands on a phone.
//
// Not compared are: the raw status of failures (each system has its own), why a key was invalidated (files have
// reasons that no system tells), the text of a proof (a real one differs each time), and the wakes of the flow's own timer.

extension Scenario {
    /// The status that is in no table, if the system answers with one.
    package var unknownStatus: Int? {
        moments.lazy.compactMap {
            guard case .answered(.failed(let failure), prompt: _) = $0.event, failure.code == .platform else { return nil }
            return failure.status?.code
        }.first
    }

    /// Whether the system's store fails while a key signs.
    package var storeBreaks: Bool {
        moments.contains {
            if case .signingFailed(let failure, prompt: _) = $0.event { failure.code == .platform } else { false }
        }
    }

    /// The readiness at the beginning.
    package var readiness: Readiness {
        guard case .began(let readiness, by: _) = moments[0].event else { preconditionFailure("a scenario begins") }
        return readiness
    }

    package var start: UnlockFlow.Start {
        guard case .began(_, by: let start) = moments[0].event else { preconditionFailure("a scenario begins") }
        return start
    }

    /// Every prompt, with the time when it is shown.
    package var prompts: [(UnlockFlow.Prompt, at: Duration)] {
        moments.flatMap { moment in
            moment.effects.compactMap { if case .show(let prompt) = $0 { (prompt, moment.at) } else { nil } }
        }
    }

    /// The lines that a phone should show.
    package var expected: [String] {
        Self.sorted(
            moments.flatMap { moment in
                moment.effects.compactMap { effect -> (Int64, String)? in
                    switch effect {
                    case .show(let prompt): (moment.at.milliseconds, Self.shown(prompt.rung, prompt.cancelButton))
                    case .finish(let end): (moment.at.milliseconds, end.seen)
                    case .showHint, .offerSetUp, .move, .emit: (moment.at.milliseconds, effect.seen)
                    // A dismissal shows in the next prompt, which never appears beside the previous one; signing shows
                    // in the signature; a wake does not show.
                    case .dismiss, .sign, .wake: nil
                    }
                }
            })
    }

    package static func sorted(_ seen: [(at: Int64, what: String)]) -> [String] {
        seen.sorted { ($0.at, $0.what) < ($1.at, $1.what) }.map { "\($0.at) ms: \($0.what)" }
    }

    package static func shown(_ rung: Rung, _ button: UnlockFlow.CancelButton) -> String { "show \(rung), \(button)" }

    /// The answer to a prompt, and its time.
    package func answer(to prompt: Int) -> (at: Duration, SensorAnswer)? {
        for moment in moments { if case .answered(let answer, prompt) = moment.event { return (moment.at, answer) } }
        return nil
    }

    package func isSigned(_ prompt: Int) -> Bool {
        moments.contains { if case .signed(_, prompt) = $0.event { true } else { false } }
    }

    /// When the key of a prompt has signed or failed to sign, and whether it was invalidated meanwhile.
    package func signing(after prompt: Int) -> (at: Duration, killed: Bool)? {
        for moment in moments {
            if case .signed(_, prompt) = moment.event { return (moment.at, false) }
            if case .signingFailed(let failure, prompt) = moment.event { return (moment.at, failure.code == .keyInvalidated) }
        }
        return nil
    }

    /// What the person does at a prompt of the system.
    package func acts(at prompt: Int) -> [(at: Duration, act: SimulatedPhone.Act)] {
        moments.compactMap { moment in
            switch moment.event {
            case .readPoorly(let reading, prompt): (moment.at, .readPoorly(reading))
            case .mismatched(prompt): (moment.at, .noMatch)
            case .answered(let answer, prompt): (moment.at, answer.act)
            default: nil
            }
        }
    }

    /// Whether the person's last act at a prompt ends it, or lets the flow take it away.
    package func isEnded(_ prompt: Int) -> Bool {
        moments.contains { moment in
            switch moment.event {
            case .answered(_, prompt): true
            case .mismatched(prompt): moment.effects.contains { if case .dismiss = $0 { true } else { false } }
            default: false
            }
        }
    }

    /// The same unlock on a phone whose prompt stays after a mismatch: what happens at the prompts that would be shown again
    /// happens at the one that stays. The effects and the end are the flow's own: such a prompt keeps its first button.
    package var onAPhoneWhosePromptStays: Scenario {
        var (kept, flow) = (0, UnlockFlow(policy: policy, person: person))
        return changing { moment in
            let (before, told) = (flow.prompt, moment.event)
            moment.event = told.staying(at: before) { $0 - kept }
            moment.effects = flow.handle(moment.event, at: Instant(sinceOrigin: moment.at))
            if case .answered = told, case .mismatched = moment.event, flow.prompt == before { kept += 1 }
        } end: {
            if case .finished(let end) = flow.state { end } else { nil }
        }
    }
}

extension SensorAnswer {
    fileprivate var act: SimulatedPhone.Act {
        switch self {
        case .matched, .entered: .match
        case .notMatched: .noMatch
        case .failed(let failure):
            switch failure.code {
            case .cancelledByUser: .cancel
            case .cancelledBySystem: .systemCancel
            case .superseded: .supersede
            // One try more than the sensor allows.
            case .lockedOut: .noMatch
            // Another code replaces that of this cancel.
            default: .cancel
            }
        }
    }
}

extension UnlockFlow.Event {
    /// The event at another number of its prompt, and a mismatch of the sensor as one after which its prompt stays.
    fileprivate func staying(at prompt: UnlockFlow.Prompt?, _ number: (Int) -> Int) -> Self {
        switch self {
        case .answered(.notMatched, let id) where prompt?.rung == .biometric && prompt?.id == number(id):
            .mismatched(prompt: number(id))
        case .answered(let answer, let id): .answered(answer, prompt: number(id))
        case .appeared(let appearance, let id): .appeared(appearance, prompt: number(id))
        case .readPoorly(let reading, let id): .readPoorly(reading, prompt: number(id))
        case .mismatched(let id): .mismatched(prompt: number(id))
        case .signed(let output, let id): .signed(output, prompt: number(id))
        case .signingFailed(let failure, let id): .signingFailed(failure, prompt: number(id))
        case .began, .tapped, .hintChosen, .changed, .wentBack, .cameFront, .stopped, .woke: self
        }
    }
}

extension UnlockFlow.Effect {
    /// The text that is compared.
    package var seen: String {
        switch self {
        case .offerSetUp(let failure): "\(Self.offerSetUp(failure.bare).spelled)"
        case .emit(.keyInvalidated): "\(Self.emit(.keyInvalidated(.unknown)).spelled)"
        default: "\(spelled)"
        }
    }
}

extension UnlockFlow.End {
    /// The text that is compared.
    package var seen: String {
        switch self {
        case .granted(let rung, _, let additional): "granted by \(rung) and \(additional.count) more"
        case .failed(let failure): failure.seen
        }
    }
}

extension Failure {
    fileprivate var bare: Failure { Failure(code, recovery: recovery) }
    package var seen: String { "failed with \(bare.spelled)" }
}
