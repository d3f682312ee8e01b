// MARK: What fills and colours

// developer.apple.com/documentation/swiftui/shapestyle, iOS 13; sendable since iOS 18's SDK.
public protocol ShapeStyle: Sendable {
    /// What the tree says of it. An app makes no style of its own.
    var _fact: String { get }
}

// developer.apple.com/documentation/swiftui/color, iOS 13; mint, teal, cyan, indigo and brown are since iOS 15.
public struct Color: Hashable, Sendable, ShapeStyle {
    public enum RGBColorSpace: Hashable, Sendable { case sRGB, sRGBLinear, displayP3 }

    public let _fact: String
    init(fact: String) { _fact = fact }

    public init(_ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {
        _fact = "rgb \(plain(red)) \(plain(green)) \(plain(blue))" + (opacity == 1 ? "" : " opacity \(plain(opacity))")
    }

    public init(_ colorSpace: RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {
        _fact = "white \(plain(white))" + (opacity == 1 ? "" : " opacity \(plain(opacity))")
    }

    public init(_ name: String, bundle: Bundle? = nil) { _fact = "named \(name)" }

    public static let red = Color(fact: "red")
    public static let orange = Color(fact: "orange")
    public static let yellow = Color(fact: "yellow")
    public static let green = Color(fact: "green")
    public static let mint = Color(fact: "mint")
    public static let teal = Color(fact: "teal")
    public static let cyan = Color(fact: "cyan")
    public static let blue = Color(fact: "blue")
    public static let indigo = Color(fact: "indigo")
    public static let purple = Color(fact: "purple")
    public static let pink = Color(fact: "pink")
    public static let brown = Color(fact: "brown")
    public static let white = Color(fact: "white")
    public static let gray = Color(fact: "gray")
    public static let black = Color(fact: "black")
    public static let clear = Color(fact: "clear")
    public static let primary = Color(fact: "primary")
    public static let secondary = Color(fact: "secondary")
    public static var accentColor: Color { Color(fact: "accentColor") }

    public func opacity(_ opacity: Double) -> Color { Color(fact: "\(_fact) opacity \(plain(opacity))") }
}

extension Color: View, Primitive {
    public typealias Body = Never
    func elements(in context: Context) -> [Shown] { [Shown(.color, _fact)] }
}

extension ShapeStyle where Self == Color {
    public static var red: Color { Color.red }
    public static var orange: Color { Color.orange }
    public static var yellow: Color { Color.yellow }
    public static var green: Color { Color.green }
    public static var mint: Color { Color.mint }
    public static var teal: Color { Color.teal }
    public static var cyan: Color { Color.cyan }
    public static var blue: Color { Color.blue }
    public static var indigo: Color { Color.indigo }
    public static var purple: Color { Color.purple }
    public static var pink: Color { Color.pink }
    public static var brown: Color { Color.brown }
    public static var white: Color { Color.white }
    public static var gray: Color { Color.gray }
    public static var black: Color { Color.black }
    public static var clear: Color { Color.clear }
}

// developer.apple.com/documentation/swiftui/hierarchicalshapestyle, iOS 15; quinary since iOS 16.
public struct HierarchicalShapeStyle: ShapeStyle {
    public let _fact: String
    public static let primary = HierarchicalShapeStyle(_fact: "primary")
    public static let secondary = HierarchicalShapeStyle(_fact: "secondary")
    public static let tertiary = HierarchicalShapeStyle(_fact: "tertiary")
    public static let quaternary = HierarchicalShapeStyle(_fact: "quaternary")
    public static let quinary = HierarchicalShapeStyle(_fact: "quinary")
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { .init(_fact: "primary") }
    public static var secondary: HierarchicalShapeStyle { .init(_fact: "secondary") }
    public static var tertiary: HierarchicalShapeStyle { .init(_fact: "tertiary") }
    public static var quaternary: HierarchicalShapeStyle { .init(_fact: "quaternary") }
    public static var quinary: HierarchicalShapeStyle { .init(_fact: "quinary") }
}

// developer.apple.com/documentation/swiftui/tintshapestyle, iOS 15.
public struct TintShapeStyle: ShapeStyle {
    public let _fact = "tint"
    public init() {}
}

extension ShapeStyle where Self == TintShapeStyle {
    public static var tint: TintShapeStyle { TintShapeStyle() }
}

// developer.apple.com/documentation/swiftui/backgroundstyle, iOS 14.
public struct BackgroundStyle: ShapeStyle {
    public let _fact = "background"
    public init() {}
}

extension ShapeStyle where Self == BackgroundStyle {
    public static var background: BackgroundStyle { BackgroundStyle() }
}

// developer.apple.com/documentation/swiftui/foregroundstyle, iOS 15.
public struct ForegroundStyle: ShapeStyle {
    public let _fact = "foreground"
    public init() {}
}

extension ShapeStyle where Self == ForegroundStyle {
    public static var foreground: ForegroundStyle { ForegroundStyle() }
}

// developer.apple.com/documentation/swiftui/separatorshapestyle, iOS 17.
public struct SeparatorShapeStyle: ShapeStyle {
    public let _fact = "separator"
    public init() {}
}

extension ShapeStyle where Self == SeparatorShapeStyle {
    public static var separator: SeparatorShapeStyle { SeparatorShapeStyle() }
}

// developer.apple.com/documentation/swiftui/fillshapestyle, iOS 17.
public struct FillShapeStyle: ShapeStyle {
    public let _fact = "fill"
    public init() {}
}

extension ShapeStyle where Self == FillShapeStyle {
    public static var fill: FillShapeStyle { FillShapeStyle() }
}

// developer.apple.com/documentation/swiftui/placeholdertextshapestyle, iOS 17.
public struct PlaceholderTextShapeStyle: ShapeStyle {
    public let _fact = "placeholder"
    public init() {}
}

extension ShapeStyle where Self == PlaceholderTextShapeStyle {
    public static var placeholder: PlaceholderTextShapeStyle { PlaceholderTextShapeStyle() }
}

// developer.apple.com/documentation/swiftui/material, iOS 15.
public struct Material: Sendable, ShapeStyle {
    public let _fact: String
    public static let ultraThin = Material(_fact: "ultraThinMaterial")
    public static let thin = Material(_fact: "thinMaterial")
    public static let regular = Material(_fact: "regularMaterial")
    public static let thick = Material(_fact: "thickMaterial")
    public static let ultraThick = Material(_fact: "ultraThickMaterial")
    public static let bar = Material(_fact: "bar")
}

extension ShapeStyle where Self == Material {
    public static var ultraThinMaterial: Material { .ultraThin }
    public static var thinMaterial: Material { .thin }
    public static var regularMaterial: Material { .regular }
    public static var thickMaterial: Material { .thick }
    public static var ultraThickMaterial: Material { .ultraThick }
    public static var bar: Material { Material.bar }
}

// developer.apple.com/documentation/swiftui/anyshapestyle, iOS 15.
public struct AnyShapeStyle: ShapeStyle {
    public let _fact: String
    public init<S: ShapeStyle>(_ style: S) { _fact = style._fact }
}

struct FaintStyle: ShapeStyle {
    let _fact: String
}

extension ShapeStyle {
    // developer.apple.com/documentation/swiftui/shapestyle/opacity(_:), iOS 15.
    public func opacity(_ opacity: Double) -> some ShapeStyle { FaintStyle(_fact: "\(_fact) opacity \(plain(opacity))") }
}

// MARK: Shapes

// developer.apple.com/documentation/swiftui/shape, iOS 13. Apple's has a path and works from any thread; an app draws none.
@MainActor public protocol Shape: View {
    /// What the tree says of it.
    var _shape: String { get }
}

// developer.apple.com/documentation/swiftui/insettableshape, iOS 13.
public protocol InsettableShape: Shape {}

// developer.apple.com/documentation/swiftui/roundedcornerstyle, iOS 13.
public enum RoundedCornerStyle: Hashable, Sendable { case circular, continuous }

// developer.apple.com/documentation/swiftui/rectangle, iOS 13.
public struct Rectangle: InsettableShape, Primitive {
    public typealias Body = Never
    nonisolated public init() {}
    public var _shape: String { "rectangle" }
    func elements(in context: Context) -> [Shown] { [Shown(.shape, _shape)] }
}

// developer.apple.com/documentation/swiftui/roundedrectangle, iOS 13; the default style since iOS 17's SDK is continuous.
public struct RoundedRectangle: InsettableShape, Primitive {
    public typealias Body = Never
    public var cornerSize: CGSize
    public var style: RoundedCornerStyle

    nonisolated public init(cornerSize: CGSize, style: RoundedCornerStyle = .continuous) {
        self.cornerSize = cornerSize
        self.style = style
    }

    nonisolated public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {
        self.init(cornerSize: CGSize(width: cornerRadius, height: cornerRadius), style: style)
    }

    public var _shape: String { "roundedRectangle \(plain(cornerSize.width))" }
    func elements(in context: Context) -> [Shown] { [Shown(.shape, _shape)] }
}

// developer.apple.com/documentation/swiftui/circle, iOS 13.
public struct Circle: InsettableShape, Primitive {
    public typealias Body = Never
    nonisolated public init() {}
    public var _shape: String { "circle" }
    func elements(in context: Context) -> [Shown] { [Shown(.shape, _shape)] }
}

// developer.apple.com/documentation/swiftui/ellipse, iOS 13.
public struct Ellipse: InsettableShape, Primitive {
    public typealias Body = Never
    nonisolated public init() {}
    public var _shape: String { "ellipse" }
    func elements(in context: Context) -> [Shown] { [Shown(.shape, _shape)] }
}

// developer.apple.com/documentation/swiftui/capsule, iOS 13.
public struct Capsule: InsettableShape, Primitive {
    public typealias Body = Never
    public var style: RoundedCornerStyle
    nonisolated public init(style: RoundedCornerStyle = .continuous) { self.style = style }
    public var _shape: String { "capsule" }
    func elements(in context: Context) -> [Shown] { [Shown(.shape, _shape)] }
}

// developer.apple.com/documentation/swiftui/shape/rect and its like, iOS 17.
extension Shape where Self == Rectangle {
    public static var rect: Rectangle { Rectangle() }
}

extension Shape where Self == RoundedRectangle {
    public static func rect(cornerSize: CGSize, style: RoundedCornerStyle = .continuous) -> RoundedRectangle {
        RoundedRectangle(cornerSize: cornerSize, style: style)
    }
    public static func rect(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) -> RoundedRectangle {
        RoundedRectangle(cornerRadius: cornerRadius, style: style)
    }
}

extension Shape where Self == Circle {
    public static var circle: Circle { Circle() }
}

extension Shape where Self == Ellipse {
    public static var ellipse: Ellipse { Ellipse() }
}

extension Shape where Self == Capsule {
    public static var capsule: Capsule { Capsule() }
    public static func capsule(style: RoundedCornerStyle) -> Capsule { Capsule(style: style) }
}

extension Shape {
    // developer.apple.com/documentation/swiftui/shape/fill(_:style:), iOS 17 as a View.
    public func fill<S: ShapeStyle>(_ content: S = .foreground) -> some View { noting("fill", content._fact) }

    // developer.apple.com/documentation/swiftui/shape/stroke(_:linewidth:antialiased:), iOS 17.
    public func stroke<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1, antialiased: Bool = true) -> some View {
        noting("stroke", "\(content._fact) \(plain(lineWidth))")
    }
}

extension InsettableShape {
    // developer.apple.com/documentation/swiftui/insettableshape/strokeborder(_:linewidth:antialiased:), iOS 17.
    public func strokeBorder<S: ShapeStyle>(
        _ content: S = .foreground, lineWidth: CGFloat = 1, antialiased: Bool = true
    ) -> some View { noting("strokeBorder", "\(content._fact) \(plain(lineWidth))") }
}

// MARK: Fonts

// developer.apple.com/documentation/swiftui/font, iOS 13; title2, title3 and caption2 since iOS 14.
public struct Font: Hashable, Sendable {
    // developer.apple.com/documentation/swiftui/font/textstyle, iOS 13.
    public enum TextStyle: CaseIterable, Hashable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
    }

    // developer.apple.com/documentation/swiftui/font/weight, iOS 13.
    public struct Weight: Hashable, Sendable {
        let fact: String
        public static let ultraLight = Weight(fact: "ultraLight")
        public static let thin = Weight(fact: "thin")
        public static let light = Weight(fact: "light")
        public static let regular = Weight(fact: "regular")
        public static let medium = Weight(fact: "medium")
        public static let semibold = Weight(fact: "semibold")
        public static let bold = Weight(fact: "bold")
        public static let heavy = Weight(fact: "heavy")
        public static let black = Weight(fact: "black")
    }

    // developer.apple.com/documentation/swiftui/font/design, iOS 13.
    public enum Design: Hashable, Sendable { case `default`, serif, rounded, monospaced }

    // developer.apple.com/documentation/swiftui/font/leading, iOS 14.
    public enum Leading: Hashable, Sendable { case standard, tight, loose }

    let fact: String
    init(fact: String) { self.fact = fact }
    init(style: TextStyle) { fact = "\(style)" }

    public static let largeTitle = Font(style: .largeTitle)
    public static let title = Font(style: .title)
    public static let title2 = Font(style: .title2)
    public static let title3 = Font(style: .title3)
    public static let headline = Font(style: .headline)
    public static let subheadline = Font(style: .subheadline)
    public static let body = Font(style: .body)
    public static let callout = Font(style: .callout)
    public static let footnote = Font(style: .footnote)
    public static let caption = Font(style: .caption)
    public static let caption2 = Font(style: .caption2)

    // developer.apple.com/documentation/swiftui/font/system(_:design:weight:), iOS 16.
    public static func system(_ style: Font.TextStyle, design: Font.Design? = nil, weight: Font.Weight? = nil) -> Font {
        Font(fact: "\(style)" + part(design) + part(weight))
    }

    // developer.apple.com/documentation/swiftui/font/system(size:weight:design:), iOS 16.
    public static func system(size: CGFloat, weight: Font.Weight? = nil, design: Font.Design? = nil) -> Font {
        Font(fact: "system \(plain(size))" + part(weight) + part(design))
    }

    private static func part(_ design: Design?) -> String { design.map { $0 == .default ? "" : " \($0)" } ?? "" }
    private static func part(_ weight: Weight?) -> String { weight.map { " \($0.fact)" } ?? "" }

    public func weight(_ weight: Font.Weight) -> Font { Font(fact: "\(fact) \(weight.fact)") }
    public func bold() -> Font { Font(fact: "\(fact) bold") }
    public func italic() -> Font { Font(fact: "\(fact) italic") }
    public func monospacedDigit() -> Font { Font(fact: "\(fact) monospacedDigit") }
    // iOS 15.
    public func monospaced() -> Font { Font(fact: "\(fact) monospaced") }
    // iOS 14.
    public func leading(_ leading: Font.Leading) -> Font { Font(fact: "\(fact) leading \(leading)") }
}

// MARK: Movement

// developer.apple.com/documentation/swiftui/animation, iOS 13.
public struct Animation: Hashable, Sendable {
    let fact: String
    public static let `default` = Animation(fact: "default")
    public static var linear: Animation { .init(fact: "linear") }
    public static var easeIn: Animation { .init(fact: "easeIn") }
    public static var easeOut: Animation { .init(fact: "easeOut") }
    public static var easeInOut: Animation { .init(fact: "easeInOut") }
    public static func linear(duration: TimeInterval) -> Animation { .init(fact: "linear \(plain(duration))") }
    public static func easeIn(duration: TimeInterval) -> Animation { .init(fact: "easeIn \(plain(duration))") }
    public static func easeOut(duration: TimeInterval) -> Animation { .init(fact: "easeOut \(plain(duration))") }
    public static func easeInOut(duration: TimeInterval) -> Animation { .init(fact: "easeInOut \(plain(duration))") }
    // iOS 17.
    public static var spring: Animation { .init(fact: "spring") }
    public static var smooth: Animation { .init(fact: "smooth") }
    public static var snappy: Animation { .init(fact: "snappy") }
    public static var bouncy: Animation { .init(fact: "bouncy") }
    public func delay(_ delay: TimeInterval) -> Animation { .init(fact: "\(fact) delay \(plain(delay))") }
    public func speed(_ speed: Double) -> Animation { .init(fact: "\(fact) speed \(plain(speed))") }
    public func repeatForever(autoreverses: Bool = true) -> Animation { .init(fact: "\(fact) repeatForever") }
    public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Animation {
        .init(fact: "\(fact) repeatCount \(repeatCount)")
    }
}

// developer.apple.com/documentation/swiftui/withanimation(_:_:), iOS 13. The change is made at once.
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    try body()
}

// developer.apple.com/documentation/swiftui/anytransition, iOS 13.
public struct AnyTransition: Sendable {
    let fact: String
    public static let opacity = AnyTransition(fact: "opacity")
    public static let identity = AnyTransition(fact: "identity")
    public static let slide = AnyTransition(fact: "slide")
    public static var scale: AnyTransition { .init(fact: "scale") }
    public static func move(edge: Edge) -> AnyTransition { .init(fact: "move \(edge)") }
    public static func push(from edge: Edge) -> AnyTransition { .init(fact: "push \(edge)") }
    public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition {
        .init(fact: "asymmetric \(insertion.fact) \(removal.fact)")
    }
    public func combined(with other: AnyTransition) -> AnyTransition { .init(fact: "\(fact) \(other.fact)") }
    public func animation(_ animation: Animation?) -> AnyTransition { self }
}

// developer.apple.com/documentation/swiftui/contenttransition, iOS 16.
public struct ContentTransition: Equatable, Sendable {
    let fact: String
    public static let identity = ContentTransition(fact: "identity")
    public static let opacity = ContentTransition(fact: "opacity")
    public static let interpolate = ContentTransition(fact: "interpolate")
    public static func numericText(countsDown: Bool = false) -> ContentTransition { .init(fact: "numericText") }
    // iOS 17.
    public static func numericText(value: Double) -> ContentTransition { .init(fact: "numericText") }
    public static var symbolEffect: ContentTransition { .init(fact: "symbolEffect") }
}
