// developer.apple.com/documentation/swiftui/toggle, iOS 13.
public struct Toggle<Label: View>: View, Primitive {
    public typealias Body = Never
    let isOn: Binding<Bool>
    let label: Label

    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) { (self.isOn, self.label) = (isOn, label()) }

    func elements(in context: Context) -> [Shown] {
        let isOn = isOn
        var element = Shown(.toggle, facts: [.init("isOn", "\(isOn.wrappedValue)")])
        if let style = context.environment.toggleStyle, !(style is any BuiltInToggleStyle) {
            element.children = made(by: style, in: context.at("style"))
        } else {
            element.children = shownElements(of: label, in: context.at("label"))
        }
        if context.environment.isEnabled {
            element.tap = context.evaluation.performing { isOn.wrappedValue.toggle() }
            let run = context.evaluation.running
            element.set = { value in run { isOn.wrappedValue = ["true", "on", "1"].contains(value) } }
        }
        return [element]
    }

    private func made<S: ToggleStyle>(by style: S, in context: Context) -> [Shown] {
        var (style, context) = (style, context)
        connect(&style, in: context)
        context.environment.toggleStyle = nil
        let label = label
        let part = ToggleStyleConfiguration.Label(made: { shownElements(of: label, in: $0.at("label")) })
        return shownElements(of: style.makeBody(configuration: .init(label: part, isOn: isOn)), in: context)
    }
}

extension Toggle where Label == Text {
    public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) { self.init(isOn: isOn, label: { Text(titleKey) }) }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {
        self.init(isOn: isOn, label: { Text(title) })
    }
}

// iOS 17.
extension Toggle where Label == StubSwiftUI.Label<Text, Image> {
    public init(_ titleKey: LocalizedStringKey, systemImage: String, isOn: Binding<Bool>) {
        self.init(isOn: isOn, label: { StubSwiftUI.Label(titleKey, systemImage: systemImage) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, systemImage: String, isOn: Binding<Bool>) {
        self.init(isOn: isOn, label: { StubSwiftUI.Label(title, systemImage: systemImage) })
    }
}

// developer.apple.com/documentation/swiftui/togglestyle, iOS 13.
@MainActor @preconcurrency public protocol ToggleStyle {
    associatedtype Body: View
    typealias Configuration = ToggleStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

// developer.apple.com/documentation/swiftui/togglestyleconfiguration, iOS 13.
public struct ToggleStyleConfiguration {
    public struct Label: View, Primitive {
        public typealias Body = Never
        let made: (Context) -> [Shown]
        func elements(in context: Context) -> [Shown] { made(context) }
    }

    public let label: ToggleStyleConfiguration.Label
    @Binding public var isOn: Bool

    init(label: Label, isOn: Binding<Bool>) {
        self.label = label
        _isOn = isOn
    }
}

/// A style of the system's, which is drawn and not made of views.
protocol BuiltInToggleStyle: ToggleStyle {
    static var fact: String { get }
}

extension BuiltInToggleStyle {
    public func makeBody(configuration: ToggleStyleConfiguration) -> some View { configuration.label }
}

public struct DefaultToggleStyle: BuiltInToggleStyle {
    nonisolated public init() {}
    static let fact = "automatic"
}

public struct SwitchToggleStyle: BuiltInToggleStyle {
    nonisolated public init() {}
    static let fact = "switch"
}

// iOS 15.
public struct ButtonToggleStyle: BuiltInToggleStyle {
    nonisolated public init() {}
    static let fact = "button"
}

extension ToggleStyle where Self == DefaultToggleStyle {
    @MainActor public static var automatic: DefaultToggleStyle { DefaultToggleStyle() }
}
extension ToggleStyle where Self == SwitchToggleStyle {
    @MainActor public static var `switch`: SwitchToggleStyle { SwitchToggleStyle() }
}
extension ToggleStyle where Self == ButtonToggleStyle {
    @MainActor public static var button: ButtonToggleStyle { ButtonToggleStyle() }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/togglestyle(_:), iOS 13.
    public func toggleStyle<S: ToggleStyle>(_ style: S) -> some View {
        passing("toggleStyle", (S.self as? any BuiltInToggleStyle.Type)?.fact ?? "\(S.self)") { $0.toggleStyle = style }
    }

    // developer.apple.com/documentation/swiftui/view/labelstyle(_:), iOS 14.
    public func labelStyle<S: LabelStyle>(_ style: S) -> some View {
        around { content, context in
            var context = context
            context.environment.labelStyle = style
            return shownElements(of: content, in: context)
        }
    }
}

// MARK: Text fields

/// A field's element: its title, its content as the fact `value`, and what the return key does.
@MainActor private func field(
    _ kind: Shown.Kind, _ label: [Shown], _ value: Binding<String>, shownAs shown: String, prompt: Text?, in context: Context
) -> Shown {
    var facts: [Shown.Fact] = shown.isEmpty ? [] : [.init("value", shown)]
    if let prompt { facts.append(.init("prompt", prompt.content)) }
    var element = Shown(kind, label.map(\.words).joined(separator: " "), facts: facts)
    guard context.environment.isEnabled else { return element }
    context.evaluation.addFocusable(context.place)
    let (evaluation, submit) = (context.evaluation, context.environment.submit)
    element.set = { text in evaluation.running { value.wrappedValue = text } }
    element.submit = { evaluation.running { for action in submit { action(.text) } } }
    return element
}

// developer.apple.com/documentation/swiftui/textfield, iOS 13; prompts since iOS 15; axis since iOS 16.
public struct TextField<Label: View>: View, Primitive {
    public typealias Body = Never
    let text: Binding<String>
    let prompt: Text?
    let label: Label

    // iOS 15.
    public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        (self.text, self.prompt, self.label) = (text, prompt, label())
    }

    // iOS 16.
    public init(text: Binding<String>, prompt: Text? = nil, axis: Axis, @ViewBuilder label: () -> Label) {
        self.init(text: text, prompt: prompt, label: label)
    }

    func elements(in context: Context) -> [Shown] {
        let label = shownElements(of: label, in: context.at("label"))
        return [field(.textField, label, text, shownAs: text.wrappedValue, prompt: prompt, in: context)]
    }
}

extension TextField where Label == Text {
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) { self.init(text: text, label: { Text(titleKey) }) }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.init(text: text, label: { Text(title) })
    }
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        self.init(text: text, prompt: prompt, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) {
        self.init(text: text, prompt: prompt, label: { Text(title) })
    }
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>, axis: Axis) {
        self.init(text: text, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>, axis: Axis) {
        self.init(text: text, label: { Text(title) })
    }
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?, axis: Axis) {
        self.init(text: text, prompt: prompt, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?, axis: Axis) {
        self.init(text: text, prompt: prompt, label: { Text(title) })
    }
}

// developer.apple.com/documentation/swiftui/securefield, iOS 13; prompts since iOS 15. What is typed shows as dots.
public struct SecureField<Label: View>: View, Primitive {
    public typealias Body = Never
    let text: Binding<String>
    let prompt: Text?
    let label: Label

    // iOS 15.
    public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        (self.text, self.prompt, self.label) = (text, prompt, label())
    }

    func elements(in context: Context) -> [Shown] {
        let label = shownElements(of: label, in: context.at("label"))
        let dots = String(repeating: "•", count: text.wrappedValue.count)
        return [field(.secureField, label, text, shownAs: dots, prompt: prompt, in: context)]
    }
}

extension SecureField where Label == Text {
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) { self.init(text: text, label: { Text(titleKey) }) }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.init(text: text, label: { Text(title) })
    }
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        self.init(text: text, prompt: prompt, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) {
        self.init(text: text, prompt: prompt, label: { Text(title) })
    }
}

// developer.apple.com/documentation/swiftui/textfieldstyle, iOS 13. Apps make none of their own.
@MainActor public protocol TextFieldStyle {
    /// What the tree says of it.
    var _fact: String { get }
}

public struct DefaultTextFieldStyle: TextFieldStyle {
    nonisolated public init() {}
    public var _fact: String { "automatic" }
}

public struct RoundedBorderTextFieldStyle: TextFieldStyle {
    nonisolated public init() {}
    public var _fact: String { "roundedBorder" }
}

public struct PlainTextFieldStyle: TextFieldStyle {
    nonisolated public init() {}
    public var _fact: String { "plain" }
}

extension TextFieldStyle where Self == DefaultTextFieldStyle {
    @MainActor public static var automatic: DefaultTextFieldStyle { DefaultTextFieldStyle() }
}
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
    @MainActor public static var roundedBorder: RoundedBorderTextFieldStyle { RoundedBorderTextFieldStyle() }
}
extension TextFieldStyle where Self == PlainTextFieldStyle {
    @MainActor public static var plain: PlainTextFieldStyle { PlainTextFieldStyle() }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/textfieldstyle(_:), iOS 13.
    public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { noting("textFieldStyle", style._fact) }
}

// MARK: Progress

// developer.apple.com/documentation/swiftui/progressview, iOS 14.
public struct ProgressView<Label: View, CurrentValueLabel: View>: View, Primitive {
    public typealias Body = Never
    let fraction: Double?
    let label: Label?
    let valueLabel: CurrentValueLabel?

    func elements(in context: Context) -> [Shown] {
        let facts: [Shown.Fact] = fraction.map { [.init("value", plain($0))] } ?? []
        return [
            Shown(
                .progress, facts: facts,
                children: shownElements(of: label, in: context.at("label"))
                    + shownElements(of: valueLabel, in: context.at("value")))
        ]
    }
}

extension ProgressView where CurrentValueLabel == EmptyView {
    public init() where Label == EmptyView { self.init(fraction: nil, label: nil, valueLabel: nil) }
    public init(@ViewBuilder label: () -> Label) { self.init(fraction: nil, label: label(), valueLabel: nil) }
    public init(_ titleKey: LocalizedStringKey) where Label == Text { self.init(label: { Text(titleKey) }) }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S) where Label == Text { self.init(label: { Text(title) }) }

    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) where Label == EmptyView {
        self.init(fraction: value.map { Double($0 / total) }, label: nil, valueLabel: nil)
    }
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0, @ViewBuilder label: () -> Label) {
        self.init(fraction: value.map { Double($0 / total) }, label: label(), valueLabel: nil)
    }
    public init<V: BinaryFloatingPoint>(_ titleKey: LocalizedStringKey, value: V?, total: V = 1.0) where Label == Text {
        self.init(value: value, total: total, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol, V: BinaryFloatingPoint>(_ title: S, value: V?, total: V = 1.0)
    where Label == Text {
        self.init(value: value, total: total, label: { Text(title) })
    }
}

// developer.apple.com/documentation/swiftui/progressviewstyle, iOS 14. Apps make none of their own.
@MainActor public protocol ProgressViewStyle {
    /// What the tree says of it.
    var _fact: String { get }
}

public struct DefaultProgressViewStyle: ProgressViewStyle {
    nonisolated public init() {}
    public var _fact: String { "automatic" }
}

public struct CircularProgressViewStyle: ProgressViewStyle {
    nonisolated public init() {}
    public var _fact: String { "circular" }
}

public struct LinearProgressViewStyle: ProgressViewStyle {
    nonisolated public init() {}
    public var _fact: String { "linear" }
}

extension ProgressViewStyle where Self == DefaultProgressViewStyle {
    @MainActor public static var automatic: DefaultProgressViewStyle { DefaultProgressViewStyle() }
}
extension ProgressViewStyle where Self == CircularProgressViewStyle {
    @MainActor public static var circular: CircularProgressViewStyle { CircularProgressViewStyle() }
}
extension ProgressViewStyle where Self == LinearProgressViewStyle {
    @MainActor public static var linear: LinearProgressViewStyle { LinearProgressViewStyle() }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/progressviewstyle(_:), iOS 14.
    public func progressViewStyle<S: ProgressViewStyle>(_ style: S) -> some View { noting("progressViewStyle", style._fact) }
}

// MARK: Choices

// developer.apple.com/documentation/swiftui/picker, iOS 13. Each choice is a button, the chosen one with the trait
// `isSelected`.
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View, Primitive {
    public typealias Body = Never
    let selection: Binding<SelectionValue>
    let label: Label
    let content: Content

    public init(selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.selection, self.label, self.content) = (selection, label(), content())
    }

    func elements(in context: Context) -> [Shown] {
        let selection = selection
        let choices = context.contents(content).map { choice in
            var button = Shown(
                .button, facts: choice.isTagged(selection.wrappedValue) ? [.init("isSelected")] : [], children: [choice])
            if context.environment.isEnabled, let value = choice.tag?.base as? SelectionValue {
                button.tap = context.evaluation.performing { selection.wrappedValue = value }
            }
            return button
        }
        let items = Shown(.group, facts: [.init("items")], children: choices)
        return [Shown(.menu, facts: [.init("picker")], children: shownElements(of: label, in: context.at("label")) + [items])]
    }
}

extension Picker where Label == Text {
    public init(
        _ titleKey: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) {
        self.init(selection: selection, content: content, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) {
        self.init(selection: selection, content: content, label: { Text(title) })
    }
}

extension Shown {
    func isTagged<Value: Hashable>(_ value: Value) -> Bool { (tag?.base as? Value) == value }
}
