/// What a person is asked for: the kind of a call that shows prompts, or may show them.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AskKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// A sign-in by a key.
    case unlock
    /// The opening of a vault.
    case vault
    /// A sign-in with the account's credentials.
    case signIn = "sign-in"
    /// A fresh proof for one action.
    case stepUp = "step-up"
    /// An approval of a transaction.
    case approval
    /// The registration of this device.
    case enrolment
    /// A change of a key, such as a new biometric key or another PIN.
    case keyChange = "key-change"

    /// The name of the kind.
    public var description: String { rawValue }
}

/// What may happen to an ask that is under way. This is the only table of it.
extension AskKind {
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
