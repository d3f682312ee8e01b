import Synchronization
import ThumbturnCore

/// Allows one prompt at a time in the process: all authenticators and vaults of a platform share one coordinator.
///
/// The rules are in `Turns` for whole requests, and in `PromptWatch` for each prompt of the system.
final class PromptCoordinator: Sendable {
    private let state = Mutex(State())
    /// Serialises the prompts themselves. Requests take turns already; this is for code that prompts without a turn.
    private let screen = SerialGate()
    private let visibility = Broadcaster(false)
    private let dismissals = Broadcaster<String?>()

    private struct State {
        var line = Turns<UnlockRequest>()
        var voids = Voids()
        var lastCaller = 0
        /// The work of each turn.
        var work: [Int: @Sendable () -> Task<Void, Never>] = [:]
        var running: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
        var lastPrompt: Instant?
    }

    private typealias Outcome = Result<any Sendable, Failure>

    /// Whether a prompt of the system is up: now, and every change from here on.
    func promptVisibility() -> AsyncStream<Bool> { visibility.stream() }

    /// Does the work once its turn has come, the app is in front, and the last prompt has been gone for the platform's
    /// gap.
    ///
    /// - Parameter mayShare: whether an equal request that comes before the person has answered shares this work's outcome.
    ///   Never for a step-up.
    func inTurn<Value: Sendable>(
        for request: UnlockRequest, mayShare: Bool, on platform: DevicePlatform,
        _ work: @escaping @Sendable (RunningAsk) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let caller = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                handle(.came(caller, request, mayShare: mayShare)) { state in
                    state.waiting[caller] = continuation
                    guard let turn = state.line.turns.first(where: { $0.callers.contains(caller) }) else { return }
                    // A caller that joins a turn shares the work of the first caller.
                    guard turn.callers.count == 1 else { return }
                    let ask = RunningAsk(request: request, tick: state.voids.next(), prompts: self)
                    state.work[turn.id] = { self.begin(turn.id, ask, on: platform, work) }
                }
                // A caller whose task was cancelled before it waited leaves now.
                if Task.isCancelled { handle(.left(caller)) }
            }
        } onCancel: {
            handle(.left(caller))
        }
        // A cancelled caller hears of its cancellation, and of no late success.
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
        guard let value = try outcome.get() as? Value else {
            preconditionFailure("equal requests have outcomes of one type")
        }
        return value
    }

    /// Lets no later caller join the running request, because the person has answered it.
    func closeRunning(_ request: UnlockRequest) {
        state.withLock { state in
            guard let running = state.line.turns.first, running.request == request else { return }
            _ = state.line.handle(.closed(turn: running.id))
        }
    }

    /// Shows one prompt of the system, once it may be shown.
    func prompt(
        _ request: PromptRequest, on platform: DevicePlatform, hearing: @escaping @Sendable (PoorReading) -> Void
    ) async -> PromptAnswer {
        await screen.enter()
        defer { screen.leave() }
        let sensor = platform.sensor
        let watched = WatchedPrompt(on: platform, notBefore: earliest(on: platform)) {
            await sensor.prompt(request, hearing: hearing)
        }
        return await watched.answer { isUp in
            self.state.withLock { $0.lastPrompt = platform.clock.now }
            self.visibility.send(isUp)
        }
    }

    private func earliest(on platform: DevicePlatform) -> Instant {
        state.withLock { $0.lastPrompt }?.advanced(by: platform.promptGap) ?? platform.clock.now
    }

    // MARK: - Voids

    /// A tick of now: after every ask and void until now, and before every later one.
    func tick() -> Tick { state.withLock { $0.voids.next() } }

    /// Makes every ask of an account or a vault until now worthless. No later caller joins one of them.
    func void(_ asker: String) {
        state.withLock { state in
            state.voids.void(asker)
            for turn in state.line.turns where turn.request.asker == asker { _ = state.line.handle(.closed(turn: turn.id)) }
        }
        dismissals.send(asker)
    }

    /// Makes every ask until now worthless. No later caller joins one of them.
    func voidEverything() {
        state.withLock { state in
            state.voids.voidEverything()
            for turn in state.line.turns { _ = state.line.handle(.closed(turn: turn.id)) }
        }
        dismissals.send(nil)
    }

    /// Whether the success of an ask is still worth something.
    func isLive(_ ask: Tick, of asker: String) -> Bool { state.withLock { $0.voids.isLive(ask, of: asker) } }

    /// Whether an ask began before its account or vault was last dismissed.
    func wasDismissed(_ ask: Tick, of asker: String) -> Bool { state.withLock { $0.voids.wasDismissed(ask, of: asker) } }

    /// Whose asks were voided, from here on; nil stands for all.
    func voids() -> AsyncStream<String?> { dismissals.stream() }

    // MARK: - Turns

    private func begin<Value: Sendable>(
        _ turn: Int, _ ask: RunningAsk, on platform: DevicePlatform,
        _ work: @escaping @Sendable (RunningAsk) async throws(Failure) -> Value
    ) -> Task<Void, Never> {
        Task(executorPreference: platform.clock.executor) {
            let outcome: Outcome
            do throws(Failure) {
                try await WatchedPrompt.mayBeShown(on: platform, notBefore: self.earliest(on: platform))
                // An ask that was voided while it waited asks no person.
                try ask.check()
                outcome = .success(try await work(ask))
            } catch {
                outcome = .failure(error)
            }
            self.handle(.ended(turn: turn), outcome: outcome)
        }
    }

    /// - Parameters:
    ///   - outcome: the outcome for the callers that have no turn any more afterwards.
    ///   - note: stores what belongs to the event.
    private func handle(
        _ event: Turns<UnlockRequest>.Event,
        outcome: Outcome = .failure(Failure(.cancelledByApp)), _ note: (inout State) -> Void = { _ in }
    ) {
        let (stopped, released) = state.withLock { state in
            let effects = state.line.handle(event)
            note(&state)
            var stopped: Task<Void, Never>?
            for effect in effects {
                switch effect {
                // The task is made under the lock, so that it is known before it can be stopped.
                case .start(let turn): state.running = state.work[turn]?()
                case .stop: stopped = state.running
                }
            }
            let turns = state.line.turns
            state.work = state.work.filter { turn, _ in turns.contains { $0.id == turn } }
            let released = state.waiting.filter { caller, _ in !turns.contains { $0.callers.contains(caller) } }
            released.keys.forEach { state.waiting[$0] = nil }
            return (stopped, released.values)
        }
        stopped?.cancel()
        released.forEach { $0.resume(returning: outcome) }
    }
}

extension DevicePlatform {
    /// Shows a prompt of the system: one at a time, only while the app is in front, and with an answer within bounded
    /// time.
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PoorReading) -> Void) async -> PromptAnswer {
        await prompts.prompt(request, on: self, hearing: hearing)
    }
}
