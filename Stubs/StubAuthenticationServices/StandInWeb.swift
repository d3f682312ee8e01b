public import Foundation
import Synchronization

/// The browser behind the sessions. Tests control it.
public final class StandInWeb: Sendable {
    /// What happens in the browser.
    public enum Act: Sendable {
        /// The provider sends the browser to an address, made of the page's; nil for none.
        case answer(@Sendable (URL) -> URL?)
        /// The session ends with an error.
        case fault(Int)
        /// `start()` answers false, and the completion handler is not called.
        case refuseToStart
        /// Nothing happens.
        case wait
    }

    private struct State {
        var acts: [Act] = []
        var pages: [URL] = []
        var ephemeral: [Bool] = []
        var cancels = 0
    }

    private let state = Mutex(State())

    @TaskLocal public static var current = StandInWeb()

    public init() {}

    public func next(_ acts: Act...) { state.withLock { $0.acts += acts } }

    /// The pages that were shown, and whether each was private.
    public var pages: [URL] { state.withLock { $0.pages } }
    public var ephemeral: [Bool] { state.withLock { $0.ephemeral } }
    public var cancels: Int { state.withLock { $0.cancels } }

    func next() -> Act { state.withLock { $0.acts.isEmpty ? .wait : $0.acts.removeFirst() } }

    func note(_ page: URL, isEphemeral: Bool) {
        state.withLock { state in
            state.pages.append(page)
            state.ephemeral.append(isEphemeral)
        }
    }

    func cancelled() { state.withLock { $0.cancels += 1 } }
}
