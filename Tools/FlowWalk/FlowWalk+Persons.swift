import ThumbturnCore

// The honest people of a walk: what they can answer, and how they go on where they cannot.

extension FlowWalk {
    /// An honest person at a device.
    struct HonestPerson: Sendable {
        var name: String
        /// The rungs that the person can answer.
        var answers: Set<Rung>
        /// Whether the system's prompt covers the app's buttons: then the person presses the prompt's own button, and the
        /// screen behind it offers the other rungs by name.
        var isBehindSheets = false

        /// Whom the ladder has to let in. Everyone has the account's credentials.
        static let all = [
            HonestPerson(name: "whom the sensor matches", answers: Set(Rung.allCases)),
            HonestPerson(name: "whom the sensor never matches", answers: [.devicePasscode, .appPIN, .fullCredentials]),
            HonestPerson(name: "who has no passcode", answers: [.appPIN, .fullCredentials]),
            HonestPerson(name: "who forgot the PIN", answers: [.fullCredentials]),
            HonestPerson(
                name: "whom the sensor never matches, behind sheets", answers: [.devicePasscode, .appPIN, .fullCredentials],
                isBehindSheets: true),
            HonestPerson(name: "who forgot the PIN, behind sheets", answers: [.fullCredentials], isBehindSheets: true),
        ]

        /// What the person does next in a flow that waits for them; nil where it does not.
        func act(in flow: UnlockFlow, _ readiness: Readiness) -> UnlockFlow.Event? {
            switch flow.state {
            // The screen before the prompt has a button for the first way, and one for the next.
            case .idle: .began(readiness, by: wants(readiness.usable(of: flow.ladder)).map(UnlockFlow.Start.rung) ?? .tap)
            case .waiting(let readiness, _): wants(readiness.usable(of: flow.ladder)) == nil ? .tapped : .hintChosen
            case .awayBeforePrompt, .away, .interrupted: .cameFront
            case .prompting(let prompt, _, _): .some(answer(to: prompt))
            case .signing, .finished: nil
            }
        }

        /// The second of the ways, where the person cannot go the first one.
        private func wants(_ ways: [Rung]) -> Rung? {
            ways.first.map(answers.contains) ?? true ? nil : ways.dropFirst().first
        }

        private func answer(to prompt: UnlockFlow.Prompt) -> UnlockFlow.Event {
            guard answers.contains(prompt.rung) else {
                let isSheet = prompt.rung == .biometric || prompt.rung == .devicePasscode
                guard isBehindSheets, isSheet else { return .hintChosen }
                return .answered(.failed(Failure(.cancelledByUser, recovery: .retry)), prompt: prompt.id)
            }
            let isTyped = prompt.rung == .appPIN || prompt.rung == .fullCredentials
            return .answered(isTyped ? .entered : .matched, prompt: prompt.id)
        }
    }

    /// All of a place that changes where a person goes from there: neither times nor counts do.
    struct Situation: Hashable {
        private var state: String
        private var prompt: UnlockFlow.Prompt?
        private var isFinishedWith: UnlockFlow.End?
        private var readiness: Readiness
        private var remaining: ArraySlice<Rung> = []
        private var grants = 0
        private var wantsAnotherWay = false
        private var attempt: Rung?

        init(_ place: Place) {
            state = place.flow.state.name
            prompt = place.flow.prompt.map { UnlockFlow.Prompt(id: 0, rung: $0.rung, cancelButton: $0.cancelButton) }
            readiness = place.readiness
            switch place.flow.state {
            case .idle, .waiting: break
            case .awayBeforePrompt(_, let wantsAnotherWay): self.wantsAnotherWay = wantsAnotherWay
            case .prompting(_, let attempt, let progress), .signing(_, let attempt, let progress),
                .away(let attempt, let progress, _), .interrupted(let attempt, let progress, _):
                self.attempt = attempt.rung
                (readiness, remaining, wantsAnotherWay) = (progress.readiness, progress.remaining, progress.wantsAnotherWay)
                grants = progress.grant.map { 1 + $0.additional.count } ?? 0
            case .finished(let end): isFinishedWith = end
            }
        }

        /// The prompt and the rungs that are left tell most situations apart.
        func hash(into hasher: inout Hasher) {
            hasher.combine(state)
            hasher.combine(prompt)
            hasher.combine(remaining.count)
        }
    }

    /// Whether a person gets in from a place, within four actions of their own; also where the device offers nothing that
    /// this person can answer, and where keys cannot be read before the device is unlocked.
    ///
    /// Where a flow ended without them, the screen's buttons name the rungs that can be asked, and the person presses one.
    func letsIn(_ person: HonestPerson, at place: Place) -> Bool {
        guard policy.problem == nil, Set(policy.additionalRungs).isSubset(of: person.answers) else { return true }
        var (flow, readiness) = (place.flow, place.readiness)
        var actions = 4 + 2 * policy.additionalRungs.count
        while true {
            switch flow.state {
            case .finished(.granted): return true
            case .finished(.failed):
                readiness.ladder = policy.ladder
                let ways = readiness.usableRungs.filter { $0 != .fullCredentials || flow.mayAsk(.fullCredentials, readiness) }
                guard let way = ways.first(where: person.answers.contains) else { return true }
                guard policy.additionalRungs.allSatisfy(readiness.isUsable), actions > 0 else { return actions > 0 }
                flow = UnlockFlow(policy: policy, person: flow.person)
                _ = flow.handle(.began(readiness, by: .rung(way)), at: place.now)
                actions -= 1
            case .signing(let prompt, _, _):
                _ = flow.handle(.signed(Self.output(of: prompt.id), prompt: prompt.id), at: place.now)
            case .idle, .waiting, .awayBeforePrompt, .prompting, .away, .interrupted:
                guard actions > 0, let event = person.act(in: flow, readiness) else { return false }
                _ = flow.handle(event, at: place.now)
                actions -= 1
            }
        }
    }
}

extension Readiness {
    /// The rungs of a ladder that can be asked.
    fileprivate func usable(of ladder: [Rung]) -> [Rung] { ladder.filter(isUsable) }
}

extension UnlockFlow {
    /// Whether a rung can be asked in a flow that begins now.
    fileprivate func mayAsk(_ rung: Rung, _ readiness: Readiness) -> Bool {
        var flow = UnlockFlow(policy: policy, person: person)
        _ = flow.handle(.began(readiness, by: .rung(rung)), at: Instant(sinceOrigin: .zero))
        return flow.prompt?.rung == rung
    }
}
