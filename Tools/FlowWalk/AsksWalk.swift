import ThumbturnCore

/// Visits every state that a few callers can bring `Asks` into, and checks its rules in each.
///
/// In each state every event is tried: callers that come and leave, answers, voids and ends, also late ones. The walk keeps
/// its own account of what happened, and compares.
package struct AsksWalk: Sendable {
    /// The number of callers that come, one after another.
    package let callers: Int

    /// - Parameter callers: with 4 the walk takes some seconds.
    package init(callers: Int = 4) {
        self.callers = callers
    }

    /// The ends that a walk should reach.
    package static let ends: Set<String> = [
        "delivered", "delivered to several callers", "cancelled", "cancelled for several callers", "stopped by leaving",
        "stopped by a void", "left to another caller", "an approval goes on after a void", "a late caller asks anew",
        "two equal step-ups are under way",
    ]

    /// Walks all states. An end that is not reached is a violation.
    package func run() -> FlowWalk.Report {
        var report = FlowWalk.Report()
        var seen: Set<Place> = [Place()]
        var waiting = Array(seen)
        while let place = waiting.popLast() {
            for event in events(at: place) {
                let (after, effects) = place.after(event)
                report.transitions += 1
                check(place, event, after, effects, &report)
                if seen.insert(after).inserted { waiting.append(after) }
            }
        }
        report.states = seen.count
        report.violations += Self.ends.subtracting(report.ends).sorted().map { "the end is not reached: \($0)" }
        return report
    }

    struct Place: Hashable {
        var asks = Asks<String>()
        var nextCaller = 1
        /// The callers that have heard how their asks ended.
        var heard: Set<Int> = []
        var answered: Set<Int> = []
        /// The asks that ever had several callers.
        var shared: Set<Int> = []
        var sent: Set<Int> = []
        var stopped: Set<Int> = []
        /// The asks whose success was made worthless.
        var worthless: Set<Int> = []

        func ask(_ id: Int) -> Asks<String>.Ask? { asks.asks.first { $0.id == id } }
        func ask(of caller: Int) -> Asks<String>.Ask? { asks.asks.first { $0.callers.contains(caller) } }

        func after(_ event: Asks<String>.Event) -> (Self, [Asks<String>.Effect]) {
            var after = self
            let effects = after.asks.handle(event)
            switch event {
            case .came: after.nextCaller += 1
            case .answered(let id): if ask(id) != nil { after.answered.insert(id) }
            case .sent(let id): if ask(id) != nil { after.sent.insert(id) }
            case .ended(let id):
                after.answered.remove(id)
                after.shared.remove(id)
                after.sent.remove(id)
                after.stopped.remove(id)
                after.worthless.remove(id)
            case .left, .voided: break
            }
            for effect in effects {
                switch effect {
                case .start: break
                case .void(let id): after.worthless.insert(id)
                case .stop(let id): after.stopped.insert(id)
                case .deliver(let caller), .cancel(let caller): after.heard.insert(caller)
                }
            }
            after.shared.formUnion(after.asks.asks.filter { $0.callers.count > 1 }.map(\.id))
            return (after, effects)
        }
    }

    private static let requests: [(String, AskKind)] = [("a", .unlock), ("a", .stepUp), ("a", .approval), ("b", .unlock)]

    private func events(at place: Place) -> [Asks<String>.Event] {
        var events: [Asks<String>.Event] = []
        if place.nextCaller <= callers {
            // Which of two requests comes first makes no difference.
            let requests = place.nextCaller == 1 ? Self.requests.dropLast() : Self.requests[...]
            events += requests.map { .came(place.nextCaller, $0, $1) }
        }
        events += (0..<place.nextCaller).map { .left($0) }
        for id in place.asks.asks.map(\.id) + [99] {
            // What was not answered is not sent; whether a step-up or an unlock was sent makes no difference.
            let mayBeSent = place.ask(id).map { $0.kind == .approval && $0.isAnswered } ?? true
            if mayBeSent { events.append(.sent(ask: id)) }
            events += [.answered(ask: id), .voided(ask: id), .ended(ask: id)]
        }
        return events
    }
}

// MARK: - Rules

extension AsksWalk {
    private typealias Effect = Asks<String>.Effect

    /// What stops an ask: its success is worth nothing before its work ends.
    private static func stop(_ ask: Int) -> [Effect] { [.void(ask: ask), .stop(ask: ask)] }

    private func check(
        _ before: Place, _ event: Asks<String>.Event, _ after: Place, _ effects: [Effect], _ report: inout FlowWalk.Report
    ) {
        var broken: [String] = []
        func demand(_ holds: Bool, _ rule: String) {
            if !holds { broken.append("\(rule): \(event) at \(before)") }
        }
        checkCallers(before, after, effects, demand)
        switch event {
        case .came(let caller, let request, let kind):
            checkArrival(of: caller, request, kind, before, after, effects, demand, &report.ends)
        case .left(let caller):
            guard let ask = before.ask(of: caller) else { break }
            if ask.callers.count > 1 {
                demand(effects == [.cancel(caller: caller)], "one of several callers leaves at once")
                report.ends.insert("left to another caller")
            } else {
                demand(effects == (ask.isStopping ? [] : Self.stop(ask.id)), "an ask without callers is stopped once")
                if !effects.isEmpty { report.ends.insert("stopped by leaving") }
            }
        case .answered, .sent: demand(effects.isEmpty, "an answer ends nothing by itself")
        case .voided(let id):
            guard let ask = before.ask(id) else { break }
            let goesOn = ask.kind == .approval && before.sent.contains(id)
            demand(effects == (goesOn || ask.isStopping ? [] : Self.stop(id)), "a void stops what is under way")
            if goesOn, !ask.isStopping { report.ends.insert("an approval goes on after a void") }
            if !effects.isEmpty { report.ends.insert("stopped by a void") }
        case .ended(let id):
            guard let ask = before.ask(id) else { break }
            let isStopped = before.stopped.contains(id)
            let told: [Effect] = ask.callers.sorted().map { isStopped ? .cancel(caller: $0) : .deliver(caller: $0) }
            demand(effects == told, "a stopped ask has no outcome, and any other one outcome for all its callers")
            let isHeard = effects.contains { if case .deliver = $0 { true } else { false } }
            demand(isHeard != before.worthless.contains(id), "a success that no caller hears is worth nothing")
            switch (isStopped, ask.callers.count > 1) {
            case (true, false): report.ends.insert("cancelled")
            case (true, true): report.ends.insert("cancelled for several callers")
            case (false, false): report.ends.insert("delivered")
            case (false, true): report.ends.insert("delivered to several callers")
            }
        }
        if event.isLate(at: before) { demand(effects.isEmpty && after == before, "a late event changes nothing") }
        report.violations += broken
    }

    private func checkCallers(_ before: Place, _ after: Place, _ effects: [Effect], _ demand: (Bool, String) -> Void) {
        let (asks, waiting) = (after.asks.asks, after.asks.asks.flatMap(\.callers))
        demand(asks.allSatisfy { !$0.callers.isEmpty }, "every ask has a caller")
        demand(asks.allSatisfy { $0.callers.count == 1 || $0.kind.mayBeJoined }, "only kinds that may be joined are joined")
        demand(
            (waiting + after.heard).sorted() == Array(1..<after.nextCaller),
            "a caller waits for one ask, or has heard how it ended")
        demand(
            asks.allSatisfy {
                $0.isStopping == after.stopped.contains($0.id) && $0.isAnswered == after.answered.contains($0.id)
                    && $0.isSent == after.sent.contains($0.id) && $0.isShared == after.shared.contains($0.id)
            }, "an ask remembers what happened to it")
        for effect in effects {
            switch effect {
            case .start, .void: break
            case .stop(let id): demand(!before.stopped.contains(id), "an ask is stopped once")
            case .deliver(let caller), .cancel(let caller): demand(!before.heard.contains(caller), "a caller hears once")
            }
        }
    }

    private func checkArrival(
        of caller: Int, _ request: String, _ kind: AskKind, _ before: Place, _ after: Place, _ effects: [Effect],
        _ demand: (Bool, String) -> Void, _ ends: inout Set<String>
    ) {
        guard let ask = after.ask(of: caller) else { return demand(false, "every caller has an ask") }
        demand(ask.request == request && ask.kind == kind, "a caller has the ask that it wanted")
        let equal = before.asks.asks.filter { $0.request == request && $0.kind == kind }
        let isOver = { (id: Int) in before.answered.contains(id) || before.stopped.contains(id) }
        if before.ask(ask.id) != nil {
            demand(effects.isEmpty, "joining starts nothing")
            demand(!isOver(ask.id), "no caller joins after an answer, a void or a stop")
        } else {
            demand(effects == [.start(ask: ask.id)], "an ask starts at once: asks never wait for each other")
            demand(!kind.mayBeJoined || equal.allSatisfy { isOver($0.id) }, "equal asks share their prompts")
            if kind.mayBeJoined, !equal.isEmpty { ends.insert("a late caller asks anew") }
            if kind == .stepUp, !equal.isEmpty { ends.insert("two equal step-ups are under way") }
        }
    }
}

extension Asks<String>.Event {
    /// Whether it is about a caller or an ask that is gone.
    fileprivate func isLate(at place: AsksWalk.Place) -> Bool {
        switch self {
        case .came: false
        case .left(let caller): place.ask(of: caller) == nil
        case .answered(let id), .sent(let id), .voided(let id), .ended(let id): place.ask(id) == nil
        }
    }
}
