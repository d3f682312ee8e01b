import Testing
import ThumbturnCore

/// Which flow has the screen now, and which ones wait.
@Suite struct PromptLineTests {
    @Test func theScreenIsGivenInTheOrderOfArrival() {
        var line = PromptLine()
        #expect(line.handle(.came(1, isBack: false)) == [.give(1)])
        #expect(line.handle(.came(2, isBack: false)) == [] && line.handle(.came(3, isBack: false)) == [])
        #expect(line.holder == 1 && line.waiting == [2, 3])
        #expect(line.handle(.done(1)) == [.give(2)])
        #expect(line.handle(.done(2)) == [.give(3)])
        #expect(line.handle(.done(3)) == [] && line == PromptLine())
    }

    @Test func noRequestReplacesTheOneOnTheScreen() {
        var line = PromptLine()
        _ = line.handle(.came(1, isBack: false))
        #expect(line.handle(.came(2, isBack: true)) == [])
        #expect(line.handle(.done(2)) == [] && line.handle(.left(1)) == [])
        #expect(line.holder == 1)
    }

    @Test func aFlowThatIsBackComesBeforeThoseThatNeverHadTheScreen() {
        var line = PromptLine()
        for flow in 1...3 { _ = line.handle(.came(flow, isBack: false)) }
        #expect(line.handle(.done(1)) == [.give(2)])
        #expect(line.handle(.came(4, isBack: false)) == [] && line.handle(.came(1, isBack: true)) == [])
        #expect(line.waiting == [1, 3, 4])
        #expect(line.handle(.done(2)) == [.give(1)])
        #expect(line.waiting == [3, 4])
    }

    @Test func aWaitingFlowCanLeave() {
        var line = PromptLine()
        for flow in 1...3 { _ = line.handle(.came(flow, isBack: flow == 3)) }
        #expect(line.handle(.left(2)) == [] && line.waiting == [3])
        #expect(line.handle(.left(3)) == [] && line.handle(.left(3)) == [] && line.waiting.isEmpty)
        #expect(line.handle(.done(1)) == [] && line.holder == nil)
    }

    @Test func aFlowIsInTheLineOnce() {
        var line = PromptLine()
        for flow in [1, 1, 2, 2] { _ = line.handle(.came(flow, isBack: false)) }
        #expect(line.handle(.came(2, isBack: true)) == [])
        #expect(line.holder == 1 && line.waiting == [2])
    }
}
