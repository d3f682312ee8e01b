import ThumbturnCore

/// Visits every state of the app lock that is reached within bounds, and checks its rules in each.
///
/// The bounds: time advances in steps of 0 and 20 seconds up to 80, two runs follow the app one after the other, and three asks
/// are answered. In each state every possible event is tried: sights by the current run and by the other one, answers to every
/// ask that was ever made and to one that was not, successes that are live and successes that are not.
package struct AppLockWalk: Sendable {
    /// The numbers of a lock, in seconds.
    package struct Numbers: Hashable, Sendable {
        let lockAfter, lockAfterInactive, promptLimit: Int

        var rules: AppLock.Rules {
            var rules = AppLock.Rules(lockAfter: .seconds(lockAfter))
            rules.lockAfterInactive = .seconds(lockAfterInactive)
            rules.promptLimit = .seconds(promptLimit)
            return rules
        }
    }

    /// The numbers that are walked.
    package let numbers: Numbers

    /// A lock that is patient, one that locks at once, and one that keeps an app open longer in the back than a prompt does.
    package static let all: [(name: String, walk: AppLockWalk)] = [
        ("app lock after 40 s", AppLockWalk(numbers: Numbers(lockAfter: 40, lockAfterInactive: 60, promptLimit: 60))),
        ("app lock at once", AppLockWalk(numbers: Numbers(lockAfter: 0, lockAfterInactive: 0, promptLimit: 60))),
        ("app lock after 60 s", AppLockWalk(numbers: Numbers(lockAfter: 60, lockAfterInactive: 20, promptLimit: 20))),
    ]

    /// Walks all locks.
    ///
    /// - Parameter done: called for each lock once its walk has ended.
    package static func everything(done: (String, FlowWalk.Report) -> Void = { _, _ in }) -> FlowWalk.Report {
        all.reduce(into: FlowWalk.Report()) { sum, lock in
            let report = lock.walk.run()
            done(lock.name, report)
            sum = sum.joined(with: report)
        }
    }

    static let step = 20
    static let longest = 80
    static let mostRuns = 2
    static let mostAsks = 3
    /// A lock that breaks a rule breaks it in thousands of places.
    static let mostViolations = 100

    struct Place: Hashable {
        var lock: AppLock
        var facts = Facts()
        /// Seconds.
        var now = 0

        /// The lock follows from the facts, or a rule is broken.
        func hash(into hasher: inout Hasher) {
            hasher.combine(facts)
            hasher.combine(now)
        }
    }

    /// A lock after a time in which nothing happened.
    struct Waited {
        var lock: AppLock
        var effects: [AppLock.Effect] = []
    }

    static func at(_ seconds: Int) -> Moment { Moment(boot: "boot", sinceBoot: Instant(sinceOrigin: .seconds(seconds))) }

    /// Walks the states of this lock.
    package func run() -> FlowWalk.Report {
        var report = FlowWalk.Report()
        var seen: Set<Place> = [Place(lock: AppLock(rules: numbers.rules))]
        var waiting = Array(seen)
        while report.violations.count < Self.mostViolations, let place = waiting.popLast() {
            arrive(at: place, &report)
            let events = events(at: place)
            for wait in [0, Self.step] where place.now + wait <= Self.longest {
                var later = place
                later.now += wait
                let now = Self.at(later.now)
                // What the time brings without an event: a wake has nothing of its own.
                var waited = Waited(lock: place.lock)
                waited.effects = waited.lock.handle(.woke, at: now)
                for event in events {
                    var after = later
                    let effects = after.lock.handle(event, at: now)
                    let demand = after.facts.take(event, at: later.now, under: numbers)
                    report.transitions += 1
                    check(place, waited, event, after, effects, demand, &report)
                    if after.facts.asks <= Self.mostAsks, seen.insert(after).inserted { waiting.append(after) }
                }
            }
        }
        report.states = seen.count
        return report
    }

    private func events(at place: Place) -> [AppLock.Event] {
        let facts = place.facts
        var events: [AppLock.Event] = [
            .tapped, .lockNow, .dismissed, .proved(isLive: true), .proved(isLive: false), .woke,
        ]
        if facts.runs < Self.mostRuns { events.append(.began(run: facts.runs + 1)) }
        for run in 1...Self.mostRuns {
            events.append(.ended(run: run))
            for phase in AppPhase.allCases {
                for isPromptUp in [false, true] { events.append(.saw(AppLock.Sight(phase, isPromptUp: isPromptUp), run: run)) }
            }
        }
        for number in 1...(facts.asks + 1) {
            events += [.succeeded(isLive: true), .succeeded(isLive: false), .cancelled, .failed].map {
                .answered(AppLock.Ask(number: number), $0)
            }
        }
        return events
    }
}
