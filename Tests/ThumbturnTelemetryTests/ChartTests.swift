#if Server
import Foundation
import Testing
@testable import ThumbturnTelemetry

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Whether a text is well-formed XML.
func isWellFormed(_ xml: String) -> Bool { XMLParser(data: Data(xml.utf8)).parse() }

struct ChartTests {
    private let chart = Chart(
        title: "A <title> & \"more\"", xLabel: "x, s", yLabel: "y > 0",
        series: [
            .init(name: "<script>alert(1)</script>", points: [(x: 0, y: 1), (x: 1, y: .nan), (x: 2, y: 3), (x: 3, y: 2)]),
            .init(name: "steps\u{0}", points: [(x: 0, y: 0), (x: 3, y: 4)], style: .steps),
            .init(name: "front", points: [(x: 1, y: 1), (x: 2, y: .infinity)], style: .points),
        ])

    @Test func aChartIsWellFormedAndRefersToNothing() {
        let svg = chart.svg
        #expect(isWellFormed(svg))
        #expect(!svg.contains("<script"))
        #expect(!svg.contains("url(") && !svg.contains("href"))
        #expect(svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(svg.contains("<title id=\"chart-title\">A &lt;title&gt; &amp; &quot;more&quot;</title>"))
        #expect(svg.contains("prefers-color-scheme:dark"))
        #expect(svg.contains("aria-labelledby=\"chart-title chart-desc\""))
        #expect(!svg.contains("nan") && !svg.contains("inf\""))
    }

    @Test func theSameChartHasTheSameBytes() { #expect(chart.svg == chart.svg) }

    @Test func seriesDifferInDashAndMarkerToo() {
        let svg = chart.svg
        #expect(svg.contains("class=\"line s0 d0\"") && svg.contains("class=\"line s1 d1\""))
        #expect(svg.contains("<circle class=\"f0\"") && svg.contains("<path class=\"f2\""))
    }

    @Test func aPointThatIsNotFiniteMakesAGap() {
        // Two pieces of the first series, one of the second, and two lines in the legend.
        #expect(chart.svg.split(separator: "class=\"line ").count - 1 == 5)
    }

    @Test func chartsWithoutDataOrRangeAreDrawn() {
        let empty = Chart(title: "none", xLabel: "", yLabel: "", series: [])
        #expect(isWellFormed(empty.svg))
        #expect(empty.svg.contains("There are no data yet."))
        for value in [0, 5, -3, 1e-9, 9e14, -9e14] {
            let one = Chart(title: "one", xLabel: "", yLabel: "", series: [.init(name: "one", points: [(x: value, y: value)])])
            #expect(isWellFormed(one.svg))
            let day = Chart(title: "one", xLabel: "", yLabel: "", series: one.series, xScale: .days)
            #expect(isWellFormed(day.svg))
        }
        #expect(isWellFormed(BarChart(title: "", valueLabel: "", bars: []).svg))
        #expect(isWellFormed(BarChart(title: "", valueLabel: "", bars: [("a<b", .nan), ("b", -1), ("c", 0), ("d", 2e15)]).svg))
    }

    @Test(
        arguments: [
            ([0, 9.8], ["0", "2", "4", "6", "8", "10"]), ([0, 0.37], ["0.0", "0.1", "0.2", "0.3", "0.4"]),
            ([0, 1200], ["0", "500", "1000", "1500"]), ([0.02, 0.021], ["0.000", "0.005", "0.010", "0.015", "0.020", "0.025"]),
        ] as [([Double], [String])])
    func ticksAreRoundNumbers(_ values: [Double], _ texts: [String]) {
        let axis = Axis(values, .number, fromZero: true, ticks: 5)
        #expect(axis.ticks.map(axis.text) == texts)
    }

    @Test func ticksOfDaysAreWholeDays() {
        let axis = Axis([20_771, 20_784], .days, fromZero: false, ticks: 4)
        #expect(axis.ticks.map(axis.text) == ["2026-11-14", "2026-11-18", "2026-11-22", "2026-11-26"])
        let two = Axis([20_771, 20_772], .days, fromZero: false, ticks: 4)
        #expect(two.ticks.map(two.text) == ["2026-11-14", "2026-11-15"])
    }

    /// The contrast of WCAG 2.2, and its relative luminance.
    @Test(arguments: [(Palette.light, "#ffffff"), (Palette.dark, "#15181c")])
    func everyColourHasAContrastOfAtLeastFourAndAHalf(_ colours: [String], _ paper: String) {
        func luminance(_ colour: String) -> Double {
            let number = Int(colour.dropFirst(), radix: 16) ?? 0
            let parts = [16, 8, 0].map { shift -> Double in
                let part = Double(number >> shift & 255) / 255
                return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        #expect(colours.count == Palette.count)
        for colour in colours {
            let (a, b) = (luminance(colour), luminance(paper))
            #expect((max(a, b) + 0.05) / (min(a, b) + 0.05) >= 4.5, "\(colour) on \(paper)")
        }
    }

    @Test func daysAreWrittenAsDates() {
        #expect(
            [0, -1, 59, 11_016, 20_777, -719_162].map(UTCDay.text) == [
                "1970-01-01", "1969-12-31", "1970-03-01", "2000-02-29", "2026-11-20", "0001-01-01",
            ])
        #expect(UTCDay.text(.max) == "day \(Int.max)")
        #expect(UTCDay.number(ofSecond: 1_795_132_800) == 20_777)
        #expect(UTCDay.number(ofSecond: -1) == -1)
    }

    @Test func numbersAreRounded() {
        #expect(Figures.fixed(1.25, 1) == "1.3")
        #expect(Figures.fixed(-0.04, 1) == "0.0")
        #expect(Figures.fixed(-2.5, 2) == "-2.50")
        #expect(Figures.fixed(.nan, 1) == "–")
        #expect(Figures.fixed(1e300, 1) == "–")
        #expect(Figures.grouped(1_234_567) == "1,234,567")
        #expect(Figures.grouped(.min) == "-9,223,372,036,854,775,808")
    }
}
#endif
