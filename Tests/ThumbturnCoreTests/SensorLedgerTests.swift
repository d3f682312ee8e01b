import Foundation
import Testing
import ThumbturnCore

/// What one policy counted at the sensor outlives a success under a weaker one.
@Suite struct SensorLedgerTests {
    private let unlock = SensorRules(.unlock)
    private let highRisk = SensorRules(.highRisk)
    private let transaction = SensorRules(.transaction)

    private func moment(_ seconds: Int) -> Moment {
        Moment(boot: "a", sinceBoot: Instant(sinceOrigin: .seconds(seconds)), server: nil)
    }

    private func mismatches(_ count: Int, under rules: SensorRules, after ledger: SensorLedger = SensorLedger()) -> SensorLedger {
        (0..<count).reduce(ledger) { ledger, index in ledger.attempting(at: moment(index * 1000), under: rules) }
    }

    private func standing(_ ledger: SensorLedger, under rules: SensorRules) -> BiometricLedger.Standing {
        ledger.standing(at: moment(90_000), under: rules)
    }

    @Test func aMatchUnderAWeakerPolicyLeavesTheStricterOneOff() {
        let off = mismatches(3, under: highRisk)
        #expect(standing(off, under: highRisk) == .off)
        let matched = off.matched(under: unlock)
        #expect(standing(matched, under: highRisk) == .off && standing(matched, under: unlock) == .open)
        #expect(standing(mismatches(2, under: highRisk).matched(under: highRisk), under: highRisk) == .open)
    }

    @Test func mismatchesOnBothSidesOfAWeakerMatchAreOneRow() {
        let two = mismatches(2, under: highRisk).matched(under: unlock)
        #expect(standing(two, under: highRisk) == .open)
        #expect(standing(mismatches(1, under: highRisk, after: two), under: highRisk) == .off)
    }

    @Test func whatAWeakerPolicyCountedIsNotHadAgainUnderAStricterOne() {
        let three = mismatches(3, under: unlock)
        #expect(standing(three, under: highRisk) == .off && standing(three, under: unlock) == .open)
        #expect(standing(three.matched(under: unlock), under: highRisk) == .open)
    }

    @Test func onlyTheRungsOfAPolicysOwnLadderLiftWhatItCounted() {
        let off = mismatches(3, under: transaction, after: mismatches(3, under: highRisk))
        let passcode = off.lifted(by: .devicePasscode)
        #expect(standing(passcode, under: transaction) == .off && standing(passcode, under: highRisk) == .off)
        #expect(standing(passcode, under: unlock) == .open, "what all share is lifted by any of them")
        let pin = off.lifted(by: .appPIN)
        #expect(standing(pin, under: transaction) == .open && standing(pin, under: highRisk) == .off)
        #expect(off.lifted(by: .fullCredentials) == SensorLedger())
    }

    @Test func pausesAreKeptToo() {
        var rules = UnlockPolicy.unlock
        rules.delays.limit = 20
        let strict = SensorRules(rules)
        let ledger = (0..<4).reduce(SensorLedger()) { ledger, _ in ledger.attempting(at: moment(0), under: strict) }
        let matched = ledger.matched(under: unlock)
        #expect(matched.standing(at: moment(0), under: strict) == .paused(.seconds(30)))
        #expect(matched.standing(at: moment(0), under: unlock) == .open)
        let later = Moment(boot: "b", sinceBoot: Instant(sinceOrigin: .seconds(5)), server: nil)
        let anchored = matched.anchored(at: later, under: strict)
        #expect(anchored.standing(at: later, under: strict) == .paused(.seconds(30)))
        let open = Moment(boot: "b", sinceBoot: Instant(sinceOrigin: .seconds(35)), server: nil)
        #expect(anchored.standing(at: open, under: strict) == .open)
    }

    @Test func aDamagedLedgerKeepsStricterPoliciesOffUntilAStrongerRung() {
        let replacement = SensorLedger.replacingDamaged(at: moment(0))
        #expect(replacement.standing(at: moment(0), under: unlock) == .paused(.seconds(300)))
        let matched = replacement.matched(under: unlock)
        #expect(standing(matched, under: unlock) == .open && standing(matched, under: highRisk) == .off)
        #expect(standing(matched.lifted(by: .appPIN), under: highRisk) == .open)
        #expect(standing(SensorLedger.slowed(at: moment(0)), under: unlock) == .open)
    }

    @Test func aMatchUnderThePolicyItselfEmptiesItsCount() {
        let matched = mismatches(2, under: highRisk).matched(under: highRisk)
        #expect(standing(mismatches(1, under: highRisk, after: matched), under: highRisk) == .open)
    }

    @Test func theFullSignInLiftsEveryCountAndTheSensorNone() {
        let off = mismatches(3, under: SensorRules(UnlockPolicy(ladder: [.biometric])), after: mismatches(3, under: highRisk))
        #expect(off.lifted(by: .fullCredentials) == SensorLedger())
        #expect(standing(off.lifted(by: .biometric), under: highRisk) == .off)
    }

    @Test func aSlowedLedgerIsNoReplacement() {
        let slowed = SensorLedger.slowed(at: moment(0)).matched(under: unlock)
        #expect(standing(slowed, under: highRisk) == .open)
    }

    @Test func thePauseThatAllPoliciesShareIsKeptOverARestart() {
        var rules = UnlockPolicy.unlock
        rules.delays.limit = 20
        let other = SensorRules(rules)
        let ledger = (0..<4).reduce(SensorLedger()) { ledger, _ in ledger.attempting(at: moment(0), under: unlock) }
        func at(_ seconds: Int) -> Moment { Moment(boot: "b", sinceBoot: Instant(sinceOrigin: .seconds(seconds)), server: nil) }
        let anchored = ledger.anchored(at: at(5), under: other)
        #expect(anchored.standing(at: at(5), under: other) == .paused(.seconds(30)))
        #expect(anchored.standing(at: at(35), under: other) == .open)
    }

    @Test func theCountsStayFew() throws {
        var ledger = SensorLedger()
        for limit in 1...50 {
            for ladder in [[Rung.biometric], [.biometric, .appPIN], [.biometric, .devicePasscode]] {
                var policy = UnlockPolicy(ladder: ladder)
                policy.delays.limit = limit
                ledger = ledger.attempting(at: moment(limit), under: SensorRules(policy))
            }
        }
        let bytes = try JSONEncoder().encode(ledger)
        #expect(try JSONDecoder().decode(SensorLedger.self, from: bytes) == ledger)
        let own = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])["own"] as? [Any]
        #expect(own?.count == 100, "the oldest counts go")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SensorLedger.self, from: Data("{}".utf8)) }
    }
}
