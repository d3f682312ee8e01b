#if Server
import ThumbturnCore

/// One unlock of one person, from the first prompt until they are in or have left: the real flow and the real ledgers, with a person
/// and a sensor that answer by chance.
///
/// Events happen in the order of their times. Where two are due at once, the sensor comes before the person, and the person before the
/// flow's own clock.
struct SimulatedUnlock {
    private let policy: UnlockPolicy
    private let rules: SensorRules
    private let population: Population
    private let isStranger: Bool
    private(set) var person: SimulatedPerson
    private var draws: Draws
    private(set) var outcome: UnlockOutcome
    /// The events of each flow; nil where they are not kept.
    private(set) var events: [[Telemetry]]?

    private var flow: UnlockFlow
    /// When the first prompt of the whole unlock was asked for.
    private let began: Instant
    /// The sensor's verdict on the current prompt, and when it comes.
    private var verdict: (at: Instant, answer: SensorAnswer)?
    /// What the person does of themselves, and when.
    private var act: (at: Instant, act: Act)?
    /// When the flow wants to be woken.
    private var wakes: [Instant] = []
    /// When the person has waited long enough for the sensor; nil before it was asked.
    private var patience: Instant?
    /// When the flow first asked the sensor.
    private var askedSensor: Instant?
    /// The ledger before the sensor's attempt that has no verdict yet.
    private var unsettled: SensorLedger?
    /// The mismatches of the flow.
    private var mismatches = 0
    /// Mismatches in a row, as the operating system counts them. It locks its sensor at the fifth.
    private var systemCount = 0
    /// Why the flow came to its present rung; nil on the first one.
    private var cameBy: Trigger?

    /// What a person does.
    private enum Act {
        case event(UnlockFlow.Event)
        case leave
    }

    /// How often a person begins anew after a cancel.
    private static let mostFlows = 3
    /// How long a key takes to sign, with the way to the server and back.
    private static let signing = Duration.milliseconds(150)

    /// - Parameter keepsEvents: whether the events of telemetry are kept. Figures need none of them.
    init(
        _ person: SimulatedPerson, under policy: UnlockPolicy, in population: Population, isStranger: Bool, _ draws: Draws,
        keepsEvents: Bool = false
    ) {
        events = keepsEvents ? [] : nil
        self.policy = policy
        self.population = population
        self.person = person
        self.isStranger = isStranger
        self.draws = draws
        rules = SensorRules(policy)
        began = person.now
        outcome = UnlockOutcome(isStranger: isStranger)
        flow = UnlockFlow(policy: policy)
    }

    /// The next unlock of a person, some time after the one before, run to its end.
    ///
    /// - Parameters:
    ///   - session: the number of the unlock, from 1.
    ///   - number: which person of the population.
    static func run(
        _ session: Int, of number: Int, _ person: SimulatedPerson, under policy: UnlockPolicy, in population: Population,
        seed: UInt64, keepsEvents: Bool = false
    ) -> SimulatedUnlock {
        var (draws, person) = (Draws(seed: seed, person: number, session: session), person)
        let isStranger = draws.chance(population.strangers)
        person.goOn(after: draws.time(population.between), &draws)
        var unlock = SimulatedUnlock(
            person, under: policy, in: population, isStranger: isStranger, draws, keepsEvents: keepsEvents)
        unlock.run()
        return unlock
    }

    /// Runs the unlock to its end.
    mutating func run() {
        var start = draws.chance(population.choices.otherWayAtOnce) ? otherWay : .tap
        for number in 1...Self.mostFlows {
            guard let failure = runFlow(by: start) else { break }
            guard failure.code == .cancelledByUser, number < Self.mostFlows, !isStranger else {
                outcome.left = outcome.left ?? (failure.code == .cancelledByUser ? .cancel : .noWay)
                break
            }
            let place = draws.unit()
            if place < population.choices.leavesAfterCancel {
                outcome.left = .cancel
                break
            }
            let takesOtherWay = place < population.choices.leavesAfterCancel + population.choices.otherWayAfterCancel
            start = takesOtherWay ? otherWay : .tap
        }
        outcome.time = began.duration(to: person.now)
    }

    /// The second rung of the ladder, as a button on the screen names it.
    private var otherWay: UnlockFlow.Start { policy.ladder.dropFirst().first.map { .rung($0) } ?? .tap }

    /// Runs one flow.
    ///
    /// - Returns: why it failed; nil where the person is in, or has left.
    private mutating func runFlow(by start: UnlockFlow.Start) -> Failure? {
        flow = UnlockFlow(policy: policy, person: Person(pace: person.pace))
        (verdict, act, patience, askedSensor, cameBy, mismatches) = (nil, nil, nil, nil, nil, 0)
        outcome.flows += 1
        events?.append([])
        let began = person.now
        wakes.removeAll(keepingCapacity: true)
        var event = UnlockFlow.Event.began(readiness, by: start)
        while true {
            for effect in flow.handle(event, at: person.now) {
                guard case .finish(let end) = effect else {
                    perform(effect)
                    continue
                }
                person.pace = flow.person.pace
                switch end {
                case .failed(let failure):
                    if failure.code == .cancelledByUser { outcome.cancelledFlows += 1 }
                    endSensor(failure.code == .cancelledByUser ? .cancelled : .refused)
                    return failure
                case .granted(let rung, _, _):
                    outcome.rung = rung
                    return nil
                }
            }
            guard let next = nextEvent() else {
                keep(.abandoned(flow.phase, after: began.duration(to: person.now)))
                person.pace = flow.person.pace
                return nil
            }
            event = next
        }
    }

    private var readiness: Readiness {
        Readiness(
            biometry: person.sensor.standing(at: moment, under: rules).state,
            keys: [.session: .usable, .biometric: .usable, .passcode: .usable, .pin: person.pins.standing(at: moment).state],
            ladder: policy.ladder, canSignIn: true)
    }

    private var moment: Moment { Moment(boot: "", sinceBoot: person.now) }
}

// MARK: - What happens next

extension SimulatedUnlock {
    /// Goes on to the next thing that happens; nil where the person leaves.
    private mutating func nextEvent() -> UnlockFlow.Event? {
        let wake = wakes.min()
        let times = [verdict?.at, act?.at, patience.flatMap { verdictIsAwaited ? $0 : nil }, wake].compactMap(\.self)
        guard let time = times.min() else {
            outcome.left = outcome.left ?? .noWay
            return nil
        }
        person.now = max(person.now, time)
        if let due = verdict, due.at <= time {
            verdict = nil
            return answered(due.answer)
        }
        if let due = act, due.at <= time {
            act = nil
            guard case .event(let event) = due.act else {
                outcome.left = outcome.left ?? reasonToLeave
                withdraw()
                return nil
            }
            return event
        }
        if verdictIsAwaited, let patience, patience <= time, let prompt = flow.prompt {
            self.patience = nil
            withdraw()
            verdict = nil
            return .answered(.failed(Failure(.cancelledByUser, recovery: .retry)), prompt: prompt.id)
        }
        wakes.removeAll { $0 <= time }
        return .woke
    }

    /// Whether the sensor is asked and has not answered.
    private var verdictIsAwaited: Bool { flow.prompt?.rung == .biometric && unsettled != nil }

    private var reasonToLeave: UnlockOutcome.Leaving {
        switch cameBy {
        case .timeout: .timeout
        case .mismatches, .lockedOut, .skipped, .keyInvalidated: .mismatches
        case .choice, nil: .typing
        }
    }

    private mutating func perform(_ effect: UnlockFlow.Effect) {
        switch effect {
        case .show(let prompt): show(prompt)
        case .dismiss:
            withdraw()
            (verdict, act) = (nil, nil)
        case .sign(let prompt): sign(prompt)
        case .wake(let time): wakes.append(time)
        case .showHint:
            outcome.hints += 1
            guard draws.chance(population.hint.taken), act == nil else { return }
            act = (person.now.advanced(by: draws.time(population.hint.reaction)), .event(.hintChosen))
        case .move(let from, _, let trigger):
            cameBy = trigger
            (verdict, act) = (nil, nil)
            guard from == .biometric else { return }
            outcome.fallback = outcome.fallback ?? trigger
            endSensor(UnlockOutcome.SensorEnd(trigger))
        case .emit(let event): keep(event)
        case .offerSetUp, .finish: break
        }
    }

    private mutating func keep(_ event: Telemetry) {
        guard let last = events?.indices.last else { return }
        events?[last].append(event)
    }

    /// Notes how the sensor's part of this flow ended.
    private mutating func endSensor(_ end: UnlockOutcome.SensorEnd) {
        guard let asked = askedSensor else { return }
        askedSensor = nil
        outcome.attempts.append(.init(time: asked.duration(to: person.now), mismatches: mismatches, end: end))
    }
}

// MARK: - Prompts

extension SimulatedUnlock {
    private mutating func show(_ prompt: UnlockFlow.Prompt) {
        (verdict, act) = (nil, nil)
        outcome.prompts += 1
        switch prompt.rung {
        case .biometric: askSensor(prompt)
        case .devicePasscode:
            type(population.passcode, isKnown: person.knowsPasscode && !isStranger, prompt) {
                .answered(.matched, prompt: prompt.id)
            }
        case .appPIN:
            type(population.pin, isKnown: person.knowsPIN && !isStranger, prompt) { .answered(.entered, prompt: prompt.id) }
        case .fullCredentials:
            let time = person.now.advanced(by: draws.time(population.signIn.time))
            let givesUp = draws.chance(population.signIn.givenUp) || isStranger
            act = (time, givesUp ? .leave : .event(.answered(.entered, prompt: prompt.id)))
        }
    }

    /// The person types, unless the way that led here, or a lost memory, makes them leave.
    private mutating func type(
        _ typed: Population.Typed, isKnown: Bool, _ prompt: UnlockFlow.Prompt, _ event: () -> UnlockFlow.Event
    ) {
        let leaves: Double =
            switch cameBy {
            case .timeout: population.choices.leavesAtTimeout
            case .mismatches, .lockedOut, .skipped, .keyInvalidated: population.choices.leavesAfterMismatches
            case .choice, nil: 0
            }
        let (place, time) = (draws.unit(), person.now.advanced(by: draws.time(typed.time)))
        if isStranger || place < leaves {
            act = (person.now.advanced(by: .seconds(1)), .leave)
        } else {
            // A system's sheet knows nothing of the app's other ways: there the person cancels.
            let other =
                prompt.rung == .appPIN
                ? UnlockFlow.Event.hintChosen
                : .answered(.failed(Failure(.cancelledByUser, recovery: .retry)), prompt: prompt.id)
            act = (time, .event(isKnown ? event() : other))
        }
    }

    private mutating func askSensor(_ prompt: UnlockFlow.Prompt) {
        let trouble = population.trouble
        // Taken always, and in this order, so that two policies meet the same person at each prompt.
        let isSilent = draws.chance(trouble.silent)
        let time = draws.time(person.isInTrouble ? trouble.answer : person.answer)
        let isMismatch = draws.chance(person.isInTrouble ? trouble.mismatch : person.mismatch)
        let takesButton = draws.chance(population.choices.otherWayAfterMismatch)
        let waits = draws.time(population.patience)

        if askedSensor == nil { askedSensor = person.now }
        if let obstacle = person.sensor.standing(at: moment, under: rules).state.obstacle {
            verdict = (person.now, .failed(obstacle))
            return
        }
        unsettled = person.sensor
        person.sensor = person.sensor.attempting(at: moment, under: rules)
        if patience == nil { patience = person.now.advanced(by: waits) }
        if case .use = prompt.cancelButton, flow.isRetrying, takesButton {
            act = (person.now.advanced(by: draws.time(population.hint.reaction)), .event(.hintChosen))
        }
        guard !(person.isInTrouble && isSilent) else { return }
        verdict = (person.now.advanced(by: time), isMismatch || isStranger ? .notMatched : .matched)
    }

    /// Judges the sensor's answer by the device's ledger, as the library does.
    private mutating func answered(_ answer: SensorAnswer) -> UnlockFlow.Event {
        guard let prompt = flow.prompt else { preconditionFailure("only a prompt on the screen is answered") }
        var answer = answer
        switch answer {
        case .matched:
            (unsettled, systemCount) = (nil, 0)
            person.sensor = person.sensor.matched(under: rules)
        case .notMatched:
            (unsettled, systemCount, mismatches) = (nil, systemCount + 1, mismatches + 1)
            if systemCount == 5 {
                answer = .failed(.lockedOut(.untilPasscode, recovery: .fallBack(.devicePasscode)))
            } else if let obstacle = person.sensor.standing(at: moment, under: rules).state.obstacle {
                answer = .failed(obstacle.afterMismatch)
            }
        case .entered, .failed: break
        }
        return .answered(answer, prompt: prompt.id)
    }

    /// Takes an attempt without a verdict out of the ledger.
    private mutating func withdraw() {
        if let unsettled { person.sensor = unsettled }
        unsettled = nil
    }

    private mutating func sign(_ prompt: UnlockFlow.Prompt) {
        if prompt.rung == .biometric { endSensor(.matched) }
        let time = person.now.advanced(by: Self.signing)
        guard prompt.rung == .appPIN else {
            act = (time, .event(.signed(UnlockFlow.Output("\(prompt.id)"), prompt: prompt.id)))
            if prompt.rung != .biometric { person.sensor = person.sensor.lifted(by: prompt.rung) }
            return
        }
        let guess = person.pins.guessing(at: moment)
        if draws.chance(population.pin.wrong) {
            person.pins = guess
            let obstacle = guess.standing(at: moment).state.obstacle?.afterMismatch
            act = (time, .event(.signingFailed(obstacle ?? Failure(.notMatched), prompt: prompt.id)))
        } else {
            person.pins = guess.right(guess)
            person.sensor = person.sensor.lifted(by: .appPIN)
            act = (time, .event(.signed(UnlockFlow.Output("\(prompt.id)"), prompt: prompt.id)))
        }
    }
}

extension UnlockFlow {
    /// Whether the rung is asked again after a mismatch.
    fileprivate var isRetrying: Bool { phase == .retry }
}
#endif
