public import ThumbturnCore

/// One unlock as a story that is replayed: what the device can do, who is there, what happens when, and everything that the flow has
/// to say to it. Read from JSON, in the format that `docs/scenarios.md` describes.
///
///     let scenario = try Scenario(json: bytes)
///     for difference in scenario.run().differences { print(difference) }
public struct Scenario: Hashable, Sendable {
    /// What the story is called.
    public let name: String
    /// What it shows, in a sentence.
    public let shows: String
    /// The numbers of the known pains that it shows.
    public let pains: [Int]

    let policy: UnlockPolicy
    let person: Person
    /// The beginning and the events, in the order of their times.
    let moments: [Moment]
    let end: UnlockFlow.End

    /// An event, and everything that the flow has to do about it.
    struct Moment: Hashable, Sendable {
        var at: Duration
        var event: UnlockFlow.Event
        var effects: [UnlockFlow.Effect]
    }

    /// How many events there are after the beginning.
    public var eventCount: Int { moments.count - 1 }

    /// Replays the story.
    ///
    /// - without: the index of an event that is left out while its effects are still expected. A story in which this changes
    ///   nothing tells something that does not matter.
    public func run(without omitted: Int? = nil) -> Outcome {
        var flow = UnlockFlow(policy: policy, person: person)
        let steps = moments.enumerated().map { index, moment in
            let happened =
                index - 1 == omitted ? [] : flow.handle(moment.event, at: Instant(sinceOrigin: moment.at))
            return Outcome.Step(at: moment.at, event: moment.event, expected: moment.effects, happened: happened)
        }
        guard case .finished(let reached) = flow.state else { return Outcome(steps: steps, expectedEnd: end, end: nil) }
        return Outcome(steps: steps, expectedEnd: end, end: reached)
    }

    /// What happened, beside what was expected.
    public struct Outcome: Hashable, Sendable {
        /// The beginning and each event.
        public let steps: [Step]
        /// How the story has to end.
        public let expectedEnd: UnlockFlow.End
        /// How it ended; nil where it did not.
        public let end: UnlockFlow.End?

        /// One event with its effects.
        public struct Step: Hashable, Sendable {
            /// Since the beginning.
            public let at: Duration
            /// What happened to the flow.
            public let event: UnlockFlow.Event
            /// What the file says that the flow does about it, in order.
            public let expected: [UnlockFlow.Effect]
            /// What the flow did.
            public let happened: [UnlockFlow.Effect]
        }

        /// What differs, a sentence each; empty where everything happened as the scenario says.
        public var differences: [String] {
            let effects = steps.filter { $0.expected != $0.happened }.map { step in
                "at \(step.at.milliseconds) ms, \(step.event.spelled): expected \(JSON.list(step.expected.map(\.spelled))), "
                    + "and \(JSON.list(step.happened.map(\.spelled))) happened"
            }
            guard end != expectedEnd else { return effects }
            let reached = end.map { "\($0.spelled)" } ?? "not over"
            return effects + ["the end: expected \(expectedEnd.spelled), and it is \(reached)"]
        }
    }
}
