import ThumbturnCore

// How a walk looks at a flow: names for its report, and what may happen next.

extension Readiness {
    /// Whether the keys can answer for a rung. The sensor's own counts are left out: a running attempt is in them.
    func hasKeys(for rung: Rung) -> Bool {
        rung.key.map { state(of: .session) == .usable && state(of: $0) == .usable } ?? true
    }

    /// Whether a rung's key can never answer again.
    func isGone(_ rung: Rung) -> Bool {
        rung.key.map { state(of: .session).isDead || state(of: $0).isDead } ?? false
    }
}

extension UnlockFlow {
    /// Whether this is no retry.
    var isFirstPromptOfItsRung: Bool {
        if case .prompting(let prompt) = state { prompt.cancelButton == .cancel } else { true }
    }

    /// The prompt whose answers count.
    var livingPrompt: Int? {
        switch state {
        case .prompting(let prompt), .signing(let prompt): prompt.id
        case .idle, .waiting, .away, .interrupted, .finished: nil
        }
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
        case .answered: "answered"
        case .readPoorly: "readPoorly"
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

    /// Which prompt the event is about.
    var prompt: Int? {
        switch self {
        case .answered(_, let id), .readPoorly(_, let id), .signed(_, let id), .signingFailed(_, let id): id
        case .began, .tapped, .hintChosen, .changed, .wentBack, .cameFront, .stopped, .woke: nil
        }
    }

    /// After how long it may come. Nobody is hurried but at the sensor, so only there, and while the flow waits for something, does
    /// time matter.
    func times(in state: UnlockFlow.State) -> [Duration] {
        switch (self, state) {
        case (.woke, .waiting), (.woke, .interrupted), (.cameFront, .away): [.zero, .seconds(4)]
        case (.answered(.notMatched, _), .prompting(let prompt)) where prompt.rung == .biometric: [.zero, .seconds(8)]
        case (.woke, .prompting(let prompt)) where prompt.rung == .biometric: [.zero, .seconds(4), .seconds(8)]
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
