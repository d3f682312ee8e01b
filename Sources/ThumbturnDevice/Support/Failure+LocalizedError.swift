public import ThumbturnCore
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Failure: LocalizedError {
    /// The text for the person, in the first of their languages that has texts.
    public var errorDescription: String? { message.localized }

    /// The next step, in the first of the person's languages that has texts.
    public var recoverySuggestion: String? { recovery.message.localized }
}

extension PersonMessage {
    /// The text in the first of the person's languages that has texts; English where none has.
    public var localized: String { text(in: .best(of: Locale.preferredLanguages)) }
}
