/// The line for the screen: one flow at a time shows prompts, and nothing but prompts is waited for in it.
///
/// A flow takes the screen when it is about to show a prompt, and gives it up while it waits for anything else: a tap, the
/// network, the app's return. So the wait of the others is short. **No flow takes the screen from another**: a question must
/// not be exchanged under a person's finger, least of all for a payment.
package struct PromptLine: Hashable, Sendable {
    /// The number of a flow.
    package typealias Flow = Int

    package enum Event: Hashable, Sendable {
        /// A flow wants to show a prompt.
        ///
        /// - isBack: whether it had the screen before. The person was in the middle of its question, so it comes before
        ///   flows that never had the screen.
        case came(Flow, isBack: Bool)
        /// A flow no longer waits for the screen.
        case left(Flow)
        /// The flow that has the screen shows no prompt any more.
        case done(Flow)
    }

    package enum Effect: Hashable, Sendable {
        case give(Flow)
    }

    /// The flow that has the screen.
    package private(set) var holder: Flow?
    private var back: [Flow] = []
    private var new: [Flow] = []

    /// The flows that wait: those that are back first, then the others, each in the order of arrival.
    package var waiting: [Flow] { back + new }

    package init() {}

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .came(let flow, let isBack):
            // A flow is in the line once.
            guard holder != flow, !waiting.contains(flow) else { return [] }
            if isBack { back.append(flow) } else { new.append(flow) }
        case .left(let flow):
            back.removeAll { $0 == flow }
            new.removeAll { $0 == flow }
        case .done(let flow):
            guard holder == flow else { return [] }
            holder = nil
        }
        guard holder == nil, let next = waiting.first else { return [] }
        if back.isEmpty { new.removeFirst() } else { back.removeFirst() }
        holder = next
        return [.give(next)]
    }
}
