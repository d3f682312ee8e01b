/// What a flow knows about the person. It changes times and the order of rungs, and never what is demanded.
package struct Person: Hashable, Sendable {
    /// How much more time than the policy's the person has, from assistive technology and the person's settings.
    package var extraTime: ExtraTime
    /// The rung that the person prefers to be asked first. It counts only where it is on the policy's ladder.
    package var preferred: Rung?
    /// How long the person usually takes, from earlier flows.
    package var pace: Pace

    /// Creates a person; by default one without preferences and history.
    package init(extraTime: ExtraTime = .none, preferred: Rung? = nil, pace: Pace = Pace()) {
        self.extraTime = extraTime
        self.preferred = preferred
        self.pace = pace
    }
}
