/// An amount in whole minor units of a currency: 12.50 EUR are 1250, 12 JPY are 12. There is no fraction to round.
public struct Money: Hashable, Sendable {
    /// 0 to 999 999 999 999 999: what every JSON number holds exactly.
    public let minor: Int64
    /// Three capital letters (ISO 4217).
    public let currency: String

    /// Nil beyond these bounds.
    public init?(minor: Int64, currency: String) {
        guard (0...999_999_999_999_999).contains(minor), Self.isCurrency(currency) else { return nil }
        self.minor = minor
        self.currency = currency
    }

    /// Whether a text is three capital letters.
    package static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

extension Money: CustomStringConvertible {
    /// For example `1250 minor units of EUR`.
    public var description: String { "\(minor) minor units of \(currency)" }
}
