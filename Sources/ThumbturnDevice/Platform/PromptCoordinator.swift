import Synchronization
import ThumbturnCore

/// The asks and the prompts of a process: all authenticators and vaults of a platform share one coordinator.
///
/// An ask begins at once, and waits in the line for the screen only when it is about to show a prompt. The rules are in
/// `Asks` for who shares what, in `PromptLine` for the screen, in `Voids` for what ends the worth of an ask, and in
/// `PromptWatch` for each prompt of the system.
final class PromptCoordinator: Sendable {
    private let state = Mutex(State())
    private let visibility = Broadcaster(false)
    private let dismissals = Broadcaster<String?>()

    private struct State {
        var asks = Asks<UnlockRequest>()
        var line = PromptLine()
        var voids = Voids()
        /// The asks whose success has approved a sheet.
        var spent = Set<Tick>()
        var lastCaller = 0
        var lastFlow = 0
        /// The asks that are under way, by their numbers.
        var running: [Int: (ask: RunningAsk, work: Task<Void, Never>)] = [:]
        /// The callers that wait for an outcome.
        var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
        /// The flows that wait for the screen. They hear whether they have it.
        var flows: [PromptLine.Flow: CheckedContinuation<Bool, Never>] = [:]
        var isPromptUp = false
        /// The locks that keep the app closed now.
        var closedLocks = Set<ObjectIdentifier>()
        /// When a prompt last came or went.
        var lastPrompt: Moment?
        /// When something was last made worthless; nil before the first ask of the process, when there was nothing.
        var lastVoid: Moment?
    }

    /// The clock of the place.
    private let clock: any DeviceClock

    init(clock: any DeviceClock = SystemClock()) { self.clock = clock }

    private typealias Outcome = Result<any Sendable, Failure>

    /// Whether a prompt of the system is up now.
    var isPromptUp: Bool { state.withLock { $0.isPromptUp } }

    /// Whether a prompt of the system is up: now, and every change from here on.
    func promptVisibility() -> AsyncStream<Bool> { visibility.stream() }

    /// Whether a lock keeps the app closed now.
    var isBehindLock: Bool { state.withLock { !$0.closedLocks.isEmpty } }

    /// Notes whether a lock that follows the app keeps it closed.
    func note(_ lock: ObjectIdentifier, isClosed: Bool) {
        state.withLock { state in
            if isClosed { state.closedLocks.insert(lock) } else { state.closedLocks.remove(lock) }
        }
    }

    // MARK: - Asks

    /// Does the work of an ask, or joins an equal one that the person has not answered yet. Begins once the app is in
    /// front: what is fetched earlier would be old by then.
    ///
    /// - Parameters:
    ///   - start: a caller that joins by a tap ends the waiting of that ask.
    ///   - observe: hears when the work begins and ends; nil for a part of a ceremony that is told as a whole.
    func ask<Value: Sendable>(
        _ request: UnlockRequest, by start: UnlockFlow.Start = .tap, on platform: DevicePlatform,
        telling observe: (@Sendable (UnlockNews) -> Void)?,
        _ work: @escaping @Sendable (RunningAsk) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let caller = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        let question = Question.current
        var asked: RunningAsk?
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (ask, isJoined) = state.withLock { state in
                    state.waiting[caller] = continuation
                    return arrive(caller, with: request, on: platform, telling: observe, work, &state)
                }
                asked = ask
                if let ask { question?.begin(ask) }
                if isJoined, start == .tap { ask?.choices.send(.prompt) }
                // A caller whose task was cancelled before it waited leaves now.
                if Task.isCancelled { handle(.left(caller)) }
            }
        } onCancel: {
            handle(.left(caller))
        }
        if let asked { question?.end(asked) }
        // A caller that was cancelled has left, unless its outcome came first: then the success is its own.
        guard let value = try outcome.get() as? Value else {
            preconditionFailure("equal requests have outcomes of one type")
        }
        return value
    }

    /// - Returns: the ask that the caller has joined or begun; nil where the joined one has just ended.
    private func arrive<Value: Sendable>(
        _ caller: Int, with request: UnlockRequest, on platform: DevicePlatform,
        telling observe: (@Sendable (UnlockNews) -> Void)?,
        _ work: @escaping @Sendable (RunningAsk) async throws(Failure) -> Value, _ state: inout State
    ) -> (RunningAsk?, isJoined: Bool) {
        let effects = state.asks.handle(.came(caller, request, request.kind))
        guard case .start(let id) = effects.first else {
            guard let joined = state.asks.asks.first(where: { $0.callers.contains(caller) }) else {
                preconditionFailure("a caller joins an ask or begins one")
            }
            return (state.running[joined.id]?.ask, true)
        }
        let ask = RunningAsk(id: id, request: request, tick: state.voids.next(), prompts: self)
        // The task is made under the lock, so that it is known before it can be stopped.
        state.running[id] = (
            ask,
            Task(executorPreference: platform.clock.executor) {
                let outcome: Outcome
                do throws(Failure) {
                    try await WatchedPrompt.mayBeShown(on: platform, notBefore: platform.clock.now)
                    // An ask that was voided while it waited asks no person.
                    try ask.check()
                    outcome = .success(
                        try await request.kind.told(to: observe) { () async throws(Failure) in try await work(ask) })
                } catch {
                    outcome = .failure(error)
                }
                self.handle(.ended(ask: id), outcome: outcome)
            }
        )
        return (ask, false)
    }

    /// - Parameter outcome: the outcome of an ask that has ended.
    private func handle(_ event: Asks<UnlockRequest>.Event, outcome: Outcome = .failure(Failure(.cancelledByApp))) {
        let rest = state.withLock { perform($0.asks.handle(event), outcome: outcome, &$0) }
        rest()
    }

    /// - Returns: what is left to do without the lock.
    private func perform(
        _ effects: [Asks<UnlockRequest>.Effect], outcome: Outcome, _ state: inout State
    ) -> @Sendable () -> Void {
        var stopped: [Task<Void, Never>] = []
        var released: [(CheckedContinuation<Outcome, Never>, Outcome)] = []
        for effect in effects {
            switch effect {
            case .start: preconditionFailure("only an arrival starts an ask")
            case .void(let id): if let ask = state.running[id]?.ask { state.voids.void(ask.tick) }
            case .stop(let id): if let work = state.running[id]?.work { stopped.append(work) }
            case .deliver(let caller):
                if let waiting = state.waiting.removeValue(forKey: caller) { released.append((waiting, outcome)) }
            case .cancel(let caller):
                if let waiting = state.waiting.removeValue(forKey: caller) {
                    released.append((waiting, .failure(Failure(.cancelledByApp))))
                }
            }
        }
        let asks = state.asks.asks
        state.running = state.running.filter { id, _ in asks.contains { $0.id == id } }
        return { [stopped, released] in
            stopped.forEach { $0.cancel() }
            released.forEach { $0.resume(returning: $1) }
        }
    }

    /// Notes that the person has answered a prompt of an ask.
    func noteAnswer(to ask: Int) { handle(.answered(ask: ask)) }

    /// Notes that the server may have what the person has answered.
    func noteSending(of ask: Int) { handle(.sent(ask: ask)) }

    /// Whether an ask had several callers. Once it is answered no other one joins it.
    func isShared(_ ask: Int) -> Bool { state.withLock { $0.asks.asks.first { $0.id == ask }?.isShared ?? false } }

    /// Whether no earlier ask of the same account or vault is under way.
    func isFirst(_ ask: RunningAsk) -> Bool {
        state.withLock { $0.asks.asks.first { $0.request.asker == ask.request.asker }?.id == ask.id }
    }

    // MARK: - The screen

    /// Waits until no other flow has the screen, the app is in front, and the last prompt has been gone for the platform's
    /// gap. The caller gives the screen up as soon as it shows no prompt.
    ///
    /// - Parameter isBack: whether the flow had the screen before, and comes before those that had not.
    func screen(isBack: Bool, on platform: DevicePlatform) async throws(Failure) -> ScreenHold {
        let flow = state.withLock { state in
            state.lastFlow += 1
            return state.lastFlow
        }
        let hasScreen = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                move(.came(flow, isBack: isBack)) { $0.flows[flow] = continuation }
                if Task.isCancelled { move(.left(flow)) }
            }
        } onCancel: {
            move(.left(flow))
        }
        guard hasScreen else { throw Failure(.cancelledByApp) }
        let hold = ScreenHold { self.move(.done(flow)) }
        do throws(Failure) {
            try await WatchedPrompt.mayBeShown(on: platform, notBefore: earliest(on: platform))
        } catch {
            hold.release()
            throw error
        }
        return hold
    }

    /// Whether a flow has the screen.
    var isScreenTaken: Bool { state.withLock { $0.line.holder != nil } }

    /// - Parameter note: stores what belongs to the event.
    private func move(_ event: PromptLine.Event, _ note: (inout State) -> Void = { _ in }) {
        let told = state.withLock { state in
            note(&state)
            var told: [(CheckedContinuation<Bool, Never>, Bool)] = []
            for case .give(let flow) in state.line.handle(event) {
                if let waiting = state.flows.removeValue(forKey: flow) { told.append((waiting, true)) }
            }
            // A flow that was given the screen before it could leave has it, and gives it up itself.
            if case .left(let flow) = event, let waiting = state.flows.removeValue(forKey: flow) { told.append((waiting, false)) }
            return told
        }
        told.forEach { $0.resume(returning: $1) }
    }

    /// Shows one prompt of the system, once it may be shown. The caller has the screen.
    ///
    /// - Parameters:
    ///   - request: the contents of the prompt.
    ///   - platform: the platform whose sensor is asked.
    ///   - requested: called when the sensor is asked, where it does not tell that the prompt appears.
    ///   - hearing: called with what the sensor tells.
    func prompt(
        _ request: PromptRequest, on platform: DevicePlatform, requested: @escaping @Sendable () -> Void = {},
        hearing: @escaping @Sendable (PromptNews) -> Void
    ) async -> PromptAnswer {
        let sensor = platform.sensor
        return await watched(on: platform) {
            if !sensor.tellsAppearance { requested() }
            return await sensor.prompt(request, hearing: hearing)
        }
    }

    /// Has the person end the system's lockout of the sensor. The caller has the screen.
    func liftLockout(_ reason: String, on platform: DevicePlatform) async -> PromptAnswer {
        let sensor = platform.sensor
        return await watched(on: platform) { await sensor.liftLockout(reason) }
    }

    private func watched(
        on platform: DevicePlatform, _ show: @escaping @Sendable () async -> PromptAnswer
    ) async -> PromptAnswer {
        let watched = WatchedPrompt(on: platform, notBefore: earliest(on: platform), show: show)
        return await watched.answer { isUp in
            self.state.withLock {
                $0.lastPrompt = platform.moment
                $0.isPromptUp = isUp
            }
            self.visibility.send(isUp)
        }
    }

    private func earliest(on platform: DevicePlatform) -> Instant {
        // A prompt of an earlier boot is gone, and its instant says nothing about this one's.
        let now = platform.moment
        guard let gone = state.withLock({ $0.lastPrompt })?.elapsed(until: now) else { return now.sinceBoot }
        return now.sinceBoot.advanced(by: platform.promptGap - gone)
    }

    // MARK: - Voids

    /// A tick of now: after every ask and void until now, and before every later one.
    func tick() -> Tick { state.withLock { $0.voids.next() } }

    /// Makes every ask of an account or a vault until now worthless, and stops those that are under way.
    ///
    /// - Parameter spared: an ask of its own that goes on, and counts as one of after the void.
    func void(_ asker: String, sparing spared: RunningAsk? = nil) {
        void { voids in
            voids.void(asker)
            if let spared { spared.restart(at: voids.next()) }
        }
        dismissals.send(asker)
    }

    /// Makes every ask worthless that began before a tick, or until now, and stops those that are under way.
    func voidEverything(before tick: Tick? = nil) {
        void { $0.voidEverything(before: tick) }
        dismissals.send(nil)
    }

    /// Makes every ask worthless, as `void` does for one account or vault.
    func dismissEveryone() {
        void { $0.dismissEveryone() }
        dismissals.send(nil)
    }

    private func void(_ count: (inout Voids) -> Void) {
        let rest = state.withLock { state in
            count(&state.voids)
            if state.lastCaller > 0 { state.lastVoid = moment }
            let worthless = state.running.filter { !state.voids.isLive($1.ask.tick, of: $1.ask.request.asker) }
            let effects = worthless.keys.sorted().flatMap { state.asks.handle(.voided(ask: $0)) }
            return perform(effects, outcome: .failure(Failure(.cancelledByApp)), &state)
        }
        rest()
    }

    /// How long ago the device may have been unlocked to stand in for a prompt now: after the last lock, absence or dismissal.
    /// Nil if there was none since the first ask of the process; a lock that begins with the app has made nothing worthless.
    var deviceUnlockMaximumAge: Duration? {
        state.withLock { $0.lastVoid }.map { $0.elapsed(until: moment) ?? .zero }
    }

    private var moment: Moment { Moment(boot: clock.boot, sinceBoot: clock.now) }

    /// Whether the success of an ask is still worth something.
    func isLive(_ ask: Tick, of asker: String) -> Bool { state.withLock { $0.voids.isLive(ask, of: asker) } }

    /// When an account or a vault was last dismissed; nil where it was not.
    func dismissal(of asker: String) -> Tick? { state.withLock { $0.voids.dismissal(of: asker) } }

    /// Spends the success of an ask on one sheet; false where another sheet had it.
    func spend(_ ask: Tick) -> Bool { state.withLock { $0.spent.insert(ask).inserted } }

    /// Whether an ask began before its account or vault was last dismissed.
    func wasDismissed(_ ask: Tick, of asker: String) -> Bool { state.withLock { $0.voids.wasDismissed(ask, of: asker) } }

    /// Whose asks were voided, from here on; nil stands for all.
    func voids() -> AsyncStream<String?> { dismissals.stream() }
}
