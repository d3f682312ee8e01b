/// A language of the library's texts. The raw value is its BCP 47 tag.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum MessageLanguage: String, Hashable, Sendable, Codable, CaseIterable {
    /// English.
    case english = "en"
    /// German.
    case german = "de"
    /// French.
    case french = "fr"
    /// Spanish.
    case spanish = "es"
    /// Arabic.
    case arabic = "ar"

    /// Whether the language is written from right to left.
    public var isRightToLeft: Bool { self == .arabic }

    /// The language of a tag such as `de-AT` or `ar_EG` (RFC 5646 section 2.1: only the first part counts); nil for a
    /// language without texts here.
    public init?(tag: String) {
        let primary = tag.prefix { $0 != "-" && $0 != "_" }
        self.init(rawValue: primary.lowercased())
    }

    /// The first of a person's languages that has texts here; English where none has.
    public static func best(of tags: [String]) -> MessageLanguage {
        tags.lazy.compactMap { MessageLanguage(tag: $0) }.first ?? .english
    }
}

extension MessageLanguage: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
