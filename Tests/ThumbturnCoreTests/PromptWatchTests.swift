import Testing
import ThumbturnCore

/// The life of one system prompt, from the request to show it to its end.
@Suite struct PromptWatchTests {
    static let byApp = Failure(.cancelledByApp)
    static let bySystem = Failure(.cancelledBySystem)
    static func at(_ milliseconds: Int) -> Instant { Instant(sinceOrigin: .milliseconds(milliseconds)) }

    static func watch(notBefore: Int = 0, _ story: [(Int, PromptWatch.Event)]) -> [[PromptWatch.Effect]] {
        var watch = PromptWatch(notBefore: at(notBefore))
        return story.map { watch.handle($1, at: at($0)) }
    }

    @Test func aPromptIsShownOnceAndNotBehindALockScreen() {
        let effects = Self.watch([
            (0, .phase(.back)), (1, .woke), (5, .phase(.inactive)), (9, .phase(.front)), (10, .phase(.inactive)),
            (11, .phase(.front)), (12, .woke), (13, .answered),
        ])
        #expect(effects == [[], [], [], [.show], [], [], [], [.deliver]])
    }

    @Test func aSecondPromptWaitsForTheDismissalOfTheFirst() {
        let effects = Self.watch(notBefore: 300, [(0, .phase(.front)), (299, .woke), (300, .woke), (301, .woke)])
        #expect(effects == [[.wake(at: Self.at(300))], [.wake(at: Self.at(300))], [.show], []])
    }

    @Test func anAppThatHasNoAnswerAfterItsReturnWasCancelledByTheSystem() {
        let effects = Self.watch([
            (0, .phase(.front)), (100, .phase(.back)), (200, .phase(.inactive)), (300, .phase(.front)), (2299, .woke),
            (2300, .woke),
            (2400, .answered),
        ])
        #expect(effects == [[.show], [], [], [.wake(at: Self.at(2300))], [], [.dismiss, .fail(Self.bySystem)], []])
    }

    @Test func anAnswerSoonAfterTheReturnCounts() {
        #expect(Self.watch([(0, .phase(.front)), (1, .phase(.back)), (2, .phase(.front)), (3, .answered)]).last == [.deliver])
        #expect(Self.watch([(0, .phase(.front)), (1, .phase(.back)), (2, .answered)]).last == [.deliver])
    }

    @Test func theWaitForAnAnswerBeginsAtTheLastReturn() {
        let effects = Self.watch([
            (0, .phase(.front)), (1, .phase(.back)), (2, .phase(.front)), (1000, .phase(.inactive)), (1001, .phase(.front)),
            (2002, .woke), (3001, .woke),
        ])
        #expect(effects.suffix(2) == [[], [.dismiss, .fail(Self.bySystem)]])
    }

    @Test func theSystemsOwnSheetMayCoverTheAppForAnyTime() {
        let effects = Self.watch([
            (0, .phase(.front)), (1, .phase(.inactive)), (9000, .phase(.front)), (99_000, .woke), (99_001, .answered),
        ])
        #expect(effects == [[.show], [], [], [], [.deliver]])
    }

    @Test func aCancelledPromptIsDismissedAndALateSuccessIsIgnored() {
        let answered = Self.watch([(0, .phase(.front)), (5, .cancelled), (6, .cancelled), (7, .answered), (8, .answered)])
        #expect(answered == [[.show], [.dismiss, .wake(at: Self.at(2005))], [], [.fail(Self.byApp)], []])
        let stuck = Self.watch([(0, .phase(.front)), (5, .cancelled), (2004, .woke), (2005, .woke), (2006, .answered)])
        #expect(stuck.suffix(3) == [[], [.fail(Self.byApp)], []])
    }

    @Test func aPromptThatWasNotShownIsCancelledAtOnce() {
        #expect(Self.watch([(0, .phase(.back)), (1, .cancelled), (2, .phase(.front))]) == [[], [.fail(Self.byApp)], []])
    }

    /// Every order of events in steps of a second, for eight seconds.
    @Test func everyOrderOfEventsKeepsTheRules() {
        struct Node: Hashable {
            var watch: PromptWatch
            var second = 0
            var shown = false
            var answers = 0
            var ends = 0
        }
        let start = Node(watch: PromptWatch(notBefore: Self.at(1000)))
        var (seen, queue): (Set<Node>, [Node]) = ([start], [start])
        var states: Set<String> = []
        while let node = queue.popLast() {
            states.insert(String("\(node.watch.state)".prefix { $0.isLetter }))
            let events: [PromptWatch.Event] =
                [.phase(.front), .phase(.inactive), .phase(.back), .cancelled, .woke] + (node.shown ? [.answered] : [])
            for event in events {
                for step in 0...1 where node.second + step <= 8 {
                    var after = node
                    after.second += step
                    if event == .answered { after.answers += 1 }
                    guard after.answers <= 2 else { continue }
                    for effect in after.watch.handle(event, at: Self.at(after.second * 1000)) {
                        switch effect {
                        case .show:
                            #expect(
                                !after.shown && event != .phase(.back) && after.second >= 1, "shown once, in front, not too soon")
                            after.shown = true
                        case .deliver:
                            #expect(event == .answered && after.ends == 0)
                            after.ends += 1
                        case .fail: after.ends += 1
                        case .dismiss: #expect(after.shown && after.ends == 0)
                        case .wake(let time): #expect(time > Self.at(after.second * 1000))
                        }
                    }
                    #expect(after.ends <= 1, "the end is reached once")
                    #expect((after.ends == 1) == (after.watch.state == .over))
                    if seen.insert(after).inserted { queue.append(after) }
                }
            }
        }
        #expect(states == ["waiting", "up", "dismissed", "over"])
    }
}
