/// The mark of the person whose unlocks a report is about: random characters that one account or vault has on one device, for as
/// long as it is one person's.
///
/// Reports carry it while they wait, so that they go only through a sender of that account. It is in no report's JSON.
package struct ReportOwner: Hashable, Sendable, Redacted {
    /// The characters.
    package let text: String

    package init(_ text: String) { self.text = text }
}

extension ReportOwner: Comparable {
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.text < rhs.text }
}

extension ReportOwner: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
