// What only some of the three systems have. Sources use it inside `#if os(…)`, and a lint of the tests reads this table.

/// What is not on all of iOS 18, macOS 15 and visionOS 2, with the systems that have it, named as in a source's `os(…)`.
///
/// A name stands for the modifier, the member or the type of that name; a key with a space stands for these very words.
public let platformSpecific: [String: Set<String>] = [
    "keyboardType": ["iOS", "visionOS"],
    "textInputAutocapitalization": ["iOS", "visionOS"],
    // On all three, with a type of UIKit's or of AppKit's.
    "textContentType": ["iOS", "visionOS"],
    "navigationBarTitleDisplayMode": ["iOS", "visionOS"],
    "topBarLeading": ["iOS", "visionOS"],
    "topBarTrailing": ["iOS", "visionOS"],
    "bottomBar": ["iOS", "visionOS"],
    "fullScreenCover": ["iOS", "visionOS"],
    "insetGrouped": ["iOS", "visionOS"],
    "hoverEffect": ["iOS", "visionOS"],
    "listRowSpacing": ["iOS", "visionOS"],
    // On visionOS since 26.
    "sensoryFeedback": ["iOS", "macOS"],
    "scrollDismissesKeyboard": ["iOS", "macOS"],
    // The placement of a toolbar's items, and the region of a safe area, which is on all three.
    "placement: .keyboard": ["iOS", "macOS"],
    "onExitCommand": ["macOS"],
    // The scene; apps have types of that name.
    "Settings {": ["macOS"],
    "checkbox": ["macOS"],
]

// MARK: iOS and visionOS

// developer.apple.com/documentation/uikit/uikeyboardtype, iOS 2.
public enum UIKeyboardType: Int, Sendable {
    case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress, decimalPad
    case twitter, webSearch, asciiCapableNumberPad
}

// developer.apple.com/documentation/uikit/uitextcontenttype, iOS 10.
public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let username = UITextContentType(rawValue: "username")
    public static let password = UITextContentType(rawValue: "password")
    public static let newPassword = UITextContentType(rawValue: "newPassword")
    public static let oneTimeCode = UITextContentType(rawValue: "oneTimeCode")
    public static let emailAddress = UITextContentType(rawValue: "emailAddress")
}

// developer.apple.com/documentation/swiftui/textinputautocapitalization, iOS 15, visionOS 1.
public struct TextInputAutocapitalization: Sendable {
    let fact: String
    public static var never: TextInputAutocapitalization { .init(fact: "never") }
    public static var words: TextInputAutocapitalization { .init(fact: "words") }
    public static var sentences: TextInputAutocapitalization { .init(fact: "sentences") }
    public static var characters: TextInputAutocapitalization { .init(fact: "characters") }
}

// developer.apple.com/documentation/swiftui/navigationbaritem/titledisplaymode, iOS 13, visionOS 1.
public struct NavigationBarItem: Sendable {
    public enum TitleDisplayMode: Sendable { case automatic, inline, large }
}

// developer.apple.com/documentation/swiftui/hovereffect, iOS 13.4, visionOS 1.
public struct HoverEffect: Sendable {
    let fact: String
    public static let automatic = HoverEffect(fact: "automatic")
    public static let highlight = HoverEffect(fact: "highlight")
    public static let lift = HoverEffect(fact: "lift")
}

extension View {
    // developer.apple.com/documentation/swiftui/view/keyboardtype(_:), iOS 13, visionOS 1.
    public func keyboardType(_ type: UIKeyboardType) -> some View { noting("keyboardType", "\(type)") }

    // developer.apple.com/documentation/swiftui/view/textcontenttype(_:)-ufdv, iOS 13, visionOS 1; macOS 11 with
    // NSTextContentType.
    public func textContentType(_ textContentType: UITextContentType?) -> some View {
        noting("textContentType", textContentType?.rawValue ?? "none")
    }

    // developer.apple.com/documentation/swiftui/view/textinputautocapitalization(_:), iOS 15, visionOS 1.
    public func textInputAutocapitalization(_ autocapitalization: TextInputAutocapitalization?) -> some View {
        noting("textInputAutocapitalization", autocapitalization?.fact ?? "none")
    }

    // developer.apple.com/documentation/swiftui/view/navigationbartitledisplaymode(_:), iOS 14, visionOS 1.
    public func navigationBarTitleDisplayMode(_ displayMode: NavigationBarItem.TitleDisplayMode) -> some View {
        noting("navigationBarTitleDisplayMode", "\(displayMode)")
    }

    // developer.apple.com/documentation/swiftui/view/hovereffect(_:), iOS 13.4, visionOS 1.
    public func hoverEffect(_ effect: HoverEffect = .automatic) -> some View { noting("hoverEffect", effect.fact) }

    // developer.apple.com/documentation/swiftui/view/fullscreencover(ispresented:ondismiss:content:), iOS 14, visionOS 1.
    public func fullScreenCover<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        presenting(
            .cover, canBeSwipedAway: false, item: { isPresented.wrappedValue ? true : nil }, identity: { AnyHashable($0) },
            dismiss: { isPresented.wrappedValue = false }, onDismiss: onDismiss
        ) { shownElements(of: content(), in: $1) }
    }

    // developer.apple.com/documentation/swiftui/view/fullscreencover(item:ondismiss:content:), iOS 14, visionOS 1.
    public func fullScreenCover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        presenting(
            .cover, canBeSwipedAway: false, item: { item.wrappedValue }, identity: { AnyHashable($0.id) },
            dismiss: { item.wrappedValue = nil }, onDismiss: onDismiss
        ) { shownElements(of: content($0), in: $1) }
    }

    // developer.apple.com/documentation/swiftui/view/listrowspacing(_:), iOS 15, visionOS 1.
    public func listRowSpacing(_ spacing: CGFloat?) -> some View { noting("listRowSpacing", spacing.map(plain) ?? "none") }
}

extension ToolbarItemPlacement {
    // developer.apple.com/documentation/swiftui/toolbaritemplacement/topbarleading, iOS 14, visionOS 1.
    public static var topBarLeading: ToolbarItemPlacement { .init(fact: "topBarLeading") }
    public static var topBarTrailing: ToolbarItemPlacement { .init(fact: "topBarTrailing") }
    // developer.apple.com/documentation/swiftui/toolbaritemplacement/bottombar, iOS 14, visionOS 1.
    public static var bottomBar: ToolbarItemPlacement { .init(fact: "bottomBar") }
}

// developer.apple.com/documentation/swiftui/insetgroupedliststyle, iOS 14, visionOS 1.
public struct InsetGroupedListStyle: ListStyle {
    nonisolated public init() {}
    public var _fact: String { "insetGrouped" }
}

extension ListStyle where Self == InsetGroupedListStyle {
    @MainActor public static var insetGrouped: InsetGroupedListStyle { InsetGroupedListStyle() }
}

// MARK: iOS and macOS

// developer.apple.com/documentation/swiftui/sensoryfeedback, iOS 17, macOS 14; visionOS only since 26.
public struct SensoryFeedback: Equatable, Sendable {
    public struct Weight: Equatable, Sendable {
        let fact: String
        public static let light = Weight(fact: "light")
        public static let medium = Weight(fact: "medium")
        public static let heavy = Weight(fact: "heavy")
    }

    public struct Flexibility: Equatable, Sendable {
        let fact: String
        public static let rigid = Flexibility(fact: "rigid")
        public static let solid = Flexibility(fact: "solid")
        public static let soft = Flexibility(fact: "soft")
    }

    let fact: String
    public static let success = SensoryFeedback(fact: "success")
    public static let warning = SensoryFeedback(fact: "warning")
    public static let error = SensoryFeedback(fact: "error")
    public static let selection = SensoryFeedback(fact: "selection")
    public static let increase = SensoryFeedback(fact: "increase")
    public static let decrease = SensoryFeedback(fact: "decrease")
    public static let start = SensoryFeedback(fact: "start")
    public static let stop = SensoryFeedback(fact: "stop")
    public static let alignment = SensoryFeedback(fact: "alignment")
    public static let levelChange = SensoryFeedback(fact: "levelChange")
    public static let impact = SensoryFeedback(fact: "impact")
    public static func impact(weight: Weight = .medium, intensity: Double = 1.0) -> SensoryFeedback {
        .init(fact: "impact \(weight.fact)")
    }
    public static func impact(flexibility: Flexibility, intensity: Double = 1.0) -> SensoryFeedback {
        .init(fact: "impact \(flexibility.fact)")
    }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/sensoryfeedback(_:trigger:), iOS 17, macOS 14.
    public func sensoryFeedback<T: Equatable>(_ feedback: SensoryFeedback, trigger: T) -> some View {
        onChange(of: trigger) { Journal.current?.feedback.append(feedback.fact) }
    }

    // developer.apple.com/documentation/swiftui/view/sensoryfeedback(_:trigger:condition:), iOS 17, macOS 14.
    public func sensoryFeedback<T: Equatable>(
        _ feedback: SensoryFeedback, trigger: T, condition: @escaping (_ oldValue: T, _ newValue: T) -> Bool
    ) -> some View {
        onChange(of: trigger) { if condition($0, $1) { Journal.current?.feedback.append(feedback.fact) } }
    }

    // developer.apple.com/documentation/swiftui/view/sensoryfeedback(trigger:_:), iOS 17, macOS 14.
    public func sensoryFeedback<T: Equatable>(
        trigger: T, _ feedback: @escaping (_ oldValue: T, _ newValue: T) -> SensoryFeedback?
    ) -> some View {
        onChange(of: trigger) { if let feedback = feedback($0, $1) { Journal.current?.feedback.append(feedback.fact) } }
    }
}

extension ToolbarItemPlacement {
    // developer.apple.com/documentation/swiftui/toolbaritemplacement/keyboard, iOS 15, macOS 12.
    public static var keyboard: ToolbarItemPlacement { .init(fact: "keyboard") }
}

// developer.apple.com/documentation/swiftui/scrolldismisseskeyboardmode, iOS 16, macOS 13.
public struct ScrollDismissesKeyboardMode: Sendable {
    let fact: String
    public static var automatic: Self { .init(fact: "automatic") }
    public static var immediately: Self { .init(fact: "immediately") }
    public static var interactively: Self { .init(fact: "interactively") }
    public static var never: Self { .init(fact: "never") }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/scrolldismisseskeyboard(_:), iOS 16, macOS 13.
    public func scrollDismissesKeyboard(_ mode: ScrollDismissesKeyboardMode) -> some View {
        noting("scrollDismissesKeyboard", mode.fact)
    }
}

// MARK: macOS alone

extension View {
    // developer.apple.com/documentation/swiftui/view/onexitcommand(perform:), macOS 10.15. It is the escape key.
    public func onExitCommand(perform action: (() -> Void)?) -> some View {
        changed { elements, context in
            guard !elements.isEmpty, let action else { return }
            context.evaluation.addKeyHandler(at: context.place) { press in
                guard press.key == .escape else { return .ignored }
                action()
                return .handled
            }
        }
    }
}

// developer.apple.com/documentation/swiftui/settings, macOS 11.
public struct Settings<Content: View>: Scene {
    public typealias Body = Never
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

// developer.apple.com/documentation/swiftui/checkboxtogglestyle, macOS 10.15.
public struct CheckboxToggleStyle: BuiltInToggleStyle {
    nonisolated public init() {}
    static let fact = "checkbox"
}

extension ToggleStyle where Self == CheckboxToggleStyle {
    @MainActor public static var checkbox: CheckboxToggleStyle { CheckboxToggleStyle() }
}
