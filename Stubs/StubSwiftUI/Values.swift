// Plain values: enumerations, option sets and geometry. developer.apple.com/documentation/swiftui/NAME, iOS 13 where not said.

public enum ColorScheme: CaseIterable, Hashable, Sendable { case light, dark }
// iOS 13.
public enum ColorSchemeContrast: CaseIterable, Hashable, Sendable { case standard, increased }
public enum LayoutDirection: CaseIterable, Hashable, Sendable { case leftToRight, rightToLeft }
// iOS 14.
public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }
// iOS 15.
public enum Visibility: CaseIterable, Hashable, Sendable { case automatic, visible, hidden }
public enum TextAlignment: CaseIterable, Hashable, Sendable { case leading, center, trailing }
public enum ContentMode: CaseIterable, Hashable, Sendable { case fit, fill }
// iOS 15; extraLarge is since iOS 17.
public enum ControlSize: CaseIterable, Hashable, Sendable { case mini, small, regular, large, extraLarge }

// developer.apple.com/documentation/swiftui/dynamictypesize, iOS 15.
public enum DynamicTypeSize: CaseIterable, Comparable, Hashable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public var isAccessibilitySize: Bool { self >= .accessibility1 }

    /// How body text grows: its size in points by 17, from the table of the Human Interface Guidelines.
    var scale: Double {
        switch self {
        case .xSmall: 14 / 17
        case .small: 15 / 17
        case .medium: 16 / 17
        case .large: 1
        case .xLarge: 19 / 17
        case .xxLarge: 21 / 17
        case .xxxLarge: 23 / 17
        case .accessibility1: 28 / 17
        case .accessibility2: 33 / 17
        case .accessibility3: 40 / 17
        case .accessibility4: 47 / 17
        case .accessibility5: 53 / 17
        }
    }
}

public enum Edge: Int8, CaseIterable, Hashable, Sendable {
    case top, leading, bottom, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public init(_ e: Edge) { self.init(rawValue: 1 << e.rawValue) }
        public static let top = Set(.top)
        public static let leading = Set(.leading)
        public static let bottom = Set(.bottom)
        public static let trailing = Set(.trailing)
        public static let all: Set = [.top, .leading, .bottom, .trailing]
        public static let horizontal: Set = [.leading, .trailing]
        public static let vertical: Set = [.top, .bottom]
    }
}

extension Edge.Set {
    var fact: String {
        switch self {
        case .all: return "all"
        case .horizontal: return "horizontal"
        case .vertical: return "vertical"
        default: return Edge.allCases.filter { contains(Edge.Set($0)) }.map { "\($0)" }.joined(separator: " ")
        }
    }
}

// iOS 15.
public enum HorizontalEdge: Int8, CaseIterable, Hashable, Sendable {
    case leading, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public init(_ edge: HorizontalEdge) { self.init(rawValue: 1 << edge.rawValue) }
        public static let leading = Set(.leading)
        public static let trailing = Set(.trailing)
        public static let all: Set = [.leading, .trailing]
    }
}

// iOS 15.
public enum VerticalEdge: Int8, CaseIterable, Hashable, Sendable {
    case top, bottom

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public init(_ e: VerticalEdge) { self.init(rawValue: 1 << e.rawValue) }
        public static let top = Set(.top)
        public static let bottom = Set(.bottom)
        public static let all: Set = [.top, .bottom]
    }
}

public enum Axis: Int8, CaseIterable, Hashable, Sendable {
    case horizontal, vertical

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)

        var fact: String {
            self == [.horizontal, .vertical]
                ? "both" : self == .horizontal ? "horizontal" : self == .vertical ? "vertical" : "none"
        }
    }
}

public struct EdgeInsets: Equatable, Sendable {
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat

    public init(top: CGFloat, leading: CGFloat, bottom: CGFloat, trailing: CGFloat) {
        (self.top, self.leading, self.bottom, self.trailing) = (top, leading, bottom, trailing)
    }

    public init() { self.init(top: 0, leading: 0, bottom: 0, trailing: 0) }

    var fact: String { "top \(plain(top)) leading \(plain(leading)) bottom \(plain(bottom)) trailing \(plain(trailing))" }
}

// MARK: Alignment

public struct HorizontalAlignment: Equatable, Sendable {
    let fact: String
    public static let leading = HorizontalAlignment(fact: "leading")
    public static let center = HorizontalAlignment(fact: "center")
    public static let trailing = HorizontalAlignment(fact: "trailing")
}

public struct VerticalAlignment: Equatable, Sendable {
    let fact: String
    public static let top = VerticalAlignment(fact: "top")
    public static let center = VerticalAlignment(fact: "center")
    public static let bottom = VerticalAlignment(fact: "bottom")
    public static let firstTextBaseline = VerticalAlignment(fact: "firstTextBaseline")
    public static let lastTextBaseline = VerticalAlignment(fact: "lastTextBaseline")
}

public struct Alignment: Equatable, Sendable {
    public var horizontal: HorizontalAlignment
    public var vertical: VerticalAlignment

    public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    public static let center = Alignment(horizontal: .center, vertical: .center)
    public static let leading = Alignment(horizontal: .leading, vertical: .center)
    public static let trailing = Alignment(horizontal: .trailing, vertical: .center)
    public static let top = Alignment(horizontal: .center, vertical: .top)
    public static let bottom = Alignment(horizontal: .center, vertical: .bottom)
    public static let topLeading = Alignment(horizontal: .leading, vertical: .top)
    public static let topTrailing = Alignment(horizontal: .trailing, vertical: .top)
    public static let bottomLeading = Alignment(horizontal: .leading, vertical: .bottom)
    public static let bottomTrailing = Alignment(horizontal: .trailing, vertical: .bottom)
    // iOS 16.
    public static let leadingFirstTextBaseline = Alignment(horizontal: .leading, vertical: .firstTextBaseline)
    public static let centerFirstTextBaseline = Alignment(horizontal: .center, vertical: .firstTextBaseline)
    public static let trailingFirstTextBaseline = Alignment(horizontal: .trailing, vertical: .firstTextBaseline)

    /// As the static member is called: `topLeading`.
    var fact: String {
        let (v, h) = (vertical.fact, horizontal.fact)
        if v == "center" { return h }
        if v.hasSuffix("Baseline") { return h + v.prefix(1).uppercased() + v.dropFirst() }
        return h == "center" ? v : v + h.prefix(1).uppercased() + h.dropFirst()
    }
}

// iOS 15.
public struct UnitPoint: Hashable, Sendable {
    public var x: CGFloat
    public var y: CGFloat
    public init() { self.init(x: 0, y: 0) }
    public init(x: CGFloat, y: CGFloat) { (self.x, self.y) = (x, y) }
    public static let zero = UnitPoint(x: 0, y: 0)
    public static let center = UnitPoint(x: 0.5, y: 0.5)
    public static let leading = UnitPoint(x: 0, y: 0.5)
    public static let trailing = UnitPoint(x: 1, y: 0.5)
    public static let top = UnitPoint(x: 0.5, y: 0)
    public static let bottom = UnitPoint(x: 0.5, y: 1)
    public static let topLeading = UnitPoint(x: 0, y: 0)
    public static let topTrailing = UnitPoint(x: 1, y: 0)
    public static let bottomLeading = UnitPoint(x: 0, y: 1)
    public static let bottomTrailing = UnitPoint(x: 1, y: 1)
}

// developer.apple.com/documentation/swiftui/safearearegions, iOS 14.
public struct SafeAreaRegions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let container = SafeAreaRegions(rawValue: 1)
    public static let keyboard = SafeAreaRegions(rawValue: 2)
    public static let all = SafeAreaRegions(rawValue: .max)
}

// developer.apple.com/documentation/swiftui/redactionreasons, iOS 14; privacy and invalidated are later.
public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let placeholder = RedactionReasons(rawValue: 1)
    // iOS 15.
    public static let privacy = RedactionReasons(rawValue: 2)
    // iOS 17.
    public static let invalidated = RedactionReasons(rawValue: 4)

    var fact: String {
        [(RedactionReasons.placeholder, "placeholder"), (.privacy, "privacy"), (.invalidated, "invalidated")]
            .filter { contains($0.0) }.map(\.1).joined(separator: " ")
    }
}

// MARK: Buttons and keys

// developer.apple.com/documentation/swiftui/buttonrole, iOS 15. `confirm` and `close` are of iOS 26.
public struct ButtonRole: Equatable, Sendable {
    let fact: String
    public static let destructive = ButtonRole(fact: "destructive")
    public static let cancel = ButtonRole(fact: "cancel")
}

// developer.apple.com/documentation/swiftui/submitlabel, iOS 15.
public struct SubmitLabel: Sendable {
    let fact: String
    public static var done: SubmitLabel { SubmitLabel(fact: "done") }
    public static var go: SubmitLabel { SubmitLabel(fact: "go") }
    public static var send: SubmitLabel { SubmitLabel(fact: "send") }
    public static var join: SubmitLabel { SubmitLabel(fact: "join") }
    public static var route: SubmitLabel { SubmitLabel(fact: "route") }
    public static var search: SubmitLabel { SubmitLabel(fact: "search") }
    public static var `return`: SubmitLabel { SubmitLabel(fact: "return") }
    public static var next: SubmitLabel { SubmitLabel(fact: "next") }
    public static var `continue`: SubmitLabel { SubmitLabel(fact: "continue") }
}

// developer.apple.com/documentation/swiftui/submittriggers, iOS 15.
public struct SubmitTriggers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let text = SubmitTriggers(rawValue: 1)
    public static let search = SubmitTriggers(rawValue: 2)
}

// developer.apple.com/documentation/swiftui/keyequivalent, iOS 14.
public struct KeyEquivalent: Sendable, ExpressibleByExtendedGraphemeClusterLiteral {
    public var character: Character
    public init(_ character: Character) { self.character = character }
    public init(extendedGraphemeClusterLiteral value: Character) { self.init(value) }
    public static let upArrow = KeyEquivalent("\u{F700}")
    public static let downArrow = KeyEquivalent("\u{F701}")
    public static let leftArrow = KeyEquivalent("\u{F702}")
    public static let rightArrow = KeyEquivalent("\u{F703}")
    public static let escape = KeyEquivalent("\u{1B}")
    public static let delete = KeyEquivalent("\u{8}")
    public static let deleteForward = KeyEquivalent("\u{F728}")
    public static let home = KeyEquivalent("\u{F729}")
    public static let end = KeyEquivalent("\u{F72B}")
    public static let pageUp = KeyEquivalent("\u{F72C}")
    public static let pageDown = KeyEquivalent("\u{F72D}")
    public static let clear = KeyEquivalent("\u{F739}")
    public static let tab = KeyEquivalent("\t")
    public static let space = KeyEquivalent(" ")
    public static let `return` = KeyEquivalent("\r")

    /// As the static member is called, or the character.
    var fact: String {
        switch character {
        case "\u{F700}": "upArrow"
        case "\u{F701}": "downArrow"
        case "\u{F702}": "leftArrow"
        case "\u{F703}": "rightArrow"
        case "\u{1B}": "escape"
        case "\u{8}": "delete"
        case "\u{F728}": "deleteForward"
        case "\t": "tab"
        case " ": "space"
        case "\r": "return"
        default: String(character)
        }
    }
}

// Hashable since iOS 17.
extension KeyEquivalent: Hashable {}

// developer.apple.com/documentation/swiftui/eventmodifiers, iOS 13.
public struct EventModifiers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let capsLock = EventModifiers(rawValue: 1)
    public static let shift = EventModifiers(rawValue: 2)
    public static let control = EventModifiers(rawValue: 4)
    public static let option = EventModifiers(rawValue: 8)
    public static let command = EventModifiers(rawValue: 16)
    public static let numericPad = EventModifiers(rawValue: 32)
    public static let all = EventModifiers(rawValue: 63)

    var fact: String {
        [(EventModifiers.control, "control"), (.option, "option"), (.shift, "shift"), (.command, "command")]
            .filter { contains($0.0) }.map(\.1).joined(separator: " ")
    }
}

// developer.apple.com/documentation/swiftui/keyboardshortcut, iOS 14.
public struct KeyboardShortcut: Hashable, Sendable {
    public static let defaultAction = KeyboardShortcut(.return, modifiers: [])
    public static let cancelAction = KeyboardShortcut(.escape, modifiers: [])

    public var key: KeyEquivalent
    public var modifiers: EventModifiers

    public init(_ key: KeyEquivalent, modifiers: EventModifiers = .command) {
        self.key = key
        self.modifiers = modifiers
    }

    public static func == (a: Self, b: Self) -> Bool { a.key == b.key && a.modifiers.rawValue == b.modifiers.rawValue }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(modifiers.rawValue)
    }

    var fact: String {
        if self == .defaultAction { return "defaultAction" }
        if self == .cancelAction { return "cancelAction" }
        return modifiers.fact.isEmpty ? key.fact : "\(modifiers.fact) \(key.fact)"
    }
}

// developer.apple.com/documentation/swiftui/keypress, iOS 17.
public struct KeyPress: Sendable {
    public struct Phases: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let down = Phases(rawValue: 1)
        public static let `repeat` = Phases(rawValue: 2)
        public static let up = Phases(rawValue: 4)
        public static let all: Phases = [.down, .repeat, .up]
    }

    public enum Result: Hashable, Sendable { case handled, ignored }

    public let phase: KeyPress.Phases
    public let key: KeyEquivalent
    public let characters: String
    public let modifiers: EventModifiers
}

// MARK: Presentation

// developer.apple.com/documentation/swiftui/presentationdetent, iOS 16.
public struct PresentationDetent: Hashable, Sendable {
    let fact: String
    public static let medium = PresentationDetent(fact: "medium")
    public static let large = PresentationDetent(fact: "large")
    public static func fraction(_ fraction: CGFloat) -> PresentationDetent { .init(fact: "fraction \(plain(fraction))") }
    public static func height(_ height: CGFloat) -> PresentationDetent { .init(fact: "height \(plain(height))") }
}

// developer.apple.com/documentation/swiftui/scrollbouncebehavior, iOS 16.4.
public struct ScrollBounceBehavior: Sendable {
    let fact: String
    public static var automatic: Self { .init(fact: "automatic") }
    public static var always: Self { .init(fact: "always") }
    public static var basedOnSize: Self { .init(fact: "basedOnSize") }
}

// developer.apple.com/documentation/swiftui/scrollindicatorvisibility, iOS 16.
public struct ScrollIndicatorVisibility: Sendable {
    let fact: String
    public static var automatic: Self { .init(fact: "automatic") }
    public static var visible: Self { .init(fact: "visible") }
    public static var hidden: Self { .init(fact: "hidden") }
    public static var never: Self { .init(fact: "never") }
}
