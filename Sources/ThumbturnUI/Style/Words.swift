#if canImport(SwiftUI)
public import SwiftUI
public import ThumbturnCore

/// The texts of the library's views, in the language of the environment.
///
/// The language is the one of `locale`, which is the app's, or the one of `messageLanguage(_:)`. English where there are no texts in
/// it. An app replaces texts with `messageTexts(_:)`.
@MainActor struct Words: DynamicProperty {
    @Environment(\.locale) private var locale
    @Environment(\.messageLanguage) private var chosen
    @Environment(\.messageTexts) private var replaced

    init() {}

    var language: MessageLanguage { chosen ?? .best(of: [locale.identifier]) }

    func callAsFunction(_ message: PersonMessage) -> String {
        replaced?(message, language) ?? message.text(in: language)
    }

    func callAsFunction(_ message: PersonMessage?) -> String? { message.map { self($0) } }

    func callAsFunction(_ key: MessageKey) -> String { self(PersonMessage(key)) }
}

/// Replaces a text of the library: the message, the language, and the new text or nil where the library's own stays.
public typealias MessageTexts = @Sendable (_ message: PersonMessage, _ language: MessageLanguage) -> String?

extension EnvironmentValues {
    /// The language of the library's texts; nil for the one of `locale`.
    public var messageLanguage: MessageLanguage? {
        get { self[MessageLanguageKey.self] }
        set { self[MessageLanguageKey.self] = newValue }
    }

    /// What replaces texts of the library; nil where none is replaced.
    public var messageTexts: MessageTexts? {
        get { self[MessageTextsKey.self] }
        set { self[MessageTextsKey.self] = newValue }
    }
}

private struct MessageLanguageKey: EnvironmentKey {
    static let defaultValue: MessageLanguage? = nil
}

private struct MessageTextsKey: EnvironmentKey {
    static let defaultValue: MessageTexts? = nil
}

extension View {
    /// Sets the language of the library's texts in this view. Without it they are in the language of the app.
    public func messageLanguage(_ language: MessageLanguage) -> some View { environment(\.messageLanguage, language) }

    /// Replaces texts of the library in this view.
    ///
    ///     .messageTexts { message, _ in message.id == "usePIN" ? "Use the Acme PIN" : nil }
    ///
    /// Texts have to stay neutral: they never say that a person failed.
    ///
    /// - Parameter texts: returns the new text, or nil where the library's own stays.
    public func messageTexts(_ texts: @escaping MessageTexts) -> some View { environment(\.messageTexts, texts) }
}
#endif
