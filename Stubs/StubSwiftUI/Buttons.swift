// developer.apple.com/documentation/swiftui/button, iOS 13; roles since iOS 15; titles with a symbol since iOS 17.
public struct Button<Label: View>: View, Primitive {
    public typealias Body = Never
    let role: ButtonRole?
    let action: @MainActor () -> Void
    let label: Label

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.role, self.action, self.label) = (nil, action, label())
    }

    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.role, self.action, self.label) = (role, action, label())
    }

    func elements(in context: Context) -> [Shown] {
        let action = action
        let tap = context.evaluation.performing { action() }
        let facts: [Shown.Fact] = role.map { [.init("role", $0.fact)] } ?? []
        let inner = context.at("button")
        switch context.environment.buttonStyle {
        case .some(.custom(let style)):
            var element = Shown(.button, facts: facts, children: made(by: style, in: inner))
            if context.environment.isEnabled { element.tap = tap }
            return [element]
        case .some(.primitive(let style)) where !(style is any BuiltInButtonStyle):
            return made(by: style, tap: tap, in: inner)
        case .some(.primitive), .none:
            var element = Shown(.button, facts: facts, children: shownElements(of: label, in: inner))
            if context.environment.isEnabled { element.tap = tap }
            return [element]
        }
    }

    private func made<S: ButtonStyle>(by style: S, in context: Context) -> [Shown] {
        var style = style
        connect(&style, in: context.at("style"))
        let label = label
        let part = ButtonStyleConfiguration.Label(made: { shownElements(of: label, in: $0.at("label")) })
        let configuration = ButtonStyleConfiguration(role: role, label: part, isPressed: false)
        return shownElements(of: style.makeBody(configuration: configuration), in: context.at("style"))
    }

    private func made<S: PrimitiveButtonStyle>(
        by style: S, tap: @escaping @MainActor () -> Void, in context: Context
    ) -> [Shown] {
        var (style, context) = (style, context)
        connect(&style, in: context.at("style"))
        // The style's own buttons have the automatic style.
        context.environment.buttonStyle = nil
        let label = label
        let part = PrimitiveButtonStyleConfiguration.Label(made: { shownElements(of: label, in: $0.at("label")) })
        let configuration = PrimitiveButtonStyleConfiguration(role: role, label: part, action: tap)
        return shownElements(of: style.makeBody(configuration: configuration), in: context.at("style"))
    }
}

extension Button where Label == Text {
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        self.init(action: action, label: { Text(title) })
    }
    public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        self.init(role: role, action: action, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) {
        self.init(role: role, action: action, label: { Text(title) })
    }
}

extension Button where Label == StubSwiftUI.Label<Text, Image> {
    public init(_ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) {
        self.init(action: action, label: { StubSwiftUI.Label(titleKey, systemImage: systemImage) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, systemImage: String, action: @escaping @MainActor () -> Void
    ) {
        self.init(action: action, label: { StubSwiftUI.Label(title, systemImage: systemImage) })
    }
    public init(
        _ titleKey: LocalizedStringKey, systemImage: String, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) {
        self.init(role: role, action: action, label: { StubSwiftUI.Label(titleKey, systemImage: systemImage) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, systemImage: String, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) {
        self.init(role: role, action: action, label: { StubSwiftUI.Label(title, systemImage: systemImage) })
    }
}

extension Button where Label == PrimitiveButtonStyleConfiguration.Label {
    public init(_ configuration: PrimitiveButtonStyleConfiguration) {
        self.init(role: configuration.role, action: { configuration.trigger() }, label: { configuration.label })
    }
}

// MARK: Styles

// developer.apple.com/documentation/swiftui/buttonstyle, iOS 13.
@MainActor @preconcurrency public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

// developer.apple.com/documentation/swiftui/buttonstyleconfiguration, iOS 13.
public struct ButtonStyleConfiguration {
    public struct Label: View, Primitive {
        public typealias Body = Never
        let made: (Context) -> [Shown]
        func elements(in context: Context) -> [Shown] { made(context) }
    }

    // iOS 15.
    public let role: ButtonRole?
    public let label: ButtonStyleConfiguration.Label
    public let isPressed: Bool
}

// developer.apple.com/documentation/swiftui/primitivebuttonstyle, iOS 13.
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {
    associatedtype Body: View
    typealias Configuration = PrimitiveButtonStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

// developer.apple.com/documentation/swiftui/primitivebuttonstyleconfiguration, iOS 13.
public struct PrimitiveButtonStyleConfiguration {
    public struct Label: View, Primitive {
        public typealias Body = Never
        let made: (Context) -> [Shown]
        func elements(in context: Context) -> [Shown] { made(context) }
    }

    // iOS 15.
    public let role: ButtonRole?
    public let label: PrimitiveButtonStyleConfiguration.Label
    let action: @MainActor () -> Void

    @MainActor @preconcurrency public func trigger() { action() }
}

/// The style of the buttons in a place.
enum ButtonLook {
    case custom(any ButtonStyle)
    case primitive(any PrimitiveButtonStyle)
}

/// A style of the system's, which is drawn and not made of views.
protocol BuiltInButtonStyle: PrimitiveButtonStyle {
    static var fact: String { get }
}

extension BuiltInButtonStyle {
    public func makeBody(configuration: PrimitiveButtonStyleConfiguration) -> some View {
        Button(configuration).buttonStyle(self)
    }
}

// developer.apple.com/documentation/swiftui/defaultbuttonstyle, iOS 13.
public struct DefaultButtonStyle: BuiltInButtonStyle {
    nonisolated public init() {}
    static let fact = "automatic"
}

// developer.apple.com/documentation/swiftui/borderedprominentbuttonstyle, iOS 15.
public struct BorderedProminentButtonStyle: BuiltInButtonStyle {
    nonisolated public init() {}
    static let fact = "borderedProminent"
}

// developer.apple.com/documentation/swiftui/borderedbuttonstyle, iOS 15.
public struct BorderedButtonStyle: BuiltInButtonStyle {
    nonisolated public init() {}
    static let fact = "bordered"
}

// developer.apple.com/documentation/swiftui/borderlessbuttonstyle, iOS 13.
public struct BorderlessButtonStyle: BuiltInButtonStyle {
    nonisolated public init() {}
    static let fact = "borderless"
}

// developer.apple.com/documentation/swiftui/plainbuttonstyle, iOS 13.
public struct PlainButtonStyle: BuiltInButtonStyle {
    nonisolated public init() {}
    static let fact = "plain"
}

extension PrimitiveButtonStyle where Self == DefaultButtonStyle {
    @MainActor public static var automatic: DefaultButtonStyle { DefaultButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    @MainActor public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    @MainActor public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    @MainActor public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    @MainActor public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/buttonstyle(_:), iOS 13.
    public func buttonStyle<S: ButtonStyle>(_ style: S) -> some View {
        passing("buttonStyle", "\(S.self)") { $0.buttonStyle = .custom(style) }
    }

    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
        passing("buttonStyle", (S.self as? any BuiltInButtonStyle.Type)?.fact ?? "\(S.self)") {
            $0.buttonStyle = .primitive(style)
        }
    }

    // developer.apple.com/documentation/swiftui/view/buttonbordershape(_:), iOS 15.
    public func buttonBorderShape(_ shape: ButtonBorderShape) -> some View { noting("buttonBorderShape", shape.fact) }
}

// developer.apple.com/documentation/swiftui/buttonbordershape, iOS 15; circle since iOS 17.
public struct ButtonBorderShape: Equatable, Sendable {
    let fact: String
    public static let automatic = ButtonBorderShape(fact: "automatic")
    public static let capsule = ButtonBorderShape(fact: "capsule")
    public static let roundedRectangle = ButtonBorderShape(fact: "roundedRectangle")
    public static func roundedRectangle(radius: CGFloat) -> ButtonBorderShape {
        .init(fact: "roundedRectangle \(plain(radius))")
    }
    public static let circle = ButtonBorderShape(fact: "circle")
}

// MARK: Links and menus

// developer.apple.com/documentation/swiftui/link, iOS 14.
public struct Link<Label: View>: View, Primitive {
    public typealias Body = Never
    let label: Label
    let destination: URL

    public init(destination: URL, @ViewBuilder label: () -> Label) { (self.destination, self.label) = (destination, label()) }

    func elements(in context: Context) -> [Shown] {
        var element = Shown(
            .button, facts: [.init("link", destination.absoluteString)],
            children: shownElements(of: label, in: context.at("label")))
        let (open, destination) = (context.environment.openURL, destination)
        if context.environment.isEnabled { element.tap = context.evaluation.performing { open(destination) } }
        return [element]
    }
}

extension Link where Label == Text {
    public init(_ titleKey: LocalizedStringKey, destination: URL) {
        self.init(destination: destination, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, destination: URL) {
        self.init(destination: destination, label: { Text(title) })
    }
}

// developer.apple.com/documentation/swiftui/menu, iOS 14. Its label comes first, then what it opens as a group with the fact
// `items`.
public struct Menu<Label: View, Content: View>: View, Primitive {
    public typealias Body = Never
    let label: Label
    let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.label, self.content) = (label(), content())
    }

    func elements(in context: Context) -> [Shown] {
        var inner = context
        inner.environment.buttonStyle = nil
        let items = Shown(.group, facts: [.init("items")], children: inner.contents(content))
        return [Shown(.menu, children: shownElements(of: label, in: context.at("label")) + [items])]
    }
}

extension Menu where Label == Text {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { Text(title) })
    }
}

// iOS 17.
extension Menu where Label == StubSwiftUI.Label<Text, Image> {
    public init(_ titleKey: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { StubSwiftUI.Label(titleKey, systemImage: systemImage) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, systemImage: String, @ViewBuilder content: () -> Content
    ) {
        self.init(content: content, label: { StubSwiftUI.Label(title, systemImage: systemImage) })
    }
}
