/// A language that the library speaks to people. The raw value is its BCP 47 tag.
public enum MessageLanguage: String, Hashable, Sendable, Codable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case arabic = "ar"

    /// Whether it is written from right to left.
    public var isRightToLeft: Bool { self == .arabic }

    /// The language of a tag such as `de-AT` or `ar_EG` (RFC 5646 section 2.1: only its first part counts); nil for one that has no
    /// texts here.
    public init?(tag: String) {
        let primary = tag.prefix { $0 != "-" && $0 != "_" }
        self.init(rawValue: primary.lowercased())
    }

    /// The first of a person's languages that has texts; English where none has.
    public static func best(of tags: [String]) -> MessageLanguage {
        tags.lazy.compactMap { MessageLanguage(tag: $0) }.first ?? .english
    }
}
