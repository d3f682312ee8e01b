import Testing
import ThumbturnCore

/// Which calls share an ask, and when an ask is over.
@Suite struct AsksTests {
    @Test func equalUnlocksShareOneAskAndOneOutcome() {
        var asks = Asks<String>()
        #expect(asks.handle(.came(1, "unlock", .unlock)) == [.start(ask: 1)])
        #expect(asks.handle(.came(2, "unlock", .unlock)) == [])
        #expect(asks.asks.map(\.callers) == [[1, 2]] && asks.asks[0].isShared)
        #expect(asks.handle(.ended(ask: 1)) == [.deliver(caller: 1), .deliver(caller: 2)])
        #expect(asks.asks.isEmpty)
    }

    @Test("only unlocks share a prompt", arguments: AskKind.allCases)
    func joining(_ kind: AskKind) {
        var asks = Asks<String>()
        _ = asks.handle(.came(1, "pay", kind))
        let mayJoin = kind == .unlock || kind == .vault
        #expect(asks.handle(.came(2, "pay", kind)) == (mayJoin ? [] : [.start(ask: 2)]))
        #expect(asks.asks.map(\.callers) == (mayJoin ? [[1, 2]] : [[1], [2]]))
    }

    @Test func aStepUpNeverJoinsAnUnlock() {
        var asks = Asks<String>()
        #expect(asks.handle(.came(1, "pay", .unlock)) == [.start(ask: 1)])
        #expect(asks.handle(.came(2, "pay", .stepUp)) == [.start(ask: 2)])
        #expect(asks.handle(.came(3, "pay", .unlock)) == [], "an unlock joins the unlock")
        #expect(asks.asks.map(\.callers) == [[1, 3], [2]])
    }

    @Test func anAskThatWasAnsweredIsNotJoined() {
        var asks = Asks<String>()
        _ = asks.handle(.came(1, "unlock", .unlock))
        #expect(asks.handle(.answered(ask: 1)) == [])
        #expect(asks.handle(.came(2, "unlock", .unlock)) == [.start(ask: 2)])
        #expect(asks.handle(.came(3, "unlock", .unlock)) == [])
        #expect(asks.asks.map(\.callers) == [[1], [2, 3]])
        #expect(asks.handle(.ended(ask: 1)) == [.deliver(caller: 1)])
    }

    @Test func aVoidedAskIsStoppedAndHasNoOutcome() {
        var asks = Asks<String>()
        _ = asks.handle(.came(1, "unlock", .unlock))
        _ = asks.handle(.came(2, "unlock", .unlock))
        #expect(asks.handle(.voided(ask: 1)) == [.void(ask: 1), .stop(ask: 1)])
        #expect(asks.handle(.voided(ask: 1)) == [])
        #expect(asks.handle(.came(3, "unlock", .unlock)) == [.start(ask: 2)], "no caller joins it")
        #expect(asks.handle(.ended(ask: 1)) == [.cancel(caller: 1), .cancel(caller: 2)], "even if it succeeded")
        #expect(asks.asks.map(\.callers) == [[3]])
    }

    @Test("a void stops an answered ask, but no approval and no change that the server may have", arguments: AskKind.allCases)
    func voidAfterAnswer(_ kind: AskKind) {
        var asks = Asks<String>()
        _ = asks.handle(.came(1, "a", kind))
        _ = asks.handle(.answered(ask: 1))
        var sent = asks
        #expect(asks.handle(.voided(ask: 1)) == [.void(ask: 1), .stop(ask: 1)])
        #expect(sent.handle(.sent(ask: 1)) == [])
        let goesOn = kind == .approval || kind == .keyChange
        #expect(sent.handle(.voided(ask: 1)) == (goesOn ? [] : [.void(ask: 1), .stop(ask: 1)]))
        #expect(sent.handle(.ended(ask: 1)) == (goesOn ? [.deliver(caller: 1)] : [.cancel(caller: 1)]))
    }

    @Test func oneOfTwoCallersLeavesAtOnceAndTheLastOneStops() {
        var asks = Asks<String>()
        _ = asks.handle(.came(1, "unlock", .unlock))
        _ = asks.handle(.came(2, "unlock", .unlock))
        #expect(asks.handle(.left(1)) == [.cancel(caller: 1)])
        #expect(asks.handle(.left(1)) == [])
        #expect(asks.handle(.left(2)) == [.void(ask: 1), .stop(ask: 1)])
        #expect(asks.handle(.left(2)) == [])
        #expect(asks.handle(.came(3, "unlock", .unlock)) == [.start(ask: 2)], "no caller joins an ask that is stopping")
        #expect(asks.handle(.ended(ask: 1)) == [.cancel(caller: 2)])
    }

    @Test func lateEventsChangeNothing() {
        var asks = Asks<String>()
        for event: Asks<String>.Event in [.left(1), .answered(ask: 1), .sent(ask: 1), .voided(ask: 1), .ended(ask: 1)] {
            #expect(asks.handle(event) == [] && asks == Asks())
        }
    }
}
