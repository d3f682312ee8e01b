import ThumbturnCore

// How a walk reads a flow: names for its report, and what may happen next.

extension Readiness {
    /// Whether the keys of a rung can sign. The sensor's own counts are left out, because a running attempt is counted
    /// among them.
    func hasKeys(for rung: Rung) -> Bool {
        rung.key.map { state(of: .session) == .usable && state(of: $0) == .usable } ?? canSignIn
    }

    /// Whether a rung's key is gone for good.
    func isGone(_ rung: Rung) -> Bool {
        rung.key.map { state(of: .session).isDead || state(of: $0).isDead } ?? false
    }
}

extension UnlockFlow {
    /// Whether the prompt is not a retry.
    var isFirstPromptOfItsRung: Bool {
        if case .prompting(let prompt, _, _) = state { prompt.cancelButton == .cancel } else { true }
    }
}

extension UnlockFlow.Effect {
    var asksTheSensor: Bool {
        if case .show(let prompt) = self { prompt.rung == .biometric } else { false }
    }
}

extension UnlockFlow.State {
    var name: String {
        switch self {
        case .idle: "idle"
        case .waiting: "waiting"
        case .awayBeforePrompt: "awayBeforePrompt"
        case .prompting: "prompting"
        case .signing: "signing"
        case .away: "away"
        case .interrupted: "interrupted"
        case .finished: "finished"
        }
    }
}

extension UnlockFlow.Event {
    var name: String {
        switch self {
        case .began: "began"
        case .tapped: "tapped"
        case .appeared: "appeared"
        case .answered: "answered"
        case .readPoorly: "readPoorly"
        case .mismatched: "mismatched"
        case .hintChosen: "hintChosen"
        case .signed: "signed"
        case .signingFailed: "signingFailed"
        case .changed: "changed"
        case .wentBack: "wentBack"
        case .cameFront: "cameFront"
        case .stopped: "stopped"
        case .woke: "woke"
        }
    }

    /// The prompt that the event is about; nil where it is about none.
    var prompt: Int? {
        switch self {
        case .appeared(_, let id), .answered(_, let id), .readPoorly(_, let id), .mismatched(let id), .signed(_, let id),
            .signingFailed(_, let id):
            id
        case .began, .tapped, .hintChosen, .changed, .wentBack, .cameFront, .stopped, .woke: nil
        }
    }

    /// Whether the sensor did not match, or the PIN was wrong, at the current prompt.
    func isMismatch(in flow: UnlockFlow) -> Bool {
        switch (self, flow.state) {
        case (.answered(.notMatched, let id), .prompting(let prompt, _, _)): id == prompt.id
        case (.mismatched(let id), .prompting(let prompt, _, _)): id == prompt.id && prompt.rung == .biometric
        case (.answered(.failed(let failure), let id), .prompting(let prompt, _, _)): id == prompt.id && failure.followsMismatch
        case (.signingFailed(let failure, let id), .signing(let prompt, _, _)) where id == prompt.id && prompt.rung == .appPIN:
            failure.code == .notMatched || failure.followsMismatch
        default: false
        }
    }

    /// The times after which the event may come. Time matters only at the sensor, where the person is hurried, and
    /// while the flow waits.
    func times(in state: UnlockFlow.State) -> [Duration] {
        switch (self, state) {
        case (.woke, .waiting), (.woke, .interrupted), (.cameFront, .awayBeforePrompt), (.cameFront, .away): [.zero, .seconds(4)]
        case (.appeared, .prompting): [.seconds(4)]
        case (.answered(.notMatched, _), .prompting(let prompt, _, _)) where prompt.rung == .biometric: [.zero, .seconds(8)]
        case (.mismatched, .prompting(let prompt, _, _)) where prompt.rung == .biometric: [.zero, .seconds(8)]
        case (.woke, .prompting(let prompt, _, _)) where prompt.rung == .biometric: [.zero, .seconds(4), .seconds(8)]
        default: [.zero]
        }
    }
}

extension Failure {
    var isCancel: Bool {
        [.cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded].contains(code)
    }

    var isTrouble: Bool { [.lockedOut, .keyInvalidated, .paused, .platform].contains(code) }
}
