/// How the policy's time limits apply to people who need more time (WCAG 2.2, success criterion 2.2.1). A running
/// prompt is dismissed only under the policy's own limits.
public enum TimeLimits: String, Hashable, Sendable, Codable, CaseIterable {
    /// The policy's own limits.
    case ofThePolicy
    /// Ten times the limit for hint and retries, which the criterion demands of a limit that can be extended.
    case tenfold
    /// No limits.
    case lifted

    /// A limit as it applies to this person; nil where there is none.
    func applied(to limit: Duration) -> Duration? {
        switch self {
        case .ofThePolicy: limit
        case .tenfold: limit * 10
        case .lifted: nil
        }
    }
}
