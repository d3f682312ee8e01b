/// The state of an approval at its server.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ApprovalState: String, Hashable, Sendable, Codable, CaseIterable {
    /// At least one account still has to approve.
    case open
    /// Approved, and not redeemed yet.
    case approved
    /// Redeemed. An approval is redeemed at most once.
    case redeemed
    /// Declined by one of the accounts that were asked.
    case declined
    /// Withdrawn by its creator, or replaced by another approval of the same transaction.
    case withdrawn
    /// Its time was over before it was approved or redeemed.
    case expired
}

extension ApprovalState: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
