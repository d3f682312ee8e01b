// MARK: Keys of texts

// developer.apple.com/documentation/swiftui/localizedstringkey, iOS 13. The stand-in has no tables: the key is the text.
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    let text: String

    public init(_ value: String) { text = value }
    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    // developer.apple.com/documentation/swiftui/localizedstringkey/stringinterpolation, iOS 13. It takes no Bool and no
    // enumeration.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) { text += literal }
        public mutating func appendInterpolation(_ string: String) { text += string }
        public mutating func appendInterpolation<T: _FormatSpecifiable>(_ value: T) { text += "\(value)" }
        // iOS 14.
        public mutating func appendInterpolation(_ text: Text) { self.text += text.content }
        // iOS 15.
        public mutating func appendInterpolation<F: FormatStyle>(_ input: F.FormatInput, format: F)
        where F.FormatInput: Equatable, F.FormatOutput == String { text += format.format(input) }
        public mutating func appendInterpolation(_ attributedString: AttributedString) {
            text += String(attributedString.characters)
        }
    }
}

// developer.apple.com/documentation/swiftui/_formatspecifiable, iOS 13.
public protocol _FormatSpecifiable: Equatable {}
extension Int: _FormatSpecifiable {}
extension Int8: _FormatSpecifiable {}
extension Int16: _FormatSpecifiable {}
extension Int32: _FormatSpecifiable {}
extension Int64: _FormatSpecifiable {}
extension UInt: _FormatSpecifiable {}
extension UInt8: _FormatSpecifiable {}
extension UInt16: _FormatSpecifiable {}
extension UInt32: _FormatSpecifiable {}
extension UInt64: _FormatSpecifiable {}
extension Float: _FormatSpecifiable {}
extension Double: _FormatSpecifiable {}
extension CGFloat: _FormatSpecifiable {}

// MARK: Text

// developer.apple.com/documentation/swiftui/text, iOS 13. A literal is a key; a value of a string type is shown as it is.
public struct Text: Equatable, Sendable {
    let content: String
    var facts: [Shown.Fact] = []

    init(content: String, facts: [Shown.Fact] = []) { (self.content, self.facts) = (content, facts) }

    public init(verbatim content: String) { self.content = content }

    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { self.content = String(content) }

    public init(_ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil) {
        content = key.text
    }

    // iOS 15.
    public init(_ attributedContent: AttributedString) { content = String(attributedContent.characters) }

    // iOS 15.
    public init<F: FormatStyle>(_ input: F.FormatInput, format: F) where F.FormatInput: Equatable, F.FormatOutput == String {
        content = format.format(input)
    }

    // iOS 14.
    public init(_ image: Image) { content = image.name }

    // developer.apple.com/documentation/swiftui/text/datestyle, iOS 14.
    public struct DateStyle: Hashable, Sendable {
        let fact: String
        public static let time = DateStyle(fact: "time")
        public static let date = DateStyle(fact: "date")
        public static let relative = DateStyle(fact: "relative")
        public static let offset = DateStyle(fact: "offset")
        public static let timer = DateStyle(fact: "timer")
    }

    public init(_ date: Date, style: DateStyle) {
        content = "\(date.formatted(.iso8601)) \(style.fact)"
    }

    func noting(_ name: String, _ value: String = "") -> Text { Text(content: content, facts: facts + [.init(name, value)]) }

    public static func + (lhs: Text, rhs: Text) -> Text { Text(content: lhs.content + rhs.content, facts: lhs.facts) }

    // developer.apple.com/documentation/swiftui/text: what stays a text, iOS 13 where not said.
    public func font(_ font: Font?) -> Text { noting("font", font?.fact ?? "none") }
    public func fontWeight(_ weight: Font.Weight?) -> Text { noting("fontWeight", weight?.fact ?? "none") }
    public func bold() -> Text { noting("bold") }
    public func italic() -> Text { noting("italic") }
    // iOS 15.
    public func monospacedDigit() -> Text { noting("monospacedDigit") }
    // iOS 17.
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> Text { noting("foregroundStyle", style._fact) }
    // iOS 16.
    public func bold(_ isActive: Bool) -> Text { isActive ? bold() : self }
    public func italic(_ isActive: Bool) -> Text { isActive ? italic() : self }
    public func monospaced(_ isActive: Bool = true) -> Text { isActive ? noting("monospaced") : self }
    public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> Text {
        isActive ? noting("strikethrough") : self
    }
    public func underline(_ isActive: Bool = true, color: Color? = nil) -> Text { isActive ? noting("underline") : self }
    public func kerning(_ kerning: CGFloat) -> Text { noting("kerning", plain(kerning)) }
    public func tracking(_ tracking: CGFloat) -> Text { noting("tracking", plain(tracking)) }

    // iOS 15.
    public func accessibilityLabel(_ label: Text) -> Text { noting("accessibilityLabel", label.content) }
    public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> Text { noting("accessibilityLabel", labelKey.text) }
    @_disfavoredOverload public func accessibilityLabel<S: StringProtocol>(_ label: S) -> Text {
        noting("accessibilityLabel", String(label))
    }

    // developer.apple.com/documentation/swiftui/text/truncationmode, iOS 13.
    public enum TruncationMode: Hashable, Sendable { case head, tail, middle }
    // developer.apple.com/documentation/swiftui/text/case, iOS 14.
    public enum Case: Hashable, Sendable { case uppercase, lowercase }
}

extension Text: View, Primitive {
    public typealias Body = Never
    func elements(in context: Context) -> [Shown] { [Shown(.text, content, facts: facts)] }
}

// MARK: Image

// developer.apple.com/documentation/swiftui/image, iOS 13; systemName since iOS 13 and macOS 11.
public struct Image: Equatable, Sendable {
    let name: String
    var facts: [Shown.Fact] = []

    public init(systemName: String) { name = systemName }
    // iOS 16.
    public init(systemName: String, variableValue: Double?) {
        name = systemName
        if let variableValue { facts.append(.init("variableValue", plain(variableValue))) }
    }
    public init(_ name: String, bundle: Bundle? = nil) { (self.name, facts) = (name, [.init("asset")]) }
    public init(decorative name: String, bundle: Bundle? = nil) {
        (self.name, facts) = (name, [.init("asset"), .init("accessibilityHidden")])
    }
    public init(_ name: String, bundle: Bundle? = nil, label: Text) {
        (self.name, facts) = (name, [.init("asset"), .init("accessibilityLabel", label.content)])
    }

    func noting(_ name: String, _ value: String = "") -> Image {
        var image = self
        image.facts.append(.init(name, value))
        return image
    }

    public enum ResizingMode: Hashable, Sendable { case tile, stretch }
    // developer.apple.com/documentation/swiftui/image/scale, iOS 13.
    public enum Scale: Hashable, Sendable { case small, medium, large }
    // developer.apple.com/documentation/swiftui/image/templaterenderingmode, iOS 13.
    public enum TemplateRenderingMode: Hashable, Sendable { case template, original }

    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image {
        noting("resizable")
    }
    public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image {
        noting("renderingMode", renderingMode.map { "\($0)" } ?? "none")
    }
    // iOS 15.
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> Image {
        noting("symbolRenderingMode", mode?.fact ?? "none")
    }
}

extension Image: View, Primitive {
    public typealias Body = Never
    func elements(in context: Context) -> [Shown] { [Shown(.symbol, name, facts: facts)] }
}

// developer.apple.com/documentation/swiftui/symbolrenderingmode, iOS 15.
public struct SymbolRenderingMode: Sendable {
    let fact: String
    public static let monochrome = SymbolRenderingMode(fact: "monochrome")
    public static let multicolor = SymbolRenderingMode(fact: "multicolor")
    public static let hierarchical = SymbolRenderingMode(fact: "hierarchical")
    public static let palette = SymbolRenderingMode(fact: "palette")
}

// MARK: Label

// developer.apple.com/documentation/swiftui/label, iOS 14.
public struct Label<Title: View, Icon: View>: View, Primitive {
    public typealias Body = Never
    let title: Title
    let icon: Icon

    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
        self.title = title()
        self.icon = icon()
    }

    func elements(in context: Context) -> [Shown] {
        let style = context.environment.labelStyle ?? DefaultLabelStyle()
        return labelElements(of: style, in: context)
    }

    private func labelElements<S: LabelStyle>(of style: S, in context: Context) -> [Shown] {
        let (title, icon) = (shownElements(of: title, in: context.at("title")), shownElements(of: icon, in: context.at("icon")))
        switch style {
        case is IconOnlyLabelStyle:
            // What is heard is the title.
            return icon.map { symbol in
                var symbol = symbol
                symbol.facts.append(.init("accessibilityLabel", title.first?.text ?? ""))
                return symbol
            }
        case is TitleOnlyLabelStyle: return title
        case is DefaultLabelStyle, is TitleAndIconLabelStyle:
            // The symbol of a label is not read out.
            return [Shown(.horizontal, facts: [.init("label")], children: icon.map(\.unheard) + title)]
        default:
            var (style, context) = (style, context.at("style"))
            connect(&style, in: context)
            context.environment.labelStyle = nil
            let (titleView, iconView) = (self.title, self.icon)
            let configuration = LabelStyleConfiguration(
                title: .init(made: { shownElements(of: titleView, in: $0.at("title")) }),
                icon: .init(made: { shownElements(of: iconView, in: $0.at("icon")).map(\.unheard) }))
            return shownElements(of: style.makeBody(configuration: configuration), in: context)
        }
    }
}

extension Shown {
    /// The same, passed over by VoiceOver.
    var unheard: Shown {
        var copy = self
        if !copy.facts.contains(.init("accessibilityHidden")) { copy.facts.append(.init("accessibilityHidden")) }
        return copy
    }
}

extension Label where Title == Text, Icon == Image {
    public init(_ titleKey: LocalizedStringKey, systemImage name: String) {
        self.init(title: { Text(titleKey) }, icon: { Image(systemName: name) })
    }

    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, systemImage name: String) {
        self.init(title: { Text(title) }, icon: { Image(systemName: name) })
    }

    public init(_ titleKey: LocalizedStringKey, image name: String) {
        self.init(title: { Text(titleKey) }, icon: { Image(name) })
    }

    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, image name: String) {
        self.init(title: { Text(title) }, icon: { Image(name) })
    }
}

extension Label where Title == LabelStyleConfiguration.Title, Icon == LabelStyleConfiguration.Icon {
    public init(_ configuration: LabelStyleConfiguration) {
        self.init(title: { configuration.title }, icon: { configuration.icon })
    }
}

// developer.apple.com/documentation/swiftui/labelstyle, iOS 14.
@MainActor @preconcurrency public protocol LabelStyle {
    associatedtype Body: View
    typealias Configuration = LabelStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

// developer.apple.com/documentation/swiftui/labelstyleconfiguration, iOS 14.
public struct LabelStyleConfiguration {
    public struct Title: View, Primitive {
        public typealias Body = Never
        let made: (Context) -> [Shown]
        func elements(in context: Context) -> [Shown] { made(context) }
    }

    public struct Icon: View, Primitive {
        public typealias Body = Never
        let made: (Context) -> [Shown]
        func elements(in context: Context) -> [Shown] { made(context) }
    }

    public let title: Title
    public let icon: Icon
}

public struct DefaultLabelStyle: LabelStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { Label(configuration) }
}

public struct IconOnlyLabelStyle: LabelStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { configuration.icon }
}

public struct TitleOnlyLabelStyle: LabelStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { configuration.title }
}

// iOS 14.5.
public struct TitleAndIconLabelStyle: LabelStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { Label(configuration) }
}

extension LabelStyle where Self == DefaultLabelStyle {
    @MainActor public static var automatic: DefaultLabelStyle { DefaultLabelStyle() }
}
extension LabelStyle where Self == IconOnlyLabelStyle {
    @MainActor public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}
extension LabelStyle where Self == TitleOnlyLabelStyle {
    @MainActor public static var titleOnly: TitleOnlyLabelStyle { TitleOnlyLabelStyle() }
}
extension LabelStyle where Self == TitleAndIconLabelStyle {
    @MainActor public static var titleAndIcon: TitleAndIconLabelStyle { TitleAndIconLabelStyle() }
}
