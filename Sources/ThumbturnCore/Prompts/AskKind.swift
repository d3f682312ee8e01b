/// The kinds of asks, and what may happen to one that is under way. This is the only table of it.
package enum AskKind: Hashable, Sendable, CaseIterable {
    case unlock, vault, stepUp, approval, enrolment, keyChange

    /// Whether an equal ask may share the prompt and the outcome, until the person has answered. A step-up, an approval,
    /// an enrolment and a change of keys each ask a question of their own.
    package var mayBeJoined: Bool {
        switch self {
        case .unlock, .vault: true
        case .stepUp, .approval, .enrolment, .keyChange: false
        }
    }

    /// Whether a void stops an ask, before or after the person's answer. An approval that was answered goes on: the server
    /// may have taken it already, and nothing calls it back.
    package func stopsWhenVoided(isAnswered: Bool) -> Bool {
        switch self {
        case .unlock, .vault, .stepUp, .enrolment, .keyChange: true
        case .approval: !isAnswered
        }
    }
}
