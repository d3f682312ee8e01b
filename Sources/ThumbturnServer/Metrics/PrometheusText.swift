#if Server
/// Writes the text format 0.0.4 of Prometheus: comments with the help and the type of each metric, and lines with a name, labels
/// and a value.
struct PrometheusText {
    /// The media type of the format.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    struct Label: Hashable, Sendable, Comparable {
        let name: String
        let value: String

        static func < (one: Label, other: Label) -> Bool { (one.name, one.value) < (other.name, other.value) }
    }

    private(set) var text = ""

    mutating func begin(_ name: String, _ kind: String, help: String?) {
        if let help { text += "# HELP \(name) \(Self.escaped(help, alsoQuotes: false))\n" }
        text += "# TYPE \(name) \(kind)\n"
    }

    mutating func sample(_ name: String, _ labels: [Label], _ value: String) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, alsoQuotes: true))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    /// A number as the format writes it, also where it is not finite.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    /// The name of a metric: letters, digits, `_` and `:`, and no digit in front.
    static func name(_ label: String) -> String { safe(label, also: [":"]) }

    /// The name of a label: letters, digits and `_`, and no digit in front.
    static func labelName(_ label: String) -> String { safe(label, also: []) }

    private static func safe(_ label: String, also: Set<Unicode.Scalar>) -> String {
        let scalars = label.unicodeScalars.map { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
            default: also.contains(scalar) ? Character(scalar) : "_"
            }
        }
        let name = String(scalars)
        return name.first.map { $0.isNumber } ?? true ? "_" + name : name
    }

    private static func escaped(_ text: String, alsoQuotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += #"\\"#
            case "\n": escaped += #"\n"#
            case "\"" where alsoQuotes: escaped += #"\""#
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
#endif
