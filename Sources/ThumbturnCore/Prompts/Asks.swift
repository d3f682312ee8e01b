/// The asks that are under way in a process, and the callers that wait for each of them.
///
/// Equal asks whose kind allows it share one outcome, until the person has answered. Every other ask starts at once: none
/// waits for another one's network or tap. Only prompts are waited for, in the `PromptLine`.
package struct Asks<Request: Hashable & Sendable>: Hashable, Sendable {
    /// One ask with the callers that wait for its outcome.
    package struct Ask: Hashable, Sendable {
        package let id: Int
        package let request: Request
        package let kind: AskKind
        package fileprivate(set) var callers: Set<Int>
        /// Whether the person has answered one of its prompts.
        package fileprivate(set) var isAnswered = false
        /// Whether the server may have what the person answered.
        package fileprivate(set) var isSent = false
        /// Whether it ever had several callers.
        package fileprivate(set) var isShared = false
        /// Whether it was stopped, and has not ended yet. It has no outcome.
        package fileprivate(set) var isStopping = false

        /// Whether an equal ask may still join.
        package var mayBeJoined: Bool { kind.mayBeJoined && !isAnswered && !isStopping }
    }

    /// Something that happened. Callers and asks have numbers that are never reused.
    package enum Event: Hashable, Sendable {
        /// A caller arrived with a request.
        case came(Int, Request, AskKind)
        /// A caller no longer waits.
        case left(Int)
        /// The person answered a prompt of the ask.
        case answered(ask: Int)
        /// What the person answered is on its way to the server.
        case sent(ask: Int)
        /// The ask is to be worth nothing: the app was locked, or the person was dismissed.
        case voided(ask: Int)
        /// The work of the ask has ended, and none of its prompts is on the screen.
        case ended(ask: Int)
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        case start(ask: Int)
        /// Make the success of the ask worthless, because no caller will hear of it. What it has kept by then counts for
        /// nothing.
        case void(ask: Int)
        /// End the work of the ask as soon as possible.
        case stop(ask: Int)
        /// Give a caller the outcome of its ask.
        case deliver(caller: Int)
        /// Tell a caller that it has no outcome.
        case cancel(caller: Int)
    }

    package private(set) var asks: [Ask] = []
    private var lastAsk = 0

    package init() {}

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .came(let caller, let request, let kind):
            if let index = asks.firstIndex(where: { $0.mayBeJoined && $0.kind == kind && $0.request == request }) {
                asks[index].callers.insert(caller)
                asks[index].isShared = true
                return []
            }
            lastAsk += 1
            asks.append(Ask(id: lastAsk, request: request, kind: kind, callers: [caller]))
            return [.start(ask: lastAsk)]

        case .left(let caller):
            guard let index = asks.firstIndex(where: { $0.callers.contains(caller) }) else { return [] }
            // The last caller stays until the work has ended, so that nothing outlives its call.
            guard asks[index].callers.count > 1 else { return stop(index) }
            asks[index].callers.remove(caller)
            return [.cancel(caller: caller)]

        case .answered(let ask):
            guard let index = index(of: ask) else { return [] }
            asks[index].isAnswered = true
            return []

        case .sent(let ask):
            guard let index = index(of: ask) else { return [] }
            asks[index].isSent = true
            return []

        case .voided(let ask):
            guard let index = index(of: ask), asks[index].kind.stopsWhenVoided(isSent: asks[index].isSent) else { return [] }
            return stop(index)

        case .ended(let ask):
            guard let index = index(of: ask) else { return [] }
            let ended = asks.remove(at: index)
            return ended.callers.sorted().map { ended.isStopping ? .cancel(caller: $0) : .deliver(caller: $0) }
        }
    }

    private func index(of ask: Int) -> Int? { asks.firstIndex { $0.id == ask } }

    private mutating func stop(_ index: Int) -> [Effect] {
        guard !asks[index].isStopping else { return [] }
        asks[index].isStopping = true
        return [.void(ask: asks[index].id), .stop(ask: asks[index].id)]
    }
}
