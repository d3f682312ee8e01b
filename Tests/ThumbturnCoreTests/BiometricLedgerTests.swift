import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit

@Suite struct BiometricLedgerTests {
    private let delays = MismatchDelays()

    private func moment(_ seconds: Int, boot: String = "a", server: ServerTime? = nil) -> Moment {
        Moment(boot: boot, sinceBoot: Instant(sinceOrigin: .seconds(seconds)), server: server)
    }

    /// A ledger after mismatches at these times.
    private func ledger(_ seconds: Int...) -> BiometricLedger { ledger(seconds) }

    private func ledger(_ seconds: [Int]) -> BiometricLedger {
        seconds.reduce(BiometricLedger()) { $0.attempting(at: moment($1), under: delays) }
    }

    private func standing(_ ledger: BiometricLedger, _ seconds: Int, boot: String = "a") -> BiometricLedger.Standing {
        ledger.standing(at: moment(seconds, boot: boot), under: delays)
    }

    @Test(
        "a burst: the 4th attempt after 10 s, the 5th after 30 s, and then 5 minutes each",
        arguments: [(1, 0), (2, 0), (3, 10), (4, 30), (5, 300), (6, 300), (49, 300)])
    func burst(_ count: Int, _ delay: Int) {
        let ledger = ledger(Array(repeating: 100, count: count))
        #expect(ledger.inARow == count)
        guard delay > 0 else {
            #expect(standing(ledger, 100) == .open)
            return
        }
        #expect(standing(ledger, 100) == .paused(.seconds(delay)))
        #expect(standing(ledger, 100 + delay - 1) == .paused(.seconds(1)))
        #expect(standing(ledger, 100 + delay) == .open)
    }

    @Test("three within 60 s are a burst", arguments: [(60, true), (61, false)])
    func window(_ third: Int, _ isBurst: Bool) {
        #expect(standing(ledger(0, 30, third), third) == (isBurst ? .paused(.seconds(10)) : .open))
        #expect(
            standing(ledger(-500, 0, 30, third), third) == (isBurst ? .paused(.seconds(10)) : .open),
            "the last three mismatches count")
    }

    @Test("a policy may ask for a longer burst, or a shorter one", arguments: 2...5)
    func bursts(_ count: Int) {
        var delays = delays
        delays.burst = count
        delays.floorFrom = 5
        let times = Array(0..<count)
        func ledger(_ times: ArraySlice<Int>) -> BiometricLedger {
            times.reduce(BiometricLedger()) { $0.attempting(at: moment($1), under: delays) }
        }
        #expect(ledger(times.dropLast()).inBurst == 0)
        #expect(ledger(times[...]).inBurst == count)
        #expect(ledger([-1000] + times.dropLast()).inBurst == 0, "an old mismatch does not count")
    }

    @Test func theShortestDelayIsOne() {
        var delays = delays
        delays.afterBurst = .milliseconds(1)
        let ledger = ledger(5, 5, 5)
        #expect(ledger.standing(at: moment(5), under: delays) == .paused(.milliseconds(1)))
        let anchored = ledger.anchored(at: moment(0, boot: "b"), under: delays)
        #expect(anchored.standing(at: moment(0, boot: "b"), under: delays) == .paused(.milliseconds(1)))
        #expect(anchored.standing(at: moment(1, boot: "b"), under: delays) == .open)
    }

    @Test func aBurstLastsUntilAMatch() {
        let late = ledger(0, 1, 2, 5000)
        #expect(late.inBurst == 4)
        #expect(standing(late, 5000) == .paused(.seconds(30)))
    }

    @Test func aLongRowIsDelayedAtAnyPace() {
        #expect(standing(ledger(0, 100, 200, 300), 300) == .open)
        let five = ledger(0, 100, 200, 300, 400)
        #expect(five.inBurst == 0)
        #expect(standing(five, 400) == .paused(.seconds(30)))
        #expect(standing(five, 430) == .open)
        let burst = ledger(0, 100, 200, 300, 400, 430, 460)
        #expect(burst.inBurst == 3)
        #expect(standing(burst, 460) == .paused(.seconds(30)), "the longer of the two delays")
    }

    @Test func fiftyInARowSwitchTheSensorOff() {
        let most = ledger((0..<49).map { $0 * 1000 })
        #expect(standing(most, 100_000) == .open)
        let off = ledger((0..<50).map { $0 * 1000 })
        #expect(standing(off, 10_000_000) == .off)
        #expect(standing(off, 0, boot: "b") == .off)
        #expect(off.attempting(at: moment(1), under: delays).inARow == 50)
        var strict = delays
        strict.limit = 3
        #expect(ledger(0, 1000).standing(at: moment(1000), under: strict) == .open)
        #expect(ledger(0, 1000, 2000).standing(at: moment(9000), under: strict) == .off)
    }

    @Test("another boot, or a clock that went back: the whole delay again", arguments: [("b", 5000), ("b", 0), ("a", 50)])
    func restarts(_ boot: String, _ seconds: Int) {
        let ledger = ledger(100, 100, 100, 100)
        let now = moment(seconds, boot: boot)
        #expect(ledger.standing(at: now, under: delays) == .paused(.seconds(30)))
        let anchored = ledger.anchored(at: now, under: delays)
        #expect(anchored.inARow == 4 && anchored.inBurst == 4)
        #expect(standing(anchored, seconds + 29, boot: boot) == .paused(.seconds(1)))
        #expect(standing(anchored, seconds + 30, boot: boot) == .open)
        #expect(
            anchored.anchored(at: moment(seconds + 10, boot: boot), under: delays) == anchored,
            "anchored once, not at each reading")
    }

    @Test func aRestartDoesNotBreakABurst() {
        let before = ledger(100, 110)
        #expect(before.anchored(at: moment(0, boot: "b"), under: delays) == before, "without a pause nothing is written")
        #expect(standing(before, 0, boot: "b") == .open)
        let after = before.attempting(at: moment(3000, boot: "b"), under: delays)
        #expect(standing(after, 3000, boot: "b") == .paused(.seconds(10)))
    }

    @Test func aDamagedLedgerHasTheLongestPauseAndOneAttempt() {
        let ledger = BiometricLedger.replacingDamaged(at: moment(7))
        #expect(ledger.inARow == 49 && ledger.inBurst == 49)
        #expect(standing(ledger, 7) == .paused(.seconds(300)))
        #expect(standing(ledger, 307) == .open)
        #expect(standing(ledger.attempting(at: moment(307), under: delays), 307) == .off)
    }

    @Test func aLedgerIsReadAsWrittenAndInvalidOnesAreRefused() throws {
        for times in [[], [1], [1, 2, 3], Array(repeating: 7, count: 50)] {
            let ledger = ledger(times)
            #expect(try JSONDecoder().decode(BiometricLedger.self, from: JSONEncoder().encode(ledger)) == ledger)
        }
        let one = String(decoding: try JSONEncoder().encode(moment(1)), as: UTF8.self)
        for (row, burst, recent) in [
            (-1, 0, "[]"), (0, 0, "[\(one)]"), (1, 0, "[]"), (3, 4, "[\(one)]"), (3, -1, "[\(one)]"), (50, 0, "[]"),
            (51, 0, "[\(one)]"),
            (9, 0, "[\(one),\(one),\(one),\(one),\(one),\(one)]"),
        ] {
            let text = #"{"inARow":\#(row),"inBurst":\#(burst),"recent":\#(recent)}"#
            #expect(throws: DecodingError.self, "\(text)") {
                try JSONDecoder().decode(BiometricLedger.self, from: Data(text.utf8))
            }
        }
    }

    @Test func noOrderOfEventsShortensADelay() {
        var generator = SeededGenerator(seed: .random(in: 0...UInt64.max))
        print("seed \(generator.seed)")
        for _ in 0..<2000 {
            // Real time beside the ledger: it runs on, the device restarts, the ledger is read.
            var (real, booted, boot) = (1000, 0, 0)
            let count = Int.random(in: 3...9, using: &generator)
            var kept = (0..<count).reduce(BiometricLedger()) { ledger, _ in
                let server = ServerTime.random(in: booted...real, now: real, using: &generator)
                return ledger.attempting(at: moment(real, boot: "0", server: server), under: delays)
            }
            let delay = [10, 30, 300][min(count, 5) - 3]
            let missedAt = real
            for _ in 0..<20 {
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    boot += 1
                    booted = real
                }
                real += Int.random(in: 0...60, using: &generator)
                let now = moment(
                    real - booted, boot: "\(boot)", server: .random(in: booted...real, now: real, using: &generator))
                kept = kept.anchored(at: now, under: delays)
                if kept.standing(at: now, under: delays) == .open {
                    #expect(real - missedAt >= delay, "seed \(generator.seed)")
                }
            }
        }
    }
}
