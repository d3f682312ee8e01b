#if Server
internal import ThumbturnCore

/// Numbers as people read them.
package enum Figures {
    /// A number with this many digits behind the point. Infinity and no number are `–`.
    package static func fixed(_ number: Double, _ digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (abs(number) * scale).rounded()
        guard scaled.isFinite, scaled < 1e18 else { return none }
        let (whole, rest) = Int64(scaled).quotientAndRemainder(dividingBy: Int64(scale))
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let fraction = String(rest)
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// A time in seconds: `0.85 s` below 10 s, then `12.3 s`.
    package static func seconds(_ time: Duration?) -> String {
        guard let time else { return none }
        let seconds = time.inSeconds
        return fixed(seconds, seconds < 10 ? 2 : 1) + " s"
    }

    /// A rate as `98.5 %`.
    package static func percent(_ rate: Double?) -> String { rate.map { fixed($0 * 100, 1) + " %" } ?? none }

    /// A whole number in groups of three digits: `1,234,567`.
    package static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number.magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// What stands where there is no number.
    package static let none = "–"
}

extension Duration {
    /// Seconds with their fraction.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
    /// Whole milliseconds, the nearest.
    var nearestMilliseconds: Int { Int((inSeconds * 1000).rounded()) }
}
#endif
