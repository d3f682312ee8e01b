/// What a challenge may be spent on. Purposes never mix.
public enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
    case signIn = "sign-in"
    case enrol
    /// A change of the keys of an enrolled device; `act` says which.
    case manage
    /// A proof of presence for one action; `act` says which. See `StepUpAction`.
    case stepUp = "step-up"
    /// The approval of one transaction; `act` is the approval's id, and `txn` the transaction. See `ApprovalTransaction`.
    case approve

    /// The longest that a challenge for it lives.
    public var lifetime: Duration {
        switch self {
        case .signIn, .enrol, .manage: .seconds(300)
        case .stepUp, .approve: .seconds(120)
        }
    }
}
