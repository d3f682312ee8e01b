import Testing
import ThumbturnCore

/// Plays a flow by hand and keeps what it said.
struct FlowPlayer {
    var flow: UnlockFlow
    var now = Instant(sinceOrigin: .seconds(100))
    var effects: [UnlockFlow.Effect] = []

    init(_ policy: UnlockPolicy = .unlock, _ readiness: Readiness = .allGood) {
        flow = UnlockFlow(policy: policy)
        send(.began(readiness))
    }

    @discardableResult
    mutating func send(_ event: UnlockFlow.Event, after duration: Duration = .zero) -> [UnlockFlow.Effect] {
        now = now.advanced(by: duration)
        effects = flow.handle(event, at: now)
        return effects
    }

    var prompt: UnlockFlow.Prompt? {
        switch flow.state {
        case .prompting(let prompt), .signing(let prompt): prompt
        case .idle, .finished: nil
        }
    }

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

let proof = Proof(jws: "a.b.c")

@Suite struct UnlockFlowTests {
    @Test func aMatchSignsAndGrants() {
        var player = FlowPlayer()
        #expect(player.effects.contains(.show(.init(id: 1, rung: .biometric, cancelButton: .cancel))))
        #expect(player.effects.contains(.wake(at: player.now.advanced(by: .seconds(8)))))
        player.answer(.matched, after: .seconds(1))
        #expect(player.effects.contains { if case .sign = $0 { true } else { false } })
        #expect(player.end == nil, "a match alone is no grant")
        player.send(.signed(proof, prompt: 1))
        #expect(player.end == .granted(.biometric, proof))
        #expect(
            player.effects == [
                .emit(.authenticated(.biometric, after: .seconds(1), attempts: 1)), .finish(.granted(.biometric, proof)),
            ])
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
        #expect(player.flow == before)
        #expect(player.send(.readPoorly(reading, prompt: 1)) == [], "of a prompt that is gone")
        player.answer(.matched)
        #expect(player.send(.readPoorly(reading, prompt: 2)) == [], "after the match")
    }

    @Test func nobodyAnswers() {
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

    @Test func nobodyIsHurriedUnderAssistiveTechnologyOrWhileTyping() {
        var policy = UnlockPolicy.unlock
        policy.timeLimitsLifted = true
        var player = FlowPlayer(policy)
        #expect(!player.effects.contains { if case .wake = $0 { true } else { false } })
        player.send(.woke, after: .seconds(60))
        #expect(player.effects == [])
        player.answer(.notMatched)
        #expect(player.prompt?.rung == .biometric)

        var typing = FlowPlayer(.unlock, .allGood.with { $0.biometry = .lockedOut(.untilPasscode) })
        #expect(typing.prompt?.rung == .devicePasscode)
        typing.send(.woke, after: .seconds(60))
        #expect(typing.effects == [])
        typing.answer(.notMatched)
        #expect(typing.prompt?.rung == .devicePasscode)
    }

    @Test(
        "the four cancels end the flow, each by its name",
        arguments: [
            Failure.Code.cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded,
        ])
    func cancels(_ code: Failure.Code) {
        var player = FlowPlayer()
        player.answer(.failed(Failure(code, recovery: .retry)))
        #expect(player.failure?.code == code)
        #expect(player.effects.contains(.emit(.cancelled(code.name))))
        #expect(!player.effects.contains { if case .emit(.retry) = $0 { true } else { false } }, "a cancel is no mismatch")
    }

    @Test func fromTheSecondPromptTheCancelButtonIsAChoice() {
        var player = FlowPlayer()
        player.answer(.notMatched)
        player.answer(.failed(Failure(.cancelledByUser, recovery: .retry)))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .choice)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test func aPINIsJudgedByItsKeyAlone() {
        var player = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), .withPIN)
        #expect(!player.effects.contains { if case .wake = $0 { true } else { false } }, "nobody is hurried while typing")
        player.answer(.entered)
        #expect(player.effects.last == .sign(.init(id: 1, rung: .appPIN, cancelButton: .cancel)))
        #expect(player.end == nil, "an entered PIN is no grant")
        player.send(.signingFailed(Failure(.notMatched, recovery: .retry), prompt: 1))
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
            player.send(.signingFailed(Failure(.notMatched, recovery: .retry), prompt: player.prompt?.id ?? 0))
        }
        #expect(player.effects.contains(.move(from: .appPIN, to: .fullCredentials, because: .mismatches)))
        #expect(player.failure == Failure(.paused, recovery: .wait(.seconds(30))), "the pause says more than the mismatches")
    }

    @Test func aPauseEndsTheRungAndTheLadderGoesOn() {
        let paused = Failure(.paused, recovery: .wait(.seconds(60)))
        var player = FlowPlayer(UnlockPolicy(ladder: [.appPIN, .biometric]), .withPIN)
        player.answer(.entered)
        player.send(.signingFailed(paused, prompt: 1))
        #expect(player.effects.contains(.move(from: .appPIN, to: .biometric, because: .mismatches)))
        player.answer(.failed(Failure(.lockedOut, recovery: .fallBack(.devicePasscode))))
        #expect(player.failure == paused, "it ends by itself, so it says more than the lockout")
        let readiness = Readiness.withPIN.with { $0.keys[.pin] = .paused(for: .seconds(7)) }
        let skipped = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), readiness)
        #expect(skipped.failure == Failure(.paused, recovery: .wait(.seconds(7))))
        #expect(skipped.effects.contains(.move(from: .appPIN, to: .fullCredentials, because: .skipped("paused"))))
        var damaged = FlowPlayer(UnlockPolicy(ladder: [.biometric, .appPIN]), .withPIN)
        damaged.answer(.failed(Failure(.platform, recovery: .reEnrol)))
        damaged.answer(.entered)
        damaged.send(.signingFailed(paused, prompt: 2))
        #expect(damaged.failure == Failure(.platform, recovery: .reEnrol), "no waiting mends a dead key")
        var dead = FlowPlayer(UnlockPolicy(ladder: [.appPIN]), .withPIN)
        dead.answer(.entered)
        dead.send(.signingFailed(Failure(.keyInvalidated, recovery: .reEnrol), prompt: 1))
        #expect(dead.failure == Failure(.keyInvalidated, recovery: .reEnrol))
    }

    @Test func aSensorThatPausesGoesStraightOn() {
        let paused = Readiness.withPIN.with { $0.biometry = .paused(for: .seconds(10)) }
        let skipped = FlowPlayer(.unlock, paused)
        #expect(skipped.prompt?.rung == .devicePasscode)
        #expect(skipped.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .skipped("paused"))))
        #expect(FlowPlayer(.highRisk, paused).failure == Failure(.paused, recovery: .wait(.seconds(10))))
        // The count of other unlocks makes a delay due with the first mismatch of this one.
        var player = FlowPlayer()
        player.answer(.failed(Failure(.paused, recovery: .wait(.seconds(10)))))
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .mismatches)))
        #expect(player.prompt?.rung == .devicePasscode)
    }

    @Test("of two pauses the shorter is told", arguments: [(10, 30), (30, 10), (10, 10)])
    func shorterPause(_ sensor: Int, _ pin: Int) {
        let readiness = Readiness.withPIN.with {
            $0.biometry = .paused(for: .seconds(sensor))
            $0.keys[.pin] = .paused(for: .seconds(pin))
        }
        let player = FlowPlayer(UnlockPolicy(ladder: [.biometric, .appPIN]), readiness)
        #expect(player.failure == Failure(.paused, recovery: .wait(.seconds(10))))
    }

    @Test func aButtonNamesAWayThatThereIs() {
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

    @Test func lockoutGoesStraightOn() {
        var player = FlowPlayer()
        player.answer(.failed(Failure(.lockedOut, recovery: .fallBack(.devicePasscode))))
        #expect(player.effects.contains(.emit(.lockedOut)))
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
        #expect(player.effects.contains(.move(from: .biometric, to: .devicePasscode, because: .skipped(code.name))))
        let strict = FlowPlayer(.highRisk, .allGood.with { $0.biometry = biometry })
        #expect(strict.failure?.code == code)
        #expect(strict.failure?.recovery == .signInAgain)
    }

    @Test func aDeadKeyIsNamedAndAsksForEnrolment() {
        let player = FlowPlayer(.highRisk, .allGood.with { $0.keys[.biometric] = .invalidated(.enrolmentChanged) })
        #expect(player.failure == Failure(.keyInvalidated, recovery: .reEnrol))
        #expect(player.effects.contains(.emit(.keyInvalidated)))
        var late = FlowPlayer(.highRisk)
        late.answer(.matched)
        late.send(.signingFailed(Failure(.keyInvalidated, recovery: .reEnrol), prompt: 1))
        #expect(late.failure == Failure(.keyInvalidated, recovery: .reEnrol))
    }

    @Test func aFailedSignatureNeverGrants() {
        var player = FlowPlayer()
        player.answer(.matched)
        player.send(.signingFailed(Failure(.platform, recovery: .report), prompt: 1))
        #expect(player.prompt?.rung == .devicePasscode)
        player.send(.signed(proof, prompt: 1))
        #expect(player.end == nil)
    }

    @Test func aLockedDeviceIsForLaterAndNeverSignedOut() {
        let player = FlowPlayer(.unlock, .allGood.with { $0.keys[.biometric] = .notYetReadable })
        #expect(player.failure == Failure(.notYetReadable, recovery: .retry))
    }

    @Test func anEmptyLadderDenies() {
        let player = FlowPlayer(UnlockPolicy(ladder: []))
        #expect(player.failure == Failure(.policyDenies, recovery: .report))
    }

    @Test func lateDoubledAndForeignEventsChangeNothing() {
        var player = FlowPlayer()
        player.answer(.notMatched)
        let before = player.flow
        for event: UnlockFlow.Event in [
            .answered(.matched, prompt: 1), .answered(.notMatched, prompt: 1), .answered(.matched, prompt: 3),
            .signed(proof, prompt: 2), .signingFailed(Failure(.platform, recovery: .report), prompt: 2), .began(.allGood),
        ] {
            #expect(player.send(event) == [])
            #expect(player.flow == before)
        }
        player.answer(.matched)
        player.send(.signed(proof, prompt: 2))
        let end = player.flow
        for event: UnlockFlow.Event in [
            .answered(.matched, prompt: 2), .woke, .hintChosen, .signed(proof, prompt: 2), .began(.allGood),
            .stopped(Failure(.cancelledByApp, recovery: .retry)),
        ] {
            #expect(player.send(event) == [])
            #expect(player.flow == end)
        }
    }

    @Test func theAppCanStopItAnywhere() {
        let stop = UnlockFlow.Event.stopped(Failure(.cancelledByApp, recovery: .retry))
        var prompting = FlowPlayer()
        prompting.send(stop)
        #expect(prompting.failure?.code == .cancelledByApp)
        #expect(prompting.effects.first == .dismiss(.init(id: 1, rung: .biometric, cancelButton: .cancel)))
        var signing = FlowPlayer()
        signing.answer(.matched)
        signing.send(stop)
        signing.send(.signed(proof, prompt: 1))
        #expect(signing.failure?.code == .cancelledByApp, "a late signature is discarded")
        var idle = UnlockFlow(policy: .unlock)
        #expect(idle.handle(stop, at: prompting.now).count == 1)
    }
}
