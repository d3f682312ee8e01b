import Foundation
import Testing
import ThumbturnCore

/// Locking after a time away, the cover, and when the person is asked.
@Suite struct AppLockTests {
    static func at(_ seconds: Int, boot: String = "boot") -> Moment {
        Moment(boot: boot, sinceBoot: Instant(sinceOrigin: .seconds(seconds)))
    }

    /// A run that sees the app in front, and the answer to the ask of it.
    static func open(lockAfter: Duration = .seconds(30)) -> AppLock {
        var lock = asking(lockAfter: lockAfter)
        _ = lock.handle(.answered(ask(1), .succeeded(isLive: true)), at: at(0))
        return lock
    }

    static func asking(lockAfter: Duration = .seconds(30)) -> AppLock {
        var lock = AppLock(rules: .init(lockAfter: lockAfter))
        _ = lock.handle(.began(run: 1), at: at(0))
        _ = lock.handle(.saw(.init(.front, isPromptUp: false), run: 1), at: at(0))
        return lock
    }

    static func ask(_ number: Int) -> AppLock.Ask { AppLock.Ask(number: number) }

    static func saw(_ phase: AppPhase, isPromptUp: Bool = false) -> AppLock.Event {
        .saw(AppLock.Sight(phase, isPromptUp: isPromptUp), run: 1)
    }

    static func wake(_ seconds: Int) -> AppLock.Effect { .wake(at: Instant(sinceOrigin: .seconds(seconds))) }

    @Test func anAppStartsLockedAndCoveredAndAsksOnce() {
        var lock = AppLock()
        #expect(lock.state == .locked(asksItself: true) && lock.isCovered)
        #expect(lock.handle(.began(run: 1), at: Self.at(0)) == [.void])
        #expect(lock.handle(Self.saw(.inactive), at: Self.at(0)) == [])
        #expect(lock.handle(Self.saw(.front), at: Self.at(0)) == [.uncover, .ask(Self.ask(1))])
        #expect(lock.state == .asking(Self.ask(1)))
        #expect(lock.handle(Self.saw(.front), at: Self.at(0)) == [])
        #expect(lock.handle(.answered(Self.ask(1), .succeeded(isLive: true)), at: Self.at(1)) == [])
        #expect(lock.state == .unlocked && !lock.isCovered)
        #expect("\(AppLock()), then \(lock)" == "locked, covered, then unlocked")
    }

    // MARK: - The cover

    @Test func theCoverComesAsSoonAsTheAppIsInactive() {
        var lock = Self.open()
        #expect(lock.handle(Self.saw(.inactive), at: Self.at(1)) == [.cover, Self.wake(61)])
        #expect(lock.handle(Self.saw(.front), at: Self.at(2)) == [.uncover])
        #expect(lock.state == .unlocked, "a look at the app switcher locks nothing")
    }

    @Test func theAppsOwnPromptNeitherCoversNorLocksNorStartsAnUnlock() {
        var lock = Self.open(lockAfter: .zero)
        let prompt = [Self.saw(.front, isPromptUp: true), Self.saw(.inactive, isPromptUp: true)]
        for event in prompt { #expect(lock.handle(event, at: Self.at(1)) == []) }
        // A person may take any time for a prompt. The wakes are for an app that never comes back.
        #expect(lock.handle(Self.saw(.inactive), at: Self.at(600)) == [Self.wake(601)])
        #expect(lock.handle(Self.saw(.front), at: Self.at(600)) == [])
        #expect(lock.state == .unlocked)

        _ = lock.handle(.lockNow, at: Self.at(602))
        #expect(lock.handle(.tapped, at: Self.at(603)) == [.ask(Self.ask(2))])
        for event in prompt { #expect(lock.handle(event, at: Self.at(604)) == []) }
        #expect(lock.handle(Self.saw(.inactive), at: Self.at(1200)) == [Self.wake(1201)])
        #expect(lock.handle(Self.saw(.front), at: Self.at(1200)) == [])
        #expect(lock.state == .asking(Self.ask(2)))
        #expect(lock.handle(.answered(Self.ask(2), .failed), at: Self.at(1201)) == [], "one appearance asks once: no loop")
    }

    @Test func anAppThatStaysInactiveAfterItsPromptIsCovered() {
        var lock = Self.open()
        _ = lock.handle(Self.saw(.front, isPromptUp: true), at: Self.at(1))
        _ = lock.handle(Self.saw(.inactive, isPromptUp: true), at: Self.at(1))
        #expect(lock.handle(Self.saw(.inactive), at: Self.at(10)) == [Self.wake(11)])
        #expect(lock.handle(.woke, at: Self.at(10)) == [Self.wake(11)], "a timer that is early is set again")
        #expect(lock.handle(.woke, at: Self.at(11)) == [.cover, Self.wake(70)])
        #expect(lock.handle(.woke, at: Self.at(70)) == [.void, .lock], "and it locks as any other inactive app")
    }

    // MARK: - The time away

    @Test func aTimeInTheBackgroundLocks() {
        var lock = Self.open()
        #expect(lock.handle(Self.saw(.back), at: Self.at(10)) == [.cover, Self.wake(40)])
        #expect(lock.handle(.woke, at: Self.at(39)) == [Self.wake(40)])
        #expect(lock.handle(.woke, at: Self.at(40)) == [.void, .lock], "even while the app is away")
        #expect(lock.handle(Self.saw(.front), at: Self.at(50)) == [.uncover, .ask(Self.ask(2))])

        var asleep = Self.open()
        _ = asleep.handle(Self.saw(.back), at: Self.at(10))
        #expect(
            asleep.handle(Self.saw(.inactive), at: Self.at(40)) == [.void, .lock], "a timer may be late, the lock is not")
        #expect(asleep.handle(Self.saw(.front), at: Self.at(40)) == [.uncover, .ask(Self.ask(2))])

        var late = Self.open()
        _ = late.handle(Self.saw(.back), at: Self.at(10))
        #expect(
            late.handle(Self.saw(.front), at: Self.at(40)) == [.void, .lock, .uncover, .ask(Self.ask(2))],
            "locked before the contents are visible")

        var short = Self.open()
        _ = short.handle(Self.saw(.back), at: Self.at(10))
        #expect(short.handle(Self.saw(.front), at: Self.at(39)) == [.uncover])
        #expect(short.handle(Self.saw(.back), at: Self.at(50)) == [.cover, Self.wake(80)], "each absence has its own time")
    }

    @Test func anAbsenceEndsInFrontAndNotBefore() {
        var lock = Self.open()
        _ = lock.handle(Self.saw(.back), at: Self.at(10))
        #expect(lock.handle(Self.saw(.inactive), at: Self.at(20)) == [Self.wake(70)])
        #expect(lock.handle(Self.saw(.back), at: Self.at(30)) == [Self.wake(40)], "30 seconds after the app left first")

        var glancing = Self.open()
        _ = glancing.handle(Self.saw(.back), at: Self.at(10))
        _ = glancing.handle(Self.saw(.inactive), at: Self.at(20))
        #expect(glancing.handle(Self.saw(.back), at: Self.at(41)) == [.void, .lock])
    }

    @Test func aTimeWithoutInputLocks() {
        var lock = Self.open(lockAfter: .zero)
        _ = lock.handle(Self.saw(.inactive), at: Self.at(10))
        #expect(lock.handle(.woke, at: Self.at(69)) == [Self.wake(70)])
        #expect(lock.handle(.woke, at: Self.at(70)) == [.void, .lock])
        #expect(
            lock.handle(Self.saw(.front), at: Self.at(71)) == [.uncover, .ask(Self.ask(2))],
            "the return from an absence that locked is a new appearance")

        var patient = Self.open(lockAfter: .seconds(300))
        #expect(
            patient.handle(Self.saw(.inactive), at: Self.at(10)) == [.cover, Self.wake(310)],
            "an app locks no sooner beside another window than behind it")
    }

    @Test func aPromptsLastMomentLocksNothing() {
        var rules = AppLock.Rules()
        rules.lockAfterInactive = .zero
        var lock = AppLock(rules: rules)
        _ = lock.handle(.began(run: 1), at: Self.at(0))
        for (phase, isPromptUp) in [(AppPhase.front, false), (.front, true), (.inactive, true), (.inactive, false)] {
            _ = lock.handle(Self.saw(phase, isPromptUp: isPromptUp), at: Self.at(1))
        }
        #expect(lock.handle(.answered(Self.ask(1), .succeeded(isLive: true)), at: Self.at(1)) == [])
        #expect(lock.handle(Self.saw(.front), at: Self.at(1)) == [] && lock.state == .unlocked)
        _ = lock.handle(Self.saw(.inactive), at: Self.at(2))
        #expect(lock.handle(.woke, at: Self.at(3)) == [.void, .lock])
    }

    @Test func anUnknownTimeAwayLocks() {
        for (phase, now) in [(AppPhase.back, Self.at(11, boot: "another boot")), (.back, Self.at(9)), (.inactive, Self.at(9))] {
            var lock = Self.open()
            _ = lock.handle(Self.saw(phase), at: Self.at(10))
            #expect(lock.handle(Self.saw(.front), at: now) == [.void, .lock, .uncover, .ask(Self.ask(2))])
        }
    }

    @Test func aPasscodePromptInAnotherAppDoesNotLock() {
        var lock = Self.open(lockAfter: .zero)
        _ = lock.handle(Self.saw(.front, isPromptUp: true), at: Self.at(1))
        #expect(lock.handle(Self.saw(.back, isPromptUp: true), at: Self.at(1)) == [.cover, Self.wake(61)])
        #expect(lock.handle(Self.saw(.front, isPromptUp: true), at: Self.at(60)) == [.uncover])
        _ = lock.handle(Self.saw(.back, isPromptUp: true), at: Self.at(100))
        #expect(
            lock.handle(Self.saw(.front, isPromptUp: true), at: Self.at(160)).prefix(2) == [.void, .lock],
            "and a prompt keeps the app open no longer than that")

        var patient = Self.open(lockAfter: .seconds(300))
        #expect(patient.handle(Self.saw(.back, isPromptUp: true), at: Self.at(1)) == [.cover, Self.wake(301)])
    }

    @Test func oncePromptsAreGoneTheAppIsInTheBackAsAnyOther() {
        var lock = Self.open(lockAfter: .zero)
        _ = lock.handle(Self.saw(.front, isPromptUp: true), at: Self.at(1))
        _ = lock.handle(Self.saw(.back, isPromptUp: true), at: Self.at(1))
        #expect(lock.handle(Self.saw(.back), at: Self.at(2)) == [.void, .lock])

        var later = Self.open(lockAfter: .seconds(30))
        _ = later.handle(Self.saw(.front, isPromptUp: true), at: Self.at(1))
        _ = later.handle(Self.saw(.back, isPromptUp: true), at: Self.at(1))
        #expect(later.handle(Self.saw(.back), at: Self.at(2)) == [Self.wake(31)], "counted from when the app left")
    }

    // MARK: - Asks

    @Test func aSuccessThatBeganBeforeTheLockOpensNothing() {
        var lock = Self.asking()
        #expect(lock.handle(Self.saw(.back), at: Self.at(1)) == [.cover, .void, .cancel(Self.ask(1))], "whatever lockAfter is")
        #expect(lock.handle(Self.saw(.front), at: Self.at(2)) == [.uncover, .ask(Self.ask(2))])
        #expect(lock.handle(.answered(Self.ask(1), .succeeded(isLive: true)), at: Self.at(3)) == [])
        #expect(lock.state == .asking(Self.ask(2)))

        #expect(lock.handle(.lockNow, at: Self.at(4)) == [.void, .cancel(Self.ask(2))])
        #expect(lock.handle(.answered(Self.ask(2), .succeeded(isLive: true)), at: Self.at(5)) == [])
        #expect(lock.state == .locked(asksItself: false))
        #expect(lock.handle(.tapped, at: Self.at(6)) == [.ask(Self.ask(3))])
        #expect(lock.handle(.answered(Self.ask(3), .succeeded(isLive: false)), at: Self.at(7)) == [])
        #expect(lock.state == .locked(asksItself: false), "another party has made it worthless")
    }

    @Test func leavingALockedAppMakesWorthlessWhatIsUnderWay() {
        var lock = Self.open()
        _ = lock.handle(.lockNow, at: Self.at(1))
        #expect(lock.handle(Self.saw(.back), at: Self.at(2)) == [.cover, .void])
        #expect(lock.handle(Self.saw(.back), at: Self.at(3)) == [])
    }

    @Test func anAskUnderAPromptInTheBackLastsAsLongAsThePrompt() {
        var lock = Self.asking(lockAfter: .zero)
        _ = lock.handle(Self.saw(.front, isPromptUp: true), at: Self.at(1))
        #expect(lock.handle(Self.saw(.back, isPromptUp: true), at: Self.at(1)) == [.cover, Self.wake(61)])
        #expect(lock.handle(.woke, at: Self.at(61)) == [.void, .cancel(Self.ask(1))])
        #expect(lock.handle(.answered(Self.ask(1), .succeeded(isLive: true)), at: Self.at(62)) == [])
        #expect(lock.handle(Self.saw(.front), at: Self.at(63)) == [.uncover, .ask(Self.ask(2))])

        var quick = Self.asking()
        _ = quick.handle(Self.saw(.back, isPromptUp: true), at: Self.at(1))
        #expect(quick.handle(.answered(Self.ask(1), .succeeded(isLive: true)), at: Self.at(20)) == [])
        #expect(quick.state == .unlocked && quick.isCovered)
        #expect(quick.handle(Self.saw(.back), at: Self.at(21)) == [Self.wake(31)], "and the app locks in time")
    }

    @Test func afterACancelTheNextReturnDoesNotAsk() {
        var lock = Self.asking(lockAfter: .zero)
        #expect(lock.handle(.answered(Self.ask(1), .cancelled), at: Self.at(1)) == [])
        _ = lock.handle(Self.saw(.back), at: Self.at(2))
        #expect(lock.handle(Self.saw(.front), at: Self.at(3)) == [.uncover], "the lock waits for a tap")
        #expect(lock.handle(.tapped, at: Self.at(4)) == [.ask(Self.ask(2))])
        #expect(lock.handle(.tapped, at: Self.at(4)) == [], "one ask at a time")
        _ = lock.handle(.answered(Self.ask(2), .succeeded(isLive: true)), at: Self.at(5))
        #expect(lock.handle(.tapped, at: Self.at(5)) == [])
        #expect(lock.handle(Self.saw(.back), at: Self.at(6)) == [.cover, .void, .lock])
        #expect(lock.handle(.tapped, at: Self.at(6)) == [], "not in the back")
        #expect(lock.handle(Self.saw(.front), at: Self.at(7)) == [.uncover, .ask(Self.ask(3))], "an unlock resets the cancel")
    }

    @Test func lockNowLocksAndWaitsForATap() {
        var lock = Self.open()
        #expect(lock.handle(.lockNow, at: Self.at(1)) == [.void, .lock])
        #expect(lock.handle(.lockNow, at: Self.at(1)) == [.void])
        _ = lock.handle(Self.saw(.inactive), at: Self.at(2))
        #expect(lock.handle(Self.saw(.front), at: Self.at(3)) == [.uncover])
        _ = lock.handle(Self.saw(.back), at: Self.at(3))
        #expect(lock.handle(Self.saw(.front), at: Self.at(3)) == [.uncover], "even after an absence")
        #expect(lock.handle(.tapped, at: Self.at(4)) == [.ask(Self.ask(2))])
    }

    @Test func lockNowCountsInEveryState() {
        var lock = Self.asking()
        _ = lock.handle(.answered(Self.ask(1), .failed), at: Self.at(1))
        #expect(lock.state == .locked(asksItself: true))
        #expect(lock.handle(.lockNow, at: Self.at(1)) == [.void])
        _ = lock.handle(Self.saw(.back), at: Self.at(2))
        #expect(lock.handle(Self.saw(.front), at: Self.at(2)) == [.uncover], "the lock waits for a tap")

        var early = AppLock()
        _ = early.handle(.lockNow, at: Self.at(0))
        _ = early.handle(.began(run: 1), at: Self.at(1))
        #expect(early.handle(Self.saw(.front), at: Self.at(1)) == [.uncover], "before a run too")
    }

    @Test func dismissingThePersonLocks() {
        var lock = Self.open()
        #expect(lock.handle(.dismissed, at: Self.at(1)) == [.void, .lock])
        #expect(lock.state == .locked(asksItself: false))
        var asked = Self.asking()
        #expect(asked.handle(.dismissed, at: Self.at(1)) == [.void, .cancel(Self.ask(1))])
    }

    @Test func anUnlockEndedByTheSystemIsAskedAgainAtTheReturn() {
        for isPromptUp in [true, false] {
            var lock = Self.asking()
            let left = lock.handle(Self.saw(.back, isPromptUp: isPromptUp), at: Self.at(1))
            #expect(left == (isPromptUp ? [.cover, Self.wake(61)] : [.cover, .void, .cancel(Self.ask(1))]))
            let back = lock.handle(Self.saw(.front), at: Self.at(2))
            #expect(back == (isPromptUp ? [.uncover] : [.uncover, .ask(Self.ask(2))]))
            let again: [AppLock.Effect] = isPromptUp ? [.ask(Self.ask(2))] : []
            #expect(lock.handle(.answered(Self.ask(1), .failed), at: Self.at(3)) == again)
            #expect(lock.handle(.answered(Self.ask(2), .failed), at: Self.at(4)) == [])
            #expect(lock.state == .locked(asksItself: true))
        }
    }

    // MARK: - Successes that the lock did not ask for

    @Test func aLiveSuccessOpensTheAppWhereThePersonIs() {
        var lock = Self.asking()
        #expect(lock.handle(.proved(isLive: false), at: Self.at(1)) == [])
        #expect(lock.handle(.proved(isLive: true), at: Self.at(1)) == [.cancel(Self.ask(1))])
        #expect(lock.state == .unlocked)
        #expect(lock.handle(.answered(Self.ask(1), .cancelled), at: Self.at(2)) == [] && lock.state == .unlocked)

        _ = lock.handle(.lockNow, at: Self.at(3))
        // A prompt that has just gone leaves the app inactive for a moment.
        _ = lock.handle(Self.saw(.inactive), at: Self.at(4))
        #expect(lock.handle(.proved(isLive: true), at: Self.at(4)) == [Self.wake(64)] && lock.state == .unlocked)
        _ = lock.handle(.lockNow, at: Self.at(5))
        #expect(lock.handle(.proved(isLive: true), at: Self.at(64)) == [] && lock.state == .locked(asksItself: false))
        _ = lock.handle(Self.saw(.back), at: Self.at(65))
        #expect(lock.handle(.proved(isLive: true), at: Self.at(65)) == [] && lock.state == .locked(asksItself: false))
    }

    // MARK: - Runs

    @Test func withoutARunNothingOpensTheApp() {
        var lock = AppLock()
        let success = AppLock.Event.answered(Self.ask(1), .succeeded(isLive: true))
        let events = [Self.saw(.front), .tapped, success, .proved(isLive: true), .woke]
        for event in events { #expect(lock.handle(event, at: Self.at(0)) == [] && "\(lock)" == "locked, covered") }

        var open = Self.open()
        #expect(open.handle(.ended(run: 1), at: Self.at(1)) == [.cover, .void, .lock])
        for event in events { #expect(open.handle(event, at: Self.at(1)) == [] && "\(open)" == "locked, covered") }
    }

    @Test func aRunThatBeginsAgainLocksAndAsksAgain() {
        var lock = Self.open()
        #expect(lock.handle(.began(run: 2), at: Self.at(1)) == [.cover, .void, .lock])
        #expect(lock.handle(.proved(isLive: true), at: Self.at(1)) == [], "the new run has seen nothing yet")
        #expect(lock.handle(Self.saw(.front), at: Self.at(1)) == [], "the first run's sight says nothing any more")
        #expect(lock.handle(.ended(run: 1), at: Self.at(1)) == [], "nor does its end")
        #expect(lock.handle(.saw(.init(.front, isPromptUp: false), run: 2), at: Self.at(1)) == [.uncover, .ask(Self.ask(2))])
        #expect(lock.handle(.ended(run: 2), at: Self.at(2)) == [.cover, .void, .cancel(Self.ask(2))])
    }

    @Test func aRefusalOutlivesTheRun() {
        var lock = Self.open()
        _ = lock.handle(.lockNow, at: Self.at(1))
        _ = lock.handle(.began(run: 2), at: Self.at(2))
        let front = AppLock.Event.saw(.init(.front, isPromptUp: false), run: 2)
        #expect(lock.handle(front, at: Self.at(2)) == [.uncover], "the lock waits for a tap")
    }

    // MARK: - Rules

    @Test func absentNumbersHaveTheirDefaults() throws {
        var rules = AppLock.Rules(lockAfter: .seconds(5))
        rules.lockAfterInactive = .seconds(6)
        rules.promptLimit = .seconds(7)
        let text = try JSONEncoder().encode(rules)
        #expect(try JSONDecoder().decode(AppLock.Rules.self, from: text) == rules)
        #expect(try JSONDecoder().decode(AppLock.Rules.self, from: Data("{}".utf8)) == AppLock.Rules())
        #expect(AppLock.Rules().lockAfterInactive == .seconds(60) && AppLock.Rules().promptLimit == .seconds(60))
        #expect("\(AppLock.Rules())" == "locks after 0.0 seconds, and after 60.0 seconds without input")
    }
}
