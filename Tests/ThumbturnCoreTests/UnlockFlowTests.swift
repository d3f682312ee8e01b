import Testing
import ThumbturnCore

/// Sends events to a flow and keeps its last effects.
struct FlowPlayer {
    var flow: UnlockFlow
    var now = Instant(sinceOrigin: .seconds(100))
    var effects: [UnlockFlow.Effect] = []

    init(
        _ policy: UnlockPolicy = .unlock, _ readiness: Readiness = .allGood, person: Person = Person(),
        by start: UnlockFlow.Start = .tap
    ) {
        flow = UnlockFlow(policy: policy, person: person)
        send(.began(readiness, by: start))
    }

    @discardableResult
    mutating func send(_ event: UnlockFlow.Event, after duration: Duration = .zero) -> [UnlockFlow.Effect] {
        now = now.advanced(by: duration)
        effects = flow.handle(event, at: now)
        return effects
    }

    var prompt: UnlockFlow.Prompt? { flow.prompt }

    var end: UnlockFlow.End? {
        guard case .finished(let end) = flow.state else { return nil }
        return end
    }

    var failure: Failure? {
        guard case .failed(let failure) = end else { return nil }
        return failure
    }

    mutating func answer(_ answer: SensorAnswer, after duration: Duration = .zero) {
        send(.answered(answer, prompt: prompt?.id ?? 0), after: duration)
    }
}

extension Readiness {
    static let withPIN = allGood.with { $0.keys[.pin] = .usable }

    static let allGood = Readiness(
        biometry: .ready, keys: [.session: .usable, .biometric: .usable, .passcode: .usable],
        ladder: UnlockPolicy.unlock.ladder
    )

    func with(_ change: (inout Readiness) -> Void) -> Readiness {
        var copy = self
        change(&copy)
        return copy
    }
}

let proof = UnlockFlow.Output("a.b.c")

@Suite struct UnlockFlowTests {
    @Test func aMatchSignsAndGrants() {
        var player = FlowPlayer()
        #expect(player.effects.contains(.show(.init(id: 1, rung: .biometric, cancelButton: .cancel))))
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(8)))))
        player.answer(.matched, after: .seconds(1))
        #expect(player.effects.contains { if case .sign = $0 { true } else { false } })
        #expect(player.end == nil, "a match without a proof is no grant")
        player.send(.signed(proof, prompt: 1))
        #expect(player.end == .granted(.biometric, proof))
        #expect(
            player.effects == [
                .emit(.authenticated(.biometric, after: .seconds(1), attempts: 1)), .finish(.granted(.biometric, proof)),
            ])
    }

    @Test func everyStepIsReported() {
        var player = FlowPlayer()
        let start = player.now
        let first = UnlockFlow.Prompt(id: 1, rung: .biometric, cancelButton: .cancel)
        let second = UnlockFlow.Prompt(id: 2, rung: .biometric, cancelButton: .use(.devicePasscode))
        #expect(player.effects == [.show(first), .emit(.promptShown(.biometric)), .wake(at: start.advanced(by: .seconds(8)))])
        player.answer(.notMatched, after: .seconds(2))
        #expect(
            player.effects == [
                .emit(.sensorAnswered(.failed(.notMatched), after: .seconds(2), total: .seconds(2))), .emit(.retry(1)),
                .show(second),
                .emit(.promptShown(.biometric)), .wake(at: start.advanced(by: .seconds(7))),
            ])
        var matched = player
        matched.answer(.matched, after: .seconds(1))
        #expect(matched.effects == [.emit(.sensorAnswered(.matched, after: .seconds(1), total: .seconds(3))), .sign(second)])
        player.answer(.failed(Failure(.platform)), after: .seconds(1))
        let third = UnlockFlow.Prompt(id: 3, rung: .devicePasscode, cancelButton: .cancel)
        #expect(
            player.effects == [
                .emit(.sensorAnswered(.failed(.platform), after: .seconds(1), total: .seconds(3))),
                .move(from: .biometric, to: .devicePasscode, because: .skipped(.platform)),
                .emit(.fellBack(from: .biometric, to: .devicePasscode, because: .skipped(.platform))), .show(third),
                .emit(.promptShown(.devicePasscode)),
            ])
        #expect(player.flow.person.pace.missesInARow == 0, "a failure of the platform is no miss")
        var typing = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), .withPIN)
        typing.answer(.entered, after: .seconds(4))
        typing.send(.signingFailed(Failure(.notMatched), prompt: 1), after: .seconds(1))
        #expect(typing.effects.first == .emit(.sensorAnswered(.failed(.notMatched), after: .seconds(5), total: .seconds(5))))
        var stopped = FlowPlayer(.highRisk)
        stopped.send(.woke, after: .seconds(8))
        #expect(
            stopped.effects == [
                .showHint(.fullCredentials), .emit(.hintShown), .wake(at: stopped.now.advanced(by: .seconds(4))),
            ])
        stopped.answer(.failed(Failure(.lockedOut)))
        let end = Failure(.lockedOut, recovery: .signInAgain)
        #expect(
            stopped.effects == [
                .emit(.sensorAnswered(.failed(.lockedOut), after: .seconds(8), total: .seconds(8))),
                .emit(.lockedOut(.untilPasscode)),
                .move(from: .biometric, to: .fullCredentials, because: .lockedOut),
                .emit(.fellBack(from: .biometric, to: .fullCredentials, because: .lockedOut)), .finish(.failed(end)),
            ])
    }

    @Test func aLockoutIsTheCauseBeforeAMismatch() {
        var player = FlowPlayer(.highRisk)
        player.answer(.notMatched)
        player.answer(.failed(Failure(.lockedOut)))
        #expect(player.failure == Failure(.lockedOut, recovery: .signInAgain))
    }

    @Test func theEndCarriesTheMostUsefulCause() {
        var mismatched = FlowPlayer(.highRisk)
        for _ in 1...3 { mismatched.answer(.notMatched) }
        #expect(mismatched.failure == Failure(.notMatched, recovery: .signInAgain))
        var timedOut = FlowPlayer(.highRisk)
        timedOut.send(.woke, after: .seconds(12))
        #expect(timedOut.failure == Failure(.timedOut, recovery: .signInAgain))
        let dead = Failure(.keyInvalidated)
        let paused = Failure(.paused, recovery: .wait(.seconds(60)))
        var player = FlowPlayer(UnlockPolicy(ladder: [.appPIN, .biometric]), .withPIN)
        player.answer(.entered)
        player.send(.signingFailed(paused, prompt: 1))
        player.answer(.failed(dead))
        #expect(player.failure == dead, "a dead key comes before a pause")
        #expect(player.effects.contains(.emit(.keyInvalidated(.unknown))))
        var locked = FlowPlayer(UnlockPolicy(ladder: [.biometric, .appPIN]), .withPIN)
        locked.answer(.failed(Failure(.lockedOut, recovery: .fallBack(.appPIN))))
        locked.answer(.entered)
        locked.send(.signingFailed(paused, prompt: 2))
        #expect(locked.failure == paused, "a pause ends by itself")
    }

    @Test func withoutTheSessionKeyNothingIsAsked() {
        let missing = FlowPlayer(.unlock, .withPIN.with { $0.keys[.session] = .missing })
        #expect(missing.failure == Failure(.notEnrolled))
        let dead = FlowPlayer(.highRisk, .withPIN.with { $0.keys[.session] = .invalidated(.enrolmentChanged) })
        #expect(dead.failure == Failure(.keyInvalidated))
        #expect(dead.effects.contains(.emit(.keyInvalidated(.enrolmentChanged))))
    }

    @Test func aSecondAttemptSucceeds() {
        var player = FlowPlayer()
        player.answer(.notMatched, after: .seconds(2))
        #expect(player.prompt == .init(id: 2, rung: .biometric, cancelButton: .use(.devicePasscode)))
        #expect(player.effects.contains(.emit(.retry(1))))
        player.answer(.matched, after: .seconds(1))
        player.send(.signed(proof, prompt: 2))
        #expect(player.end == .granted(.biometric, proof))
    }

    /// Android's prompt stays, and is tried again by itself: it is one prompt, with the limits of several.
    @Test func aPromptThatStaysIsNotShownAgain() throws {
        var player = FlowPlayer(.transaction, .withPIN)
        player.send(.appeared(.told, prompt: 1))
        for number in 1...2 {
            player.send(.mismatched(prompt: 1), after: .seconds(1))
            #expect(
                player.effects.dropLast() == [
                    .emit(.sensorAnswered(.failed(.notMatched), after: .seconds(1), total: .seconds(number))),
                    .emit(.retry(number)),
                ])
            #expect(player.prompt == .init(id: 1, rung: .biometric, cancelButton: .cancel))
            #expect(player.flow.phase == .retry)
        }
        var matched = player
        matched.answer(.matched, after: .seconds(1))
        #expect(matched.flow.person.pace == Pace(), "a match after a mismatch is no sample")
        matched.send(.signed(proof, prompt: 1))
        #expect(matched.effects.first == .emit(.authenticated(.biometric, after: .seconds(3), attempts: 3)))
        player.send(.mismatched(prompt: 1), after: .seconds(1))
        #expect(player.effects.contains(.dismiss(.init(id: 1, rung: .biometric, cancelButton: .cancel))))
        #expect(player.effects.contains(.move(from: .biometric, to: .appPIN, because: .mismatches)))
        let after = player.flow
        player.send(.mismatched(prompt: 1))
        #expect(player.effects.isEmpty && player.flow == after, "it is gone")
        player.send(.mismatched(prompt: 2))
        #expect(player.effects.isEmpty && player.flow == after, "only the sensor's prompt tells a mismatch so")
    }

    @Test func aPromptThatStaysHasTheTimesOfARetry() {
        var player = FlowPlayer()
        player.send(.mismatched(prompt: 1), after: .seconds(2))
        #expect(player.effects.last == .wake(at: player.now.advanced(by: .seconds(5))))
        player.send(.woke, after: .seconds(5))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .timeout)))
        var late = FlowPlayer()
        late.send(.mismatched(prompt: 1), after: .seconds(8))
        #expect(late.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .mismatches)))
    }

    @Test func threeMismatchesMoveOn() {
        var player = FlowPlayer()
        for _ in 1...3 { player.answer(.notMatched, after: .seconds(1)) }
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .mismatches)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func noRetryAfterTheWindow() {
        var player = FlowPlayer()
        player.answer(.notMatched, after: .seconds(8))
        #expect(player.prompt?.rung == .devicePasscode)
        var justInTime = FlowPlayer()
        justInTime.answer(.notMatched, after: .milliseconds(7999))
        #expect(justInTime.prompt?.rung == .biometric)
    }

    @Test func aRetryHasFiveSeconds() {
        var player = FlowPlayer()
        player.answer(.notMatched, after: .seconds(1))
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(5)))))
        player.send(.woke, after: .milliseconds(4999))
        #expect(player.prompt?.rung == .biometric)
        player.send(.woke, after: .milliseconds(1))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test("a poor reading is reported and changes nothing", arguments: PoorReading.allCases)
    func poorReadings(_ reading: PoorReading) {
        var player = FlowPlayer()
        player.answer(.notMatched, after: .seconds(1))
        let before = player.flow
        #expect(player.send(.readPoorly(reading, prompt: 2)) == [.emit(.readPoorly(reading))])
        #expect(player.flow.prompt == before.prompt)
        #expect(player.send(.readPoorly(reading, prompt: 1)) == [], "its prompt is gone")
        player.answer(.matched)
        #expect(player.send(.readPoorly(reading, prompt: 2)) == [], "the match came first")
    }

    @Test func anUnansweredPromptHasAHintAndGivesWay() {
        var player = FlowPlayer()
        player.send(.woke, after: .milliseconds(7999))
        #expect(player.effects == [.wake(at: player.now.advanced(by: .milliseconds(1)))])
        player.send(.woke, after: .milliseconds(1))
        #expect(player.effects.contains(.showHint(.devicePasscode)))
        player.send(.woke)
        #expect(!player.effects.contains(.showHint(.devicePasscode)), "the hint is shown once")
        player.send(.woke, after: .milliseconds(3999))
        #expect(player.prompt?.id == 1)
        player.send(.woke, after: .milliseconds(1))
        #expect(player.effects.first == .dismiss(.init(id: 1, rung: .biometric, cancelButton: .cancel)))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .timeout)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func assistiveTechnologyAndTypingHaveNoLimits() {
        let person = Person(extraTime: .unlimited)
        var player = FlowPlayer(person: person)
        #expect(!player.effects.contains { if case .wake = $0 { true } else { false } })
        player.send(.woke, after: .seconds(60))
        #expect(player.effects == [])
        player.answer(.notMatched)
        #expect(player.prompt?.rung == .biometric)

        var typing = FlowPlayer(.unlock, .allGood.with { $0.biometry = .lockedOut(.untilPasscode) }, person: person)
        #expect(typing.prompt?.rung == .devicePasscode)
        typing.send(.woke, after: .seconds(60))
        #expect(typing.effects == [])
        typing.answer(.notMatched)
        #expect(typing.prompt?.rung == .devicePasscode)
    }

    @Test(
        "a cancel ends the flow by its name",
        arguments: [
            Failure.Code.cancelledByUser, .cancelledByApp, .superseded,
        ])
    func cancels(_ code: Failure.Code) {
        var player = FlowPlayer()
        player.answer(.failed(Failure(code, recovery: .retry)))
        #expect(player.failure?.code == code)
        #expect(player.effects.contains(.emit(.cancelled(code))))
        #expect(!player.effects.contains { if case .emit(.retry) = $0 { true } else { false } }, "a cancel is not a mismatch")
    }

    @Test func fromTheSecondPromptTheCancelButtonIsAChoice() {
        var player = FlowPlayer()
        player.answer(.notMatched)
        player.answer(.failed(Failure(.cancelledByUser)))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .choice)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func onlyItsKeyJudgesAPIN() {
        var player = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), .withPIN)
        #expect(!player.effects.contains { if case .wake = $0 { true } else { false } }, "typing has no limit")
        player.answer(.entered)
        #expect(player.effects.last == .sign(.init(id: 1, rung: .appPIN, cancelButton: .cancel)))
        #expect(player.end == nil, "an entered PIN is no grant")
        player.send(.signingFailed(Failure(.notMatched), prompt: 1))
        #expect(player.effects.contains(.emit(.retry(1))))
        #expect(player.prompt == .init(id: 2, rung: .appPIN, cancelButton: .use(.fullCredentials)))
        player.answer(.entered)
        player.send(.signed(proof, prompt: 2))
        #expect(player.end == .granted(.appPIN, proof))
    }

    @Test func fiveWrongPINsPauseTheRung() {
        var player = FlowPlayer(UnlockPolicy(ladder: [.biometric, .appPIN]), .withPIN)
        for _ in 1...3 { player.answer(.notMatched) }
        for wrong in 1...5 {
            #expect(player.prompt?.rung == .appPIN, "\(wrong)")
            player.answer(.entered)
            player.send(.signingFailed(Failure(.notMatched), prompt: player.prompt?.id ?? 0))
        }
        #expect(player.effects.contains(.move(from: .appPIN, to: .fullCredentials, because: .mismatches)))
        #expect(player.failure == Failure(.paused, recovery: .wait(.seconds(30))), "the pause is the more useful cause")
    }

    @Test func fewerThanFiveWrongPINsPauseNothing() {
        var policy = UnlockPolicy(ladder: [.appPIN])
        policy.pinMismatchLimit = 4
        var player = FlowPlayer(policy, .withPIN)
        for wrong in 1...4 {
            player.answer(.entered)
            player.send(.signingFailed(Failure(.notMatched), prompt: wrong))
        }
        #expect(player.failure == Failure(.notMatched, recovery: .signInAgain))
    }

    @Test func aPauseEndsTheRungAndTheLadderGoesOn() {
        let paused = Failure(.paused, recovery: .wait(.seconds(60)))
        var player = FlowPlayer(UnlockPolicy(ladder: [.appPIN, .biometric]), .withPIN)
        player.answer(.entered)
        player.send(.signingFailed(paused, prompt: 1))
        #expect(player.effects.contains(.move(from: .appPIN, to: .biometric, because: .mismatches)))
        player.answer(.failed(Failure(.lockedOut)))
        #expect(player.failure == paused, "it ends by itself, so it says more than the lockout")
        let readiness = Readiness.withPIN.with { $0.keys[.pin] = .paused(for: .seconds(7)) }
        let skipped = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), readiness)
        #expect(skipped.failure == Failure(.paused, recovery: .wait(.seconds(7))))
        #expect(skipped.effects.contains(.move(from: .appPIN, to: .fullCredentials, because: .skipped(.paused))))
        var damaged = FlowPlayer(UnlockPolicy(ladder: [.biometric, .appPIN]), .withPIN)
        damaged.answer(.failed(Failure(.platform, recovery: .reEnrol)))
        damaged.answer(.entered)
        damaged.send(.signingFailed(paused, prompt: 2))
        #expect(damaged.failure == Failure(.platform, recovery: .reEnrol), "waiting does not bring back a dead key")
        var dead = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), .withPIN)
        dead.answer(.entered)
        dead.send(.signingFailed(Failure(.keyInvalidated), prompt: 1))
        #expect(dead.failure == Failure(.keyInvalidated))
    }

    @Test func aSensorThatPausesIsSkipped() {
        let paused = Readiness.withPIN.with { $0.biometry = .paused(for: .seconds(10)) }
        let skipped = FlowPlayer(.unlock, paused)
        #expect(skipped.prompt?.rung == .devicePasscode)
        #expect(skipped.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .skipped(.paused))))
        #expect(FlowPlayer(.highRisk, paused).failure == Failure(.paused, recovery: .wait(.seconds(10))))
        // The count of other unlocks makes a delay due with the first mismatch of this one.
        var player = FlowPlayer()
        player.answer(.failed(Failure(.paused, recovery: .wait(.seconds(10)))))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .mismatches)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test("of two pauses the shorter is the cause", arguments: [(10, 30), (30, 10), (10, 10)])
    func shorterPause(_ sensor: Int, _ pin: Int) {
        let readiness = Readiness.withPIN.with {
            $0.biometry = .paused(for: .seconds(sensor))
            $0.keys[.pin] = .paused(for: .seconds(pin))
        }
        let player = FlowPlayer(UnlockPolicy(ladder: [.biometric, .appPIN]), readiness)
        #expect(player.failure == Failure(.paused, recovery: .wait(.seconds(10))))
    }

    @Test func aButtonNamesARungThatCanBeAsked() {
        var without = FlowPlayer(.unlock, .allGood.with { $0.biometry = .notEnrolled })
        without.answer(.notMatched)
        #expect(without.prompt == .init(id: 2, rung: .devicePasscode, cancelButton: .use(.fullCredentials)))
        var with = FlowPlayer(.unlock, .withPIN.with { $0.biometry = .notEnrolled })
        with.answer(.notMatched)
        #expect(with.prompt == .init(id: 2, rung: .devicePasscode, cancelButton: .use(.appPIN)))
        var hint = FlowPlayer(.unlock, .withPIN.with { $0.keys[.passcode] = .missing })
        hint.send(.woke, after: .seconds(8))
        #expect(hint.effects.contains(.showHint(.appPIN)))
    }

    @Test func theHintCanBeChosen() {
        var player = FlowPlayer()
        player.send(.hintChosen, after: .seconds(9))
        #expect(player.effects.first == .dismiss(.init(id: 1, rung: .biometric, cancelButton: .cancel)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func aLockoutMovesOnAtOnce() {
        var player = FlowPlayer()
        player.answer(.failed(Failure(.lockedOut)))
        #expect(player.effects.contains(.emit(.lockedOut(.untilPasscode))))
        // A lockout that ends by itself is reported as such.
        var waiting = FlowPlayer()
        waiting.answer(.failed(Failure(.lockedOut, recovery: .wait(.seconds(30)))))
        #expect(waiting.effects.contains(.emit(.lockedOut(.temporary))))
        // A refusal that names its kind is reported as that; the code alone would mean the passcode.
        var counted = FlowPlayer()
        counted.answer(.failed(.lockedOut(.untilStrongerRung, recovery: .fallBack(.devicePasscode))))
        #expect(counted.effects.contains(.emit(.lockedOut(.untilStrongerRung))))
        #expect(player.prompt?.rung == .devicePasscode)
        let locked = FlowPlayer(.highRisk, .allGood.with { $0.biometry = .lockedOut(.untilPasscode) })
        #expect(locked.failure == Failure(.lockedOut, recovery: .signInAgain))
    }

    @Test(
        "what cannot be asked is skipped without a prompt",
        arguments: [
            (BiometryState.notEnrolled, Failure.Code.biometryNotEnrolled), (.unavailable, .biometryUnavailable),
            (.permissionDenied, .permissionDenied), (.lockedOut(.temporary), .lockedOut),
            (.lockedOut(.untilStrongerRung), .lockedOut),
        ])
    func skipping(_ biometry: BiometryState, _ code: Failure.Code) {
        let player = FlowPlayer(.unlock, .allGood.with { $0.biometry = biometry })
        #expect(player.prompt?.rung == .devicePasscode)
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .skipped(code))))
        let strict = FlowPlayer(.highRisk, .allGood.with { $0.biometry = biometry })
        #expect(strict.failure?.code == code)
        #expect(strict.failure?.recovery == .signInAgain)
    }

    @Test func aDeadKeyIsNamedAndAsksForEnrolment() {
        let player = FlowPlayer(.highRisk, .allGood.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) })
        #expect(player.failure == Failure(.keyInvalidated))
        #expect(player.effects.contains(.emit(.keyInvalidated(.enrolmentChanged))))
        var late = FlowPlayer(.highRisk)
        late.answer(.matched)
        late.send(.signingFailed(Failure(.keyInvalidated), prompt: 1))
        #expect(late.failure == Failure(.keyInvalidated))
    }

    @Test func aFailedSignatureNeverGrants() {
        var player = FlowPlayer()
        player.answer(.matched)
        player.send(.signingFailed(Failure(.platform), prompt: 1))
        #expect(player.prompt?.rung == .devicePasscode)
        player.send(.signed(proof, prompt: 1))
        #expect(player.end == nil)
    }

    @Test func aDeviceThatIsNotUnlockedYetIsNeverSignedOut() {
        let player = FlowPlayer(.unlock, .allGood.with { $0.keys[.biometric] = .notYetReadable })
        #expect(player.failure == Failure(.notYetReadable))
    }

    @Test func anEmptyLadderDenies() {
        let player = FlowPlayer(UnlockPolicy(ladder: []))
        #expect(player.failure == Failure(.policyDenies))
    }

    @Test func lateDoubledAndForeignEventsChangeNothing() {
        var player = FlowPlayer()
        player.answer(.notMatched)
        let before = player.flow
        for event: UnlockFlow.Event in [
            .answered(.matched, prompt: 1), .answered(.notMatched, prompt: 1), .answered(.matched, prompt: 3),
            .signed(proof, prompt: 2), .signingFailed(Failure(.platform), prompt: 2),
            .began(.allGood, by: .tap),
        ] {
            #expect(player.send(event) == [])
            #expect(player.flow == before)
        }
        player.answer(.matched)
        player.send(.signed(proof, prompt: 2))
        let end = player.flow
        for event: UnlockFlow.Event in [
            .answered(.matched, prompt: 2), .woke, .hintChosen, .signed(proof, prompt: 2), .began(.allGood, by: .tap),
            .stopped(Failure(.cancelledByApp)),
        ] {
            #expect(player.send(event) == [])
            #expect(player.flow == end)
        }
    }

    @Test func theAppCanStopAFlowInAnyState() {
        let stop = UnlockFlow.Event.stopped(Failure(.cancelledByApp))
        var prompting = FlowPlayer()
        prompting.send(stop)
        #expect(prompting.failure?.code == .cancelledByApp)
        #expect(prompting.effects.first == .dismiss(.init(id: 1, rung: .biometric, cancelButton: .cancel)))
        var signing = FlowPlayer()
        signing.answer(.matched)
        signing.send(stop)
        signing.send(.signed(proof, prompt: 1))
        #expect(signing.failure?.code == .cancelledByApp, "a late signature is discarded")
        var waiting = FlowPlayer(by: .screen)
        #expect(waiting.send(stop).first == .emit(.cancelled(.cancelledByApp)))
        #expect(waiting.failure?.code == .cancelledByApp)
        var away = FlowPlayer()
        away.send(.wentBack)
        away.send(stop)
        #expect(away.failure?.code == .cancelledByApp)
        var idle = UnlockFlow(policy: .unlock)
        #expect(idle.handle(stop, at: prompting.now).count == 1)
    }
}

// MARK: - Away and back

@Suite struct UnlockFlowAwayTests {
    @Test func anAppThatStaysWhenTheSystemTakesItsPromptIsCancelled() {
        var player = FlowPlayer()
        player.answer(.failed(Failure(.cancelledBySystem)), after: .seconds(2))
        #expect(player.flow.isAway && player.end == nil, "the app may be about to go to the back")
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(1)))))
        #expect(player.send(.woke, after: .milliseconds(999)) == [])
        player.send(.woke, after: .milliseconds(1))
        #expect(player.failure == Failure(.cancelledBySystem))
        #expect(player.effects.contains(.emit(.cancelled(.cancelledBySystem))))
        var stays = FlowPlayer()
        stays.answer(.failed(Failure(.cancelledBySystem)))
        stays.send(.tapped)
        #expect(stays.prompt == .init(id: 2, rung: .biometric, cancelButton: .cancel), "a tap asks again")
    }

    @Test func thePromptComesBackWithTheAppExactlyOnce() {
        var player = FlowPlayer()
        player.answer(.failed(Failure(.cancelledBySystem)), after: .seconds(2))
        player.send(.wentBack)
        #expect(player.send(.woke, after: .seconds(1)) == [])
        player.send(.cameFront, after: .seconds(60))
        #expect(player.prompt == .init(id: 2, rung: .biometric, cancelButton: .cancel))
        #expect(player.send(.cameFront) == [], "a prompt's own end makes the app active, too")
        // Two of twelve seconds are used up; the minute away is not counted.
        player.send(.woke, after: .milliseconds(9999))
        #expect(player.prompt?.rung == .biometric)
        player.send(.woke, after: .milliseconds(1))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func aRetryGoesOnAfterAnAbsence() {
        var player = FlowPlayer()
        player.answer(.notMatched, after: .seconds(1))
        player.send(.wentBack, after: .seconds(1))
        #expect(player.effects == [.dismiss(.init(id: 2, rung: .biometric, cancelButton: .use(.devicePasscode)))])
        #expect(player.send(.tapped) == [] && player.send(.woke) == [], "in the back there is no prompt")
        #expect(player.flow.isAway && player.prompt == nil)
        player.send(.cameFront, after: .seconds(100))
        #expect(player.prompt == .init(id: 3, rung: .biometric, cancelButton: .use(.devicePasscode)), "it is still a retry")
        player.send(.woke, after: .milliseconds(3999))
        #expect(player.prompt?.rung == .biometric)
        player.send(.woke, after: .milliseconds(1))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func aChangeDuringAnAbsenceCounts() {
        var player = FlowPlayer()
        player.send(.wentBack)
        player.send(.changed(.allGood.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) }))
        player.send(.cameFront)
        #expect(player.effects.contains(.emit(.keyInvalidated(.enrolmentChanged))))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test(
        "a change before the prompt counts",
        arguments: [
            [], [.wentBack], [.tapped, .answered(.failed(Failure(.cancelledBySystem)), prompt: 1)],
        ] as [[UnlockFlow.Event]])
    func changeBeforeThePrompt(_ events: [UnlockFlow.Event]) {
        var player = FlowPlayer(by: .screen)
        for event in events { player.send(event) }
        player.send(.changed(.allGood.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) }))
        #expect(player.prompt == nil)
        player.send(.cameFront)
        player.send(.woke, after: .milliseconds(400))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func aChangeDoesNotStopTheAutomaticPrompt() {
        var player = FlowPlayer(by: .screen)
        player.send(.changed(.allGood))
        player.send(.woke, after: .milliseconds(400))
        #expect(player.prompt?.rung == .biometric)
    }

    @Test func theProofOfADeadKeyIsNoGrant() {
        var player = FlowPlayer(.unlock, .withPIN)
        player.answer(.matched)
        player.send(.changed(.withPIN.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) }))
        player.send(.signed(proof, prompt: 1))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .keyInvalidated)))
        #expect(player.end == nil && player.prompt?.rung == .devicePasscode)

        var typed = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), .withPIN)
        typed.answer(.entered)
        typed.send(.changed(.withPIN.with { $0.keys[.pin] = .invalidated(.wrongPINs) }))
        typed.send(.signed(proof, prompt: 1))
        #expect(typed.end == .granted(.appPIN, proof), "the tenth guess was counted before it was right")
    }

    @Test func aKeyThatDiesUnderThePromptGivesWay() {
        var player = FlowPlayer()
        player.send(.changed(.allGood.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) }))
        #expect(player.effects.first == .dismiss(.init(id: 1, rung: .biometric, cancelButton: .cancel)))
        #expect(player.prompt?.rung == .devicePasscode)
        var counted = FlowPlayer()
        for biometry: BiometryState in [.paused(for: .seconds(30)), .lockedOut(.untilPasscode)] {
            #expect(
                counted.send(.changed(.allGood.with { $0.biometry = biometry })) == [], "the running attempt is in that count")
        }
        #expect(counted.send(.changed(.allGood.with { $0.keys[.biometric] = .notYetReadable })) == [], "the prompt finds out")
        #expect(counted.send(.changed(.allGood)) == [])
        #expect(counted.prompt?.id == 1)
        counted.answer(.matched)
        #expect(counted.effects.contains(.sign(.init(id: 1, rung: .biometric, cancelButton: .cancel))))
    }

    @Test func aSystemThatTakesPromptsAgainAndAgainEndsTheFlow() {
        var player = FlowPlayer()
        for _ in 1...3 {
            player.answer(.failed(Failure(.cancelledBySystem)))
            player.send(.cameFront)
            #expect(player.prompt?.rung == .biometric && !player.flow.isAway)
        }
        player.answer(.failed(Failure(.cancelledBySystem)))
        #expect(player.failure?.code == .cancelledBySystem)
    }

    @Test func aKeyThatSignsIsNotDisturbed() {
        var player = FlowPlayer()
        player.answer(.matched)
        for event: UnlockFlow.Event in [.wentBack, .cameFront, .changed(.allGood), .hintChosen, .woke, .tapped] {
            #expect(player.send(event) == [])
        }
        player.send(.signed(proof, prompt: 1))
        #expect(player.end == .granted(.biometric, proof))
    }
}

// MARK: - The screen

@Suite struct UnlockFlowScreenTests {
    @Test func theAutomaticPromptComesAfter400Milliseconds() {
        var player = FlowPlayer(by: .screen)
        #expect(player.effects == [.wake(at: player.now.advanced(by: .milliseconds(400)))])
        #expect(player.send(.woke, after: .milliseconds(399)) == [.wake(at: player.now.advanced(by: .milliseconds(1)))])
        player.send(.woke, after: .milliseconds(1))
        #expect(player.prompt?.id == 1)
        #expect(
            player.effects.contains(.wake(at: player.now.advanced(by: .seconds(8)))), "the person's time begins with the prompt")
        #expect(player.send(.tapped) == [], "a second tap does nothing")
    }

    @Test func aTapDoesNotWait() {
        var player = FlowPlayer(by: .screen)
        player.send(.tapped, after: .milliseconds(100))
        #expect(player.prompt?.id == 1)
        #expect(player.send(.woke, after: .milliseconds(300)).allSatisfy { if case .wake = $0 { true } else { false } })
    }

    @Test("a payment waits for a tap", arguments: [UnlockPolicy.transaction, .highRisk])
    func payment(_ policy: UnlockPolicy) {
        var player = FlowPlayer(policy, .withPIN, by: .screen)
        #expect(player.effects == [])
        #expect(player.send(.woke, after: .seconds(60)) == [])
        player.send(.tapped)
        #expect(player.prompt?.id == 1)
    }

    @Test func aScreenThatGoesToTheBackBeginsAnew() {
        var player = FlowPlayer(by: .screen)
        player.send(.wentBack)
        #expect(player.send(.woke, after: .seconds(1)) == [], "no prompt behind the lock screen")
        player.send(.cameFront)
        #expect(player.effects == [.wake(at: player.now.advanced(by: .milliseconds(400)))])
        #expect(player.send(.cameFront) == [])
    }

    @Test func setUpIsOfferedAndDoesNotBlock() {
        for (biometry, code) in [
            (BiometryState.notEnrolled, Failure.Code.biometryNotEnrolled), (.permissionDenied, .permissionDenied),
            (.switchedOff, .biometryUnavailable), (.passcodeNotSet, .passcodeNotSet),
        ] {
            let player = FlowPlayer(.unlock, .allGood.with { $0.biometry = biometry })
            let offers = player.effects.compactMap { if case .offerSetUp(let failure) = $0 { failure.code } else { nil } }
            #expect(offers == [code])
            #expect(player.prompt?.rung == .devicePasscode)
        }
        // Some systems end the key with the last face. It must not hide what is missing.
        let removed = FlowPlayer(
            .unlock,
            .allGood.with {
                $0.biometry = .notEnrolled
                $0.keys[.biometric] = .invalidated(.enrolmentChanged)
            })
        #expect(removed.effects.contains(.offerSetUp(Failure(.biometryNotEnrolled))))
        // A person who never had the key is asked by the offer of biometrics, which takes a no.
        let never = FlowPlayer(
            .unlock,
            .allGood.with {
                $0.biometry = .notEnrolled
                $0.keys[.biometric] = .missing
            })
        #expect(!never.effects.contains { if case .offerSetUp = $0 { true } else { false } })
        let locked = FlowPlayer(.unlock, .allGood.with { $0.biometry = .lockedOut(.temporary) })
        #expect(!locked.effects.contains { if case .offerSetUp = $0 { true } else { false } })
        #expect(locked.effects.contains(.emit(.lockedOut(.temporary))))
    }

    @Test func everyStateHasItsPhase() {
        var player = FlowPlayer(.unlock, .withPIN, by: .screen)
        #expect(player.flow.phase == .beforeThePrompt)
        player.send(.tapped)
        #expect(player.flow.phase == .firstAttempt)
        player.send(.wentBack)
        #expect(player.flow.phase == .away)
        player.send(.cameFront)
        player.send(.woke, after: .seconds(8))
        #expect(player.flow.phase == .hinted)
        player.send(.hintChosen)
        #expect(player.flow.phase == .fallback(.devicePasscode))
        player.answer(.matched)
        #expect(player.flow.phase == .signing)
        player.send(.signed(proof, prompt: player.prompt?.id ?? 0))
        #expect(player.flow.phase == .ended)
        var retrying = FlowPlayer()
        retrying.answer(.notMatched)
        #expect(retrying.flow.phase == .retry)
    }
}

// MARK: - The person

@Suite struct UnlockFlowPersonTests {
    @Test func thePreferredRungIsAskedFirst() {
        var player = FlowPlayer(.unlock, .withPIN, person: Person(preferred: .appPIN))
        #expect(player.prompt?.rung == .appPIN)
        player.send(.hintChosen, after: .seconds(30))
        #expect(player.prompt?.rung == .biometric)
        #expect(
            player.effects.contains(.wake(at: player.now.advanced(by: .seconds(8)))),
            "the sensor's time begins with its own prompt"
        )
        player.send(.woke, after: .seconds(12))
        #expect(player.prompt?.rung == .devicePasscode)
        let elsewhere = FlowPlayer(.highRisk, .withPIN, person: Person(preferred: .appPIN))
        #expect(elsewhere.prompt?.rung == .biometric, "a preference adds no rung to a ladder")
        #expect(FlowPlayer(person: Person(preferred: .fullCredentials)).prompt?.rung == .biometric)
    }

    @Test func peopleWhoNeedTimeHaveTenTimesAsMuchAndKeepTheirPrompt() {
        var player = FlowPlayer(person: Person(extraTime: .tenfold))
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(80)))))
        #expect(player.send(.woke, after: .seconds(79)).contains(.wake(at: player.now.advanced(by: .seconds(1)))))
        player.send(.woke, after: .seconds(1))
        #expect(
            player.effects == [.showHint(.devicePasscode), .emit(.hintShown)], "nothing is taken away, so nothing else is due")
        #expect(player.send(.woke, after: .seconds(600)) == [])
        player.answer(.notMatched)
        #expect(player.prompt?.rung == .devicePasscode, "the window is ten times as long, and over")
        var inTime = FlowPlayer(person: Person(extraTime: .tenfold))
        inTime.answer(.notMatched, after: .seconds(79))
        #expect(inTime.prompt?.rung == .biometric)
    }

    @Test func threePoorReadingsBringTheHintForward() {
        var player = FlowPlayer()
        player.send(.readPoorly(.tooPoor, prompt: 1), after: .seconds(1))
        player.send(.readPoorly(.tooPoor, prompt: 1), after: .seconds(1))
        #expect(!player.effects.contains { if case .wake = $0 { true } else { false } })
        player.send(.readPoorly(.tooPoor, prompt: 1), after: .seconds(1))
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(1)))), "at four seconds, not before")
        player.send(.woke, after: .seconds(1))
        #expect(player.effects.contains(.showHint(.devicePasscode)))
        var late = FlowPlayer()
        for _ in 1...3 { late.send(.readPoorly(.tooShort, prompt: 1), after: .seconds(2)) }
        #expect(late.effects.contains(.showHint(.devicePasscode)), "at once, where it is later")
    }

    @Test func aQuickPersonIsOfferedAnotherWaySooner() {
        var person = Person()
        for _ in 1...5 {
            var player = FlowPlayer(person: person)
            player.answer(.matched, after: .milliseconds(1200))
            person = player.flow.person
        }
        #expect(person.pace.samples == 5)
        var player = FlowPlayer(person: person)
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(4)))), "never before the policy's earliest")
        player.send(.woke, after: .seconds(4))
        #expect(player.effects.contains(.showHint(.devicePasscode)))
        player.send(.woke, after: .milliseconds(3999))
        #expect(player.prompt?.rung == .biometric)
        player.send(.woke, after: .milliseconds(1))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func onlyFirstAttemptsAreSamples() {
        var player = FlowPlayer()
        player.answer(.notMatched, after: .seconds(1))
        player.answer(.matched, after: .seconds(1))
        #expect(player.flow.person.pace == Pace(), "a later success is no sample")
        var missed = FlowPlayer()
        missed.send(.woke, after: .seconds(12))
        #expect(missed.flow.person.pace.missesInARow == 1)
        var typed = FlowPlayer(.unlock, .allGood.with { $0.biometry = .notEnrolled })
        typed.answer(.matched)
        #expect(typed.flow.person.pace == Pace(), "the sensor was not asked")
    }
}

// MARK: - Two keys

@Suite struct UnlockFlowTwoKeysTests {
    static let both: UnlockPolicy = {
        var policy = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        policy.additionalRungs = [.appPIN]
        return policy
    }()
    let second = UnlockFlow.Output("d.e.f")

    @Test func bothKeysHaveToSign() {
        var player = FlowPlayer(Self.both, .withPIN)
        player.answer(.matched)
        player.send(.signed(proof, prompt: 1))
        #expect(player.end == nil, "one proof of two")
        #expect(player.prompt == .init(id: 2, rung: .appPIN, cancelButton: .cancel))
        player.answer(.entered)
        player.send(.signed(second, prompt: 2))
        #expect(player.end == .granted(.biometric, proof, additional: [second]))
    }

    @Test func theFirstKeyHasToBeAliveUntilTheSecondHasSigned() {
        var player = FlowPlayer(Self.both, .withPIN)
        player.answer(.matched)
        player.send(.signed(proof, prompt: 1))
        player.send(.changed(.withPIN.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) }))
        player.answer(.entered)
        player.send(.signed(second, prompt: 2))
        #expect(player.failure == Failure(.keyInvalidated))
    }

    @Test func theSecondRungStartsWithoutMismatches() {
        var player = FlowPlayer(Self.both, .withPIN)
        player.answer(.notMatched)
        player.answer(.matched)
        player.send(.signed(proof, prompt: 2))
        var broken = player
        broken.answer(.failed(Failure(.platform)))
        #expect(broken.failure?.code == .platform, "the earlier mismatch is no longer the cause")
        for wrong in 1...4 {
            player.answer(.entered)
            player.send(.signingFailed(Failure(.notMatched), prompt: player.prompt?.id ?? 0))
            #expect(player.prompt?.rung == .appPIN, "\(wrong)")
        }
    }

    @Test func noRungReplacesTheSecond() {
        var player = FlowPlayer(Self.both, .withPIN)
        player.answer(.matched)
        player.send(.signed(proof, prompt: 1))
        for wrong in 1...5 {
            #expect(player.prompt?.rung == .appPIN, "\(wrong)")
            player.answer(.entered)
            player.send(.signingFailed(Failure(.notMatched), prompt: player.prompt?.id ?? 0))
        }
        #expect(player.failure == Failure(.paused, recovery: .wait(.seconds(30))))
        var dead = FlowPlayer(Self.both, .withPIN.with { $0.keys[.pin] = .invalidated(.wrongPINs) })
        dead.answer(.matched)
        dead.send(.signed(proof, prompt: 1))
        #expect(dead.failure == Failure(.keyInvalidated))
        var longer = Self.both
        longer.ladder = [.biometric, .devicePasscode, .fullCredentials]
        var unreplaced = FlowPlayer(longer, .withPIN)
        unreplaced.answer(.matched)
        unreplaced.send(.signed(proof, prompt: 1))
        unreplaced.answer(.failed(Failure(.keyInvalidated)))
        #expect(unreplaced.failure?.code == .keyInvalidated, "the passcode of the ladder is no second rung")
        var declined = FlowPlayer(Self.both, .withPIN)
        declined.answer(.matched)
        declined.send(.signed(proof, prompt: 1))
        declined.answer(.failed(Failure(.cancelledByUser)))
        #expect(declined.failure?.code == .cancelledByUser)
    }
}
