/// What a flow knows about the person. It changes times and the order of rungs, and never what is demanded.
public struct Person: Hashable, Sendable {
    /// How time limits apply, from assistive technology and the person's settings.
    public var timeLimits: TimeLimits
    /// The rung that the person prefers to be asked first. It counts only where it is on the policy's ladder.
    public var preferred: Rung?
    /// How long the person usually takes, from earlier flows.
    public var pace: Pace

    /// Creates a person; by default one without preferences and history.
    public init(timeLimits: TimeLimits = .ofThePolicy, preferred: Rung? = nil, pace: Pace = Pace()) {
        self.timeLimits = timeLimits
        self.preferred = preferred
        self.pace = pace
    }
}
