/// The kinds of asks, and what may happen to one that is under way. This is the only table of it.
package enum AskKind: Hashable, Sendable, CaseIterable {
    case unlock, vault, signIn, stepUp, approval, enrolment, keyChange

    /// Whether an equal ask may share the prompt and the outcome, until the person has answered. A sign-in with credentials
    /// of its own, a step-up, an approval, an enrolment and a change of keys each ask a question of their own.
    package var mayBeJoined: Bool {
        switch self {
        case .unlock, .vault: true
        case .signIn, .stepUp, .approval, .enrolment, .keyChange: false
        }
    }

    /// Whether a void stops an ask.
    ///
    /// - Parameter isSent: whether the server may have what the person answered. Nothing calls back an approval or a change
    ///   of keys from there, so its caller hears how it ended. Tokens can be dropped.
    package func stopsWhenVoided(isSent: Bool) -> Bool {
        switch self {
        case .unlock, .vault, .signIn, .stepUp, .enrolment: true
        case .approval, .keyChange: !isSent
        }
    }
}
