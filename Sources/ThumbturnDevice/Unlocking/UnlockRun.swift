import ThumbturnCore

/// One run of an `UnlockFlow`, owned by one task: events go into the flow, and its effects run as child tasks that come
/// back as events. So there is no lock and no re-entrancy.
///
/// The run takes the screen when the flow is about to show a prompt, and gives it up as soon as the flow waits for anything
/// else. An event that would show a prompt waits until then, so the flow's clocks begin when its prompt may be shown.
struct UnlockRun<Keys: RungKeys> {
    private typealias Heard = UnlockDriver<Keys>.Heard

    private let driver: UnlockDriver<Keys>
    private(set) var flow: UnlockFlow
    private let events: AsyncStream<Heard>
    private let mailbox: AsyncStream<Heard>.Continuation
    private var began: Instant
    /// Whether the flow's progress is written down.
    private let isFollowed: Bool
    /// Given up at the end by `untilEnd`, when no child task can take it any more.
    private let screen = TakenScreen()
    /// The events that wait for the screen; nil where the run does not wait for it.
    private var waiting: [UnlockFlow.Event]?
    /// Whether the app was in the back when its phase was last heard.
    private var isInBack = false

    /// How to dismiss each prompt, by its number.
    private var dismissals: [Int: Dismissal] = [:]
    /// What the answered prompts gave, as long as it has not been used.
    private var opened: [Int: UnlockDriver<Keys>.Opened] = [:]
    /// What the keys gave, by the names that the flow knows.
    private var outputs: [UnlockFlow.Output: Keys.Output] = [:]

    /// The phase that was noted last.
    private var phase: UnlockFlow.Phase
    /// One writer, so that the phase that is written last is the one that came last.
    private let phases: AsyncStream<TelemetryRecord>
    private let notedPhases: AsyncStream<TelemetryRecord>.Continuation
    /// By what the run's events are counted.
    private var context: TelemetryContext
    /// The run's events so far.
    private var draft = ReportDraft()

    init(_ driver: UnlockDriver<Keys>, for person: Person, isFollowed: Bool, countedBy context: TelemetryContext) {
        self.driver = driver
        self.context = context
        self.isFollowed = isFollowed
        flow = UnlockFlow(policy: driver.policy, person: person)
        began = driver.platform.clock.now
        phase = flow.phase
        (events, mailbox) = AsyncStream.makeStream()
        (phases, notedPhases) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs the flow to its end, or until the task is cancelled.
    mutating func untilEnd(by start: UnlockFlow.Start) async -> UnlockEnd<Keys.Output> {
        let readiness = await driver.readiness()
        context.sensor = readiness.sensor
        mailbox.yield(.event(.began(readiness, by: start)))
        began = driver.platform.clock.now
        defer { screen.giveUp() }
        return await withTaskGroup(of: Void.self) { group in
            defer {
                notedPhases.finish()
                group.cancelAll()
            }
            listen(in: &group)
            for await heard in events {
                for event in events(for: heard, in: &group) {
                    var next = flow
                    let effects = next.handle(event, at: driver.platform.clock.now)
                    if await waitsForScreen(event, effects, in: &group) { continue }
                    flow = next
                    notePhase()
                    for effect in effects {
                        if let end = perform(effect, in: &group) { return end }
                    }
                }
                if !needsScreen { screen.giveUp() }
            }
            // The stream ends early only when the task was cancelled: the app stopped the flow.
            return stop()
        }
    }

    /// Listens to the person's choices and to the app's phases.
    private func listen(in group: inout TaskGroup<Void>) {
        group.addTask { [driver, phases] in for await record in phases { await driver.history.note(record) } }
        group.addTask { [driver, mailbox] in
            for await choice in driver.ask.choices.stream() { mailbox.yield(.event(choice == .prompt ? .tapped : .hintChosen)) }
        }
        group.addTask { [driver, mailbox] in
            for await phase in driver.platform.phases.phases() { mailbox.yield(.phase(phase)) }
        }
        group.addTask { [driver, mailbox] in
            for await _ in driver.platform.extraTimeChanges() { mailbox.yield(.extraTime(await driver.platform.extraTime())) }
        }
    }

    /// Writes down how far the flow has come, in case the app is killed before its end.
    private mutating func notePhase() {
        guard flow.phase != phase else { return }
        phase = flow.phase
        guard isFollowed, phase != .ended, phase != .signing else { return }
        notedPhases.yield(record(.abandoned(phase, after: began.duration(to: driver.platform.clock.now))))
    }
}

// MARK: - Events

extension UnlockRun {
    /// The flow's events for what was reported.
    private mutating func events(for heard: Heard, in group: inout TaskGroup<Void>) -> [UnlockFlow.Event] {
        switch heard {
        case .event(let event): return [event]
        case .phase(let phase): return events(for: phase, in: &group)
        case .extraTime(let extraTime):
            for case .wake(let time) in flow.allow(extraTime) { wake(at: time, in: &group) }
            return []
        case .opened(let opened, let prompt):
            // The flow may still wait for its keys to move on from a prompt that is dismissed: a match in it opens nothing.
            guard dismissals[prompt]?.isDismissed != true else { return [] }
            self.opened[prompt] = opened
            return [.answered(opened.answer, prompt: prompt)]
        case .unlocked(let output, let prompt):
            let name = UnlockFlow.Output("prompt \(prompt)")
            outputs[name] = output
            return [.signed(name, prompt: prompt)]
        case .gotScreen(let readiness): return waited(knowing: readiness)
        }
    }

    private mutating func events(for phase: AppPhase, in group: inout TaskGroup<Void>) -> [UnlockFlow.Event] {
        isInBack = phase == .back
        switch phase {
        case .back: return [.wentBack]
        case .inactive: return []
        case .front:
            guard flow.isAway else { return [] }
            // Much may have changed while the app was away: look again, then go on.
            group.addTask { [driver, mailbox] in
                mailbox.yield(.event(.changed(await driver.readiness())))
                mailbox.yield(.event(.cameFront))
            }
            return []
        }
    }
}

// MARK: - The screen

extension UnlockRun {
    /// Waits for the screen with an event that would show a prompt, where the run does not have the screen or its keys
    /// have to be renewed first. An event that is moot by then does nothing.
    ///
    /// - Parameter effects: what the event would do now.
    /// - Returns: whether the event waits. If so, the flow is to stay as it was.
    private mutating func waitsForScreen(
        _ event: UnlockFlow.Event, _ effects: [UnlockFlow.Effect], in group: inout TaskGroup<Void>
    ) async -> Bool {
        guard shows(effects) || isRefused(event, effects) else { return false }
        let isFresh = await driver.keys.isFresh()
        if screen.isTaken, isFresh { return false }
        // The person has moved on from this prompt, and does not wait for the network with it.
        for case .dismiss(let prompt) in effects { dismissals[prompt.id]?.dismiss() }
        guard waiting == nil else {
            waiting?.append(event)
            return true
        }
        waiting = [event]
        screen.giveUp()
        group.addTask { [driver, screen, mailbox] in
            let since = driver.platform.clock.now
            do throws(Failure) {
                repeat {
                    screen.giveUp()
                    // The network first, so that no other flow waits for it.
                    try await driver.keys.refresh()
                    screen.take(try await driver.ask.screen(on: driver.platform))
                } while await !driver.keys.isFresh()
            } catch {
                mailbox.yield(.event(.stopped(error)))
                return
            }
            // Much may have changed meanwhile, by another flow's attempts too.
            let hasWaited = since.duration(to: driver.platform.clock.now) > .seconds(1)
            mailbox.yield(.gotScreen(hasWaited ? await driver.readiness() : nil))
        }
        return true
    }

    private func shows(_ effects: [UnlockFlow.Effect]) -> Bool {
        effects.contains { if case .show = $0 { true } else { false } }
    }

    /// Whether the flow would end at its beginning while another flow's prompt is up. What stands in the way may be that
    /// prompt's attempt, which counts as a mismatch until it is settled.
    private func isRefused(_ event: UnlockFlow.Event, _ effects: [UnlockFlow.Effect]) -> Bool {
        guard case .began = event, driver.ask.prompts.isScreenTaken, !screen.isTaken else { return false }
        return effects.contains { if case .finish = $0 { true } else { false } }
    }

    /// The events that have waited for the screen.
    private mutating func waited(knowing readiness: Readiness?) -> [UnlockFlow.Event] {
        var events = waiting ?? []
        waiting = nil
        // A flow that begins only now has not heard that the app went to the back since it has the screen.
        if isInBack { events.append(.wentBack) }
        guard let readiness else { return events }
        return [.changed(readiness)]
            + events.map { event in
                if case .began(_, let start) = event { .began(readiness, by: start) } else { event }
            }
    }

    /// Whether the flow has a prompt on the screen, or will have one at once.
    private var needsScreen: Bool {
        if waiting != nil { return true }
        return switch flow.state {
        case .prompting: true
        case .signing(let prompt, _, _): prompt.rung != .fullCredentials && !driver.keys.asksTheServer(prompt.rung)
        case .idle, .waiting, .awayBeforePrompt, .away, .interrupted, .finished: false
        }
    }
}

// MARK: - Effects

extension UnlockRun {
    /// Carries out one effect.
    ///
    /// - Returns: the end of the run, where the effect was the last one.
    private mutating func perform(_ effect: UnlockFlow.Effect, in group: inout TaskGroup<Void>) -> UnlockEnd<Keys.Output>? {
        switch effect {
        case .show(let prompt): show(prompt, in: &group)
        case .dismiss(let prompt): dismissals[prompt.id]?.dismiss()
        case .sign(let prompt): sign(prompt, in: &group)
        case .wake(let time): wake(at: time, in: &group)
        case .showHint(let rung): driver.observe(.hint(rung))
        case .offerSetUp(let failure): driver.observe(.offerSetUp(failure))
        case .move(let from, let to, let trigger): move(from: from, to: to, because: trigger)
        case .emit(let telemetry): emit(telemetry)
        case .finish(let end): return finish(end)
        }
        return nil
    }

    private mutating func show(_ prompt: UnlockFlow.Prompt, in group: inout TaskGroup<Void>) {
        let (earlier, dismissal) = (dismissals[prompt.id - 1], Dismissal())
        dismissals[prompt.id] = dismissal
        let hold = screen.keptByPrompt()
        group.addTask { [driver, mailbox] in
            // Two prompts are never up at once: the earlier one has to be gone.
            await earlier?.untilPromptIsGone()
            await driver.show(prompt, until: dismissal, reportingTo: mailbox)
            dismissal.promptIsGone()
            hold.release()
        }
    }

    private mutating func sign(_ prompt: UnlockFlow.Prompt, in group: inout TaskGroup<Void>) {
        guard let opened = opened.removeValue(forKey: prompt.id) else {
            preconditionFailure("a key is used only after its prompt was answered")
        }
        group.addTask { [driver, mailbox] in await driver.sign(prompt, with: opened, reportingTo: mailbox) }
    }

    private func wake(at time: Instant, in group: inout TaskGroup<Void>) {
        group.addTask { [driver, mailbox] in
            guard (try? await driver.platform.clock.sleep(until: time)) != nil else { return }
            mailbox.yield(.event(.woke))
        }
    }

    private mutating func move(from: Rung, to: Rung, because trigger: Trigger) {
        // What a rung's key gave is void once the ladder leaves that rung.
        outputs = [:]
        driver.observe(.moved(from: from, to: to, because: trigger, over: driver.policy.transition))
    }

    private func record(_ event: Telemetry) -> TelemetryRecord {
        TelemetryRecord(event, at: driver.platform.clock.civilTime, in: context)
    }

    private mutating func emit(_ telemetry: Telemetry) {
        if case .readPoorly(let reading) = telemetry { driver.observe(.readPoorly(reading)) }
        let record = record(telemetry)
        draft.add(record)
        driver.observe(.telemetry(record))
    }

    /// The events of the run, once it has ended; nil where none happened.
    var report: UnlockReport? { draft.report(in: context) }

    private func finish(_ end: UnlockFlow.End) -> UnlockEnd<Keys.Output> {
        switch end {
        case .failed(let failure): return .failed(failure)
        case .granted(let rung, let first, let additional):
            return .granted(rung, output(first), additional: additional.map(output))
        }
    }

    private func output(_ name: UnlockFlow.Output) -> Keys.Output {
        guard let output = outputs[name] else { preconditionFailure("a flow grants only by outputs that it was told of") }
        return output
    }

    /// Ends the flow because the task was cancelled.
    private mutating func stop() -> UnlockEnd<Keys.Output> {
        let failure = Failure(.cancelledByApp)
        for case .emit(let telemetry) in flow.handle(.stopped(failure), at: driver.platform.clock.now) {
            emit(telemetry)
        }
        return .failed(failure)
    }
}
