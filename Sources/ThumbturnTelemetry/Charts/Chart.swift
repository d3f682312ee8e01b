#if Server
/// A chart of several series as one SVG picture.
///
/// The same chart has the same bytes. It carries its own colours for light and dark, needs no script, and refers to nothing
/// outside of itself. Its title and description are for people who hear it.
package struct Chart: Sendable {
    /// The title, above the plot.
    package var title: String
    /// What x is, with its unit.
    package var xLabel: String
    /// What y is, with its unit.
    package var yLabel: String
    /// The series, in the order of the legend.
    package var series: [Series]
    /// How x is written.
    package var xScale: Scale

    /// One series.
    package struct Series: Sendable {
        /// The name in the legend.
        package var name: String
        /// The points in the order in which a line joins them. One that is not finite makes a gap.
        package var points: [(x: Double, y: Double)]
        /// How they are drawn.
        package var style: Style

        /// Makes a series.
        package init(name: String, points: [(x: Double, y: Double)], style: Style = .line) {
            self.name = name
            self.points = points
            self.style = style
        }
    }

    /// How the points of a series are drawn.
    package enum Style: Hashable, Sendable {
        /// Joined by a line, with markers where they are few.
        case line
        /// Markers only.
        case points
        /// A line that is level until the next point, as a cumulative curve.
        case steps
    }

    /// How the values along a side are written.
    package enum Scale: Hashable, Sendable {
        /// As numbers.
        case number
        /// As days of UTC: the values are days since 1970.
        case days
    }

    /// Makes a chart.
    package init(title: String, xLabel: String, yLabel: String, series: [Series], xScale: Scale = .number) {
        self.title = title
        self.xLabel = xLabel
        self.yLabel = yLabel
        self.series = series
        self.xScale = xScale
    }

    /// The picture as a file of its own.
    package var svg: String { drawing.standalone }

    /// The picture as a part of a page, in which this name occurs once.
    func inline(id: String) -> String { drawing.inline(id: id) }

    private var drawing: Drawing {
        var drawing = Drawing(title: title, description: description)
        let points = series.flatMap { $0.points.filter(Self.isDrawn) }
        guard !points.isEmpty else { return drawing.withoutData() }
        let xs = points.map(\.x)
        // A front far from zero would be a dot in the corner.
        let nearZero = (xs.min() ?? 0) < 0.5 * (xs.max() ?? 0)
        let x = Axis(xs, xScale, fromZero: nearZero, ticks: xScale == .days ? 4 : 6)
        let y = Axis(points.map(\.y), .number, fromZero: true, ticks: 5)
        let plot = drawing.frame(x: x, y: y, xLabel: xLabel, yLabel: yLabel)
        for (index, series) in series.enumerated() { drawing.add(draw(series, index, x, y, plot)) }
        drawing.legend(series.enumerated().map { ($1.name, Drawing.key($0, $1.style)) })
        return drawing
    }

    private func draw(_ series: Series, _ index: Int, _ x: Axis, _ y: Axis, _ plot: Drawing.Plot) -> String {
        let colour = index % Palette.count
        var drawn = ""
        for run in series.points.split(whereSeparator: { !Self.isDrawn($0) }) {
            let places = run.map { (x: plot.x(x.part($0.x)), y: plot.y(y.part($0.y))) }
            if series.style != .points {
                var path = ""
                var lastY = 0.0
                for (position, place) in places.enumerated() {
                    let at = "\(Figures.fixed(place.x, 2)),\(Figures.fixed(place.y, 2))"
                    if position == 0 {
                        path += "M\(at)"
                    } else if series.style == .steps {
                        path += "L\(Figures.fixed(place.x, 2)),\(Figures.fixed(lastY, 2))L\(at)"
                    } else {
                        path += "L\(at)"
                    }
                    lastY = place.y
                }
                drawn += "<path class=\"line s\(colour) d\(colour)\" d=\"\(path)\"/>"
            }
            if series.style == .points || series.style == .line && places.count <= Self.mostMarkers {
                drawn += places.map { Palette.marker(index, x: $0.x, y: $0.y) }.joined()
            }
        }
        return drawn
    }

    /// More markers than this on a line would hide it.
    private static let mostMarkers = 40

    private static func isDrawn(_ point: (x: Double, y: Double)) -> Bool {
        abs(point.x) < 1e15 && abs(point.y) < 1e15
    }

    private var description: String {
        let ranges = series.map { series in
            let drawn = series.points.filter(Self.isDrawn)
            guard let first = drawn.first, let last = drawn.last else { return "\(series.name): no data" }
            func text(_ point: (x: Double, y: Double)) -> String {
                let x = xScale == .days ? UTCDay.text(Int(point.x)) : Figures.fixed(point.x, 2)
                return "\(Figures.fixed(point.y, 2)) at \(x)"
            }
            return "\(series.name): from \(text(first)) to \(text(last)), \(drawn.count) points"
        }
        return "x: \(xLabel). y: \(yLabel). " + ranges.joined(separator: "; ") + "."
    }
}

/// A chart of one bar per name, as one SVG picture with the properties of `Chart`.
package struct BarChart: Sendable {
    /// The title, above the bars.
    package var title: String
    /// What the lengths of the bars are, with the unit.
    package var valueLabel: String
    /// The bars from top to bottom. One that is not finite or is negative has no length.
    package var bars: [(name: String, value: Double)]

    /// Makes a chart.
    package init(title: String, valueLabel: String, bars: [(name: String, value: Double)]) {
        self.title = title
        self.valueLabel = valueLabel
        self.bars = bars
    }

    /// The picture as a file of its own.
    package var svg: String { drawing.standalone }

    /// The picture as a part of a page, in which this name occurs once.
    func inline(id: String) -> String { drawing.inline(id: id) }

    private var drawing: Drawing {
        let texts = bars.map { "\($0.name): \(Figures.fixed($0.value, 2))" }
        var drawing = Drawing(title: title, description: "\(valueLabel). " + texts.joined(separator: "; ") + ".")
        guard !bars.isEmpty else { return drawing.withoutData() }
        let values = bars.map { $0.value.isFinite && $0.value > 0 && $0.value < 1e15 ? $0.value : 0 }
        drawing.bars(bars.map(\.name), values, Axis(values, .number, fromZero: true, ticks: 4), valueLabel)
        return drawing
    }
}
#endif
