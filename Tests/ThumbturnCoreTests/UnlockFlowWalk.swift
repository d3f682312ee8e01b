import Testing
import ThumbturnCore

/// Visits every state that a few events can reach, and checks what must hold in all of them.
@Suite struct UnlockFlowWalk {
    struct Place: Hashable {
        var flow: UnlockFlow
        var now: Instant
        var start: Readiness
    }

    static let policies: [UnlockPolicy] = {
        var lifted = UnlockPolicy.unlock
        lifted.timeLimitsLifted = true
        return [
            .unlock, .highRisk, lifted, UnlockPolicy(ladder: [.devicePasscode]), UnlockPolicy(ladder: [.appPIN, .biometric]),
            UnlockPolicy(ladder: []),
        ]
    }()

    static let starts: [Readiness] = {
        let biometries: [BiometryState] = [
            .ready, .notEnrolled, .lockedOut(.untilPasscode), .lockedOut(.temporary), .paused(for: .seconds(10)),
            .permissionDenied, .unavailable,
        ]
        let states: [KeyState] = [.usable, .missing, .invalidated(.enrolmentChanged), .notYetReadable]
        let withoutSession = states.map { state in
            Readiness(biometry: .ready, keys: [.session: state, .biometric: .usable, .passcode: .usable], ladder: [])
        }
        let pins = states + [.paused(for: .seconds(30))]
        // Each state of the PIN key below a passcode that can be asked and below none; and once below the sensor.
        let withPIN =
            pins.flatMap { pin in
                [KeyState.usable, .missing].map { passcode in
                    Readiness(
                        biometry: .notEnrolled, keys: [.session: .usable, .biometric: .usable, .passcode: passcode, .pin: pin],
                        ladder: []
                    )
                }
            } + [Readiness(biometry: .ready, keys: [.session: .usable, .biometric: .usable, .pin: .usable], ladder: [])]
        return withoutSession + withPIN
            + biometries.flatMap { biometry in
                states.flatMap { biometric in
                    states.map { passcode in
                        Readiness(
                            biometry: biometry, keys: [.session: .usable, .biometric: biometric, .passcode: passcode], ladder: []
                        )
                    }
                }
            }
    }()

    /// Everything that may happen in a state: answers to the living prompt and to the one before it, and times that matter.
    static func events(in flow: UnlockFlow) -> [UnlockFlow.Event] {
        let id =
            switch flow.state {
            case .prompting(let prompt), .signing(let prompt): prompt.id
            case .idle, .finished: 0
            }
        let codes: [Failure.Code] = [.cancelledByUser, .cancelledBySystem, .superseded, .lockedOut, .platform]
        let failures = codes.map { Failure($0, recovery: .retry) } + [Failure(.keyInvalidated, recovery: .reEnrol)]
        var events: [UnlockFlow.Event] = [.woke, .hintChosen, .stopped(Failure(.cancelledByApp, recovery: .retry))]
        for prompt in [id, id - 1] {
            events += [
                .answered(.matched, prompt: prompt), .answered(.entered, prompt: prompt),
                .answered(.notMatched, prompt: prompt), .signed(proof, prompt: prompt),
            ]
            events.append(.readPoorly(.tooShort, prompt: prompt))
            events += failures.map { .answered(.failed($0), prompt: prompt) }
            events += [
                Failure(.keyInvalidated, recovery: .reEnrol), Failure(.notMatched, recovery: .retry),
                Failure(.paused, recovery: .wait(.seconds(60))), Failure(.platform, recovery: .report),
            ].map { .signingFailed($0, prompt: prompt) }
        }
        return events
    }

    @Test func everyReachableState() {
        var seen: Set<Place> = []
        var waiting: [Place] = []
        var ends: Set<String> = []
        let origin = Instant(sinceOrigin: .zero)
        for policy in Self.policies {
            for start in Self.starts {
                var flow = UnlockFlow(policy: policy)
                _ = flow.handle(.began(start), at: origin)
                waiting.append(Place(flow: flow, now: origin, start: start))
            }
        }
        while let place = waiting.popLast() {
            guard seen.insert(place).inserted else { continue }
            if case .finished(let end) = place.flow.state {
                switch end {
                case .granted(let rung, _): ends.insert("granted by \(rung)")
                case .failed(let failure): ends.insert(failure.code.name)
                }
            } else {
                #expect(canEnd(place, within: 4), "a dead end: \(place.flow.state)")
            }
            for event in Self.events(in: place.flow) {
                for step: Duration in [.zero, .seconds(4), .seconds(8)] where place.now.sinceOrigin + step <= .seconds(16) {
                    var next = place
                    next.now = place.now.advanced(by: step)
                    let effects = next.flow.handle(event, at: next.now)
                    check(place, event, next, effects)
                    waiting.append(next)
                }
            }
        }
        print("walked \(seen.count) states, \(ends.count) ends")
        #expect(
            ends == [
                "granted by biometric", "granted by devicePasscode", "granted by appPIN", "policyDenies", "paused", "notEnrolled",
                "notYetReadable",
                "keyInvalidated", "lockedOut", "biometryNotEnrolled", "biometryUnavailable", "permissionDenied", "notMatched",
                "timedOut", "cancelledByUser", "cancelledBySystem", "cancelledByApp", "superseded", "platform",
            ]
        )
    }

    private func check(_ before: Place, _ event: UnlockFlow.Event, _ after: Place, _ effects: [UnlockFlow.Effect]) {
        let finishes = effects.compactMap { if case .finish(let end) = $0 { end } else { nil } }
        if case .finished = before.flow.state {
            #expect(effects.isEmpty && after.flow == before.flow, "the end is reached once")
            return
        }
        if case .finished(let end) = after.flow.state {
            #expect(finishes == [end])
            if case .granted(let rung, let proof) = end {
                guard case .signing(let prompt) = before.flow.state, event == .signed(proof, prompt: prompt.id) else {
                    Issue.record("a grant without a signature: \(event)")
                    return
                }
                #expect(prompt.rung == rung)
                #expect(before.start.isUsable(rung), "a grant by a key that was not usable")
            }
            if case .failed(let failure) = end {
                let waits = if case .wait = failure.recovery { true } else { false }
                #expect(waits == (failure.code == .paused), "patience helps where there is a pause, and nowhere else")
            }
        } else {
            #expect(finishes.isEmpty)
        }
        // A PIN is tried again only by asking again, and no more often than the policy allows.
        if case .signingFailed(let failure, _) = event, failure.code == .notMatched,
            case .signing(let prompt) = before.flow.state,
            prompt.rung == .appPIN, after.flow != before.flow
        {
            let isRetry = effects.contains {
                if case .emit(.retry(let n)) = $0 { n < after.flow.policy.pinMismatchLimit } else { false }
            }
            let movesOn = effects.contains { if case .move(from: .appPIN, _, because: .mismatches) = $0 { true } else { false } }
            #expect(isRetry != movesOn)
        }
        if case .readPoorly = event {
            #expect(after.flow == before.flow, "a reading without a verdict decides nothing")
        }
        // Behind the limit no sensor prompt of a hurried policy survives a wake.
        if event == .woke, after.now.sinceOrigin >= .seconds(12), !after.flow.policy.timeLimitsLifted,
            case .prompting(let prompt) = after.flow.state
        {
            #expect(prompt.rung != .biometric)
        }
    }

    /// Whether an honest person who matches, or moves on, comes to an end within so many actions.
    private func canEnd(_ place: Place, within actions: Int) -> Bool {
        var flow = place.flow
        for _ in 0..<actions {
            switch flow.state {
            case .finished: return true
            case .idle: return false
            case .prompting(let prompt):
                let answer = prompt.rung == .appPIN ? SensorAnswer.entered : .matched
                _ = flow.handle(.answered(answer, prompt: prompt.id), at: place.now)
            case .signing(let prompt): _ = flow.handle(.signed(proof, prompt: prompt.id), at: place.now)
            }
        }
        if case .finished = flow.state { return true }
        return false
    }
}
