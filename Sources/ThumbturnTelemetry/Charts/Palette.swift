#if Server
/// What tells series apart: a colour, a dash and a marker, so that colour alone never carries meaning (WCAG 2.2, 1.4.1).
///
/// The colours differ in lightness as well as hue, after Okabe and Ito, "Color Universal Design", 2008. Each has a contrast of at
/// least 4.5 with its background: white, and #15181c in the dark.
enum Palette {
    static let count = 6

    /// The style sheet of a chart. It reaches only elements of the class `tt-chart`, so that it may stand in a page.
    static let style: String = {
        func colours(_ colours: [String], ink: String, faint: String, paper: String) -> String {
            let series = colours.enumerated().map { index, colour in
                ".tt-chart .s\(index){stroke:\(colour)}.tt-chart .f\(index){fill:\(colour)}"
            }
            return ".tt-chart text{fill:\(ink)}.tt-chart .paper{fill:\(paper)}.tt-chart .grid{stroke:\(faint)}"
                + ".tt-chart .axis{stroke:\(ink)}" + series.joined()
        }
        let dashes = Palette.dashes.enumerated().map { index, dash in
            dash.map { ".tt-chart .d\(index){stroke-dasharray:\($0)}" } ?? ""
        }
        return
            ".tt-chart text{font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums}"
            + ".tt-chart .title{font-weight:600;font-size:15px}"
            + ".tt-chart .line{fill:none;stroke-width:2.2;stroke-linejoin:round}.tt-chart .grid,.tt-chart .axis{stroke-width:1}"
            + ".tt-chart .hollow{stroke-width:2.2;fill:none}" + dashes.joined()
            + colours(light, ink: "#1b1f24", faint: "#d5d9de", paper: "#ffffff")
            + "@media (prefers-color-scheme:dark){" + colours(dark, ink: "#e6e9ec", faint: "#3a4048", paper: "#15181c") + "}"
    }()

    /// A marker around a point.
    static func marker(_ index: Int, x: Double, y: Double) -> String {
        func at(_ dx: Double, _ dy: Double) -> String { "\(Figures.fixed(x + dx, 2)),\(Figures.fixed(y + dy, 2))" }
        let series = index % count
        return switch series {
        case 0: "<circle class=\"f0\" cx=\"\(Figures.fixed(x, 2))\" cy=\"\(Figures.fixed(y, 2))\" r=\"3.6\"/>"
        case 1: "<path class=\"f1\" d=\"M\(at(-3.4, -3.4)) \(at(3.4, -3.4)) \(at(3.4, 3.4)) \(at(-3.4, 3.4))Z\"/>"
        case 2: "<path class=\"f2\" d=\"M\(at(0, -4.6)) \(at(4.4, 3.4)) \(at(-4.4, 3.4))Z\"/>"
        case 3: "<path class=\"f3\" d=\"M\(at(0, -5)) \(at(5, 0)) \(at(0, 5)) \(at(-5, 0))Z\"/>"
        case 4: "<path class=\"hollow s4\" d=\"M\(at(-4, -4)) \(at(4, 4))M\(at(-4, 4)) \(at(4, -4))\"/>"
        default: "<path class=\"hollow s5\" d=\"M\(at(0, -4.8)) \(at(0, 4.8))M\(at(-4.8, 0)) \(at(4.8, 0))\"/>"
        }
    }

    static let light = ["#0a5ea8", "#b3400a", "#00705a", "#84358c", "#735600", "#4a4f55"]
    static let dark = ["#6cb6f5", "#ff9a5a", "#4ccfa3", "#e29ee8", "#e2c04a", "#c3c8cd"]
    private static let dashes: [String?] = [nil, "7 4", "2 3", "9 3 2 3", "12 4", "1.5 4"]
}
#endif
