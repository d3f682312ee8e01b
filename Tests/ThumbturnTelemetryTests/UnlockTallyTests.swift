#if Server
import Testing
import ThumbturnCore
@testable import ThumbturnTelemetry

struct UnlockTallyTests {
    @Test func anAnswerToAnOfferIsNoUnlock() throws {
        var tally = Samples.tally([
            Samples.success(after: .seconds(1)), Samples.report([.offerAnswered(.setUp)]),
            Samples.report([.offerAnswered(.never)]),
            Samples.report([.offerAnswered(.setUp)]),
        ])
        #expect(
            tally[.unlocks] == 1 && tally[.offers(.setUp)] == 2 && tally[.offers(.notNow)] == 0 && tally[.offers(.never)] == 1)
        #expect(tally.timesToAuthenticate.count == 1 && tally[UnlockTally.Times.censored].count == 0)
        #expect(try UnlockTally(bytes: tally.bytes) == tally)
        tally.merge(Samples.tally((0..<20).map { _ in Samples.report([.offerAnswered(.notNow)]) }))
        #expect(tally.offers == 23)
        let entry = TelemetryEntry(
            cell: TelemetryCell(day: 20_777, context: Samples.context("iPhone17,3")), tally: tally, devices: Samples.devices(20))
        let report = TelemetryReport([entry], by: .model)
        let lines = report.text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        for line in [["taken", "2", "8.7", "%"], ["put", "off", "20", "87.0", "%"], ["declined", "1", "4.3", "%"]] {
            #expect(lines.contains { $0.map(String.init) == line }, "\(line) in \(report.text)")
        }
        #expect(report.json.contains(#""offers":{"never":1,"notNow":20,"setUp":2}"#))
    }

    @Test func aSuccessAtTheFirstAttemptIsCounted() {
        let tally = Samples.tally([Samples.success(after: .milliseconds(200))])
        let ones: [UnlockTally.Counter] = [
            .unlocks, .prompted, .sensorAsked, .firstAttempt, .sensorMatches, .authenticated(.biometric),
            .promptsShown(.biometric),
            .promptsAppeared(.biometric), .successesAfter(mismatches: 0),
        ]
        #expect(ones.allSatisfy { tally[$0] == 1 })
        #expect(tally.successes == 1)
        #expect(tally[UnlockTally.Times.firstAttempt].quantile(1) == .milliseconds(200))
        #expect(tally[UnlockTally.Times.sensorMatched].quantile(1) == .milliseconds(200))
        #expect(tally[UnlockTally.Times.censored].count == 0)
    }

    @Test func aFallbackAfterMismatchesIsCounted() {
        let tally = Samples.tally([Samples.fallback(after: .milliseconds(50))])
        #expect(tally[.fellBack] == 1)
        #expect(tally[.fallbacks(from: .biometric, to: .appPIN, because: .mismatches)] == 1)
        #expect(tally.fallbacks(because: .mismatches) == 1)
        #expect(tally.fallbacks(because: .timeout) == 0)
        #expect(tally[.fallbacksAfter(mismatches: 2)] == 1)
        #expect(tally[.sensorMismatches] == 2)
        #expect(tally[.failedAnswers(.notMatched)] == 2)
        #expect(tally[.withMismatch] == 1)
        #expect(tally[.authenticated(.appPIN)] == 1)
        #expect(tally[.firstAttempt] == 0)
        #expect(tally[UnlockTally.Times.appPIN].quantile(1) == .milliseconds(150))
        #expect(tally[UnlockTally.Times.sensorNotMatched].count == 2)
    }

    @Test func aWrongPINIsNoMismatchOfTheSensor() {
        let tally = Samples.tally([
            Samples.report([
                .promptShown(.appPIN), .sensorAnswered(.entered, after: .seconds(1), total: .seconds(1)),
                .sensorAnswered(.failed(.notMatched), after: .seconds(1), total: .seconds(1)), .promptShown(.appPIN),
                .sensorAnswered(.entered, after: .seconds(1), total: .seconds(2)),
                .authenticated(.appPIN, after: .seconds(2), attempts: 2),
            ])
        ])
        #expect(tally[.otherMismatches] == 1)
        #expect(tally[.sensorMismatches] == 0)
        #expect(tally[.sensorAsked] == 0)
        #expect(tally[UnlockTally.Times.sensorNotMatched].count == 0)
    }

    @Test func aCancelIsCountedApartAndCensored() {
        let tally = Samples.tally([Samples.cancel(after: .milliseconds(120))])
        #expect(tally[.cancelled] == 1)
        #expect(tally[.cancelled(.cancelledByUser)] == 1)
        #expect(tally[.endedOtherwise] == 0)
        #expect(tally.successes == 0)
        #expect(tally.left == 1)
        #expect(tally[UnlockTally.Times.censored].quantile(1) == .milliseconds(120))
        #expect(tally[UnlockTally.Times.left].count == 1)
    }

    @Test func aCancelByTheSystemIsCensoredAndNobodyLeft() {
        let tally = Samples.tally([Samples.report([.promptShown(.biometric), .cancelled(.cancelledBySystem)])])
        #expect(tally[.cancelled(.cancelledBySystem)] == 1)
        #expect(tally.left == 0)
        #expect(tally[UnlockTally.Times.censored].quantile(1) == .zero)
        #expect(tally[UnlockTally.Times.left].count == 0)
    }

    @Test func anAbandonedUnlockIsCensoredAtItsOwnTime() {
        let tally = Samples.tally([
            Samples.report([.promptShown(.biometric), .hintShown, .abandoned(.hinted, after: .milliseconds(90))])
        ])
        #expect(tally[.abandoned] == 1)
        #expect(tally[.abandoned(in: .hinted)] == 1)
        #expect(tally[.leftAfterHint] == 1)
        #expect(tally[.hinted] == 1)
        #expect(tally[.leftAfterTimeout] == 0)
        #expect(tally[UnlockTally.Times.censored].quantile(1) == .milliseconds(90))
    }

    @Test func givingUpAfterATimeoutIsCounted() {
        let timeout: [Telemetry] = [
            .promptShown(.biometric), .fellBack(from: .biometric, to: .appPIN, because: .timeout), .promptShown(.appPIN),
        ]
        let tally = Samples.tally([
            Samples.report(timeout + [.cancelled(.cancelledByUser)]),
            Samples.report(timeout + [.abandoned(.fallback(.appPIN), after: .seconds(13))]),
            Samples.report(timeout + [.authenticated(.appPIN, after: .seconds(14), attempts: 2)]),
            Samples.report(timeout + [.cancelled(.cancelledByApp)]),
        ])
        #expect(tally[.timedOut] == 4)
        #expect(tally[.leftAfterTimeout] == 2)
        #expect(tally[.abandoned(in: .fallback(.appPIN))] == 1)
        #expect(Rate.abandonmentAfterTimeout.of(tally).rate == 0.5)
    }

    @Test func aSkippedSensorIsNoFallbackFromIt() {
        let tally = Samples.tally([
            Samples.report([
                .fellBack(from: .biometric, to: .appPIN, because: .skipped(.biometryNotEnrolled)), .promptShown(.appPIN),
                .authenticated(.appPIN, after: .seconds(3), attempts: 1),
            ])
        ])
        #expect(tally[.fellBack] == 0)
        #expect(tally[.skips(.biometryNotEnrolled)] == 1)
        #expect(tally.fallbacks(because: .skipped) == 1)
    }

    @Test(arguments: [Lockout.temporary, .untilPasscode, .untilStrongerRung])
    func lockoutsAreCountedByKind(_ lockout: Lockout) {
        let tally = Samples.tally([Samples.report([.promptShown(.biometric), .lockedOut(lockout), .lockedOut(lockout)])])
        #expect(tally[.lockouts(lockout)] == 2)
        #expect(tally[.withLockout] == 1)
        #expect(tally[.endedOtherwise] == 1)
    }

    @Test(arguments: KeyLoss.allCases) func deadKeysAreCountedByReason(_ loss: KeyLoss) {
        let tally = Samples.tally([Samples.report([.keyInvalidated(loss)])])
        #expect(tally[.deadKeys(loss)] == 1)
        #expect(tally[.withDeadKey] == 1)
    }

    @Test(arguments: PoorReading.allCases) func poorReadingsAreCounted(_ reading: PoorReading) {
        #expect(Samples.tally([Samples.report([.readPoorly(reading)])])[.poorReadings(reading)] == 1)
    }

    @Test func whatComesAfterTheEndIsIgnored() {
        let report = Samples.success(after: .seconds(1))
        let longer = Samples.report(report.events + [.cancelled(.cancelledByUser), .hintShown])
        #expect(Samples.tally([longer]) == Samples.tally([report]))
    }

    @Test func everyCounterHasItsOwnPlace() {
        var counters: [UnlockTally.Counter] = [
            .unlocks, .prompted, .sensorAsked, .hinted, .endedOtherwise, .firstAttempt, .fellBack, .timedOut, .leftAfterTimeout,
            .leftAfterHint, .withLockout, .withDeadKey, .abandoned, .cancelled, .withMismatch, .sensorMatches, .sensorMismatches,
            .otherMismatches,
        ]
        for rung in Rung.allCases {
            counters += [.authenticated(rung), .promptsShown(rung), .promptsAppeared(rung)]
            for to in Rung.allCases {
                counters += UnlockTally.Counter.Cause.allCases.map { .fallbacks(from: rung, to: to, because: $0) }
            }
        }
        counters += UnlockTally.lockouts.map { .lockouts($0) } + KeyLoss.allCases.map { .deadKeys($0) }
        counters += PoorReading.allCases.map { .poorReadings($0) } + UnlockTally.phases.map { .abandoned(in: $0.phase) }
        for number in 0...UnlockTally.Counter.mostMismatches {
            counters += [.successesAfter(mismatches: number), .fallbacksAfter(mismatches: number)]
        }
        for code in Failure.Code.all { counters += [.cancelled(code), .failedAnswers(code), .skips(code)] }
        counters += BiometricOffer.Answer.allCases.map { .offers($0) }
        #expect(Set(counters).count == counters.count)
        #expect(counters.allSatisfy { (0..<UnlockTally.Counter.places).contains($0.place) })
    }

    @Test func everyCodeOfAFailureHasAPlace() {
        #expect(Set(UnlockTally.Counter.codes) == Set(Failure.Code.all))
        #expect(UnlockTally.Counter.codes.count == Failure.Code.all.count)
        #expect(UnlockTally.Counter.codes.count < 64)
    }

    /// Stored tallies are read by later versions: these bytes never change.
    @Test func theStoredFormOfAnUnlockStays() {
        let bytes = Samples.tally([Samples.success(after: .milliseconds(200))]).bytes
        #expect(
            bytes == [
                1, 9, 1, 1, 1, 1, 1, 1, 3, 1, 11, 1, 4, 1, 4, 1, 4, 1, 44, 1, 1, 200, 1, 1, 0, 0, 0, 1, 200, 1, 1, 1, 200, 1, 1,
                0, 0, 0,
            ])
    }
}

struct UnlockTallyBytesTests {
    @Test func addingAndMergingInAnyOrderGiveTheSameBytes() throws {
        var generator = RepeatableGenerator(seed: 11)
        let reports = (0..<400).map { _ in Samples.any(using: &generator) }
        let bytes = Samples.tally(reports).bytes
        for _ in 0..<10 {
            let shuffled = reports.shuffled(using: &generator)
            #expect(Samples.tally(shuffled).bytes == bytes)
            let parts = stride(from: 0, to: 400, by: 50).map { Samples.tally(Array(shuffled[$0..<$0 + 50])) }
            var merged = UnlockTally()
            // Some of them come from storage.
            for (index, part) in parts.shuffled(using: &generator).enumerated() {
                merged.merge(index.isMultiple(of: 2) ? part : try UnlockTally(bytes: part.bytes))
            }
            #expect(merged.bytes == bytes)
            #expect(merged == Samples.tally(reports))
        }
    }

    @Test func aTallyIsStoredAndReadBack() throws {
        var generator = RepeatableGenerator(seed: 12)
        for size in [0, 1, 3, 40, 500] {
            let tally = Samples.tally((0..<size).map { _ in Samples.any(using: &generator) })
            let read = try UnlockTally(bytes: tally.bytes)
            #expect(read == tally)
            #expect(read.bytes == tally.bytes)
            for part in [0.05, 0.5, 0.95] { #expect(read.quantileOfSuccesses(part) == tally.quantileOfSuccesses(part)) }
        }
        #expect(UnlockTally().bytes.count < 16)
    }

    @Test func damagedBytesAreRefusedOrReadAndNeverTrap() {
        let seed: UInt64 = 13
        var generator = RepeatableGenerator(seed: seed)
        let bytes = Samples.tally((0..<30).map { _ in Samples.any(using: &generator) }).bytes
        var refused = 0
        for _ in 0..<2000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: damaged[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: damaged.remove(at: place)
                case 2: damaged.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                default: damaged.removeSubrange(place...)
                }
                if damaged.isEmpty { break }
            }
            do {
                let tally = try UnlockTally(bytes: damaged)
                // What is read has one form, and its rates are between 0 and 1.
                #expect(tally.bytes == damaged, "seed \(seed)")
                #expect(Rate.allCases.allSatisfy { (0...1).contains($0.of(tally).rate ?? 0) })
                _ =
                    TelemetryReport(
                        [TelemetryEntry(cell: .init(day: 1, context: .init()), tally: tally, devices: Samples.devices(30))],
                        by: .model
                    ).text
            } catch {
                #expect(error is DamagedBytes)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test(
        arguments: [
            [], [0], [2, 0], [1], [1, 0], [1, 1, 1, 1] + zeros(9), [1, 1, 1, 0] + zeros(9), [1, 0] + zeros(10),
            [1, 0x80, 0] + zeros(9),
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [1, 0, 0xFF, 0xFF, 0x7F],
        ] as [[UInt8]])
    func otherBytesAreRefused(_ bytes: [UInt8]) {
        #expect(throws: DamagedBytes.self) { try UnlockTally(bytes: bytes) }
    }

    @Test func manyTalliesOfTheLargestNumbersDoNotOverflow() throws {
        // The largest number of unlocks that all failed, none of them with a time of its own.
        var writer = CompactWriter()
        for number in [1, 2, 1] as [UInt64] { writer.put(number) }
        writer.put(UnlockTally.mostCounted)
        writer.put(4)
        writer.put(UnlockTally.mostCounted)
        for _ in 0..<7 { writer.put(0) }
        for number in [1, 0, UnlockTally.mostCounted, 0] { writer.put(number) }
        let tally = try UnlockTally(bytes: writer.bytes)
        let sum = (0..<1000).reduce(into: UnlockTally()) { sum, _ in sum.merge(tally) }
        #expect(sum[.unlocks] == 1000 * Int(UnlockTally.mostCounted))
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
#endif
