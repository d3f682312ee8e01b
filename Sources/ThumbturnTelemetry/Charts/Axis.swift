#if Server
/// The values along one side of a chart, and where each of them is.
struct Axis {
    let low: Double
    let high: Double
    let ticks: [Double]
    private let scale: Chart.Scale
    private let step: Double

    /// Makes an axis that holds the values.
    ///
    /// - Parameters:
    ///   - values: finite ones.
    ///   - fromZero: whether it begins at zero, where no value is negative.
    ///   - count: about how many ticks it has.
    init(_ values: [Double], _ scale: Chart.Scale, fromZero: Bool, ticks count: Int) {
        self.scale = scale
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        var (low, high) = (fromZero && least >= 0 ? 0 : least, most)
        if high <= low { (low, high) = low == 0 ? (0, 1) : (low - abs(low) / 2, high + abs(high) / 2) }
        step = Self.step((high - low) / Double(count), scale)
        switch scale {
        case .number:
            self.low = (low / step).rounded(.down) * step
            self.high = (high / step).rounded(.up) * step
        // Days begin and end with the data: a day outside of the report must not look like one without unlocks.
        case .days: (self.low, self.high) = most > least ? (least, most) : (least - 1, most + 1)
        }
        // Days are counted from the first one, numbers from zero.
        let origin = scale == .days ? self.low : 0
        let first = ((self.low - origin) / step).rounded(.up)
        let last = ((self.high - origin) / step + 1e-9).rounded(.down)
        ticks =
            last - first < 100
            ? stride(from: first, through: last, by: 1).map { [step] in origin + $0 * step } : [self.low, self.high]
    }

    /// Where a value is: 0 at the beginning, 1 at the end.
    func part(_ value: Double) -> Double { (value - low) / (high - low) }

    /// The text at a tick.
    func text(_ value: Double) -> String {
        switch scale {
        // Values beyond the range of whole numbers have no day.
        case .days: abs(value) < 1e9 ? UTCDay.text(Int(value.rounded())) : Figures.none
        case .number: Figures.fixed(value, Self.digits(of: step))
        }
    }

    /// 1, 2 or 5 times a power of ten, at least this much; whole days, and from seven on whole weeks.
    private static func step(_ least: Double, _ scale: Chart.Scale) -> Double {
        if case .days = scale {
            return [1, 2, 3, 4, 5, 7, 14, 28, 91, 182, 364].first { $0 >= least } ?? (least / 364).rounded(.up) * 364
        }
        var power = 1.0
        while power * 10 <= least { power *= 10 }
        while power > least, power > 1e-12 { power /= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * (1 - 1e-9) } ?? power * 10
    }

    /// The fewest digits behind the point that tell two ticks apart.
    private static func digits(of step: Double) -> Int {
        var (digits, scaled) = (0, step)
        while digits < 6, abs(scaled - scaled.rounded()) > 1e-6 * scaled {
            scaled *= 10
            digits += 1
        }
        return digits
    }
}
#endif
