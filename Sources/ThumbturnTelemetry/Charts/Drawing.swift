#if Server
/// An SVG picture while it is drawn, 440 wide: so wide that its text can be read on a telephone.
struct Drawing {
    private let title: String
    private let description: String
    private var content = ""
    private var height = 300.0

    private static let width = 440.0
    private static let top = 34.0
    private static let right = 16.0
    /// About how wide a character is.
    private static let character = 7.9

    init(title: String, description: String) {
        self.title = title
        self.description = description
        let shown = Self.cut(title, to: Self.width - 16)
        content = "<text class=\"title\" x=\"8\" y=\"20\">\(Markup.escaped(shown))</text>"
    }

    /// The rectangle of the plot.
    struct Plot {
        var left: Double
        var right: Double
        var top: Double
        var bottom: Double

        func x(_ part: Double) -> Double { left + (right - left) * part }
        func y(_ part: Double) -> Double { bottom - (bottom - top) * part }
    }

    mutating func add(_ svg: String) { content += svg }

    /// The picture with a sentence in place of the data.
    mutating func withoutData() -> Drawing {
        height = 120
        content += Self.text("There are no data yet.", x: Self.width / 2, y: 70, anchor: "middle")
        return self
    }

    // MARK: Parts

    /// Draws the axes and their texts.
    mutating func frame(x: Axis, y: Axis, xLabel: String, yLabel: String) -> Plot {
        let yTexts = y.ticks.map(y.text)
        let left = 14 + (yTexts.map { Self.width(of: $0) }.max() ?? 0)
        let plot = Plot(left: left, right: Self.width - Self.right, top: Self.top + 22, bottom: 252)
        content += Self.text(Self.cut(yLabel, to: Self.width - 16), x: 8, y: Self.top + 8)
        for (tick, text) in zip(y.ticks, yTexts) {
            let place = plot.y(y.part(tick))
            content += Self.line("grid", plot.left, place, plot.right, place)
            content += Self.text(text, x: left - 6, y: place + 4.5, anchor: "end")
        }
        var free = 0.0
        for tick in x.ticks {
            let place = plot.x(x.part(tick))
            content += Self.line("axis", place, plot.bottom, place, plot.bottom + 4)
            // A text that has no room is left out; its tick stays.
            let half = Self.width(of: x.text(tick)) / 2
            let centre = min(max(place, half + 2), Self.width - half - 2)
            guard centre - half >= free else { continue }
            content += Self.text(x.text(tick), x: centre, y: plot.bottom + 18, anchor: "middle")
            free = centre + half + 10
        }
        content += Self.line("axis", plot.left, plot.bottom, plot.right, plot.bottom)
        content += Self.text(
            Self.cut(xLabel, to: Self.width - 16), x: (plot.left + plot.right) / 2, y: plot.bottom + 36, anchor: "middle")
        height = plot.bottom + 46
        return plot
    }

    /// Draws the legend below the plot, in as many lines as it needs.
    mutating func legend(_ entries: [(name: String, key: (_ x: Double, _ y: Double) -> String)]) {
        var (x, y) = (8.0, height + 10)
        for entry in entries {
            let name = Self.cut(entry.name, to: Self.width - 60)
            let wide = 36 + Self.width(of: name) + 14
            if x > 8, x + wide > Self.width { (x, y) = (8, y + 20) }
            content += entry.key(x, y) + Self.text(name, x: x + 36, y: y + 4.5)
            x += wide
        }
        height = y + 16
    }

    /// A short piece of a series for the legend.
    static func key(_ index: Int, _ style: Chart.Style) -> (Double, Double) -> String {
        let colour = index % Palette.count
        return { x, y in
            let line = "<path class=\"line s\(colour) d\(colour)\" d=\"M\(Figures.fixed(x, 2)),\(Figures.fixed(y, 2))h30\"/>"
            let marker = Palette.marker(index, x: x + 15, y: y)
            return switch style {
            case .line: line + marker
            case .points: marker
            case .steps: line
            }
        }
    }

    /// Draws bars from left to right, each with its value.
    mutating func bars(_ names: [String], _ values: [Double], _ axis: Axis, _ label: String) {
        let longest = names.map { Self.width(of: $0) }.max() ?? 0
        let left = min(longest, 190) + 14
        let room = Self.width - Self.right - 46 - left
        for (index, (name, value)) in zip(names, values).enumerated() {
            let y = Self.top + Double(index) * 26
            let wide = max(room * axis.part(value), 0)
            content += Self.text(Self.cut(name, to: 190), x: left - 6, y: y + 14.5, anchor: "end")
            content +=
                "<rect class=\"f0\" x=\"\(Figures.fixed(left, 2))\" y=\"\(Figures.fixed(y, 2))\""
                + " width=\"\(Figures.fixed(wide, 2))\" height=\"18\"/>"
            content += Self.text(Figures.fixed(value, value < 10 ? 2 : 1), x: left + wide + 5, y: y + 14.5)
        }
        let bottom = Self.top + Double(names.count) * 26
        content += Self.line("axis", left, Self.top - 4, left, bottom)
        content += Self.text(Self.cut(label, to: Self.width - 16), x: left, y: bottom + 16)
        height = bottom + 28
    }

    // MARK: Output

    var standalone: String {
        let size = "width=\"880\" height=\"\(Figures.fixed(height * 2, 0))\""
        return svg(id: "chart", "xmlns=\"http://www.w3.org/2000/svg\" \(size)", style: "<style>\(Palette.style)</style>") + "\n"
    }

    /// Within a page, which has the style sheet once.
    func inline(id: String) -> String { svg(id: id, "", style: "") }

    private func svg(id: String, _ attributes: String, style: String) -> String {
        let id = Markup.escaped(id)
        let size = "\(Figures.fixed(Self.width, 0)) \(Figures.fixed(height, 0))"
        return
            "<svg class=\"tt-chart\" viewBox=\"0 0 \(size)\" \(attributes) role=\"img\""
            + " aria-labelledby=\"\(id)-title \(id)-desc\"><title id=\"\(id)-title\">\(Markup.escaped(title))</title>"
            + "<desc id=\"\(id)-desc\">\(Markup.escaped(description))</desc>"
            + style + "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\(content)</svg>"
    }

    private static func text(_ text: String, x: Double, y: Double, anchor: String? = nil) -> String {
        let anchor = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
        return "<text x=\"\(Figures.fixed(x, 2))\" y=\"\(Figures.fixed(y, 2))\"\(anchor)>\(Markup.escaped(text))</text>"
    }

    private static func line(_ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        let (from, to) = (
            "x1=\"\(Figures.fixed(x1, 2))\" y1=\"\(Figures.fixed(y1, 2))\"",
            "x2=\"\(Figures.fixed(x2, 2))\" y2=\"\(Figures.fixed(y2, 2))\""
        )
        return "<line class=\"\(name)\" \(from) \(to)/>"
    }

    private static func width(of text: String) -> Double { Double(text.count) * character }

    private static func cut(_ text: String, to width: Double) -> String {
        let most = Int(width / character)
        return text.count <= most ? text : text.prefix(most - 1) + "…"
    }
}
#endif
