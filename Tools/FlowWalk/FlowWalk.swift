package import ThumbturnCore

/// Visits every state of the unlock flow that a policy can reach within bounds, and checks the flow's invariants in
/// each.
///
/// The bounds: time advances in steps of 0, 4 and 8 seconds up to 16, and a path is disturbed in one way only: the app
/// goes to the back, the system takes prompts, the device changes, the sensor reads poorly, prompts appear late, or
/// the platform has trouble. In each state every possible event is tried: answers to the current prompt and to the one before it, wakes,
/// choices, changes of what the device can do.
package struct FlowWalk: Sendable {
    /// The findings of a walk.
    package struct Report: Sendable, Equatable {
        /// The number of different states that were visited.
        package var states = 0
        /// The number of events that were sent.
        package var transitions = 0
        /// The ends that were reached, by name.
        package var ends: Set<String> = []
        /// The pairs of state and event that were tried.
        package var tried: Set<String> = []
        /// The pairs among them in which something happened.
        package var acted: Set<String> = []
        /// The rules that were broken, each with its place.
        package var violations: [String] = []

        /// No state was visited.
        package init() {}

        /// The sum of two reports.
        package func joined(with other: Report) -> Report {
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
    package let policy: UnlockPolicy
    private let persons: [Person]

    /// Creates a walk of one policy.
    package init(_ policy: UnlockPolicy) {
        self.policy = policy
        var hurried = Person()
        hurried.pace = Pace(missesInARow: 3)
        persons =
            [Person(extraTime: .tenfold), Person(extraTime: .unlimited), hurried]
            + (policy.ladder.contains(.appPIN) ? [Person(preferred: .appPIN)] : [])
    }

    /// Every preset, and what no preset has: a ladder that begins with the PIN, one whose first button names the next rung,
    /// two keys, a ladder of only the passcode, an empty ladder.
    package static let all: [(name: String, policy: UnlockPolicy)] = {
        var two = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        two.additionalRungs = [.appPIN]
        var named = UnlockPolicy.sensitiveScreen
        named.firstButton = .nextRung
        return UnlockPolicy.presets.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [
            ("biometric and PIN", two), ("the next rung by name", named),
            ("PIN first", UnlockPolicy(ladder: [.appPIN, .biometric])),
            ("only the passcode", UnlockPolicy(ladder: [.devicePasscode])), ("empty", UnlockPolicy(ladder: [])),
        ]
    }()

    /// Walks the policy for every kind of person and device.
    package func run() -> Report {
        var report = Report()
        walk(Self.allUsable, Person(), disturbed: true, &report)
        for person in persons { walk(Self.allUsable, person, disturbed: false, &report) }
        // What the device lacks matters where a rung is asked, and does not depend on the person. Without a full sign-in
        // only who has no other rung goes another way.
        for var start in Self.starts {
            walk(start, Person(), disturbed: false, &report)
            guard !start.isUsable(.appPIN) else { continue }
            start.canSignIn = false
            walk(start, Person(), disturbed: false, &report)
        }
        return report
    }

    /// Walks all policies, two at a time.
    ///
    /// - Parameters:
    ///   - policies: all policies, or fewer where time is short.
    ///   - done: called for each policy once its walk has ended.
    package static func everything(
        _ policies: [(name: String, policy: UnlockPolicy)] = all, done: @escaping @Sendable (String, Report) -> Void = { _, _ in }
    ) async -> Report {
        // The largest first, so that neither core waits long for the other.
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
        biometry: .ready, keys: [.session: .usable, .biometric: .usable, .passcode: .usable, .pin: .usable], ladder: [],
        canSignIn: true
    )

    static let starts: [Readiness] = {
        let biometries: [BiometryState] = [
            .notEnrolled, .lockedOut(.untilPasscode), .lockedOut(.temporary), .lockedOut(.untilStrongerRung),
            .paused(for: .seconds(10)), .permissionDenied, .weak, .unconfirmed, .passcodeNotSet, .lidClosed, .switchedOff,
            .forbidden, .absent, .unavailable,
        ]
        let dead: [KeyState] = [.missing, .invalidated(.enrolmentChanged), .notYetReadable, .paused(for: .seconds(30))]
        var starts = biometries.flatMap { biometry in
            // One of these states with other rungs that can be asked is enough.
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
                        ladder: [], canSignIn: true
                    )
                    start.keys[kind] = state
                    starts.append(start)
                }
            }
        }
        return starts
    }()

    /// The reports that may arrive while a flow runs.
    private static let changes: [Readiness] = [
        allUsable,
        Readiness(
            biometry: .ready,
            keys: [.session: .usable, .biometric: .invalidated(.enrolmentChanged), .passcode: .usable, .pin: .usable], ladder: [],
            canSignIn: true
        ),
        Readiness(
            biometry: .passcodeNotSet,
            keys: [
                .session: .usable, .biometric: .invalidated(.passcodeRemoved), .passcode: .invalidated(.passcodeRemoved),
                .pin: .usable,
            ], ladder: [], canSignIn: true
        ),
        Readiness(
            biometry: .paused(for: .seconds(10)),
            keys: [.session: .usable, .biometric: .usable, .passcode: .usable, .pin: .usable], ladder: [],
            canSignIn: true
        ),
    ]

    // MARK: - Walking

    struct Place: Hashable {
        var flow: UnlockFlow
        var now: Instant
        /// What the device reported last.
        var readiness: Readiness
        /// The disturbance of this path. One kind is enough for one path; combinations would only multiply the states.
        var disturbance: Disturbance?
        /// When the sensor was asked first.
        var sensorSince: Instant?
        /// Whether the app left or the system took a prompt, whose time does not count.
        var wasAway = false

        /// State and time tell most places apart; the rest seldom differs between them.
        func hash(into hasher: inout Hasher) {
            hasher.combine(flow.state)
            hasher.combine(now)
        }

        /// Whether this path may be disturbed in this way, for the first time or again.
        func mayBe(_ other: Disturbance) -> Bool { disturbance == nil || disturbance == other && other.repeats }
    }

    enum Disturbance: Hashable {
        case none, absence, change, interruption, poorReading, trouble, appearance, stayingPrompt

        var repeats: Bool {
            switch self {
            case .none, .absence, .change, .trouble, .appearance: false
            case .interruption, .poorReading, .stayingPrompt: true
            }
        }
    }

    private static let troubles = [
        Failure(.lockedOut), Failure(.keyInvalidated),
        Failure.paused(for: .seconds(10)), Failure.paused(for: .seconds(10)).afterMismatch, Failure(.platform),
    ]
    /// Each prompt has a proof of its own, so that the rules see a proof that counts twice.
    static func output(of prompt: Int) -> UnlockFlow.Output { UnlockFlow.Output("a.b.\(prompt)") }
    private static let longest: Duration = .seconds(16)

    private func walk(_ start: Readiness, _ person: Person, disturbed: Bool, _ report: inout Report) {
        var seen: Set<Place> = []
        var (waiting, known): ([Place], Set<Situation>) = ([], [])
        let origin = Place(
            flow: UnlockFlow(policy: policy, person: person), now: Instant(sinceOrigin: .zero), readiness: start,
            disturbance: disturbed ? nil : Disturbance.none
        )
        waiting.append(origin)
        while let place = waiting.popLast() {
            guard seen.insert(place).inserted else { continue }
            arrive(at: place, &known, &report)
            for event in events(at: place) {
                for step in event.times(in: place.flow.state) where place.now.sinceOrigin + step <= Self.longest {
                    var next = place
                    next.now = place.now.advanced(by: step)
                    switch event {
                    case .wentBack: next.disturbance = .absence
                    case .changed(let readiness): (next.readiness, next.disturbance) = (readiness, .change)
                    case .readPoorly: next.disturbance = .poorReading
                    case .mismatched: next.disturbance = .stayingPrompt
                    case .appeared: next.disturbance = .appearance
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
        let id = place.flow.prompt?.id ?? 1
        var events: [UnlockFlow.Event] = [
            .began(place.readiness, by: .tap), .tapped, .woke, .hintChosen, .cameFront,
            .stopped(Failure(.cancelledByApp)),
        ]
        if place.disturbance != Disturbance.none { events.append(.began(place.readiness, by: .screen)) }
        // A first prompt represents its retries here. An interruption may turn out to be an absence, during which much
        // may change.
        let isFirst = place.flow.isFirstPromptOfItsRung
        if isFirst && place.mayBe(.absence) || place.flow.isAway { events.append(.wentBack) }
        if isFirst && place.mayBe(.change) { events += Self.changes.map { .changed($0) } }
        if place.flow.isAway, place.disturbance != .change { events.append(.changed(Self.changes[1])) }
        for prompt in [id, id - 1] {
            events += [
                .answered(.matched, prompt: prompt), .answered(.entered, prompt: prompt), .answered(.notMatched, prompt: prompt),
                .signed(Self.output(of: prompt), prompt: prompt),
            ]
            if place.mayBe(.poorReading) || place.flow.isAway { events.append(.readPoorly(.tooPoor, prompt: prompt)) }
            if place.mayBe(.stayingPrompt) || place.flow.isAway { events.append(.mismatched(prompt: prompt)) }
            if place.mayBe(.appearance) || place.flow.isAway { events.append(.appeared(.told, prompt: prompt)) }
            if place.mayBe(.interruption) {
                events.append(.answered(.failed(Failure(.cancelledBySystem)), prompt: prompt))
            }
            events += [Failure.Code.cancelledByUser, .superseded].map {
                .answered(.failed(Failure($0, recovery: .retry)), prompt: prompt)
            }
            events.append(.signingFailed(Failure(.notMatched), prompt: prompt))
            if place.flow.prompt?.rung == .fullCredentials {
                events.append(.signingFailed(Failure(.refused, recovery: .signInAgain), prompt: prompt))
            }
            if place.mayBe(.trouble) {
                for failure in Self.troubles {
                    events += [.answered(.failed(failure), prompt: prompt), .signingFailed(failure, prompt: prompt)]
                }
            }
        }
        return events
    }
}
