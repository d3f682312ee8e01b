import ThumbturnCore

// The rules that must hold in every state of the flow, and at every step.

extension FlowWalk {
    /// Records an end, or a state without a way out for one of the people. Known are the situations in which they were
    /// followed already.
    func arrive(at place: Place, _ known: inout Set<Situation>, _ report: inout Report) {
        if case .finished(let end) = place.flow.state {
            switch end {
            case .granted(let rung, _, let additional):
                report.ends.insert("granted by \(rung.rawValue)\(additional.isEmpty ? "" : " and more")")
            case .failed(let failure): report.ends.insert(failure.code.name)
            }
        }
        guard known.insert(Situation(place)).inserted else { return }
        for person in HonestPerson.all where !letsIn(person, at: place) {
            report.violations.append("a person \(person.name) does not get in: \(place.flow.state) of \(place.readiness)")
        }
    }

    /// Checks one step.
    func check(
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
            demand(finishes == [end], "an end is reported once")
            switch end {
            case .granted(let rung, let output, let additional):
                demand(
                    !([rung] + policy.additionalRungs).contains(where: before.readiness.isGone),
                    "no grant from an invalidated key")
                if case .signing(let prompt, _, _) = before.flow.state,
                    event == .signed(additional.last ?? output, prompt: prompt.id)
                {
                    demand(additional.count == policy.additionalRungs.count, "a grant has every proof that the policy demands")
                    demand(Set([output] + additional).count == 1 + additional.count, "no proof counts twice")
                } else {
                    demand(false, "no grant without a proof")
                }
            case .failed(let failure):
                let waits = if case .wait = failure.recovery { true } else { false }
                demand(waits == (failure.code == .paused), "only a pause tells the person to wait")
            }
        } else {
            demand(finishes.isEmpty, "only a finished flow reports an end")
        }
        for case .show(let prompt) in effects {
            demand(after.readiness.hasKeys(for: prompt.rung), "a rung is asked only where its key can answer")
            demand((policy.ladder + policy.additionalRungs).contains(prompt.rung), "only rungs of the policy are asked")
            demand(
                prompt.rung != .fullCredentials || policy.additionalRungs.isEmpty,
                "no full sign-in stands in for two keys")
        }
        for case .wake(let time) in effects { demand(time >= after.now, "no wake is in the past") }
        if let prompt = event.prompt, prompt != before.flow.prompt?.id {
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
        if case .answered(.failed(let failure), let id) = event, failure.code == .lockedOut, id == before.flow.prompt?.id,
            case .prompting(let prompt, _, _) = before.flow.state, prompt.rung != .fullCredentials
        {
            let isReported = effects.contains { if case .emit(.lockedOut) = $0 { true } else { false } }
            let isCancelled = effects.contains { if case .emit(.cancelled) = $0 { true } else { false } }
            demand(isReported && !isCancelled, "a lockout is reported as a lockout")
        }
        let outcomes = effects.compactMap {
            if case .emit(.sensorAnswered(let outcome, let after, let total)) = $0 { (outcome, after, total) } else { nil }
        }
        demand(outcomes.allSatisfy { .zero <= $0.1 && $0.1 <= $0.2 }, "a prompt answers after it appeared, within the total time")
        demand(
            outcomes.count { $0.0 == .failed(.notMatched) } == (event.isMismatch(in: before.flow) ? 1 : 0),
            "every mismatch is reported once, and nothing else is one")
        if case .readPoorly = event, !effects.contains(where: { if case .move = $0 { true } else { false } }) {
            demand(after.flow.prompt == before.flow.prompt, "a reading without a verdict decides nothing")
        }
        if case .mismatched = event, !effects.contains(where: { if case .move = $0 { true } else { false } }) {
            demand(after.flow.prompt == before.flow.prompt, "a prompt that stays after a mismatch is not shown again")
        }
        // A PIN is tried again only by asking again, and no more often than the policy allows.
        if case .signingFailed(let failure, let id) = event, failure.code == .notMatched,
            case .signing(let prompt, _, _) = before.flow.state, prompt.rung == .appPIN, prompt.id == id
        {
            let isRetry = effects.contains { if case .emit(.retry(let n)) = $0 { n < policy.pinMismatchLimit } else { false } }
            let movesOn = effects.contains { if case .move(from: .appPIN, _, because: .mismatches) = $0 { true } else { false } }
            demand(isRetry != movesOn, "a wrong PIN asks again or moves on")
        }
        if event == .woke, case .prompting(let prompt, _, _) = after.flow.state, prompt.rung == .biometric,
            after.flow.person.extraTime == .none, !after.wasAway, let since = after.sensorSince
        {
            demand(since.duration(to: after.now) < policy.fallbackAfter, "no sensor prompt outlives the limit")
        }
    }
}
