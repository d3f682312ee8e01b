/// The queue of prompts in a process: one request is asked at a time.
///
/// Equal requests that may be shared join, and have one outcome. All others wait in the order of arrival: **no request
/// supersedes another**. A question on the screen must not be exchanged under a person's finger, least of all for a
/// payment; and the wait is short, because the person can cancel. A request without waiting callers is withdrawn.
package struct Turns<Request: Hashable & Sendable>: Hashable, Sendable {
    /// One request with the callers that wait for its outcome.
    package struct Turn: Hashable, Sendable {
        package let id: Int
        package let request: Request
        /// Whether equal requests may join. An unlock may be shared; a step-up, an approval and an enrolment each ask
        /// their own question. It ends when the person has answered, or was dismissed.
        fileprivate(set) var isShared: Bool
        package fileprivate(set) var callers: Set<Int>
        /// Whether the request was withdrawn while it ran and its prompt is not gone yet. No caller joins it.
        package fileprivate(set) var isStopping = false
    }

    /// Something that happened. Callers and turns have numbers that are never reused.
    package enum Event: Hashable, Sendable {
        /// A caller arrived with a request.
        case came(Int, Request, mayShare: Bool)
        /// A caller no longer waits.
        case left(Int)
        /// No later caller may join a turn: the person has answered, or what they answer is not to count for others.
        case closed(turn: Int)
        /// A turn has its outcome, and its prompt is gone.
        case ended(turn: Int)
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        case start(turn: Int)
        /// No caller waits for the turn any more.
        case stop(turn: Int)
    }

    /// The first one is running.
    package private(set) var turns: [Turn] = []
    private var lastTurn = 0

    package init() {}

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .came(let caller, let request, let mayShare):
            if mayShare, let index = turns.firstIndex(where: { $0.isShared && !$0.isStopping && $0.request == request }) {
                turns[index].callers.insert(caller)
                return []
            }
            lastTurn += 1
            turns.append(Turn(id: lastTurn, request: request, isShared: mayShare, callers: [caller]))
            return turns.count == 1 ? [.start(turn: lastTurn)] : []

        case .left(let caller):
            guard let index = turns.firstIndex(where: { $0.callers.contains(caller) }) else { return [] }
            // The last caller of a running turn stays with it until its prompt is gone.
            if index == 0, turns[0].callers.count == 1 {
                guard !turns[0].isStopping else { return [] }
                turns[0].isStopping = true
                return [.stop(turn: turns[0].id)]
            }
            turns[index].callers.remove(caller)
            if turns[index].callers.isEmpty { turns.remove(at: index) }
            return []

        case .closed(let turn):
            guard let index = turns.firstIndex(where: { $0.id == turn }) else { return [] }
            turns[index].isShared = false
            return []

        case .ended(let turn):
            guard turns.first?.id == turn else { return [] }
            turns.removeFirst()
            return turns.first.map { [.start(turn: $0.id)] } ?? []
        }
    }
}
