import Testing
import ThumbturnCore

/// Locking after a time away, the cover, and when the person is asked.
@Suite struct AppLockTests {
    static func at(_ seconds: Int, boot: String = "boot") -> Moment {
        Moment(boot: boot, sinceBoot: Instant(sinceOrigin: .seconds(seconds)))
    }

    /// An app that was opened and unlocked at the time 0.
    static func open(lockAfter: Duration = .seconds(30)) -> AppLock {
        var lock = AppLock(rules: .init(lockAfter: lockAfter))
        _ = lock.handle(.phase(.front), at: at(0))
        _ = lock.handle(.unlocked, at: at(0))
        return lock
    }

    @Test func anAppStartsLockedAndCoveredAndAsksOnce() {
        var lock = AppLock()
        #expect(lock.state == .locked(asksItself: true) && lock.isCovered)
        #expect(lock.handle(.phase(.inactive), at: Self.at(0)) == [])
        #expect(lock.handle(.phase(.front), at: Self.at(0)) == [.uncover, .ask])
        #expect(lock.handle(.unlocked, at: Self.at(1)) == [])
        #expect(lock.state == .unlocked && !lock.isCovered)
        #expect("\(AppLock()), then \(lock)" == "locked, covered, then unlocked")
    }

    @Test func theCoverComesAsSoonAsTheAppIsInactive() {
        var lock = Self.open()
        #expect(lock.handle(.phase(.inactive), at: Self.at(1)) == [.cover])
        #expect(lock.handle(.phase(.front), at: Self.at(2)) == [.uncover])
        #expect(lock.state == .unlocked, "a look at the app switcher locks nothing")
    }

    @Test func theAppsOwnPromptNeitherCoversNorLocksNorStartsAnUnlock() {
        var lock = Self.open(lockAfter: .zero)
        let story: [AppLock.Event] = [.prompt(isUp: true), .phase(.inactive), .prompt(isUp: false), .phase(.front)]
        for event in story { #expect(lock.handle(event, at: Self.at(1)) == []) }
        _ = lock.handle(.lockNow, at: Self.at(2))
        #expect(lock.handle(.tapped, at: Self.at(3)) == [.ask])
        for event in story { #expect(lock.handle(event, at: Self.at(4)) == []) }
        #expect(lock.handle(.notUnlocked, at: Self.at(5)) == [], "one appearance asks once: no loop")
    }

    @Test func aTimeInTheBackgroundLocks() {
        var lock = Self.open()
        #expect(lock.handle(.phase(.back), at: Self.at(10)) == [.cover, .wake(at: Instant(sinceOrigin: .seconds(40)))])
        #expect(lock.handle(.woke, at: Self.at(39)) == [])
        #expect(lock.handle(.woke, at: Self.at(40)) == [.lock], "even while the app is away")
        #expect(lock.handle(.phase(.front), at: Self.at(50)) == [.uncover, .ask])

        var asleep = Self.open()
        _ = asleep.handle(.phase(.back), at: Self.at(10))
        #expect(asleep.handle(.phase(.inactive), at: Self.at(40)) == [])
        #expect(
            asleep.handle(.phase(.front), at: Self.at(40)) == [.lock, .uncover, .ask], "locked before the contents are visible")

        var short = Self.open()
        _ = short.handle(.phase(.back), at: Self.at(10))
        #expect(short.handle(.phase(.front), at: Self.at(39)) == [.uncover])
    }

    @Test func anUnlockJustAfterTheAppLeftCounts() {
        var lock = AppLock(rules: .init(lockAfter: .seconds(30)))
        _ = lock.handle(.phase(.front), at: Self.at(0))
        #expect(lock.handle(.phase(.back), at: Self.at(1)) == [.cover])
        #expect(
            lock.handle(.unlocked, at: Self.at(2)) == [.wake(at: Instant(sinceOrigin: .seconds(31)))], "and the app locks in time"
        )
        #expect(lock.handle(.phase(.back), at: Self.at(3)) == [], "one wake is enough")
        #expect(lock.handle(.woke, at: Self.at(31)) == [.lock])
    }

    @Test func anUnknownTimeAwayLocks() {
        for now in [Self.at(11, boot: "another boot"), Self.at(9)] {
            var lock = Self.open()
            _ = lock.handle(.phase(.back), at: Self.at(10))
            #expect(lock.handle(.phase(.front), at: now) == [.lock, .uncover, .ask])
        }
    }

    @Test func aPasscodePromptInAnotherAppDoesNotLock() {
        var lock = Self.open(lockAfter: .zero)
        _ = lock.handle(.prompt(isUp: true), at: Self.at(1))
        #expect(lock.handle(.phase(.back), at: Self.at(1)).first == .cover)
        #expect(lock.handle(.phase(.front), at: Self.at(60)) == [.uncover])
        _ = lock.handle(.phase(.back), at: Self.at(100))
        #expect(
            lock.handle(.phase(.front), at: Self.at(160)).first == .lock, "and a prompt keeps the app open no longer than that")
    }

    @Test func afterACancelTheNextReturnDoesNotAsk() {
        var lock = AppLock()
        _ = lock.handle(.phase(.front), at: Self.at(0))
        #expect(lock.handle(.cancelled, at: Self.at(1)) == [])
        _ = lock.handle(.phase(.back), at: Self.at(2))
        #expect(lock.handle(.phase(.front), at: Self.at(3)) == [.uncover], "the lock waits for a tap")
        #expect(lock.handle(.tapped, at: Self.at(4)) == [.ask])
        _ = lock.handle(.unlocked, at: Self.at(5))
        #expect(lock.handle(.phase(.back), at: Self.at(6)) == [.cover, .lock])
        #expect(lock.handle(.phase(.front), at: Self.at(7)) == [.uncover, .ask], "an unlock resets the cancel")
    }

    @Test func lockNowLocksAndWaitsForATap() {
        var lock = Self.open()
        #expect(lock.handle(.lockNow, at: Self.at(1)) == [.lock])
        #expect(lock.handle(.lockNow, at: Self.at(1)) == [])
        _ = lock.handle(.phase(.inactive), at: Self.at(2))
        #expect(lock.handle(.phase(.front), at: Self.at(3)) == [.uncover])
        _ = lock.handle(.phase(.back), at: Self.at(3))
        #expect(lock.handle(.phase(.front), at: Self.at(3)) == [.uncover], "even after an absence")
        #expect(lock.handle(.tapped, at: Self.at(4)) == [.ask])
    }

    @Test func anUnlockEndedByTheSystemIsAskedAgainAtTheReturn() {
        for endsBeforeTheReturn in [true, false] {
            var lock = AppLock()
            _ = lock.handle(.phase(.front), at: Self.at(0))
            _ = lock.handle(.phase(.back), at: Self.at(1))
            if endsBeforeTheReturn { #expect(lock.handle(.notUnlocked, at: Self.at(1)) == []) }
            let back = lock.handle(.phase(.front), at: Self.at(2))
            #expect(back == (endsBeforeTheReturn ? [.uncover, .ask] : [.uncover]))
            if !endsBeforeTheReturn { #expect(lock.handle(.notUnlocked, at: Self.at(3)) == [.ask]) }
            #expect(lock.handle(.notUnlocked, at: Self.at(4)) == [])
        }
    }

    @Test func anUnlockThatSucceedsLongAfterTheAppLeftOpensNothing() {
        var lock = AppLock(rules: .init(lockAfter: .seconds(30)))
        _ = lock.handle(.phase(.front), at: Self.at(0))
        _ = lock.handle(.phase(.back), at: Self.at(1))
        #expect(lock.handle(.unlocked, at: Self.at(31)) == [])
        #expect(lock.state == .locked(asksItself: true))
        #expect(lock.handle(.phase(.front), at: Self.at(32)) == [.uncover, .ask])
    }

    /// Every order of events within 100 seconds, in steps of 20.
    @Test func everyOrderOfEventsKeepsTheRules() {
        struct Node: Hashable {
            var lock = AppLock(rules: .init(lockAfter: .seconds(40)))
            var step = 0
            var phase = AppPhase.back
            var left: Int?
            var isPromptUp = false
            /// An appearance, or a tap, that has not been answered with an ask.
            var mayAsk = true
        }
        let events: [AppLock.Event] = [
            .phase(.front), .phase(.inactive), .phase(.back), .prompt(isUp: true), .prompt(isUp: false), .tapped, .lockNow,
            .unlocked, .cancelled, .notUnlocked, .woke,
        ]
        var (seen, queue): (Set<Node>, [Node]) = ([Node()], [Node()])
        var states: Set<AppLock.State> = []
        while let node = queue.popLast() {
            states.insert(node.lock.state)
            for event in events {
                for step in 0...1 where node.step + step <= 5 {
                    var after = node
                    after.step += step
                    let now = Self.at(after.step * 20)
                    if case .phase(let phase) = event {
                        if phase == .back {
                            after.mayAsk = true
                            after.left = after.left ?? after.step
                        }
                        after.phase = phase
                    }
                    if case .prompt(let isUp) = event { after.isPromptUp = isUp }
                    if event == .tapped { after.mayAsk = true }
                    let effects = after.lock.handle(event, at: now)
                    for effect in effects {
                        switch effect {
                        case .ask:
                            #expect(
                                after.phase == .front && after.mayAsk, "the lock asks once for each appearance or tap, in front")
                            after.mayAsk = false
                        case .cover: #expect(after.phase != .front && !node.lock.isCovered)
                        case .uncover: #expect(after.phase == .front && node.lock.isCovered)
                        case .lock: #expect(node.lock.state == .unlocked)
                        case .wake: #expect(after.phase != .front)
                        }
                    }
                    if event == .tapped { after.mayAsk = after.mayAsk && node.mayAsk }
                    if after.phase == .front { #expect(!after.lock.isCovered) }
                    if after.phase == .back { #expect(after.lock.isCovered) }
                    if after.lock.state == .unlocked, node.lock.state != .unlocked { #expect(event == .unlocked) }
                    if node.isPromptUp, event == .phase(.inactive), node.phase == .front { #expect(effects.isEmpty) }
                    if event == .phase(.front), let left = node.left {
                        let away = (after.step - left) * 20
                        if away >= 60 { #expect(after.lock.state != .unlocked, "the app stays open no longer") }
                        after.left = nil
                    }
                    // An honest person gets in within three steps.
                    var honest = after.lock
                    for way in [AppLock.Event.phase(.front), .tapped, .unlocked] { _ = honest.handle(way, at: now) }
                    #expect(honest.state == .unlocked)
                    if seen.insert(after).inserted { queue.append(after) }
                }
            }
        }
        #expect(states == [.unlocked, .asking, .locked(asksItself: true), .locked(asksItself: false)])
    }
}
