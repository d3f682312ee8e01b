import ThumbturnCore

/// One run of an `UnlockFlow`, owned by one task: events go into the flow, and its effects run as child tasks that come
/// back as events. So there is no lock and no re-entrancy.
struct UnlockRun<Keys: RungKeys> {
    private typealias Heard = UnlockDriver<Keys>.Heard
    private typealias Progress = UnlockHistory.Progress

    private let driver: UnlockDriver<Keys>
    private(set) var flow: UnlockFlow
    private let events: AsyncStream<Heard>
    private let mailbox: AsyncStream<Heard>.Continuation
    private var began: Instant

    /// How to dismiss each prompt, by its number.
    private var dismissals: [Int: Dismissal] = [:]
    /// The answered prompts whose keys have not been used yet.
    private var permits: [Int: (permit: Permit, use: Keys.Use)] = [:]
    /// What the keys gave, by the names that the flow knows.
    private var outputs: [UnlockFlow.Output: Keys.Output] = [:]

    /// The phase that was noted last.
    private var phase: UnlockFlow.Phase
    /// One writer, so that the phase that is written last is the one that came last.
    private let phases: AsyncStream<Progress>
    private let notedPhases: AsyncStream<Progress>.Continuation

    init(_ driver: UnlockDriver<Keys>, for person: Person) {
        self.driver = driver
        flow = UnlockFlow(policy: driver.request.policy, person: person)
        began = driver.platform.clock.now
        phase = flow.phase
        (events, mailbox) = AsyncStream.makeStream()
        (phases, notedPhases) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs the flow to its end, or until the task is cancelled.
    mutating func untilEnd(by start: UnlockFlow.Start) async -> UnlockEnd<Keys.Output> {
        mailbox.yield(.event(.began(await driver.readiness(), by: start)))
        began = driver.platform.clock.now
        return await withTaskGroup(of: Void.self) { group in
            defer {
                notedPhases.finish()
                group.cancelAll()
            }
            listen(in: &group)
            for await heard in events {
                guard let event = event(for: heard, in: &group) else { continue }
                let effects = flow.handle(event, at: driver.platform.clock.now)
                notePhase()
                for effect in effects {
                    if let end = perform(effect, in: &group) { return end }
                }
            }
            // The stream ends early only when the task was cancelled: the app stopped the flow.
            return stop()
        }
    }

    /// Listens to the person's choices and to the app's phases.
    private func listen(in group: inout TaskGroup<Void>) {
        group.addTask { [driver, phases] in for await progress in phases { await driver.history.note(progress) } }
        group.addTask { [driver, mailbox] in
            for await choice in driver.choices { mailbox.yield(.event(choice == .prompt ? .tapped : .hintChosen)) }
        }
        group.addTask { [driver, mailbox] in
            for await phase in driver.platform.phases.phases() { mailbox.yield(.phase(phase)) }
        }
    }

    /// Writes down how far the flow has come, in case the app is killed before its end.
    private mutating func notePhase() {
        guard flow.phase != phase else { return }
        phase = flow.phase
        guard phase != .ended, phase != .signing else { return }
        notedPhases.yield(Progress(phase: phase, after: began.duration(to: driver.platform.clock.now)))
    }
}

// MARK: - Events

extension UnlockRun {
    /// The flow's event for what was reported; nil where there is none yet.
    private mutating func event(for heard: Heard, in group: inout TaskGroup<Void>) -> UnlockFlow.Event? {
        switch heard {
        case .event(let event): return event
        case .phase(let phase): return event(for: phase, in: &group)
        case .opened(let permit, let use, let prompt):
            permits[prompt] = (permit, use)
            return .answered(permit.answer, prompt: prompt)
        case .unlocked(let output, let prompt):
            let name = UnlockFlow.Output("prompt \(prompt)")
            outputs[name] = output
            return .signed(name, prompt: prompt)
        }
    }

    private func event(for phase: AppPhase, in group: inout TaskGroup<Void>) -> UnlockFlow.Event? {
        switch phase {
        case .back: return .wentBack
        case .inactive: return nil
        case .front:
            guard flow.isAway else { return nil }
            // Much may have changed while the app was away: look again, then go on.
            group.addTask { [driver, mailbox] in
                mailbox.yield(.event(.changed(await driver.readiness())))
                mailbox.yield(.event(.cameFront))
            }
            return nil
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
        group.addTask { [driver, mailbox] in
            // Two prompts are never up at once: the earlier one has to be gone.
            await earlier?.untilPromptIsGone()
            await driver.show(prompt, until: dismissal, reportingTo: mailbox)
            dismissal.promptIsGone()
        }
    }

    private mutating func sign(_ prompt: UnlockFlow.Prompt, in group: inout TaskGroup<Void>) {
        guard let (permit, use) = permits.removeValue(forKey: prompt.id) else {
            preconditionFailure("a key is used only after its prompt was answered")
        }
        group.addTask { [driver, mailbox] in await driver.sign(prompt, use, with: permit, reportingTo: mailbox) }
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
        driver.observe(.moved(from: from, to: to, because: trigger))
    }

    private func emit(_ telemetry: Telemetry) {
        if case .readPoorly(let reading) = telemetry { driver.observe(.readPoorly(reading)) }
        driver.observe(.telemetry(telemetry))
    }

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
            driver.observe(.telemetry(telemetry))
        }
        return .failed(failure)
    }
}
