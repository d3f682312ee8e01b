extension Failure.Code {
    /// The approval is no longer open, or was never this account's: approved, declined, taken back or expired.
    public static let approvalOver = Self("approvalOver", recovery: .report)
}
