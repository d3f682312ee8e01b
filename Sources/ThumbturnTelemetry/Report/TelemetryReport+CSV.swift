#if Server
internal import ThumbturnCore

extension TelemetryReport {
    /// The rows and the total as CSV (RFC 4180), with a line of names. Times are whole milliseconds, rates parts of 1; what is
    /// not known is empty. The column `row` is `total` for the total, so that a value of that name is no total.
    ///
    /// A value that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection").
    package var csv: String {
        let quantiles = ["p50", "p95", "p99"]
        let names =
            ["row", dimension.rawValue, "devices", "days", "days_withheld", "unlocks", "successes"]
            + quantiles.map { "time_to_authenticate_\($0)_ms" } + quantiles.map { "time_counting_censored_\($0)_ms" }
            + quantiles.map { "sensor_matched_\($0)_ms" } + Rate.allCases.map { "rate_\($0.rawValue)" }
            + Rung.allCases.map { "successes_\($0.rawValue)" }
            + UnlockTally.Counter.Cause.allCases.map { "fallbacks_\($0.rawValue)" }
        let lines =
            rows.map { Self.fields($0, name: $0.value, "value") } + (total.map { [Self.fields($0, name: "", "total")] } ?? [])
        return ([names] + lines).map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func fields(_ row: Row, name: String, _ kind: String) -> [String] {
        let tally = row.tally
        let parts = [0.5, 0.95, 0.99]
        let curve = tally.timeCountingCensored
        func text(_ time: Duration?) -> String { time.map { "\($0.nearestMilliseconds)" } ?? "" }
        let numbers = [row.devices, row.days.count, row.daysWithheld, tally[.unlocks], tally.successes].map { "\($0)" }
        let times =
            tally.timesToAuthenticate.quantiles(parts).map(text) + parts.map { text(curve.quantile($0)) }
            + tally[UnlockTally.Times.sensorMatched].quantiles(parts).map(text)
        let rates = Rate.allCases.map { $0.of(tally).rate.map { Figures.fixed($0, 5) } ?? "" }
        let counts =
            Rung.allCases.map { tally[.authenticated($0)] }
            + UnlockTally.Counter.Cause.allCases.map { tally.fallbacks(because: $0) }
        return [kind, name] + numbers + times + rates + counts.map { "\($0)" }
    }

    /// One field, quoted where it must be.
    static func field(_ text: String) -> String {
        // Also the two controls that spreadsheets skip before a formula.
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
        let text = isFormula ? "'" + text : text
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
#endif
