import Synchronization
import ThumbturnCore

/// A question to the person. What they choose beside its prompts reaches the calls that ask it, and no other call, even one with
/// the same words.
///
///     let question = Question()
///     let grant = try await question.asking { try await auth.authenticate("Unlock Acme", by: .screen) }
///
///     question.prompt()         // meanwhile: the person tapped the screen
///     question.useAnotherWay()  // or chose the button beside the prompt
///
/// `UnlockScreen` and `AppLockModel` have a question of their own for each ask.
public final class Question: Sendable {
    /// The question that the current task asks, and the tasks that it starts; nil if it has no name.
    @TaskLocal static var current: Question?

    private struct State {
        var asks: [ObjectIdentifier: PromptChoices] = [:]
        /// How many bodies ask this question; nil before the first one.
        var bodies: Int?
        /// What was chosen before the first call had begun.
        var early: [PromptChoice] = []
    }

    private let state = Mutex(State())

    /// Makes a question.
    public init() {}

    /// Runs calls that ask this question.
    ///
    /// - Parameter body: the calls, such as `Authenticator.authenticate`, `Authenticator.stepUp` or `Vault.unlocked`.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
    public func asking<Value, Problem: Error>(
        _ body: () async throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        state.withLock { $0.bodies = ($0.bodies ?? 0) + 1 }
        defer {
            state.withLock { state in
                state.bodies = (state.bodies ?? 1) - 1
                if state.bodies == 0 { state.early = [] }
            }
        }
        let result = await Self.$current.withValue(self) { () async -> Result<Value, Problem> in
            do throws(Problem) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Shows the prompt now, if a call waits for the person to ask for it. A choice that comes before the call counts; one that
    /// comes after it does nothing.
    public func prompt() { choose(.prompt) }

    /// Moves the call that is under way to its next rung, because the person chose another way, for example by the hint.
    public func useAnotherWay() { choose(.anotherWay) }

    private func choose(_ choice: PromptChoice) {
        state.withLock { state in
            if state.asks.isEmpty, state.bodies != 0 { state.early.append(choice) }
            for choices in state.asks.values { choices.send(choice) }
        }
    }

    /// Notes an ask that asks this question from now on.
    func begin(_ ask: RunningAsk) {
        state.withLock { state in
            state.asks[ObjectIdentifier(ask.choices)] = ask.choices
            for choice in state.early { ask.choices.send(choice) }
            state.early = []
        }
    }

    /// Notes that an ask has ended.
    func end(_ ask: RunningAsk) { state.withLock { $0.asks[ObjectIdentifier(ask.choices)] = nil } }
}
