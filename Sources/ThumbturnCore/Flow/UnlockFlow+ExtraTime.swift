extension UnlockFlow {
    /// Gives the person other times from now on, because assistive technology was switched on or off. A prompt that is up
    /// keeps its begin.
    package mutating func allow(_ extraTime: ExtraTime) -> [Effect] {
        guard person.extraTime != extraTime else { return [] }
        person.extraTime = extraTime
        guard case .prompting(_, let attempt, _) = state, let next = attempt.sensor?.deadline(policy, person) else { return [] }
        return [.wake(at: next)]
    }
}
