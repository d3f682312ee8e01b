/// What a flow knows of the person in front of it. It changes times and the order of rungs, and never what is demanded.
public struct Person: Hashable, Sendable {
    /// What assistive technology and the person's settings make of time limits.
    public var timeLimits: TimeLimits
    /// The rung that the person likes to be asked first; it counts where it is on the policy's ladder.
    public var preferred: Rung?
    /// What earlier flows tell.
    public var pace: Pace

    /// Nobody in particular.
    public init(timeLimits: TimeLimits = .ofThePolicy, preferred: Rung? = nil, pace: Pace = Pace()) {
        self.timeLimits = timeLimits
        self.preferred = preferred
        self.pace = pace
    }
}

/// What becomes of the policy's time limits for people who need more time (WCAG 2.2, success criterion 2.2.1). A running prompt is
/// taken away only under the policy's own limits.
public enum TimeLimits: String, Hashable, Sendable, Codable, CaseIterable {
    case ofThePolicy
    /// Hint and retries have ten times as long, which is what the criterion asks for where a limit can be extended.
    case tenfold
    /// None.
    case lifted

    /// A limit for this person; nil where there is none.
    func applied(to limit: Duration) -> Duration? {
        switch self {
        case .ofThePolicy: limit
        case .tenfold: limit * 10
        case .lifted: nil
        }
    }
}
