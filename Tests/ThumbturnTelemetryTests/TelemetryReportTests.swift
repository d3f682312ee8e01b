#if Server
import Foundation
import Testing
import ThumbturnCore
@testable import ThumbturnTelemetry

struct TelemetryReportTests {
    private func successes(_ count: Int, after time: Duration = .seconds(1)) -> [UnlockReport] {
        (0..<count).map { _ in Samples.success(after: time) }
    }

    // MARK: Rows

    @Test func aRowIsTheSumOfItsCells() throws {
        let entries = [
            Samples.entry("A", day: 20_776, successes(30)), Samples.entry("A", day: 20_777, successes(50)),
            Samples.entry("B", day: 20_777, successes(25)), Samples.entry("B", day: 20_776, successes(25)),
        ]
        for order in [entries, entries.reversed()] {
            let report = TelemetryReport(order, by: .model)
            #expect(report.rows.map(\.value) == ["A", "B"])
            #expect(report.rows.map { $0.tally[.unlocks] } == [80, 50])
            #expect(report.total?.tally[.unlocks] == 130)
            #expect(report.json == TelemetryReport(entries, by: .model).json)
        }
    }

    @Test func devicesOfSeveralDaysAreThoseOfTheDayWithTheMost() {
        let entries = [Samples.entry("A", day: 20_776, successes(30)), Samples.entry("A", day: 20_777, successes(50))]
        #expect(TelemetryReport(entries, by: .model).rows.map(\.devices) == [50])
        #expect(TelemetryReport(entries, by: .model).total?.devices == 50)
    }

    @Test(arguments: TelemetryDimension.allCases) func everyDimensionHasItsValue(_ dimension: TelemetryDimension) {
        let entry = Samples.entry("A", day: 20_777, successes(20), arm: "b")
        let values: [TelemetryDimension: String] = [
            .day: "2026-11-20", .system: "iOS", .model: "A", .os: "26.1", .sensor: "faceID", .app: "4.2.0", .policy: "unlock",
            .arm: "b",
        ]
        #expect(TelemetryReport([entry], by: dimension).rows.map(\.value) == [values[dimension]])
        let bare = TelemetryEntry(cell: TelemetryCell(day: 20_777, context: .init()), tally: entry.tally, devices: entry.devices)
        #expect(TelemetryReport([bare], by: dimension).rows.map(\.value) == [dimension == .day ? "2026-11-20" : "unknown"])
    }

    @Test func daysAreInTheirOrder() {
        let entries = [5, 3, 4].map { Samples.entry("A", day: 20_770 + $0, successes(20 + $0)) }
        #expect(TelemetryReport(entries, by: .day).rows.map(\.value) == ["2026-11-16", "2026-11-17", "2026-11-18"])
    }

    /// Of three policies the two that have enough devices would together tell the third.
    @Test func reportsOfTwoPoliciesDoNotTellAThirdOneOfFewDevices() {
        func entry(_ policy: TelemetryLabel, _ devices: Int, from seed: UInt64) -> TelemetryEntry {
            TelemetryEntry(
                cell: TelemetryCell(day: 20_777, context: Samples.context(policy: policy)),
                tally: Samples.tally(successes(devices)), devices: Samples.devices(devices, from: seed))
        }
        let entries = [entry("unlock", 50, from: 1), entry("transaction", 25, from: 2), entry("highRisk", 1, from: 3)]
        for dimension in TelemetryDimension.allCases where dimension != .policy {
            #expect(TelemetryReport(entries, by: dimension).total?.tally[.unlocks] == 76)
            #expect(TelemetryReport(entries, by: dimension, of: "unlock").total?.tally[.unlocks] == 50)
            #expect(TelemetryReport(entries, by: dimension, of: "transaction").total == nil, "\(dimension)")
            #expect(TelemetryReport(entries, by: dimension, of: "highRisk").total == nil)
        }
        #expect(TelemetryReport(entries, by: .policy).rows.map(\.value) == ["unlock"])
        let more = entries + [entry("highRisk", 19, from: 4)]
        #expect(TelemetryReport(more, by: .model, of: "transaction").total?.tally[.unlocks] == 25)
    }

    /// An offer has no policy and no arm. Its answers withhold nothing, and few of them are not told.
    @Test func answersToOffersWithholdNothing() {
        func offers(_ count: Int, day: Int = 20_777) -> TelemetryEntry {
            TelemetryEntry(
                cell: TelemetryCell(day: day, context: TelemetryContext(system: "iOS", model: "iPhone17,3")),
                tally: Samples.tally((0..<count).map { _ in Samples.report([.offerAnswered(.never)]) }),
                devices: Samples.devices(count, from: 9))
        }
        let unlocks = ["a", "b"].map { Samples.entry("iPhone17,3", successes(60), arm: $0) }
        for count in [1, 19, 20] {
            let entries = unlocks + [offers(count)]
            let told = count == 20 ? 20 : 0
            #expect(TelemetryReport(entries, by: .arm, of: "unlock").rows.map(\.value) == ["a", "b"])
            #expect(TelemetryReport(entries, by: .arm).rows.map(\.value) == ["a", "b"])
            for dimension in TelemetryDimension.allCases {
                let total = TelemetryReport(entries, by: dimension).total
                #expect(total?.tally.offers == told && total?.tally[.unlocks] == 120, "\(dimension) with \(count)")
            }
            #expect(TelemetryReport(entries, by: .model).rows.map(\.tally.offers) == [told])
        }
        #expect(TelemetryReport([offers(50)], by: .model).total == nil, "a day without unlocks")
        // 19 of one day and 20 of another one: only those of the second are told.
        let days = unlocks + [offers(19), offers(20, day: 20_778), Samples.entry("iPhone17,3", day: 20_778, successes(60))]
        #expect(TelemetryReport(days, by: .model).total?.tally.offers == 20)
    }

    @Test func nothingIsAReportToo() {
        let report = TelemetryReport([], by: .model)
        #expect(report.text == "There are no unlocks in this period.\n\n\n")
        #expect(report.total == nil)
        #expect(isPage(report.html(title: "empty")))
        #expect(report.csv.split(separator: "\r\n").count == 1)
    }

    // MARK: Withholding

    @Test func aRowOfNineteenDevicesIsWithheldAndOneOfTwentyIsShown() {
        // Three small ones together have more than 20 devices, so that none is needed to hide them.
        let small: [TelemetryEntry] = ["x", "y", "z"].map { Samples.entry($0, successes(40), devices: 19) }
        let report = TelemetryReport(small + [Samples.entry("A", successes(40), devices: 20)], by: .model)
        #expect(report.rows.map(\.value) == ["A"])
        #expect(report.withheldRows == 3)
        #expect(report.total?.tally[.unlocks] == 160)
        for output in [report.text, report.json, report.csv, report.html(title: "report")] {
            #expect(!output.contains(">x<") && !output.contains("\"x\""))
        }
        #expect(report.text.contains("3 rows withheld"))
    }

    @Test func theTotalDoesNotRevealASingleWithheldRow() {
        let entries = [
            Samples.entry("A", successes(90)), Samples.entry("B", successes(60)), Samples.entry("C", successes(30)),
            Samples.entry("x", successes(5)),
        ]
        let report = TelemetryReport(entries, by: .model)
        #expect(report.rows.map(\.value) == ["A", "B"])
        #expect(report.withheldRows == 2)
        #expect(report.total?.tally[.unlocks] == 185)
    }

    @Test func withheldRowsOfFewDevicesTogetherTakeAnotherOneWithThem() {
        let entries = [
            Samples.entry("A", successes(90)), Samples.entry("B", successes(60)), Samples.entry("x", successes(5)),
            Samples.entry("y", successes(6)),
        ]
        let report = TelemetryReport(entries, by: .model)
        #expect(report.rows.map(\.value) == ["A"])
        #expect(report.withheldRows == 3)
    }

    @Test func anotherDayDoesNotRevealAWithheldOne() {
        let first = [
            Samples.entry("A", day: 20_776, successes(90)), Samples.entry("B", day: 20_776, successes(60)),
            Samples.entry("C", day: 20_776, successes(60)),
        ]
        let second = [
            Samples.entry("A", day: 20_777, successes(90)), Samples.entry("B", day: 20_777, successes(7)),
            Samples.entry("C", day: 20_777, successes(30)),
        ]
        let one = TelemetryReport(first, by: .model)
        let both = TelemetryReport(first + second, by: .model)
        func unlocks(_ report: TelemetryReport, _ value: String) -> Int? {
            report.rows.first { $0.value == value }?.tally[.unlocks]
        }
        // B is shown for its first day only, in both; C had to go with it.
        #expect(unlocks(one, "B") == 60 && unlocks(both, "B") == 60)
        #expect(unlocks(both, "C") == 60)
        #expect(unlocks(both, "A") == 180)
        #expect(both.rows.map(\.daysWithheld) == [0, 1, 1])
        #expect(both.text.contains("B (1 of 2); C (1 of 2)"))
    }

    @Test func aDayOfFewDevicesIsNotInTheTotal() {
        let entries = [Samples.entry("A", day: 20_776, successes(90)), Samples.entry("A", day: 20_777, successes(9))]
        let report = TelemetryReport(entries, by: .day)
        #expect(report.rows.map(\.value) == ["2026-11-19"])
        #expect(report.total?.tally[.unlocks] == 90)
        #expect(report.withheldDays == 1)
        #expect(TelemetryReport([entries[1]], by: .model).text.contains("no day has at least 20 devices"))
    }

    /// A report of one policy does not tell, beside one of all, what a few devices did under another one.
    @Test func onePolicyDoesNotRevealAnotherOneOfFewDevices() {
        func entries(_ few: Int) -> [TelemetryEntry] {
            [
                Samples.entry("A", successes(60)), Samples.entry("A", successes(few), policy: "pay"),
                Samples.entry("B", successes(50)), Samples.entry("C", successes(40)),
                Samples.entry("C", successes(30), policy: "pay"),
            ]
        }
        #expect(TelemetryReport(entries(5), by: .model).rows.map(\.value) == ["C", "A", "B"])
        // A has five devices that paid, and the smallest other row goes with it, because the total would tell A's.
        let few = TelemetryReport(entries(5), by: .model, of: "unlock")
        #expect(few.rows.map(\.value) == ["B"])
        #expect(few.total?.tally[.unlocks] == 150)
        #expect(TelemetryReport(entries(25), by: .model, of: "unlock").rows.map(\.value) == ["A", "B", "C"])
        // Where all that paid are few, the whole day would tell them.
        let day = [Samples.entry("A", successes(60)), Samples.entry("A", successes(5), policy: "pay")]
        let withheld = TelemetryReport(day, by: .model, of: "unlock")
        #expect(withheld.total == nil && withheld.withheldDays == 1)
        #expect(TelemetryReport(day.prefix(1), by: .model, of: "unlock").rows.count == 1)
        #expect(TelemetryReport(entries(25), by: .model, of: "other").total == nil)
    }

    /// Whatever is subtracted, each day's difference is of two groups and 20 devices, or of none.
    @Test func noDifferenceIsOfFewDevices() {
        let seed: UInt64 = 61
        var generator = RepeatableGenerator(seed: seed)
        for _ in 0..<200 {
            let sizes = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Int.random(in: 1...45, using: &generator) }
            let entries = sizes.enumerated().map { Samples.entry(TelemetryLabel("m\($0)"), successes($1)) }
            let report = TelemetryReport(entries, by: .model)
            let shown = report.rows.reduce(0) { $0 + $1.tally[.unlocks] }
            #expect(report.rows.allSatisfy { $0.devices >= 20 })
            guard let total = report.total else {
                #expect(shown == 0 && sizes.reduce(0, +) < 20)
                continue
            }
            let rest = total.tally[.unlocks] - shown
            #expect(rest == 0 || rest >= 20 && report.withheldRows >= 2 || report.rows.isEmpty, "seed \(seed): \(sizes)")
        }
    }

    // MARK: Findings

    /// Ten days; from the seventh on one model is slow.
    private func slowModel(using generator: inout RepeatableGenerator, median: Double) -> [TelemetryEntry] {
        (0..<10).flatMap { day in
            (["iPhone17,3", "iPhone16,1", "Pixel 9"] as [TelemetryLabel]).map { model in
                let isSlow = model == "iPhone17,3" && day >= 6
                let reports = (0..<80).map { _ in
                    Samples.success(after: Samples.time(isSlow ? median : 1, spread: 0.4, using: &generator))
                }
                return Samples.entry(model, day: 20_771 + day, reports)
            }
        }
    }

    @Test func theWorstModelIsNamedWithTheDaySinceWhichItIsSlow() throws {
        var generator = RepeatableGenerator(seed: 62)
        let report = TelemetryReport(slowModel(using: &generator, median: 5), by: .model)
        #expect(report.findings.map(\.measure) == [.p95, .sensor] && report.findings[1].value == "iPhone17,3")
        #expect(
            report.text.contains(/iPhone17,3: median time to the sensor's match \d\.\d s, others \d\.\d s, since 2026-11-20\./))
        let finding = try #require(report.findings.first)
        #expect(finding.value == "iPhone17,3" && finding.measure == .p95 && !finding.isFirstDay)
        #expect(UTCDay.text(finding.day) == "2026-11-20")
        // The P95 of the distributions are 9.65 s and 1.93 s.
        #expect(abs(finding.own - 9.65) < 1.2 && abs(finding.others - 1.93) < 0.2)
        #expect(report.text.contains(/iPhone17,3: P95 of time to authenticate \d+\.\d s, others \d\.\d s, since 2026-11-20\./))
        #expect(report.html(title: "report").contains("class=\"findings\""))
    }

    /// There are more models than lines in a chart, and the one that got slow has the fewest unlocks.
    @Test func theModelOfAFindingIsDrawn() {
        let entries = (0..<8).flatMap { day in
            (1...7).map { number in
                let time = Duration.seconds(number == 7 && day > 3 ? 6 : 1)
                return Samples.entry(TelemetryLabel("M\(number)"), day: 20_771 + day, successes(100 - number, after: time))
            }
        }
        let report = TelemetryReport(entries, by: .model)
        #expect(report.findings.first?.value == "M7" && report.rows.last?.value == "M7")
        let lines = report.html(title: "report").split(separator: "<svg").filter { $0.contains("by model and day") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(">M7<") && $0.contains(">M5<") && !$0.contains(">M6<") })
    }

    @Test func modelsThatDoNotDifferAreNotNamed() {
        for seed in 1...10 as ClosedRange<UInt64> {
            var generator = RepeatableGenerator(seed: seed)
            #expect(TelemetryReport(slowModel(using: &generator, median: 1), by: .model).findings.isEmpty, "seed \(seed)")
        }
    }

    @Test func aDifferenceThatMayBeChanceIsNotNamed() {
        // Six of 110 are slow, so that the P95 is twice that of the others; five would change nothing.
        let slow = successes(104) + successes(6, after: .seconds(2))
        let report = TelemetryReport([Samples.entry("A", slow), Samples.entry("B", successes(2000), devices: 100)], by: .model)
        let p95s = report.rows.compactMap { $0.tally.quantileOfSuccesses(0.95)?.inSeconds }
        #expect(p95s.count == 2 && p95s[1] > 1.9 * p95s[0])
        #expect(report.findings.isEmpty)
    }

    @Test func aModelThatFallsBackMoreOftenIsNamed() throws {
        let entries = ["A", "B", "C"].map { model -> TelemetryEntry in
            let fallbacks = (0..<(model == "A" ? 90 : 10)).map { _ in Samples.fallback(after: .milliseconds(400)) }
            return Samples.entry(TelemetryLabel(model), fallbacks + successes(200 - fallbacks.count, after: .milliseconds(1200)))
        }
        let finding = try #require(TelemetryReport(entries, by: .model).findings.first)
        #expect(finding.sentence == "A: fallback from the sensor 45.0 %, others 5.0 %, on all days since 2026-11-20.")
    }

    // MARK: Outputs

    @Test func theTextIsAligned() throws {
        let entries = [Samples.entry("A", successes(30)), Samples.entry("Longer name", successes(1300), devices: 100)]
        let lines = TelemetryReport(entries, by: .model).text.split(separator: "\n")
        let header = try #require(lines.first { $0.hasPrefix("model") })
        let rows = lines.filter { $0.hasPrefix("A ") || $0.hasPrefix("Longer name") || $0.hasPrefix("total") }
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.count == header.count })
    }

    @Test func theJSONIsReadBackAndIsStable() throws {
        var generator = RepeatableGenerator(seed: 63)
        let reports = (0..<500).map { _ in Samples.any(using: &generator) }
        let report = TelemetryReport([Samples.entry("A", reports), Samples.entry("B", successes(100))], by: .model)
        let read = try StrictJSON.decodeIgnoringUnknown(TelemetryDocument.self, from: Array(report.json.utf8))
        #expect(read == report.document)
        #expect(report.json.contains(#""first_attempt_time":{"count":"#))
        #expect(report.json.contains(#""mismatch_per_attempt":"#))
        let row = try #require(read.rows.last)
        #expect(row.firstAttemptTime.count == 100)
        #expect(row.firstAttemptTime.points.count == 8)
        #expect(row.firstAttemptTime.p50.map { abs($0 - 1000) <= 4 } == true)
        #expect(row.rates["success"] == 1)
        // Members are snake case and sorted.
        #expect(report.json.hasPrefix(#"{"by":"model","days_withheld":0,"findings":["#))
    }

    @Test func theCSVHasOneLinePerRowWithTheSameColumns() {
        let csv = TelemetryReport([Samples.entry("A", successes(30)), Samples.entry("total", successes(30))], by: .model).csv
        let lines = csv.split(separator: "\r\n")
        #expect(lines.count == 4)
        #expect(lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).count }.allSatisfy { $0 > 30 })
        #expect(Set(lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).count }).count == 1)
        #expect(lines[0].hasPrefix("row,model,devices,"))
        // The middle of the bin of 1000 to 1003 ms, up.
        #expect(lines[1].hasPrefix("value,A,30,1,0,30,30,1002,"))
        #expect(lines[2].hasPrefix("value,total,30,") && lines[3].hasPrefix("total,,"))
    }

    @Test(arguments: [
        ("iPhone17,3", "\"iPhone17,3\""), ("+1", "'+1"), ("-1+2", "'-1+2"), ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("@SUM", "'@SUM"),
        ("\t=1", "'\t=1"), ("say \"no\"", "\"say \"\"no\"\"\""), ("a\nb", "\"a\nb\""), ("plain", "plain"), ("", ""),
    ])
    func fieldsAreQuotedAndNoFormula(_ text: String, _ field: String) { #expect(TelemetryReport.field(text) == field) }

    @Test func aLabelThatIsAFormulaIsNoneInTheCSV() {
        let csv = TelemetryReport([Samples.entry("+cmd(1)", successes(30))], by: .model).csv
        #expect(csv.contains("value,'+cmd(1),30"))
    }

    @Test(arguments: TelemetryDimension.allCases) func thePageIsWellFormedAndNeedsNothingElse(_ dimension: TelemetryDimension) {
        var generator = RepeatableGenerator(seed: 64)
        let entries = (0..<3).flatMap { day in
            (["A", "B"] as [TelemetryLabel]).map { arm in
                Samples.entry("m", day: 20_777 + day, (0..<60).map { _ in Samples.any(using: &generator) }, arm: arm)
            }
        }
        let report = TelemetryReport(entries, by: dimension)
        let page = report.html(title: "<script>alert('title')</script>", arms: [ArmComparison(entries, policy: "unlock")])
        #expect(isPage(page))
        #expect(page.contains("&lt;script&gt;alert(&#39;title&#39;)&lt;/script&gt;"))
        #expect(page == report.html(title: "<script>alert('title')</script>", arms: [ArmComparison(entries, policy: "unlock")]))
        // Every chart has its own names, and a table.
        let charts = page.split(separator: "<svg").count - 1
        #expect(charts >= 3)
        #expect(Set(page.matches(of: /id="([^"]+)"/).map(\.1)).count == 2 * charts)
        #expect(page.matches(of: /<table>/).count >= charts)
        #expect(page.contains("prefers-color-scheme:dark"))
        #expect(page.contains("Arms of policy unlock"))
    }

    /// Well-formed as XML, where the elements without an end are ended, and without script or anything from elsewhere.
    private func isPage(_ page: String) -> Bool {
        let parts = [
            "<script", "http://", "https://", "//", "url(", "src=", "href=", "@import", "<link", "<iframe", "onload", "onclick",
        ]
        guard !parts.contains(where: page.contains) else { return false }
        return isWellFormed(page.replacing("<!DOCTYPE html>", with: "").replacing(/<meta [^>]*>/, with: ""))
    }
}
#endif
