import Testing
import ThumbturnCore

/// The person may choose another way in every state in which a prompt is due, shown or interrupted.
@Suite struct AnotherWayTests {
    private let takenBySystem = SensorAnswer.failed(Failure(.cancelledBySystem))

    /// A player whose full sign-in is on the screen, as a rung.
    private static func signingIn() -> FlowPlayer {
        var player = FlowPlayer(.highRisk, Readiness.allGood.with { $0.canSignIn = true })
        player.send(.hintChosen)
        return player
    }

    // MARK: - Before the first prompt

    @Test func chosenBeforeThePromptItAsksTheSecondRungAndMissesNothing() {
        var player = FlowPlayer(by: .screen)
        player.send(.hintChosen)
        #expect(
            player.effects.prefix(2) == [
                .move(from: .biometric, to: .devicePasscode, because: .choice),
                .emit(.fellBack(from: .biometric, to: .devicePasscode, because: .choice)),
            ])
        #expect(player.prompt == .init(id: 1, rung: .devicePasscode, cancelButton: .cancel))
        #expect(player.flow.person.pace.missesInARow == 0, "the sensor was not asked")
        var shown = FlowPlayer()
        shown.send(.hintChosen)
        #expect(shown.flow.person.pace.missesInARow == 1, "the sensor was asked")
    }

    @Test func chosenBeforeThePromptItIsNotTheFirstRungThatCanBeAsked() {
        var player = FlowPlayer(.unlock, .withPIN.with { $0.biometry = .notEnrolled }, by: .screen)
        player.send(.hintChosen)
        #expect(player.prompt?.rung == .appPIN, "the passcode would have been the first")
    }

    @Test func whatWasPassedOverOnTheWayIsTheCause() {
        var player = FlowPlayer(.unlock, .withPIN.with { $0.biometry = .paused(for: .seconds(10)) }, by: .screen)
        player.send(.hintChosen)
        player.answer(.entered)
        player.send(.signingFailed(Failure(.platform), prompt: 1))
        #expect(player.failure == Failure(.paused, recovery: .wait(.seconds(10))))
    }

    @Test func keysThatCannotBeReadYetLeaveNoChoice() {
        var player = FlowPlayer(.unlock, .withPIN.with { $0.keys[.biometric] = .notYetReadable }, by: .screen)
        player.send(.hintChosen)
        #expect(player.failure == Failure(.notYetReadable))
    }

    @Test func chosenInTheBackItIsAskedOnTheReturn() {
        var player = FlowPlayer(by: .screen)
        player.send(.wentBack)
        #expect(player.send(.hintChosen) == [], "no prompt while the app is in the back")
        #expect(player.flow.isAway)
        player.send(.cameFront)
        #expect(player.prompt?.rung == .devicePasscode)
    }

    // MARK: - While the app is away

    @Test func chosenDuringAnAbsenceItIsAskedOnTheReturn() {
        var player = FlowPlayer()
        player.send(.wentBack, after: .seconds(1))
        #expect(player.send(.hintChosen) == [])
        #expect(player.flow.isAway)
        #expect(player.send(.woke, after: .seconds(2)) == [], "an absence is not ended by a timer")
        player.send(.cameFront, after: .seconds(58))
        #expect(player.effects.first == .move(from: .biometric, to: .devicePasscode, because: .choice))
        #expect(player.prompt?.rung == .devicePasscode)
        player.answer(.matched, after: .seconds(3))
        #expect(
            player.effects.first == .emit(.sensorAnswered(.matched, after: .seconds(3), total: .seconds(4))),
            "the absence does not count")
    }

    @Test func oneChoiceIsOneStep() {
        var player = FlowPlayer(.unlock, .withPIN)
        player.send(.wentBack)
        player.send(.hintChosen)
        player.send(.cameFront)
        #expect(player.prompt?.rung == .devicePasscode)
        player.send(.wentBack)
        player.send(.cameFront)
        #expect(
            player.prompt == .init(id: 3, rung: .devicePasscode, cancelButton: .cancel), "it is asked again, and not passed over")
    }

    @Test func chosenAfterAnInterruptionItIsAskedAtOnce() {
        var player = FlowPlayer()
        player.answer(takenBySystem)
        player.send(.hintChosen)
        #expect(player.effects.first == .move(from: .biometric, to: .devicePasscode, because: .choice))
        #expect(player.prompt == .init(id: 2, rung: .devicePasscode, cancelButton: .cancel))
    }

    // MARK: - Below the full sign-in there is no other way

    @Test func theFullSignInStaysWhileAnotherWayIsChosen() {
        var player = Self.signingIn()
        let before = player.flow
        #expect(player.send(.hintChosen) == [])
        #expect(player.flow == before)
    }

    @Test func theFullSignInIsAskedAgainWhateverWasChosenMeanwhile() {
        var interrupted = Self.signingIn()
        interrupted.answer(takenBySystem)
        let before = interrupted.flow
        #expect(interrupted.send(.hintChosen) == [])
        #expect(interrupted.flow == before)
        var away = interrupted
        away.send(.wentBack)
        #expect(away.send(.hintChosen) == [])
        away.send(.cameFront)
        #expect(away.prompt == .init(id: 3, rung: .fullCredentials, cancelButton: .cancel))
    }
}

// MARK: - The full sign-in as a rung

@Suite struct FullSignInRungTests {
    private let canSignIn = Readiness.allGood.with { $0.canSignIn = true }

    @Test(
        "its refusal is the last word",
        arguments: [SensorAnswer.notMatched, .failed(Failure(.notMatched, recovery: .signInAgain))])
    func refusal(_ answer: SensorAnswer) {
        var player = FlowPlayer(.highRisk, canSignIn)
        player.send(.hintChosen)
        player.answer(answer)
        #expect(player.failure == Failure(.notMatched, recovery: .signInAgain))
    }

    @Test func aServerThatDoesNotAnswerIsTheLastWord() {
        var player = FlowPlayer(.highRisk, canSignIn)
        player.send(.hintChosen)
        player.answer(.failed(Failure(.unreachable)))
        #expect(player.failure == Failure(.unreachable))
        #expect(!player.effects.contains { if case .move = $0 { true } else { false } }, "nothing is below it")
    }
}

// MARK: - Beginning with a rung

@Suite struct BeginningWithARungTests {
    @Test func theNamedRungIsAskedFirstAndThenWhatFollowsIt() {
        var player = FlowPlayer(.unlock, .withPIN, by: .rung(.devicePasscode))
        #expect(player.prompt == .init(id: 1, rung: .devicePasscode, cancelButton: .cancel))
        player.send(.hintChosen)
        #expect(player.prompt?.rung == .appPIN, "what came before it is not asked")
    }

    @Test func aRungThatThePolicyLacksBeginsAtTheTop() {
        let player = FlowPlayer(.highRisk, .withPIN, by: .rung(.appPIN))
        #expect(player.prompt?.rung == .biometric)
    }
}
