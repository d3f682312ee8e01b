// Each is at developer.apple.com/documentation/swiftui/view/ under its name, and of iOS 13 where nothing else is said.

extension View {
    // MARK: Text

    // developer.apple.com/documentation/swiftui/view/font(_:), iOS 13.
    public func font(_ font: Font?) -> some View { passing("font", font?.fact ?? "none") { $0.font = font } }
    // iOS 16.
    public func fontWeight(_ weight: Font.Weight?) -> some View { noting("fontWeight", weight?.fact ?? "none") }
    public func fontDesign(_ design: Font.Design?) -> some View { noting("fontDesign", design.map { "\($0)" } ?? "none") }
    public func bold(_ isActive: Bool = true) -> some View { only(isActive, "bold") }
    public func italic(_ isActive: Bool = true) -> some View { only(isActive, "italic") }
    public func monospaced(_ isActive: Bool = true) -> some View { only(isActive, "monospaced") }
    public func underline(_ isActive: Bool = true, color: Color? = nil) -> some View { only(isActive, "underline") }
    public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> some View { only(isActive, "strikethrough") }
    // iOS 15.
    public func monospacedDigit() -> some View { noting("monospacedDigit") }

    /// Says something where a condition holds.
    private func only(_ isActive: Bool, _ name: String) -> some View {
        eachChanged { element, _ in if isActive { element.facts.append(.init(name)) } }
    }

    // iOS 13.
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View {
        passing("multilineTextAlignment", "\(alignment)") { $0.multilineTextAlignment = alignment }
    }
    public func lineLimit(_ number: Int?) -> some View {
        passing("lineLimit", number.map(String.init) ?? "none") { $0.lineLimit = number }
    }
    // iOS 16.
    public func lineLimit(_ limit: Int, reservesSpace: Bool) -> some View { noting("lineLimit", "\(limit)") }
    public func lineLimit(_ limit: ClosedRange<Int>) -> some View {
        noting("lineLimit", "\(limit.lowerBound) to \(limit.upperBound)")
    }
    public func lineSpacing(_ lineSpacing: CGFloat) -> some View { noting("lineSpacing", plain(lineSpacing)) }
    public func minimumScaleFactor(_ factor: CGFloat) -> some View {
        passing("minimumScaleFactor", plain(factor)) { $0.minimumScaleFactor = factor }
    }
    public func truncationMode(_ mode: Text.TruncationMode) -> some View { noting("truncationMode", "\(mode)") }
    public func allowsTightening(_ flag: Bool) -> some View { only(flag, "allowsTightening") }
    // iOS 14.
    public func textCase(_ textCase: Text.Case?) -> some View { noting("textCase", textCase.map { "\($0)" } ?? "none") }
    // developer.apple.com/documentation/swiftui/view/textselection(_:), iOS 15.
    public func textSelection<S: TextSelectability>(_ selectability: S) -> some View {
        eachChanged { element, _ in if S.allowsSelection { element.facts.append(.init("textSelection", "enabled")) } }
    }

    // MARK: Colour

    // developer.apple.com/documentation/swiftui/view/foregroundstyle(_:), iOS 15.
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { noting("foregroundStyle", style._fact) }
    public func foregroundStyle<S1: ShapeStyle, S2: ShapeStyle>(_ primary: S1, _ secondary: S2) -> some View {
        noting("foregroundStyle", "\(primary._fact), \(secondary._fact)")
    }
    public func foregroundStyle<S1: ShapeStyle, S2: ShapeStyle, S3: ShapeStyle>(
        _ primary: S1, _ secondary: S2, _ tertiary: S3
    ) -> some View { noting("foregroundStyle", "\(primary._fact), \(secondary._fact), \(tertiary._fact)") }

    // developer.apple.com/documentation/swiftui/view/backgroundstyle(_:), iOS 16.
    public func backgroundStyle<S: ShapeStyle>(_ style: S) -> some View { noting("backgroundStyle", style._fact) }

    // developer.apple.com/documentation/swiftui/view/tint(_:), iOS 15; with a style since iOS 16.
    public func tint(_ tint: Color?) -> some View { noting("tint", tint?._fact ?? "none") }
    public func tint<S: ShapeStyle>(_ tint: S?) -> some View { noting("tint", tint?._fact ?? "none") }

    // developer.apple.com/documentation/swiftui/view/preferredcolorscheme(_:), iOS 13.
    public func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View {
        noting("preferredColorScheme", colorScheme.map { "\($0)" } ?? "none")
    }

    // developer.apple.com/documentation/swiftui/view/opacity(_:), iOS 13. What is not visible cannot be tapped.
    public func opacity(_ opacity: Double) -> some View {
        eachChanged { element, _ in
            if opacity == 0 { element = element.untouchable }
            if opacity != 1 { element.facts.append(.init("opacity", plain(opacity))) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/hidden(), iOS 13. It keeps its room.
    public func hidden() -> some View {
        eachChanged { element, _ in
            element = element.untouchable
            element.facts.append(.init("hidden"))
        }
    }

    // MARK: Whether it can be used

    // developer.apple.com/documentation/swiftui/view/disabled(_:), iOS 13. An outer `disabled(false)` does not enable.
    public func disabled(_ disabled: Bool) -> some View {
        around { content, context in
            var context = context
            context.environment.isEnabled = context.environment.isEnabled && !disabled
            var elements = shownElements(of: content, in: context)
            if disabled { for index in elements.indices { elements[index].facts.append(.init("disabled")) } }
            return elements
        }
    }

    // developer.apple.com/documentation/swiftui/view/allowshittesting(_:), iOS 13.
    public func allowsHitTesting(_ enabled: Bool) -> some View {
        eachChanged { element, _ in
            guard !enabled else { return }
            element = element.untouchable
            element.facts.append(.init("allowsHitTesting", "false"))
        }
    }

    // developer.apple.com/documentation/swiftui/view/controlsize(_:), iOS 15.
    public func controlSize(_ controlSize: ControlSize) -> some View {
        passing("controlSize", "\(controlSize)") { $0.controlSize = controlSize }
    }

    // developer.apple.com/documentation/swiftui/view/dynamictypesize(_:), iOS 15.
    public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View {
        passing("dynamicTypeSize", "\(size)") { $0.dynamicTypeSize = size }
    }

    public func dynamicTypeSize<T: RangeExpression>(_ range: T) -> some View where T.Bound == DynamicTypeSize {
        around { content, context in
            var context = context
            let size = context.environment.dynamicTypeSize
            if !range.contains(size) {
                let allowed = DynamicTypeSize.allCases.filter { range.contains($0) }
                if let first = allowed.first, let last = allowed.last {
                    context.environment.dynamicTypeSize = size < first ? first : last
                }
            }
            return shownElements(of: content, in: context)
        }
    }

    // MARK: Symbols and movement

    // developer.apple.com/documentation/swiftui/view/symbolrenderingmode(_:), iOS 15.
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> some View {
        noting("symbolRenderingMode", mode?.fact ?? "none")
    }
    // iOS 15.
    public func symbolVariant(_ variant: SymbolVariants) -> some View { noting("symbolVariant", variant.fact) }
    // developer.apple.com/documentation/swiftui/view/imagescale(_:), iOS 13.
    public func imageScale(_ scale: Image.Scale) -> some View { noting("imageScale", "\(scale)") }

    // developer.apple.com/documentation/swiftui/view/symboleffect(_:options:value:), iOS 17. Movement is not in the tree.
    public func symbolEffect<T: DiscreteSymbolEffect & SymbolEffect, U: Equatable>(
        _ effect: T, options: SymbolEffectOptions = .default, value: U
    ) -> some View { changed { _, _ in } }

    // developer.apple.com/documentation/swiftui/view/symboleffect(_:options:isactive:), iOS 17.
    public func symbolEffect<T: IndefiniteSymbolEffect & SymbolEffect>(
        _ effect: T, options: SymbolEffectOptions = .default, isActive: Bool = true
    ) -> some View {
        eachChanged { element, _ in if isActive { element.facts.append(.init("symbolEffect", T.fact)) } }
    }

    // developer.apple.com/documentation/swiftui/view/transition(_:), iOS 13; with a Transition since iOS 17.
    public func transition(_ t: AnyTransition) -> some View { noting("transition", t.fact) }
    public func transition<T: Transition>(_ transition: T) -> some View { noting("transition", transition._fact) }

    // developer.apple.com/documentation/swiftui/view/contenttransition(_:), iOS 16.
    public func contentTransition(_ transition: ContentTransition) -> some View {
        noting("contentTransition", transition.fact)
    }

    // developer.apple.com/documentation/swiftui/view/animation(_:value:), iOS 13.
    public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View {
        noting("animation", animation?.fact ?? "none")
    }

    // MARK: Identity

    // developer.apple.com/documentation/swiftui/view/id(_:), iOS 13. Another identity is another view, with new state.
    public func id<ID: Hashable>(_ id: ID) -> some View {
        around { content, context in shownElements(of: content, in: context.at(id)) }
    }

    // developer.apple.com/documentation/swiftui/view/tag(_:includeoptional:), iOS 13.
    public func tag<V: Hashable>(_ tag: V, includeOptional: Bool = true) -> some View {
        eachChanged { element, _ in element.tag = AnyHashable(tag) }
    }

    // MARK: Lists and scrolling

    // developer.apple.com/documentation/swiftui/view/liststyle(_:), iOS 13.
    public func listStyle<S: ListStyle>(_ style: S) -> some View { noting("listStyle", style._fact) }
    // developer.apple.com/documentation/swiftui/view/formstyle(_:), iOS 16.
    public func formStyle<S: FormStyle>(_ style: S) -> some View { noting("formStyle", style._fact) }
    // developer.apple.com/documentation/swiftui/view/listrowbackground(_:), iOS 13.
    public func listRowBackground<V: View>(_ view: V?) -> some View {
        eachChanged { element, context in
            if let made = view.map({ shownElement(of: $0, in: context.at("row")) }) {
                element.facts.append(.init("listRowBackground", made.text))
            }
        }
    }
    public func listRowInsets(_ insets: EdgeInsets?) -> some View { noting("listRowInsets", insets?.fact ?? "none") }
    // developer.apple.com/documentation/swiftui/view/listrowseparator(_:edges:), iOS 15, macOS 13.
    public func listRowSeparator(_ visibility: Visibility, edges: VerticalEdge.Set = .all) -> some View {
        noting("listRowSeparator", "\(visibility)")
    }
    // iOS 16.
    public func scrollBounceBehavior(_ behavior: ScrollBounceBehavior, axes: Axis.Set = [.vertical]) -> some View {
        noting("scrollBounceBehavior", behavior.fact)
    }
    public func scrollContentBackground(_ visibility: Visibility) -> some View {
        noting("scrollContentBackground", "\(visibility)")
    }
    public func scrollIndicators(
        _ visibility: ScrollIndicatorVisibility, axes: Axis.Set = [.vertical, .horizontal]
    ) -> some View {
        noting("scrollIndicators", visibility.fact)
    }
    public func scrollDisabled(_ disabled: Bool) -> some View { only(disabled, "scrollDisabled") }

    // MARK: Privacy

    // developer.apple.com/documentation/swiftui/view/privacysensitive(_:), iOS 15.
    public func privacySensitive(_ sensitive: Bool = true) -> some View { only(sensitive, "privacySensitive") }

    // developer.apple.com/documentation/swiftui/view/redacted(reason:), iOS 14.
    public func redacted(reason: RedactionReasons) -> some View {
        around { content, context in
            var context = context
            context.environment.redactionReasons.formUnion(reason)
            var elements = shownElements(of: content, in: context)
            if !reason.isEmpty {
                for index in elements.indices { elements[index].facts.append(.init("redacted", reason.fact)) }
            }
            return elements
        }
    }

    public func unredacted() -> some View {
        passing("unredacted") { $0.redactionReasons = [] }
    }

    // developer.apple.com/documentation/swiftui/view/autocorrectiondisabled(_:), iOS 13.
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { only(disable, "autocorrectionDisabled") }

    // developer.apple.com/documentation/swiftui/view/labelshidden(), iOS 13. Labels are not drawn, and still read out.
    public func labelsHidden() -> some View { noting("labelsHidden") }

    // developer.apple.com/documentation/swiftui/view/help(_:), iOS 14.
    public func help(_ textKey: LocalizedStringKey) -> some View { noting("help", textKey.text) }
    public func help(_ text: Text) -> some View { noting("help", text.content) }
    @_disfavoredOverload public func help<S: StringProtocol>(_ text: S) -> some View { noting("help", String(text)) }
}

// developer.apple.com/documentation/swiftui/textselectability, iOS 15.
public protocol TextSelectability {
    static var allowsSelection: Bool { get }
}

public struct EnabledTextSelectability: TextSelectability {
    public static let allowsSelection = true
}

public struct DisabledTextSelectability: TextSelectability {
    public static let allowsSelection = false
}

extension TextSelectability where Self == EnabledTextSelectability {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}
extension TextSelectability where Self == DisabledTextSelectability {
    public static var disabled: DisabledTextSelectability { DisabledTextSelectability() }
}

// developer.apple.com/documentation/swiftui/symbolvariants, iOS 15.
public struct SymbolVariants: Hashable, Sendable {
    let fact: String
    public static let none = SymbolVariants(fact: "none")
    public static let circle = SymbolVariants(fact: "circle")
    public static let square = SymbolVariants(fact: "square")
    public static let rectangle = SymbolVariants(fact: "rectangle")
    public static let fill = SymbolVariants(fact: "fill")
    public static let slash = SymbolVariants(fact: "slash")
}

// developer.apple.com/documentation/symbols/symboleffect, iOS 17.
public protocol SymbolEffect: Hashable, Sendable {
    /// What the tree says of it.
    static var fact: String { get }
}
public protocol DiscreteSymbolEffect {}
public protocol IndefiniteSymbolEffect {}
public struct SymbolEffectOptions: Equatable, Sendable {
    public static let `default` = SymbolEffectOptions()
    public static let repeating = SymbolEffectOptions()
    public static let nonRepeating = SymbolEffectOptions()
}
public struct PulseSymbolEffect: SymbolEffect, DiscreteSymbolEffect, IndefiniteSymbolEffect {
    public static let fact = "pulse"
}
public struct BounceSymbolEffect: SymbolEffect, DiscreteSymbolEffect, IndefiniteSymbolEffect {
    public static let fact = "bounce"
}
public struct VariableColorSymbolEffect: SymbolEffect, DiscreteSymbolEffect, IndefiniteSymbolEffect {
    public static let fact = "variableColor"
}
extension SymbolEffect where Self == PulseSymbolEffect {
    public static var pulse: PulseSymbolEffect { PulseSymbolEffect() }
}
extension SymbolEffect where Self == BounceSymbolEffect {
    public static var bounce: BounceSymbolEffect { BounceSymbolEffect() }
}
extension SymbolEffect where Self == VariableColorSymbolEffect {
    public static var variableColor: VariableColorSymbolEffect { VariableColorSymbolEffect() }
}

// developer.apple.com/documentation/swiftui/transition, iOS 17. Apps make none of their own.
@MainActor @preconcurrency public protocol Transition {
    /// What the tree says of it.
    var _fact: String { get }
}
public struct OpacityTransition: Transition {
    nonisolated public init() {}
    public var _fact: String { "opacity" }
}
public struct IdentityTransition: Transition {
    nonisolated public init() {}
    public var _fact: String { "identity" }
}
public struct SlideTransition: Transition {
    nonisolated public init() {}
    public var _fact: String { "slide" }
}
public struct BlurReplaceTransition: Transition {
    nonisolated public init() {}
    public var _fact: String { "blurReplace" }
}
extension Transition where Self == OpacityTransition {
    @MainActor @preconcurrency public static var opacity: OpacityTransition { OpacityTransition() }
}
extension Transition where Self == IdentityTransition {
    @MainActor @preconcurrency public static var identity: IdentityTransition { IdentityTransition() }
}
extension Transition where Self == SlideTransition {
    @MainActor @preconcurrency public static var slide: SlideTransition { SlideTransition() }
}
extension Transition where Self == BlurReplaceTransition {
    @MainActor @preconcurrency public static var blurReplace: BlurReplaceTransition { BlurReplaceTransition() }
}

// developer.apple.com/documentation/swiftui/liststyle, iOS 13. Apps make none of their own.
@MainActor public protocol ListStyle {
    /// What the tree says of it.
    var _fact: String { get }
}
public struct DefaultListStyle: ListStyle {
    nonisolated public init() {}
    public var _fact: String { "automatic" }
}
public struct PlainListStyle: ListStyle {
    nonisolated public init() {}
    public var _fact: String { "plain" }
}
public struct InsetListStyle: ListStyle {
    nonisolated public init() {}
    public var _fact: String { "inset" }
}
public struct SidebarListStyle: ListStyle {
    nonisolated public init() {}
    public var _fact: String { "sidebar" }
}
extension ListStyle where Self == DefaultListStyle {
    @MainActor public static var automatic: DefaultListStyle { DefaultListStyle() }
}
extension ListStyle where Self == PlainListStyle {
    @MainActor public static var plain: PlainListStyle { PlainListStyle() }
}
extension ListStyle where Self == InsetListStyle {
    @MainActor public static var inset: InsetListStyle { InsetListStyle() }
}
extension ListStyle where Self == SidebarListStyle {
    @MainActor public static var sidebar: SidebarListStyle { SidebarListStyle() }
}

// developer.apple.com/documentation/swiftui/formstyle, iOS 16. Apps make none of their own.
@MainActor public protocol FormStyle {
    /// What the tree says of it.
    var _fact: String { get }
}
public struct AutomaticFormStyle: FormStyle {
    nonisolated public init() {}
    public var _fact: String { "automatic" }
}
public struct GroupedFormStyle: FormStyle {
    nonisolated public init() {}
    public var _fact: String { "grouped" }
}
public struct ColumnsFormStyle: FormStyle {
    nonisolated public init() {}
    public var _fact: String { "columns" }
}
extension FormStyle where Self == AutomaticFormStyle {
    @MainActor public static var automatic: AutomaticFormStyle { AutomaticFormStyle() }
}
extension FormStyle where Self == GroupedFormStyle {
    @MainActor public static var grouped: GroupedFormStyle { GroupedFormStyle() }
}
extension FormStyle where Self == ColumnsFormStyle {
    @MainActor public static var columns: ColumnsFormStyle { ColumnsFormStyle() }
}
