/// How much more time than the policy's a person has to answer (WCAG 2.2, success criterion 2.2.1). The times are in
/// `UnlockPolicy`. With extra time of any kind, no prompt is dismissed because it was not answered.
public enum ExtraTime: String, Hashable, Sendable, Codable, CaseIterable {
    /// The policy's own times.
    case none
    /// Ten times the time to the hint and for retries, which the criterion demands of a limit that can be extended.
    case tenfold
    /// No time limits.
    case unlimited

    /// A limit as it applies to this person; nil where there is none.
    func applied(to limit: Duration) -> Duration? {
        switch self {
        case .none: limit
        case .tenfold: limit * 10
        case .unlimited: nil
        }
    }
}

extension ExtraTime: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
