import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit

@Suite struct PINLedgerTests {
    private func moment(_ seconds: Int, boot: String = "a", server: ServerTime? = nil) -> Moment {
        Moment(boot: boot, sinceBoot: Instant(sinceOrigin: .seconds(seconds)), server: server)
    }

    /// A ledger after a number of wrong PINs, the last of them at a time.
    private func ledger(wrong: Int, at now: Moment) -> PINLedger {
        (0..<wrong).reduce(PINLedger()) { ledger, _ in ledger.guessing(at: now) }
    }

    @Test(
        "the pauses", arguments: [(0, 0), (1, 0), (4, 0), (5, 30), (6, 60), (7, 120), (8, 240), (9, 300)])
    func pauses(_ wrong: Int, _ seconds: Int) {
        let ledger = ledger(wrong: wrong, at: moment(100))
        #expect(ledger.wrongInARow == wrong)
        guard seconds > 0 else {
            #expect(ledger.standing(at: moment(100)) == .open)
            return
        }
        #expect(ledger.standing(at: moment(100)) == .paused(.seconds(seconds)))
        #expect(ledger.standing(at: moment(100 + seconds - 1)) == .paused(.seconds(1)))
        #expect(ledger.standing(at: moment(100 + seconds)) == .open)
    }

    @Test func aGuessWithoutAVerdictIsTakenOutAlone() {
        let first = PINLedger().guessing(at: moment(1))
        let second = first.guessing(at: moment(2))
        let rest = second.withdrawn(first, before: PINLedger())
        #expect(rest == PINLedger().guessing(at: moment(2)))
        #expect(rest.withdrawn(second, before: first) == PINLedger())
    }

    @Test func aRightPINForgivesADamagedLedgerItsOwnGuessAlone() {
        let guess = PINLedger().guessing(at: moment(1))
        #expect(PINLedger.replacingDamaged(at: moment(2)).right(guess).wrongInARow == PINLedger.limit - 2)
    }

    // MARK: Guesses of several processes

    private enum Verdict: CaseIterable { case right, wrong, none }

    /// Three processes guess and settle in every order, with every verdict, after every number of wrong PINs. Moments may
    /// be equal.
    @Test func whateverTheOrderNoWrongPINIsLost() {
        var (stories, guesses) = (0, 0)
        for wrongBefore in 0..<PINLedger.limit {
            for seconds in [0, 1000] {
                for order in Self.orders() {
                    for verdicts in Self.verdicts() {
                        stories += 1
                        guesses += tell(order, verdicts, after: wrongBefore, seconds)
                    }
                }
            }
        }
        #expect(stories == 10 * 2 * 90 * 27)
        #expect(guesses > stories, "most of them may guess")
    }

    /// Tells a story in which each process appears twice, to begin and to settle.
    ///
    /// - Returns: the number of guesses.
    private func tell(_ order: [Int], _ verdicts: [Verdict], after wrongBefore: Int, _ seconds: Int) -> Int {
        var ledger = ledger(wrong: wrongBefore, at: moment(0))
        var begun: [Int: (before: PINLedger, during: PINLedger)] = [:]
        var refused: Set<Int> = []
        // Wrong PINs since the last right one, and whether guesses of two processes were open at a time.
        var (wrong, crossed, now) = (wrongBefore, false, 2000)
        func story() -> Comment { "order \(order), verdicts \(verdicts), after \(wrongBefore) wrong" }
        var guesses = 0
        for process in order where !refused.contains(process) {
            now += seconds
            guard let guess = begun.removeValue(forKey: process) else {
                guard ledger.standing(at: moment(now)) == .open else {
                    refused.insert(process)
                    continue
                }
                crossed = crossed || !begun.isEmpty
                guesses += 1
                begun[process] = (ledger, ledger.guessing(at: moment(now)))
                ledger = ledger.guessing(at: moment(now))
                continue
            }
            switch verdicts[process] {
            case .right: (wrong, ledger) = (0, ledger.right(guess.during))
            case .wrong: (wrong, ledger) = (wrong + 1, ledger.wrong(guess.during, at: moment(now)))
            case .none: ledger = ledger.withdrawn(guess.during, before: guess.before)
            }
            #expect(ledger.wrongInARow >= min(wrong, PINLedger.limit), story())
            if !crossed { #expect(ledger.wrongInARow == wrong, story()) }
        }
        // A guess that found no other one left is not taken back for another's missing verdict.
        let mayBeUsedUp = crossed && wrongBefore >= 7
        #expect(verdicts.contains(.right) || mayBeUsedUp || ledger.wrongInARow == min(wrong, PINLedger.limit), story())
        return guesses
    }

    private static func orders() -> [[Int]] {
        func rest(_ left: [Int]) -> [[Int]] {
            guard left.contains(where: { $0 > 0 }) else { return [[]] }
            return left.indices.filter { left[$0] > 0 }.flatMap { process in
                var left = left
                left[process] -= 1
                return rest(left).map { [process] + $0 }
            }
        }
        return rest([2, 2, 2])
    }

    private static func verdicts() -> [[Verdict]] {
        Verdict.allCases.flatMap { one in
            Verdict.allCases.flatMap { two in Verdict.allCases.map { [one, two, $0] } }
        }
    }

    @Test func aRightPINForgetsNoGuessThatBeganLater() {
        let first = PINLedger().guessing(at: moment(1))
        let both = first.guessing(at: moment(2))
        let left = both.right(first)
        #expect(left.wrongInARow == 1 && left.last == moment(2))
        #expect(left.wrong(both, at: moment(3)).wrongInARow == 2, "it may count twice, and never not at all")
        #expect(both.right(both).wrongInARow == 0 && both.right(both).last == nil)
    }

    @Test func aRightPINRevivesNoDisabledKey() {
        let guess = ledger(wrong: 3, at: moment(0))
        #expect(PINLedger.exhausted(at: moment(1)).right(guess) == PINLedger.exhausted(at: moment(1)))
        #expect(PINLedger.exhausted(at: moment(1)).withdrawn(guess, before: ledger(wrong: 2, at: moment(0))).wrongInARow == 10)
        let tenth = ledger(wrong: 9, at: moment(0)).guessing(at: moment(1))
        #expect(tenth.right(tenth).wrongInARow == 0)
        #expect(tenth.withdrawn(tenth, before: ledger(wrong: 9, at: moment(0))).wrongInARow == 9)
    }

    @Test func aLedgerOfAnEarlierVersionIsRead() throws {
        let earlier = Data(#"{"wrongInARow":0}"#.utf8)
        #expect(try JSONDecoder().decode(PINLedger.self, from: earlier) == PINLedger())
        let damaged = Data(#"{"wrongInARow":0,"clearings":-1}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PINLedger.self, from: damaged) }
        let emptied = PINLedger().guessing(at: moment(1)).right(PINLedger().guessing(at: moment(1)))
        #expect(try JSONDecoder().decode(PINLedger.self, from: JSONEncoder().encode(emptied)) == emptied)
    }

    @Test func tenWrongPINsInARowDisableTheKey() {
        let ledger = ledger(wrong: 10, at: moment(0))
        #expect(ledger.standing(at: moment(1_000_000)) == .exhausted)
        #expect(ledger.standing(at: moment(0, boot: "b")) == .exhausted)
        #expect(ledger.guessing(at: moment(1)).wrongInARow == 10)
    }

    @Test("another boot, or a clock that went back: the whole pause again", arguments: [("b", 5000), ("b", 0), ("a", 50)])
    func restarts(_ boot: String, _ seconds: Int) {
        let ledger = ledger(wrong: 6, at: moment(100))
        let now = moment(seconds, boot: boot)
        #expect(ledger.standing(at: now) == .paused(.seconds(60)))
        #expect(ledger.standing(at: moment(seconds + 1000, boot: boot)) == (boot == "a" ? .open : .paused(.seconds(60))))
        let anchored = ledger.anchored(at: now)
        #expect(anchored.wrongInARow == 6)
        #expect(anchored.standing(at: moment(seconds + 59, boot: boot)) == .paused(.seconds(1)))
        #expect(anchored.standing(at: moment(seconds + 60, boot: boot)) == .open)
        #expect(anchored.anchored(at: moment(seconds + 10, boot: boot)) == anchored, "anchored once, not at each reading")
    }

    /// The server's time from an answer that took no time.
    private func told(_ seconds: Int64) -> ServerTime {
        ServerTime(told: UnixTime(seconds: seconds), sinceAsked: .zero, sinceAnswered: .zero)
    }

    @Test func theServersTimeTellsHowLongADeviceWasOff() {
        let ledger = ledger(wrong: 6, at: moment(100, server: told(5000)))
        // The guess was made within a second, and the clocks of a server's nodes may differ by ten.
        #expect(ledger.standing(at: moment(3, boot: "b", server: told(5051))) == .paused(.seconds(20)))
        #expect(ledger.standing(at: moment(3, boot: "b", server: told(5070))) == .paused(.seconds(1)))
        #expect(ledger.standing(at: moment(3, boot: "b", server: told(5071))) == .open)
        #expect(ledger.standing(at: moment(3, boot: "b", server: told(4999))) == .paused(.seconds(60)))
        // Read before the server's time was known: the pause begins again, and what is known of the guess is kept.
        let anchored = ledger.anchored(at: moment(3, boot: "b"))
        #expect(anchored.standing(at: moment(8, boot: "b")) == .paused(.seconds(55)))
        #expect(anchored.standing(at: moment(8, boot: "b", server: told(5061))) == .paused(.seconds(10)))
        #expect(anchored.standing(at: moment(58, boot: "b", server: told(5020))) == .paused(.seconds(5)))
        // The same after one more restart.
        #expect(anchored.standing(at: moment(0, boot: "c", server: told(5070))) == .paused(.seconds(1)))
    }

    @Test func withoutTheServersTimeAtTheGuessALaterOneTellsNothing() {
        let ledger = ledger(wrong: 6, at: moment(100)).anchored(at: moment(3, boot: "b", server: told(5000)))
        #expect(ledger.standing(at: moment(0, boot: "c", server: told(9999))) == .paused(.seconds(60)))
    }

    @Test func withinOneBootTheDevicesOwnClockTells() {
        let ledger = ledger(wrong: 6, at: moment(100, server: told(5000)))
        #expect(ledger.standing(at: moment(110, server: told(9999))) == .paused(.seconds(50)), "the server's clock was set")
        #expect(ledger.anchored(at: moment(110, server: told(9999))) == ledger)
    }

    @Test func aSlowAnswerTellsLess() {
        let slow = ServerTime(told: UnixTime(seconds: 5000), sinceAsked: .milliseconds(7500), sinceAnswered: .seconds(2))
        let ledger = ledger(wrong: 6, at: moment(100, server: slow))
        #expect(ledger.standing(at: moment(3, boot: "b", server: told(5078))) == .paused(.seconds(1)))
        #expect(ledger.standing(at: moment(3, boot: "b", server: told(5079))) == .open)
        let now = ServerTime(told: UnixTime(seconds: 5070), sinceAsked: .seconds(30), sinceAnswered: .milliseconds(8999))
        #expect(ledger.standing(at: moment(3, boot: "b", server: now)) == .paused(.seconds(1)))
    }

    @Test func withoutAPauseNothingIsWritten() {
        for wrong in 0...4 {
            let ledger = ledger(wrong: wrong, at: moment(100))
            #expect(ledger.anchored(at: moment(0, boot: "b")) == ledger)
            #expect(ledger.standing(at: moment(0, boot: "b")) == .open)
        }
    }

    @Test func aDamagedLedgerHasTheLongestPauseAndOneGuess() {
        let ledger = PINLedger.replacingDamaged(at: moment(7))
        #expect(ledger.standing(at: moment(7)) == .paused(.seconds(300)))
        #expect(ledger.standing(at: moment(307)) == .open)
        #expect(ledger.guessing(at: moment(307)).standing(at: moment(307)) == .exhausted)
    }

    @Test func aLedgerIsReadAsWrittenAndInvalidOnesAreRefused() throws {
        for wrong in [0, 1, 10] {
            let ledger = ledger(wrong: wrong, at: moment(100))
            #expect(try JSONDecoder().decode(PINLedger.self, from: JSONEncoder().encode(ledger)) == ledger)
        }
        let last = String(decoding: try JSONEncoder().encode(moment(1)), as: UTF8.self)
        for text in [
            "", "{}", #"{"wrongInARow":3}"#, #"{"wrongInARow":-1,"last":\#(last)}"#, #"{"wrongInARow":11,"last":\#(last)}"#,
            #"{"wrongInARow":0,"last":\#(last)}"#,
        ] {
            #expect(throws: DecodingError.self, "\(text)") { try JSONDecoder().decode(PINLedger.self, from: Data(text.utf8)) }
        }
    }

    @Test func noOrderOfEventsShortensAPause() {
        var generator = SeededGenerator(seed: .random(in: 0...UInt64.max))
        print("seed \(generator.seed)")
        for _ in 0..<2000 {
            // Real time beside the ledger: it runs on, the device restarts, the ledger is read.
            var (real, booted, boot) = (1000, 0, 0)
            let first = moment(
                real - booted, boot: "\(boot)", server: .random(in: booted...real, now: real, using: &generator))
            var kept = ledger(wrong: Int.random(in: 5...9, using: &generator), at: first)
            let guessedAt = real
            let pause = PINLedger.pause(afterWrong: kept.wrongInARow)
            for _ in 0..<20 {
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    boot += 1
                    booted = real
                }
                real += Int.random(in: 0...60, using: &generator)
                let now = moment(
                    real - booted, boot: "\(boot)", server: .random(in: booted...real, now: real, using: &generator))
                kept = kept.anchored(at: now)
                if kept.standing(at: now) == .open { #expect(.seconds(real - guessedAt) >= pause, "seed \(generator.seed)") }
            }
        }
    }

    @Test func thePINScreenTellsTheTriesThatAreLeft() {
        #expect(PersonMessage.pinScreen(afterWrong: 0) == PersonMessage(.enterPIN))
        #expect(PersonMessage.pinScreen(afterWrong: 1) == .pinTriesLeft(9))
    }
}

extension ServerTime {
    /// The server's time from an answer within a span, where the true time is `now` seconds after some origin; or nil.
    static func random(in span: ClosedRange<Int>, now: Int, using generator: inout some RandomNumberGenerator) -> ServerTime? {
        guard Bool.random(using: &generator) else { return nil }
        let told = Int.random(in: span, using: &generator)
        let (asked, answered) = (
            Int.random(in: span.lowerBound...told, using: &generator), Int.random(in: told...now, using: &generator)
        )
        return ServerTime(
            told: UnixTime(seconds: Int64(told)), sinceAsked: .seconds(now - asked), sinceAnswered: .seconds(now - answered))
    }
}
