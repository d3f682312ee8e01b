public import ThumbturnCore

/// Visits every state of the unlock flow that a policy can reach within bounds, and checks in each what must always hold.
///
/// Bounds: time goes on in steps of 0, 4 and 8 seconds up to 16, and a path is disturbed in one way: the app goes to the back, the
/// system takes prompts, the device changes, the sensor reads poorly, or the platform has trouble. In each state everything happens that
/// may happen: answers to the living prompt and to the one before it, wakes, choices, changes of what the device can do.
public struct FlowWalk: Sendable {
    /// What a walk found.
    public struct Report: Sendable, Equatable {
        /// How many different states were visited.
        public var states = 0
        /// How many events were sent.
        public var transitions = 0
        /// The ends that were reached, by name.
        public var ends: Set<String> = []
        /// The pairs of state and event that were tried.
        public var tried: Set<String> = []
        /// Those of them in which something happened.
        public var acted: Set<String> = []
        /// What should not be; each says where.
        public var violations: [String] = []

        /// Nothing was visited.
        public init() {}

        /// Both reports together.
        public func joined(with other: Report) -> Report {
            var sum = self
            sum.states += other.states
            sum.transitions += other.transitions
            sum.ends.formUnion(other.ends)
            sum.tried.formUnion(other.tried)
            sum.acted.formUnion(other.acted)
            sum.violations += other.violations
            return sum
        }
    }

    /// The policy that is walked.
    public let policy: UnlockPolicy
    private let persons: [Person]

    /// A walk of one policy.
    public init(_ policy: UnlockPolicy) {
        self.policy = policy
        var hurried = Person()
        hurried.pace = Pace(missesInARow: 3)
        persons =
            [Person(timeLimits: .tenfold), Person(timeLimits: .lifted), hurried]
            + (policy.ladder.contains(.appPIN) ? [Person(preferred: .appPIN)] : [])
    }

    /// Every preset, and what no preset has: a ladder that begins with the PIN, two keys, and the passcode alone.
    public static let all: [(name: String, policy: UnlockPolicy)] = {
        var two = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        two.also = [.appPIN]
        return UnlockPolicy.presets.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [
            ("biometric and PIN", two), ("PIN first", UnlockPolicy(ladder: [.appPIN, .biometric])),
            ("passcode alone", UnlockPolicy(ladder: [.devicePasscode])), ("empty", UnlockPolicy(ladder: [])),
        ]
    }()

    /// Walks.
    public func run() -> Report {
        var report = Report()
        walk(Self.allUsable, Person(), disturbed: true, &report)
        for person in persons { walk(Self.allUsable, person, disturbed: false, &report) }
        // What the device lacks matters where a rung is asked, whoever is there.
        for start in Self.starts { walk(start, Person(), disturbed: false, &report) }
        return report
    }

    /// Walks all policies, two at a time.
    ///
    /// - Parameters:
    ///   - policies: all of them, or fewer where time is short.
    ///   - done: told of each policy that is walked to its end.
    public static func everything(
        _ policies: [(name: String, policy: UnlockPolicy)] = all, done: @escaping @Sendable (String, Report) -> Void = { _, _ in }
    ) async -> Report {
        // The largest first, so that no core waits long for the other.
        var waiting = policies.sorted { $0.policy.ladder.count < $1.policy.ladder.count }
        return await withTaskGroup(of: (String, Report).self) { group in
            func next() {
                guard let (name, policy) = waiting.popLast() else { return }
                group.addTask { @concurrent in (name, FlowWalk(policy).run()) }
            }
            next()
            next()
            var sum = Report()
            for await (name, report) in group {
                done(name, report)
                sum = sum.joined(with: report)
                next()
            }
            return sum
        }
    }

    // MARK: - What the device can do

    static let allUsable = Readiness(
        biometry: .ready, keys: [.session: .usable, .biometric: .usable, .passcode: .usable, .pin: .usable], ladder: []
    )

    static let starts: [Readiness] = {
        let biometries: [BiometryState] = [
            .notEnrolled, .lockedOut(.untilPasscode), .lockedOut(.temporary), .lockedOut(.untilStrongerRung),
            .paused(for: .seconds(10)), .permissionDenied, .weak, .unconfirmed, .passcodeNotSet, .lidClosed, .switchedOff,
            .unavailable,
        ]
        let dead: [KeyState] = [.missing, .invalidated(.enrolmentChanged), .notYetReadable, .paused(for: .seconds(30))]
        var starts = biometries.flatMap { biometry in
            // Where others can be asked, they are asked as ever.
            (biometry == .notEnrolled ? [KeyState.usable, .missing] : [.missing]).map { other in
                var start = allUsable
                start.biometry = biometry
                start.keys[.passcode] = other
                start.keys[.pin] = other
                return start
            }
        }
        for kind in KeyKind.allCases {
            for state in dead {
                for others in kind == .session ? [KeyState.usable] : [.usable, .missing] {
                    var start = Readiness(
                        biometry: .ready, keys: [.session: .usable, .biometric: others, .passcode: others, .pin: others],
                        ladder: []
                    )
                    start.keys[kind] = state
                    starts.append(start)
                }
            }
        }
        return starts
    }()

    /// What may change while a flow runs.
    private static let changes: [Readiness] = [
        allUsable,
        Readiness(
            biometry: .ready,
            keys: [.session: .usable, .biometric: .invalidated(.enrolmentChanged), .passcode: .usable, .pin: .usable], ladder: []
        ),
        Readiness(
            biometry: .passcodeNotSet,
            keys: [
                .session: .usable, .biometric: .invalidated(.passcodeRemoved), .passcode: .invalidated(.passcodeRemoved),
                .pin: .usable,
            ], ladder: []
        ),
        Readiness(
            biometry: .paused(for: .seconds(10)),
            keys: [.session: .usable, .biometric: .usable, .passcode: .usable, .pin: .usable], ladder: []
        ),
    ]

    // MARK: - Walking

    struct Place: Hashable {
        var flow: UnlockFlow
        var now: Instant
        /// What the device said last.
        var readiness: Readiness
        /// What disturbs this path. One kind is enough for one path; together they would only multiply.
        var disturbance: Disturbance?
        /// When the sensor was asked first.
        var sensorSince: Instant?
        /// The app left, or the system took a prompt: that time does not count.
        var wasAway = false

        /// Few of the parts tell most places apart.
        func hash(into hasher: inout Hasher) {
            hasher.combine(flow)
            hasher.combine(now)
        }

        /// Whether a path that is disturbed like this may be disturbed so again, or first of all.
        func mayBe(_ other: Disturbance) -> Bool { disturbance == nil || disturbance == other && other.repeats }
    }

    enum Disturbance: Hashable {
        case none, absence, change, interruption, poorReading, trouble

        var repeats: Bool {
            switch self {
            case .none, .absence, .change, .trouble: false
            case .interruption, .poorReading: true
            }
        }
    }

    private static let troubles = [
        Failure(.lockedOut, recovery: .fallBack(.devicePasscode)), Failure(.keyInvalidated, recovery: .reEnrol),
        Failure(.paused, recovery: .wait(.seconds(10))), Failure(.platform, recovery: .report),
    ]
    private static let proof = Proof(jws: "a.b.c")
    private static let longest: Duration = .seconds(16)

    private func walk(_ start: Readiness, _ person: Person, disturbed: Bool, _ report: inout Report) {
        var seen: Set<Place> = []
        var waiting: [Place] = []
        let origin = Place(
            flow: UnlockFlow(policy: policy, person: person), now: Instant(sinceOrigin: .zero), readiness: start,
            disturbance: disturbed ? nil : Disturbance.none
        )
        waiting.append(origin)
        while let place = waiting.popLast() {
            guard seen.insert(place).inserted else { continue }
            arrive(at: place, &report)
            for event in events(at: place) {
                for step in event.times(in: place.flow.state) where place.now.sinceOrigin + step <= Self.longest {
                    var next = place
                    next.now = place.now.advanced(by: step)
                    switch event {
                    case .wentBack: next.disturbance = .absence
                    case .changed(let readiness): (next.readiness, next.disturbance) = (readiness, .change)
                    case .readPoorly: next.disturbance = .poorReading
                    case .answered(.failed(let failure), _) where failure.code == .cancelledBySystem:
                        next.disturbance = .interruption
                    case .answered(.failed(let failure), _) where failure.isTrouble: next.disturbance = .trouble
                    case .signingFailed(let failure, _) where failure.isTrouble: next.disturbance = .trouble
                    default: break
                    }
                    let effects = next.flow.handle(event, at: next.now)
                    if next.flow.isAway { next.wasAway = true }
                    if next.sensorSince == nil, effects.contains(where: { $0.asksTheSensor }) { next.sensorSince = next.now }
                    report.transitions += 1
                    let pair = "\(place.flow.state.name) \(event.name)"
                    report.tried.insert(pair)
                    if !effects.isEmpty || next.flow != place.flow { report.acted.insert(pair) }
                    check(place, event, next, effects, &report)
                    if next.flow != place.flow { waiting.append(next) }
                }
            }
        }
        report.states += seen.count
    }

    private func events(at place: Place) -> [UnlockFlow.Event] {
        let id =
            switch place.flow.state {
            case .prompting(let prompt), .signing(let prompt): prompt.id
            case .idle, .waiting, .away, .interrupted, .finished: 1
            }
        var events: [UnlockFlow.Event] = [
            .began(place.readiness, by: .tap), .tapped, .woke, .hintChosen, .cameFront,
            .stopped(Failure(.cancelledByApp, recovery: .retry)),
        ]
        if place.disturbance != Disturbance.none { events.append(.began(place.readiness, by: .screen)) }
        // A first prompt stands for its retries here; an interruption may turn out to be an absence, and much changes meanwhile.
        let isFirst = place.flow.isFirstPromptOfItsRung
        if isFirst && place.mayBe(.absence) || place.flow.isAway { events.append(.wentBack) }
        if isFirst && place.mayBe(.change) { events += Self.changes.map { .changed($0) } }
        if place.flow.isAway, place.disturbance != .change { events.append(.changed(Self.changes[1])) }
        for prompt in [id, id - 1] {
            events += [
                .answered(.matched, prompt: prompt), .answered(.entered, prompt: prompt), .answered(.notMatched, prompt: prompt),
                .signed(Self.proof, prompt: prompt),
            ]
            if place.mayBe(.poorReading) || place.flow.isAway { events.append(.readPoorly(.tooPoor, prompt: prompt)) }
            if place.mayBe(.interruption) {
                events.append(.answered(.failed(Failure(.cancelledBySystem, recovery: .retry)), prompt: prompt))
            }
            events += [Failure.Code.cancelledByUser, .superseded].map {
                .answered(.failed(Failure($0, recovery: .retry)), prompt: prompt)
            }
            events.append(.signingFailed(Failure(.notMatched, recovery: .retry), prompt: prompt))
            if place.mayBe(.trouble) {
                for failure in Self.troubles {
                    events += [.answered(.failed(failure), prompt: prompt), .signingFailed(failure, prompt: prompt)]
                }
            }
        }
        return events
    }

    // MARK: - What must hold

    private func arrive(at place: Place, _ report: inout Report) {
        if case .finished(let end) = place.flow.state {
            switch end {
            case .granted(let rung, _, let also):
                report.ends.insert("granted by \(rung.rawValue)\(also.isEmpty ? "" : " and more")")
            case .failed(let failure): report.ends.insert(failure.code.name)
            }
        } else if !canEnd(place, within: 4) {
            report.violations.append("a dead end: \(place.flow.state)")
        }
    }

    private func check(
        _ before: Place, _ event: UnlockFlow.Event, _ after: Place, _ effects: [UnlockFlow.Effect], _ report: inout Report
    ) {
        func demand(_ holds: Bool, _ rule: String) {
            if !holds { report.violations.append("\(rule): \(event) in \(before.flow.state) of \(before.readiness)") }
        }
        let finishes = effects.compactMap { if case .finish(let end) = $0 { end } else { nil } }
        if case .finished = before.flow.state {
            demand(effects.isEmpty && after.flow == before.flow, "the end is reached once")
            return
        }
        if case .finished(let end) = after.flow.state {
            demand(finishes == [end], "an end is told once")
            switch end {
            case .granted(_, let proof, let also):
                if case .signing(let prompt) = before.flow.state, event == .signed(proof, prompt: prompt.id) {
                    demand(also.count == policy.also.count, "a grant has every proof that the policy demands")
                } else {
                    demand(false, "no grant without a proof")
                }
            case .failed(let failure):
                let waits = if case .wait = failure.recovery { true } else { false }
                demand(waits == (failure.code == .paused), "patience helps where there is a pause, and nowhere else")
            }
        } else {
            demand(finishes.isEmpty, "only a finished flow tells an end")
        }
        for case .show(let prompt) in effects {
            demand(after.readiness.hasKeys(for: prompt.rung), "a rung is asked only where its key can answer")
            demand((policy.ladder + policy.also).contains(prompt.rung), "only rungs of the policy are asked")
        }
        for case .wake(let time) in effects { demand(time >= after.now, "nobody is woken in the past") }
        if let prompt = event.prompt, prompt != before.flow.livingPrompt {
            demand(effects.isEmpty && after.flow == before.flow, "an answer of another prompt changes nothing")
        }
        if case .answered(.failed(let failure), _) = event, failure.isCancel {
            let counted = effects.contains {
                switch $0 {
                case .emit(.retry), .move(_, _, because: .mismatches): true
                default: false
                }
            }
            demand(!counted, "a cancelled prompt is no mismatch")
        }
        if case .readPoorly = event, !effects.contains(where: { if case .move = $0 { true } else { false } }) {
            demand(after.flow.state == before.flow.state, "a reading without a verdict decides nothing")
        }
        // A PIN is tried again only by asking again, and no more often than the policy allows.
        if case .signingFailed(let failure, let id) = event, failure.code == .notMatched,
            case .signing(let prompt) = before.flow.state,
            prompt.rung == .appPIN, prompt.id == id
        {
            let isRetry = effects.contains { if case .emit(.retry(let n)) = $0 { n < policy.pinMismatchLimit } else { false } }
            let movesOn = effects.contains { if case .move(from: .appPIN, _, because: .mismatches) = $0 { true } else { false } }
            demand(isRetry != movesOn, "a wrong PIN asks again or moves on")
        }
        if event == .woke, case .prompting(let prompt) = after.flow.state, prompt.rung == .biometric,
            after.flow.person.timeLimits == .ofThePolicy, !after.wasAway, let since = after.sensorSince
        {
            demand(since.duration(to: after.now) < policy.fallbackAfter, "no sensor prompt outlives the limit")
        }
    }

    /// Whether an honest person, who taps, returns, matches or moves on, comes to an end within so many actions.
    private func canEnd(_ place: Place, within actions: Int) -> Bool {
        var flow = place.flow
        for _ in 0..<(actions + 2 * policy.also.count) {
            switch flow.state {
            case .finished: return true
            case .idle: _ = flow.handle(.began(place.readiness, by: .tap), at: place.now)
            case .waiting: _ = flow.handle(.tapped, at: place.now)
            case .away, .interrupted: _ = flow.handle(.cameFront, at: place.now)
            case .prompting(let prompt):
                let answer = prompt.rung == .appPIN ? SensorAnswer.entered : .matched
                _ = flow.handle(.answered(answer, prompt: prompt.id), at: place.now)
            case .signing(let prompt): _ = flow.handle(.signed(Self.proof, prompt: prompt.id), at: place.now)
            }
        }
        if case .finished = flow.state { return true }
        return false
    }
}

extension Readiness {
    /// Whether the keys can answer for a rung. The sensor's own counts are left out: a running attempt is in them.
    fileprivate func hasKeys(for rung: Rung) -> Bool {
        rung.key.map { state(of: .session) == .usable && state(of: $0) == .usable } ?? true
    }
}

extension UnlockFlow {
    /// Whether this is no retry.
    fileprivate var isFirstPromptOfItsRung: Bool {
        if case .prompting(let prompt) = state { prompt.cancelButton == .cancel } else { true }
    }

    /// The prompt whose answers count.
    fileprivate var livingPrompt: Int? {
        switch state {
        case .prompting(let prompt), .signing(let prompt): prompt.id
        case .idle, .waiting, .away, .interrupted, .finished: nil
        }
    }
}

extension UnlockFlow.Effect {
    fileprivate var asksTheSensor: Bool {
        if case .show(let prompt) = self { prompt.rung == .biometric } else { false }
    }
}

extension UnlockFlow.State {
    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .waiting: "waiting"
        case .prompting: "prompting"
        case .signing: "signing"
        case .away: "away"
        case .interrupted: "interrupted"
        case .finished: "finished"
        }
    }
}

extension UnlockFlow.Event {
    fileprivate var name: String {
        switch self {
        case .began: "began"
        case .tapped: "tapped"
        case .answered: "answered"
        case .readPoorly: "readPoorly"
        case .hintChosen: "hintChosen"
        case .signed: "signed"
        case .signingFailed: "signingFailed"
        case .changed: "changed"
        case .wentBack: "wentBack"
        case .cameFront: "cameFront"
        case .stopped: "stopped"
        case .woke: "woke"
        }
    }

    /// Which prompt the event is about.
    fileprivate var prompt: Int? {
        switch self {
        case .answered(_, let id), .readPoorly(_, let id), .signed(_, let id), .signingFailed(_, let id): id
        case .began, .tapped, .hintChosen, .changed, .wentBack, .cameFront, .stopped, .woke: nil
        }
    }

    /// After how long it may come. Nobody is hurried but at the sensor, so only there, and while the flow waits for something, does
    /// time matter.
    fileprivate func times(in state: UnlockFlow.State) -> [Duration] {
        switch (self, state) {
        case (.woke, .waiting), (.woke, .interrupted), (.cameFront, .away): [.zero, .seconds(4)]
        case (.answered(.notMatched, _), .prompting(let prompt)) where prompt.rung == .biometric: [.zero, .seconds(8)]
        case (.woke, .prompting(let prompt)) where prompt.rung == .biometric: [.zero, .seconds(4), .seconds(8)]
        default: [.zero]
        }
    }
}

extension Failure {
    fileprivate var isCancel: Bool {
        [.cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded].contains(code)
    }

    fileprivate var isTrouble: Bool { [.lockedOut, .keyInvalidated, .paused, .platform].contains(code) }
}
