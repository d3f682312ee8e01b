import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit

@Suite struct PINLedgerTests {
    private func moment(_ seconds: Int, boot: String = "a") -> Moment {
        Moment(boot: boot, sinceBoot: Instant(sinceOrigin: .seconds(seconds)))
    }

    /// A ledger after so many wrong PINs, the last of them at a time.
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

    @Test func tenInARowEndIt() {
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
        #expect(anchored.anchored(at: moment(seconds + 10, boot: boot)) == anchored, "once, not at each look")
    }

    @Test func whereNothingPausesNothingIsWritten() {
        for wrong in 0...4 {
            let ledger = ledger(wrong: wrong, at: moment(100))
            #expect(ledger.anchored(at: moment(0, boot: "b")) == ledger)
            #expect(ledger.standing(at: moment(0, boot: "b")) == .open)
        }
    }

    @Test func aDamagedLedgerPausesLongestAndLeavesOneGuess() {
        let ledger = PINLedger.replacingDamaged(at: moment(7))
        #expect(ledger.standing(at: moment(7)) == .paused(.seconds(300)))
        #expect(ledger.standing(at: moment(307)) == .open)
        #expect(ledger.guessing(at: moment(307)).standing(at: moment(307)) == .exhausted)
    }

    @Test func whatIsWrittenIsReadAgainAndNonsenseIsNot() throws {
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
            // The truth beside the ledger: real time runs on, the device restarts, the ledger is looked at.
            var (real, booted, boot) = (1000, 0, 0)
            var kept = ledger(wrong: Int.random(in: 5...9, using: &generator), at: moment(real - booted, boot: "\(boot)"))
            let guessedAt = real
            let pause = PINLedger.pause(afterWrong: kept.wrongInARow)
            for _ in 0..<20 {
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    boot += 1
                    booted = real
                }
                real += Int.random(in: 0...60, using: &generator)
                let now = moment(real - booted, boot: "\(boot)")
                kept = kept.anchored(at: now)
                if kept.standing(at: now) == .open { #expect(.seconds(real - guessedAt) >= pause, "seed \(generator.seed)") }
            }
        }
    }
}
