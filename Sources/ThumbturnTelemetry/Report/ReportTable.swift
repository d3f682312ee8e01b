#if Server
internal import ThumbturnCore

/// The columns of a report as text and page show them. One table, so that both say the same.
struct ReportTable {
    let heading: [String]
    let rows: [[String]]

    /// The summary: one line per row, and the total.
    init(_ report: TelemetryReport) {
        heading = [
            report.dimension.heading, "unlocks", "devices", "success", "P50", "P95", "P99", "P95 with cancels", "first attempt",
            "fallback", "timeout", "given up", "lockouts", "dead keys",
        ]
        rows = (report.rows + [report.total].compactMap(\.self)).map { row in
            let tally = row.tally
            let times = tally.timesToAuthenticate.quantiles([0.5, 0.95, 0.99]).map(Figures.seconds)
            func rate(_ rate: Rate) -> String { Figures.percent(rate.of(tally).rate) }
            return [row.value, Figures.grouped(tally[.unlocks]), Figures.grouped(row.devices), rate(.success)] + times
                + [
                    Figures.seconds(tally.quantileCountingCensored(0.95)), rate(.firstAttempt), rate(.fallback), rate(.timeout),
                    rate(.abandonment), rate(.lockout), rate(.deadKey),
                ]
        }
    }

    private init(_ heading: [String], _ rows: [[String]]) {
        self.heading = heading
        self.rows = rows
    }

    /// Successes of each rung.
    static func successes(_ tally: UnlockTally) -> ReportTable {
        let rows = Rung.allCases.filter { tally[.authenticated($0)] > 0 }.map { rung in
            let count = tally[.authenticated(rung)]
            let times = tally[UnlockTally.Times(rung)].quantiles([0.5, 0.95])
            return [
                "\(rung)", Figures.grouped(count), Figures.percent(Proportion(count, of: tally[.unlocks]).rate),
                Figures.seconds(times[0]), Figures.seconds(times[1]),
            ]
        }
        return ReportTable(["opened by", "unlocks", "of all", "P50", "P95"], rows)
    }

    /// Fallbacks by cause.
    static func fallbacks(_ tally: UnlockTally) -> ReportTable {
        let causes = UnlockTally.Counter.Cause.allCases.map { ($0.words, tally.fallbacks(because: $0)) }.filter { $0.1 > 0 }
        return ReportTable(
            ["fallback because of", "fallbacks", "per 100 unlocks"],
            causes.map { cause, count in
                [cause, Figures.grouped(count), Figures.fixed(Double(count) * 100 / Double(max(tally[.unlocks], 1)), 1)]
            })
    }

    /// How long the sensor takes to answer.
    static func sensor(_ tally: UnlockTally) -> ReportTable {
        let answers = [("match", UnlockTally.Times.sensorMatched), ("mismatch", .sensorNotMatched)]
        let rows = answers.map { name, times in
            [name, Figures.grouped(tally[times].count)] + tally[times].quantiles([0.5, 0.95, 0.99]).map(Figures.seconds)
        }
        return ReportTable(["sensor's answer", "answers", "P50", "P95", "P99"], rows.filter { $0[1] != "0" })
    }

    /// Mismatches before a success of the sensor, or before it was left.
    static func mismatches(_ tally: UnlockTally) -> ReportTable {
        let most = UnlockTally.Counter.mostMismatches
        let rows = (0...most).map { number in
            (number, tally[.successesAfter(mismatches: number)], tally[.fallbacksAfter(mismatches: number)])
        }
        return ReportTable(
            ["mismatches", "then opened", "then fallback"],
            rows.filter { $0.1 + $0.2 > 0 }.map { number, opened, left in
                [number == most ? "\(number) or more" : "\(number)", Figures.grouped(opened), Figures.grouped(left)]
            })
    }

    /// What else happened, and how often.
    static func incidents(_ tally: UnlockTally) -> ReportTable {
        func rows<Key>(_ keys: [Key], _ name: (Key) -> String, _ counter: (Key) -> UnlockTally.Counter) -> [[String]] {
            keys.filter { tally[counter($0)] > 0 }.map { [name($0), Figures.grouped(tally[counter($0)])] }
        }
        let left = [Rate.abandonmentAfterTimeout, .abandonmentAfterHint].map { ($0, $0.of(tally)) }.filter { $0.1.total > 0 }
        let counts =
            rows(Failure.Code.all, { "cancelled: \($0.name)" }, { .cancelled($0) })
            + rows(UnlockTally.phases, { "abandoned: \($0.name)" }, { .abandoned(in: $0.phase) })
            + rows(UnlockTally.lockouts, { "lockout: \($0)" }, { .lockouts($0) })
            + rows(KeyLoss.allCases, { "dead key: \($0)" }, { .deadKeys($0) })
            + rows(Failure.Code.all, { "rung not available: \($0.name)" }, { .skips($0) })
            + rows(PoorReading.allCases, { "poor reading: \($0)" }, { .poorReadings($0) })
        return ReportTable(
            ["event", "number"],
            left.map { rate, part in
                [rate.words, "\(Figures.grouped(part.count)) of \(Figures.grouped(part.total)) (\(Figures.percent(part.rate)))"]
            } + counts)
    }

    /// How people answered the offer of biometrics.
    static func offers(_ tally: UnlockTally) -> ReportTable {
        let all = BiometricOffer.Answer.allCases.reduce(0) { $0 + tally[.offers($1)] }
        let names: [(BiometricOffer.Answer, String)] = [(.setUp, "taken"), (.notNow, "put off"), (.never, "declined")]
        return ReportTable(
            ["offer of biometrics", "number", "of all"],
            names.filter { tally[.offers($0.0)] > 0 }.map { answer, name in
                let part = Proportion(tally[.offers(answer)], of: all)
                return [name, Figures.grouped(part.count), Figures.percent(part.rate)]
            })
    }

    /// The tables below the summary.
    static func details(_ tally: UnlockTally) -> [(title: String, table: ReportTable)] {
        [
            ("Success by rung", successes(tally)), ("Fallbacks by cause", fallbacks(tally)),
            ("Response time of the sensor", sensor(tally)),
            ("Mismatches before success or fallback", mismatches(tally)), ("Offers of biometrics", offers(tally)),
            ("Other events", incidents(tally)),
        ].filter { !$0.1.rows.isEmpty }
    }

    var text: String { Columns.aligned([heading] + rows).joined(separator: "\n") }
}
#endif
