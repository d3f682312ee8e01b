package import ThumbturnCore

/// One unlock that is replayed: what the device can do, what is known of the person, the events with their times, and
/// every effect that the flow must have. Read from JSON, in the format that `docs/scenarios.md` describes.
///
///     let scenario = try Scenario(json: bytes)
///     for difference in scenario.run().differences { print(difference) }
public struct Scenario: Hashable, Sendable {
    /// The scenario's name.
    public let name: String
    /// The behaviour that it shows, in a sentence.
    public let shows: String
    /// The numbers of the known pains that it covers.
    public let pains: [Int]

    package let policy: UnlockPolicy
    package let person: Person
    /// The beginning and the events, in the order of their times.
    package let moments: [Moment]
    package let end: UnlockFlow.End

    /// An event, and all effects that it must have.
    package struct Moment: Hashable, Sendable {
        package var at: Duration
        package var event: UnlockFlow.Event
        package var effects: [UnlockFlow.Effect]
    }

    /// The scenario with each of its moments changed, in their order, and then the end.
    package func changing(_ change: (inout Moment) -> Void, end: () -> UnlockFlow.End?) -> Scenario {
        var moments = moments
        for index in moments.indices { change(&moments[index]) }
        return Scenario(
            name: name, shows: shows, pains: pains, policy: policy, person: person, moments: moments, end: end() ?? self.end)
    }

    /// The number of events after the beginning.
    public var eventCount: Int { moments.count - 1 }

    /// Replays the scenario.
    ///
    /// - Parameter omitted: the index of an event that is left out while its effects are still expected. Where this
    /// changes nothing, the
    ///   event does not matter.
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

    /// The effects that occurred, beside the expected ones.
    public struct Outcome: Hashable, Sendable {
        /// The beginning and each event.
        public let steps: [Step]
        /// The end that is expected.
        package let expectedEnd: UnlockFlow.End
        /// The end that was reached; nil where none was.
        package let end: UnlockFlow.End?

        /// One event with its effects.
        public struct Step: Hashable, Sendable {
            /// The time since the beginning.
            public let at: Duration
            /// The event that was sent.
            package let event: UnlockFlow.Event
            /// The effects that the file expects, in order.
            package let expected: [UnlockFlow.Effect]
            /// The effects that the flow had.
            package let happened: [UnlockFlow.Effect]
        }

        /// The differences, a sentence each; empty where everything happened as expected.
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
