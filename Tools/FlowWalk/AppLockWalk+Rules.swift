import ThumbturnCore

// The rules that must hold in every state of the app lock, and at every step.

extension AppLockWalk {
    /// Records the state, or that no way leads from it to the contents.
    func arrive(at place: Place, _ report: inout FlowWalk.Report) {
        report.ends.insert(place.name)
        let facts = place.facts
        if let sight = facts.sight {
            if facts.ask != nil, sight == AppLock.Sight(.back, isPromptUp: true) {
                report.ends.insert("asking under a prompt in the back")
            }
            if facts.isOpen, place.lock.isCovered { report.ends.insert("unlocked and covered") }
            if facts.isOpen, sight == AppLock.Sight(.inactive, isPromptUp: true), !place.lock.isCovered {
                report.ends.insert("unlocked under its own prompt")
            }
        }
        if !opens(place) { report.violations.append("an honest person gets in: \(place)") }
    }

    /// Checks one step.
    func check(
        _ before: Place, _ waited: Waited, _ event: AppLock.Event, _ after: Place, _ effects: [AppLock.Effect], _ due: Demand,
        _ report: inout FlowWalk.Report
    ) {
        func demand(_ holds: Bool, _ rule: @autoclosure () -> String) {
            if !holds { report.violations.append("\(rule()): \(event) after \(after.now - before.now) s at \(before)") }
        }
        let (facts, lock) = (after.facts, after.lock)
        let changes = lock != waited.lock || !effects.filter(\.isNoWake).elementsEqual(waited.effects.filter(\.isNoWake))

        demand(lock.state != .unlocked || facts.isOpen, "no moment without a live success in which the contents show")
        demand(lock.state == .unlocked || !facts.isOpen, "a live success opens the app until it is made worthless")
        demand(
            facts.run != nil || lock.state != .unlocked && facts.ask == nil && lock.isCovered,
            "an app that nothing follows is locked and covered")
        demand(lock.isCovered == facts.isCovered, "an app is covered where it is not in front, except under its own prompt")
        var isCovered = before.lock.isCovered
        for effect in effects where effect == .cover || effect == .uncover {
            demand(isCovered == (effect == .uncover), "a cover comes and goes once")
            isCovered.toggle()
        }
        demand(isCovered == lock.isCovered, "the cover that is told is the cover that is")

        demand(effects.contains(.void) == due.voids, "only locking and leaving make worthless what is under way")
        let isLocked = before.facts.isOpen && !facts.isOpen
        demand(effects.count { $0 == .lock } == (isLocked ? 1 : 0), "a lock is told once")
        if isLocked, let lock = effects.firstIndex(of: .lock) {
            demand(effects[..<lock].contains(.void), "what is under way is worthless before the lock is told")
            demand(!effects[..<lock].contains(.uncover), "the contents do not show before the lock")
        }

        let asked = effects.compactMap { if case .ask(let ask) = $0 { ask } else { nil } }
        demand(
            asked == (due.asks ? [AppLock.Ask(number: before.facts.asks + 1)] : []),
            "the lock asks for a tap or once for an appearance, in front, with a number of its own")
        demand((lock.state == facts.ask.map { .asking($0) }) == (facts.ask != nil), "one ask is under way")
        let cancelled = effects.compactMap { if case .cancel(let ask) = $0 { ask } else { nil } }
        demand(cancelled == (due.cancelled.map { [$0] } ?? []), "an ask that is worthless is cancelled once")

        if due.isIgnored {
            demand(!changes, "what is late, doubled or about another run or ask changes nothing")
            if case .answered(let ask, .succeeded(isLive: true)) = event, ask.number <= before.facts.asks {
                report.ends.insert("a late success was ignored")
            }
        }
        if case .answered(_, .succeeded(isLive: false)) = event, !due.isIgnored {
            report.ends.insert("a stale success was refused")
        }

        let deadline = facts.deadline(under: numbers)
        let wakes = effects.compactMap { if case .wake(let time) = $0 { time } else { nil } }
        let isNew = deadline != before.facts.deadline(under: numbers) || event == .woke
        demand(
            wakes == (isNew ? deadline.map { [Self.at($0).sinceBoot] } ?? [] : []),
            "the lock is woken when its next limit ends")

        let pair = "\(before.name): \(event.name)"
        report.tried.insert(pair)
        if event == .woke ? effects.contains(where: \.isNoWake) : changes { report.acted.insert(pair) }
    }

    /// Whether an honest person gets in: a run follows the app, the app comes to the front, the person taps where they are not
    /// asked already, and matches.
    private func opens(_ place: Place) -> Bool {
        var lock = place.lock
        let (now, run) = (Self.at(place.now), place.facts.run ?? place.facts.runs + 1)
        if place.facts.run == nil { _ = lock.handle(.began(run: run), at: now) }
        _ = lock.handle(.saw(AppLock.Sight(.front, isPromptUp: false), run: run), at: now)
        _ = lock.handle(.tapped, at: now)
        if case .asking(let ask) = lock.state { _ = lock.handle(.answered(ask, .succeeded(isLive: true)), at: now) }
        return lock.state == .unlocked && !lock.isCovered
    }
}

// MARK: - What a walk should reach

extension AppLockWalk {
    /// The differences between a walk of all locks and what it should reach: ends, and events that do something.
    package static func gaps(in report: FlowWalk.Report) -> [String] {
        let acting = Set(Self.acting.flatMap { state, events in events.map { "\(state): \($0)" } })
        return ends.subtracting(report.ends).sorted().map { "the end is not reached: \($0)" }
            + report.ends.subtracting(ends).sorted().map { "an unexpected end: \($0)" }
            + acting.subtracting(report.acted).sorted().map { "something should happen: \($0)" }
            + report.acted.subtracting(acting).sorted().map { "nothing should happen: \($0)" }
    }

    private static let ends = Set(acting.keys).union([
        "asking under a prompt in the back", "unlocked and covered", "unlocked under its own prompt",
        "a late success was ignored", "a stale success was refused",
    ])

    /// The events that do something in each state, beside what the time does.
    private static let acting: [String: [String]] = [
        "nothing follows": ["began", "lockNow", "dismissed"],
        "locked, asks itself": ["began", "ended", "saw", "tapped", "lockNow", "dismissed", "proved", "woke"],
        "locked, waits for a tap": ["began", "ended", "saw", "tapped", "lockNow", "dismissed", "proved", "woke"],
        "asking": ["began", "ended", "saw", "lockNow", "dismissed", "answered", "proved", "woke"],
        "unlocked": ["began", "ended", "saw", "lockNow", "dismissed", "woke"],
    ]
}

extension AppLockWalk.Place {
    fileprivate var name: String {
        guard facts.run != nil else { return "nothing follows" }
        return switch lock.state {
        case .locked(asksItself: true): "locked, asks itself"
        case .locked(asksItself: false): "locked, waits for a tap"
        case .asking: "asking"
        case .unlocked: "unlocked"
        }
    }
}

extension AppLock.Effect {
    fileprivate var isNoWake: Bool { if case .wake = self { false } else { true } }
}

extension AppLock.Event {
    fileprivate var name: String {
        switch self {
        case .began: "began"
        case .ended: "ended"
        case .saw: "saw"
        case .tapped: "tapped"
        case .lockNow: "lockNow"
        case .dismissed: "dismissed"
        case .answered: "answered"
        case .proved: "proved"
        case .woke: "woke"
        }
    }
}
