import Testing
import ThumbturnCore

/// The system may show a prompt some time after it was asked for.
@Suite struct PromptAppearanceTests {
    private let first = UnlockFlow.Event.appeared(.told, prompt: 1)

    @Test func theTimeOfAnAnswerBeginsWithItsPromptsAppearance() {
        var player = FlowPlayer()
        #expect(player.send(first, after: .seconds(2)) == [.emit(.promptAppeared(.biometric, .told))])
        #expect(player.prompt?.id == 1 && player.flow.phase == .firstAttempt, "it can be answered")
        player.answer(.matched, after: .seconds(1))
        #expect(player.effects.first == .emit(.sensorAnswered(.matched, after: .seconds(1), total: .seconds(1))))
        player.send(.signed(proof, prompt: 1))
        #expect(player.effects.first == .emit(.authenticated(.biometric, after: .seconds(1), attempts: 1)))
    }

    @Test func aPromptAppearsOnce() {
        var player = FlowPlayer()
        player.send(first, after: .seconds(2))
        let before = player.flow
        #expect(player.send(first, after: .seconds(3)) == [])
        #expect(player.flow == before)
        #expect(player.send(.appeared(.told, prompt: 2)) == [], "another prompt's appearance")
    }

    @Test func theTotalTimeBeginsWithTheFirstPromptOnly() {
        var player = FlowPlayer()
        player.send(first, after: .seconds(2))
        player.answer(.notMatched, after: .seconds(1))
        #expect(
            player.send(.appeared(.requested, prompt: 2), after: .seconds(4)) == [.emit(.promptAppeared(.biometric, .requested))])
        player.answer(.matched, after: .seconds(1))
        #expect(player.effects.first == .emit(.sensorAnswered(.matched, after: .seconds(1), total: .seconds(6))))
    }

    @Test func anAbsenceDoesNotCountTowardsTheTotalTime() {
        var player = FlowPlayer()
        player.send(.wentBack, after: .seconds(1))
        player.send(.cameFront, after: .seconds(60))
        player.answer(.matched, after: .seconds(2))
        #expect(player.effects.first == .emit(.sensorAnswered(.matched, after: .seconds(2), total: .seconds(3))))
    }
}
