/// Who is asked now, and who waits: one request at a time in a process.
///
/// Equal requests that may be shared join, and have one outcome. Whatever cannot join waits, in the order of coming: **no request
/// supersedes another**. A question that is on the screen must not be exchanged under a person's finger, least of all for a payment;
/// and the wait is short, because whoever is asked can cancel. A request that nobody waits for any more is taken back.
package struct PromptLine<Request: Hashable & Sendable>: Hashable, Sendable {
    /// One request and everybody who waits for its outcome.
    package struct Turn: Hashable, Sendable {
        package let id: Int
        package let request: Request
        /// An unlock may be shared. A step-up, an approval and an enrolment never are: each has its own question.
        let isShared: Bool
        package fileprivate(set) var callers: Set<Int>
        /// It was taken back while it ran, and its prompt is not gone yet. Nobody joins it.
        package fileprivate(set) var isStopping = false
    }

    /// What happened. Callers and turns are numbers that are never used twice.
    package enum Event: Hashable, Sendable {
        case came(Int, Request, mayShare: Bool)
        /// A caller no longer waits.
        case left(Int)
        /// A turn's outcome is there, and its prompt is gone.
        case ended(turn: Int)
    }

    /// What to do.
    package enum Effect: Hashable, Sendable {
        case start(turn: Int)
        /// Nobody waits for it any more.
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
            // The last one who waits for a running turn stays with it until its prompt is gone.
            if index == 0, turns[0].callers.count == 1 {
                guard !turns[0].isStopping else { return [] }
                turns[0].isStopping = true
                return [.stop(turn: turns[0].id)]
            }
            turns[index].callers.remove(caller)
            if turns[index].callers.isEmpty { turns.remove(at: index) }
            return []

        case .ended(let turn):
            guard turns.first?.id == turn else { return [] }
            turns.removeFirst()
            return turns.first.map { [.start(turn: $0.id)] } ?? []
        }
    }
}
