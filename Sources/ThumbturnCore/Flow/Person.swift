/// What a flow knows about the person. It changes times and the order of rungs, and never what is demanded.
package struct Person: Hashable, Sendable {
    /// How time limits apply, from assistive technology and the person's settings.
    package var timeLimits: TimeLimits
    /// The rung that the person prefers to be asked first. It counts only where it is on the policy's ladder.
    package var preferred: Rung?
    /// How long the person usually takes, from earlier flows.
    package var pace: Pace

    /// Creates a person; by default one without preferences and history.
    package init(timeLimits: TimeLimits = .ofThePolicy, preferred: Rung? = nil, pace: Pace = Pace()) {
        self.timeLimits = timeLimits
        self.preferred = preferred
        self.pace = pace
    }
}
