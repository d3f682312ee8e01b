#if Server
internal import ThumbturnCore

extension TelemetryReport {
    /// The report as one page: tables and charts, light and dark, without scripts and without anything from elsewhere.
    ///
    /// - Parameters:
    ///   - title: the title of the page.
    ///   - arms: comparisons of arms that are shown below.
    package func html(title: String, arms: [ArmComparison] = []) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(Markup.escaped(title))</title>
        <style>\(ReportPage.style)\(Palette.style)</style>
        </head>
        <body>
        <main>
        <h1>\(Markup.escaped(title))</h1>
        \(section(arms: arms))
        </main>
        </body>
        </html>

        """
    }

    /// The contents of the page below its title, for a page that has the styles of `ReportPage` and charts.
    package func section(arms: [ArmComparison] = []) -> String {
        var parts = [ReportPage.paragraph(period)]
        if !findings.isEmpty {
            parts.append(ReportPage.list(findings.map(\.sentence), "findings"))
        }
        if let total {
            parts.append(
                "<h2>Summary</h2>"
                    + ReportPage.table(ReportTable(self), caption: "Unlocks by \(dimension.heading)", lastIsTotal: true)
            )
            parts.append("<h2>Charts</h2><div class=\"charts\">\(charts(total).joined(separator: "\n"))</div>")
            parts.append("<h2>All unlocks</h2><div class=\"charts\">")
            parts += ReportTable.details(total.tally).map {
                ReportPage.figure(nil, ReportPage.table($0.table, caption: $0.title))
            }
            parts.append("</div>")
        }
        for comparison in arms {
            parts.append("<h2>Arms of policy \(Markup.escaped(comparison.policy))</h2>")
            parts.append(ReportPage.paragraph(comparison.heading))
            parts.append(ReportPage.list(comparison.sentences))
            parts.append(ReportPage.list(comparison.notes, "notes"))
        }
        parts.append("<h2>About the numbers</h2>\(ReportPage.list(notes, "notes"))")
        return parts.joined(separator: "\n")
    }

    // MARK: Charts

    private func charts(_ total: Row) -> [String] {
        var charts: [String] = []
        func add(_ chart: Chart, _ table: (heading: [String], rows: [[String]])) {
            let table = ReportPage.table(table.heading, table.rows, caption: "\(chart.title): the numbers")
            charts.append(ReportPage.figure(chart.inline(id: "chart\(charts.count)"), ReportPage.folded(table)))
        }
        if total.days.count > 1 {
            add(
                perDay(total),
                (["day", "P50", "P95"], total.days.map { [UTCDay.text($0.day), Self.text($0.median), Self.text($0.p95)] }))
        }
        if dimension != .day {
            let named = drawn
            let days = Set(named.flatMap { $0.days.map(\.day) }).sorted()
            let measures: [(title: String, of: (DayPoint) -> Double?)] = [
                ("P95 by \(dimension.heading) and day", { $0.p95 }),
                ("Median to the match by \(dimension.heading) and day", { $0.sensorMedian }),
            ]
            for (title, measure) in measures where days.count > 1 {
                let values = named.map { row in Dictionary(uniqueKeysWithValues: row.days.map { ($0.day, measure($0)) }) }
                let series = zip(named, values).map { row, values in
                    Chart.Series(name: row.value, points: days.map { (Double($0), (values[$0] ?? nil) ?? .nan) })
                }
                add(
                    Chart(title: title, xLabel: "day of UTC", yLabel: "seconds", series: series, xScale: .days),
                    (
                        ["day"] + named.map(\.value),
                        days.map { day in [UTCDay.text(day)] + values.map { Self.text($0[day] ?? nil) } }
                    ))
            }
        }
        let curves = dimension == .day ? [] : drawn
        let shown = curves.isEmpty ? [total] : curves
        let parts = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]
        add(
            Chart(
                title: "Authenticated by time", xLabel: "seconds since the first prompt",
                yLabel: "% by then, if none were given up",
                series: shown.map { Chart.Series(name: $0.value, points: Self.curve($0.tally), style: .steps) }),
            (
                ["unlocks"] + shown.map(\.value),
                parts.map { part in
                    ["\(Figures.fixed(part * 100, 0)) %"]
                        + shown.map { Figures.seconds($0.tally.quantileCountingCensored(part)) }
                }
            ))
        charts += bars(total, startingAt: charts.count)
        return charts
    }

    /// The rows that have a line in the charts: those with most unlocks, and in the place of the last one the worst of the findings.
    private var drawn: [Row] {
        let most = Array(rows.prefix(Palette.count))
        guard let worst = findings.first?.value, !most.contains(where: { $0.value == worst }),
            let row = rows.first(where: { $0.value == worst })
        else { return most }
        return most.dropLast() + [row]
    }

    private func bars(_ total: Row, startingAt first: Int) -> [String] {
        var charts: [BarChart] = []
        let p95 = rows.prefix(Self.mostBars).compactMap { row in
            row.tally.quantileOfSuccesses(0.95).map { (name: row.value, value: $0.inSeconds) }
        }
        if dimension != .day, p95.count > 1 {
            charts.append(
                BarChart(title: "P95 of time to authenticate", valueLabel: "seconds", bars: p95.sorted { $0.value > $1.value }))
        }
        let rungs = Rung.allCases.map { rung in
            (name: "\(rung)", value: (Proportion(total.tally[.authenticated(rung)], of: total.tally[.unlocks]).rate ?? 0) * 100)
        }
        charts.append(BarChart(title: "Success by rung", valueLabel: "% of unlocks", bars: rungs.filter { $0.value > 0 }))
        let causes = UnlockTally.Counter.Cause.allCases.map { cause in
            (
                name: cause.words,
                value: Double(total.tally.fallbacks(because: cause)) * 100 / Double(max(total.tally[.unlocks], 1))
            )
        }
        charts.append(BarChart(title: "Fallbacks by cause", valueLabel: "per 100 unlocks", bars: causes.filter { $0.value > 0 }))
        return charts.enumerated().map { index, chart in
            let rows = chart.bars.map { [$0.name, Figures.fixed($0.value, 2)] }
            let table = ReportPage.table(["", chart.valueLabel], rows, caption: "\(chart.title): the numbers")
            return ReportPage.figure(
                chart.inline(id: "chart\(first + index)"), chart.bars.isEmpty ? "" : ReportPage.folded(table))
        }
    }

    private func perDay(_ row: Row) -> Chart {
        Chart(
            title: "Time to authenticate per day, all unlocks", xLabel: "day of UTC", yLabel: "seconds",
            series: [
                Chart.Series(name: "P50", points: row.days.map { (Double($0.day), $0.median ?? .nan) }),
                Chart.Series(name: "P95", points: row.days.map { (Double($0.day), $0.p95 ?? .nan) }),
            ], xScale: .days)
    }

    /// The part that is authenticated by a time, until 99 %: the last hundredth would take most of the width.
    private static func curve(_ tally: UnlockTally) -> [(x: Double, y: Double)] {
        let steps = tally.timeCountingCensored.steps
        let shown = steps.prefix { $0.authenticated < 0.99 }.count + 1
        let points = steps.prefix(shown).map { (x: $0.time.inSeconds, y: $0.authenticated * 100) }
        return points.isEmpty ? [] : [(x: 0, y: 0)] + points
    }

    /// More bars than this make no picture. The table has all rows.
    private static let mostBars = 15

    private static func text(_ seconds: Double?) -> String { seconds.map { Figures.fixed($0, 2) } ?? Figures.none }
}

/// The parts that pages with reports are made of.
package enum ReportPage {
    /// The style sheet, without that of the charts.
    package static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--quiet:#4d545c;--paper:#fff;--band:#f3f5f7;--rule:#d5d9de;--mark:#b3400a}
        @media (prefers-color-scheme:dark){
        :root{--ink:#e6e9ec;--quiet:#aab2ba;--paper:#15181c;--band:#1e2328;--rule:#3a4048;--mark:#ff9a5a}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
        main{max-width:1360px;margin:0 auto;padding:16px}
        h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .5rem}
        p,ul{max-width:75ch}
        .findings{list-style:none;padding:.6rem .9rem;margin:1rem 0;background:var(--band);font-weight:600;
        border-left:4px solid var(--mark)}
        .notes{color:var(--quiet);font-size:.9rem;padding-left:1.2rem}
        .scroll{overflow-x:auto}.scroll:focus-visible,summary:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
        table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
        caption{text-align:left;font-weight:600;padding:.3rem 0}
        th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
        th:first-child,td:first-child{text-align:left;padding-left:.2rem}
        thead th{color:var(--quiet);font-weight:600;vertical-align:bottom}tbody th{font-weight:500}
        tr.total>*{font-weight:700;border-top:2px solid var(--rule)}
        .charts{display:grid;gap:24px;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));align-items:start}
        figure{margin:0;min-width:0}
        figure svg{display:block;width:100%;height:auto;border:1px solid var(--rule);border-radius:6px}
        summary{cursor:pointer;color:var(--quiet);font-size:.9rem;padding:.3rem 0}

        """

    /// The style sheet of charts within a page.
    package static var chartStyle: String { Palette.style }

    static func paragraph(_ text: String) -> String { "<p>\(Markup.escaped(text))</p>" }

    static func list(_ texts: [String], _ name: String? = nil) -> String {
        guard !texts.isEmpty else { return "" }
        let items = texts.map { "<li>\(Markup.escaped($0))</li>" }.joined()
        return "<ul\(name.map { " class=\"\($0)\"" } ?? "")>\(items)</ul>"
    }

    static func figure(_ chart: String?, _ table: String) -> String { "<figure>\(chart ?? "")\(table)</figure>" }

    static func folded(_ table: String) -> String { "<details><summary>Numbers</summary>\(table)</details>" }

    static func table(_ table: ReportTable, caption: String, lastIsTotal: Bool = false) -> String {
        self.table(table.heading, table.rows, caption: caption, lastIsTotal: lastIsTotal)
    }

    /// A table that scrolls by itself where it is wider than the page, with the keyboard, too.
    static func table(_ heading: [String], _ rows: [[String]], caption: String, lastIsTotal: Bool = false) -> String {
        let head = heading.map { $0.isEmpty ? "<td></td>" : "<th scope=\"col\">\(Markup.escaped($0))</th>" }.joined()
        let body = rows.enumerated().map { index, row in
            let isTotal = lastIsTotal && index == rows.count - 1
            let cells = row.enumerated().map { column, text in
                column == 0 ? "<th scope=\"row\">\(Markup.escaped(text))</th>" : "<td>\(Markup.escaped(text))</td>"
            }
            return "<tr\(isTotal ? " class=\"total\"" : "")>\(cells.joined())</tr>"
        }
        return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"\(Markup.escaped(caption))\"><table>"
            + "<caption>\(Markup.escaped(caption))</caption><thead><tr>\(head)</tr></thead>"
            + "<tbody>\(body.joined())</tbody></table></div>"
    }
}
#endif
