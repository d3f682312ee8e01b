/// The purpose that a challenge may be consumed for. A challenge for one purpose is refused for every other.
public enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
    case signIn = "sign-in"
    case enrol
    /// A change of the keys of an enrolled device; `act` says which.
    case manage
    /// A proof of presence for one action; `act` says which. See `StepUpAction`.
    case stepUp = "step-up"
    /// The approval of one transaction; `act` is the approval's id, and `txn` the transaction. See
    /// `ApprovalTransaction`.
    case approve

    /// The longest lifetime of a challenge for it.
    public var lifetime: Duration {
        switch self {
        case .signIn, .enrol, .manage: .seconds(300)
        case .stepUp, .approve: .seconds(120)
        }
    }
}
