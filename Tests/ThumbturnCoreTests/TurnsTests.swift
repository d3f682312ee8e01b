import Testing
import ThumbturnCore

/// Which request is asked now, and which ones wait.
@Suite struct TurnsTests {
    typealias Line = Turns<String>

    @Test func equalUnlocksShareOnePromptAndOneOutcome() {
        var line = Line()
        #expect(line.handle(.came(1, "unlock", mayShare: true)) == [.start(turn: 1)])
        #expect(line.handle(.came(2, "unlock", mayShare: true)) == [])
        #expect(line.turns.map(\.callers) == [[1, 2]])
        #expect(line.handle(.ended(turn: 1)) == [] && line.turns.isEmpty)
    }

    @Test func aStepUpNeverJoinsAnUnlockNorAnotherStepUp() {
        var line = Line()
        #expect(line.handle(.came(1, "pay", mayShare: true)) == [.start(turn: 1)])
        #expect(line.handle(.came(2, "pay", mayShare: false)) == [])
        #expect(line.handle(.came(3, "pay", mayShare: false)) == [])
        #expect(line.turns.map(\.callers) == [[1], [2], [3]])
        #expect(line.handle(.ended(turn: 1)) == [.start(turn: 2)])
        #expect(line.handle(.came(4, "pay", mayShare: true)) == [], "an unlock does not join a step-up either")
        #expect(line.turns.map(\.callers) == [[2], [3], [4]])
    }

    @Test func noRequestReplacesTheOneOnTheScreen() {
        var line = Line()
        _ = line.handle(.came(1, "unlock", mayShare: true))
        #expect(line.handle(.came(2, "pay", mayShare: false)) == [])
        #expect(line.handle(.came(3, "other", mayShare: true)) == [])
        #expect(line.handle(.ended(turn: 1)) == [.start(turn: 2)], "in the order of arrival")
    }

    @Test func aTurnWithoutCallersIsWithdrawnAndKeepsTheScreenUntilItsPromptIsGone() {
        var line = Line()
        _ = line.handle(.came(1, "unlock", mayShare: true))
        _ = line.handle(.came(2, "unlock", mayShare: true))
        #expect(line.handle(.left(1)) == [], "another caller still waits")
        #expect(line.handle(.left(2)) == [.stop(turn: 1)])
        #expect(line.handle(.left(2)) == [])
        #expect(line.handle(.came(3, "unlock", mayShare: true)) == [], "no caller joins a turn that is stopping")
        #expect(line.handle(.ended(turn: 1)) == [.start(turn: 2)])
        #expect(line.turns.map(\.callers) == [[3]])
    }

    @Test func aClosedTurnIsNotJoined() {
        var line = Line()
        _ = line.handle(.came(1, "unlock", mayShare: true))
        #expect(line.handle(.closed(turn: 1)) == [] && line.handle(.closed(turn: 2)) == [])
        #expect(line.handle(.came(2, "unlock", mayShare: true)) == [])
        #expect(line.turns.map(\.callers) == [[1], [2]])
        #expect(line.handle(.came(3, "unlock", mayShare: true)) == [] && line.turns.map(\.callers) == [[1], [2, 3]])
        #expect(line.handle(.ended(turn: 1)) == [.start(turn: 2)])
    }

    @Test func aWaitingCallerCanLeave() {
        var line = Line()
        _ = line.handle(.came(1, "unlock", mayShare: true))
        _ = line.handle(.came(2, "pay", mayShare: false))
        #expect(line.handle(.left(2)) == [])
        #expect(line.handle(.ended(turn: 1)) == [])
    }

    /// Four callers, two requests, shared or not, in every order of arriving, leaving, closing and ending.
    @Test func everyOrderOfEventsKeepsTheRules() {
        struct Node: Hashable {
            var line = Line()
            var next = 1
            var running: Int?
            var stopped: Set<Int> = []
            var closed: Set<Int> = []
        }
        var (seen, queue): (Set<Node>, [Node]) = ([Node()], [Node()])
        var joins = 0
        while let node = queue.popLast() {
            var events: [Line.Event] = node.line.turns.flatMap(\.callers).map { .left($0) }
            if let running = node.running { events.append(.ended(turn: running)) }
            events.append(.ended(turn: 99))
            events += node.line.turns.filter { !node.closed.contains($0.id) }.map { .closed(turn: $0.id) }
            if node.next <= 4 {
                for request in ["a", "b"] {
                    events += [.came(node.next, request, mayShare: true), .came(node.next, request, mayShare: false)]
                }
            }
            for event in events {
                var after = node
                if case .came = event { after.next += 1 }
                if case .ended(let turn) = event, turn == after.running { after.running = nil }
                if case .closed(let turn) = event { after.closed.insert(turn) }
                for effect in after.line.handle(event) {
                    switch effect {
                    case .start(let turn):
                        #expect(after.running == nil, "one prompt is up at a time")
                        after.running = turn
                    case .stop(let turn):
                        #expect(
                            after.running == turn && after.stopped.insert(turn).inserted, "stopped once, and only while it runs")
                    }
                }
                let turns = after.line.turns
                #expect(after.running == turns.first?.id, "the first turn runs")
                #expect(turns.allSatisfy { !$0.callers.isEmpty }, "every turn has a caller")
                #expect(turns.flatMap(\.callers).count == Set(turns.flatMap(\.callers)).count)
                if case .came(let caller, let request, let mayShare) = event,
                    let turn = turns.first(where: { $0.callers.contains(caller) }), turn.callers.count > 1
                {
                    joins += 1
                    #expect(turn.request == request && mayShare && !turn.isStopping && !after.closed.contains(turn.id))
                }
                if seen.insert(after).inserted { queue.append(after) }
            }
        }
        #expect(joins > 0)
    }
}
