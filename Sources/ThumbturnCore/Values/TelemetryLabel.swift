/// A short name by which events are counted, such as `iPhone17,3` or `26.1`.
///
/// 1 to 40 characters: letters and digits of ASCII, the space, and `.,_-+()`. It names many devices alike, never a person or
/// one device.
public struct TelemetryLabel: Hashable, Sendable, Codable, ExpressibleByStringLiteral {
    /// The name.
    public let text: String

    /// The longest name, in characters.
    public static let longest = 40

    /// Makes a name. Characters that names do not have become `-`, and a longer text is cut. An empty one becomes `-`.
    public init(_ text: String) {
        let name = text.unicodeScalars.prefix(Self.longest).map { Self.isAllowed($0) ? Character($0) : "-" }
        self.text = name.isEmpty ? "-" : String(name)
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// Reads a name. Throws `DecodingError` for a text that is none.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self.init(text)
        guard text == self.text else {
            let problem = "is not 1 to \(Self.longest) letters, digits, spaces and .,_-+()"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", "_", "-", "+", "(", ")": true
        default: false
        }
    }
}

extension TelemetryLabel: CustomStringConvertible {
    /// The name.
    public var description: String { text }
}
