// developer.apple.com/documentation/swiftui/accessibilitytraits, iOS 13.
public struct AccessibilityTraits: SetAlgebra, Sendable {
    var names: Set<String> = []
    public init() {}
    init(_ name: String) { names = [name] }
    public static let isButton = AccessibilityTraits("isButton")
    public static let isHeader = AccessibilityTraits("isHeader")
    public static let isSelected = AccessibilityTraits("isSelected")
    public static let isLink = AccessibilityTraits("isLink")
    public static let isSearchField = AccessibilityTraits("isSearchField")
    public static let isImage = AccessibilityTraits("isImage")
    public static let playsSound = AccessibilityTraits("playsSound")
    public static let isKeyboardKey = AccessibilityTraits("isKeyboardKey")
    public static let isStaticText = AccessibilityTraits("isStaticText")
    public static let isSummaryElement = AccessibilityTraits("isSummaryElement")
    public static let updatesFrequently = AccessibilityTraits("updatesFrequently")
    public static let startsMediaSession = AccessibilityTraits("startsMediaSession")
    public static let allowsDirectInteraction = AccessibilityTraits("allowsDirectInteraction")
    public static let causesPageTurn = AccessibilityTraits("causesPageTurn")
    public static let isModal = AccessibilityTraits("isModal")
    // iOS 17.
    public static let isToggle = AccessibilityTraits("isToggle")

    public typealias Element = AccessibilityTraits
    public typealias ArrayLiteralElement = AccessibilityTraits

    public func union(_ other: AccessibilityTraits) -> AccessibilityTraits { made(names.union(other.names)) }
    public mutating func formUnion(_ other: AccessibilityTraits) { names.formUnion(other.names) }
    public func intersection(_ other: AccessibilityTraits) -> AccessibilityTraits { made(names.intersection(other.names)) }
    public mutating func formIntersection(_ other: AccessibilityTraits) { names.formIntersection(other.names) }
    public func symmetricDifference(_ other: AccessibilityTraits) -> AccessibilityTraits {
        made(names.symmetricDifference(other.names))
    }
    public mutating func formSymmetricDifference(_ other: AccessibilityTraits) { names.formSymmetricDifference(other.names) }
    public func contains(_ member: AccessibilityTraits) -> Bool { names.isSuperset(of: member.names) }
    @discardableResult public mutating func insert(
        _ newMember: AccessibilityTraits
    ) -> (inserted: Bool, memberAfterInsert: AccessibilityTraits) {
        defer { names.formUnion(newMember.names) }
        return (!contains(newMember), newMember)
    }
    @discardableResult public mutating func remove(_ member: AccessibilityTraits) -> AccessibilityTraits? {
        defer { names.subtract(member.names) }
        return contains(member) ? member : nil
    }
    @discardableResult public mutating func update(with newMember: AccessibilityTraits) -> AccessibilityTraits? {
        defer { names.formUnion(newMember.names) }
        return contains(newMember) ? newMember : nil
    }

    private func made(_ names: Set<String>) -> AccessibilityTraits {
        var traits = AccessibilityTraits()
        traits.names = names
        return traits
    }

    var fact: String { names.sorted().joined(separator: " ") }
}

// developer.apple.com/documentation/swiftui/accessibilitychildbehavior, iOS 13.
public struct AccessibilityChildBehavior: Hashable, Sendable {
    let fact: String
    public static let ignore = AccessibilityChildBehavior(fact: "ignore")
    public static let contain = AccessibilityChildBehavior(fact: "contain")
    public static let combine = AccessibilityChildBehavior(fact: "combine")
}

// developer.apple.com/documentation/swiftui/accessibilityheadinglevel, iOS 15.
public enum AccessibilityHeadingLevel: UInt, Sendable { case unspecified, h1, h2, h3, h4, h5, h6 }

// developer.apple.com/documentation/swiftui/accessibilityactionkind, iOS 13.
public struct AccessibilityActionKind: Equatable, Sendable {
    let fact: String
    public static let `default` = AccessibilityActionKind(fact: "default")
    public static let escape = AccessibilityActionKind(fact: "escape")
    public static let magicTap = AccessibilityActionKind(fact: "magicTap")
}

extension View {
    // developer.apple.com/documentation/swiftui/view/accessibilitylabel(_:)-1d7jv and its like, iOS 14.
    public func accessibilityLabel(_ label: Text) -> some View { noting("accessibilityLabel", label.content) }
    public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View { noting("accessibilityLabel", labelKey.text) }
    @_disfavoredOverload public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        noting("accessibilityLabel", String(label))
    }

    public func accessibilityValue(_ valueDescription: Text) -> some View {
        noting("accessibilityValue", valueDescription.content)
    }
    public func accessibilityValue(_ valueKey: LocalizedStringKey) -> some View { noting("accessibilityValue", valueKey.text) }
    @_disfavoredOverload public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View {
        noting("accessibilityValue", String(value))
    }

    public func accessibilityHint(_ hint: Text) -> some View { noting("accessibilityHint", hint.content) }
    public func accessibilityHint(_ hintKey: LocalizedStringKey) -> some View { noting("accessibilityHint", hintKey.text) }
    @_disfavoredOverload public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View {
        noting("accessibilityHint", String(hint))
    }

    public func accessibilityInputLabels(_ inputLabels: [Text]) -> some View {
        noting("accessibilityInputLabels", inputLabels.map(\.content).joined(separator: ", "))
    }
    public func accessibilityInputLabels(_ inputLabelKeys: [LocalizedStringKey]) -> some View {
        noting("accessibilityInputLabels", inputLabelKeys.map(\.text).joined(separator: ", "))
    }
    @_disfavoredOverload public func accessibilityInputLabels<S: StringProtocol>(_ inputLabels: [S]) -> some View {
        noting("accessibilityInputLabels", inputLabels.joined(separator: ", "))
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityhidden(_:), iOS 14.
    public func accessibilityHidden(_ hidden: Bool) -> some View {
        eachChanged { element, _ in
            if hidden {
                element = element.unheard
            } else {
                element.facts.removeAll { $0 == .init("accessibilityHidden") }
            }
        }
    }

    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
        eachChanged { element, _ in
            if !traits.names.isEmpty { element.facts.append(.init("accessibilityAddTraits", traits.fact)) }
        }
    }
    public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View {
        eachChanged { element, _ in
            if !traits.names.isEmpty { element.facts.append(.init("accessibilityRemoveTraits", traits.fact)) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityidentifier(_:), iOS 14. People never meet it.
    public func accessibilityIdentifier(_ identifier: String) -> some View { noting("accessibilityIdentifier", identifier) }
    public func accessibilitySortPriority(_ sortPriority: Double) -> some View {
        noting("accessibilitySortPriority", plain(sortPriority))
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityelement(children:), iOS 13.
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        noting("accessibilityElement", children.fact)
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityaction(named:_:), iOS 13.
    public func accessibilityAction(named nameKey: LocalizedStringKey, _ handler: @escaping () -> Void) -> some View {
        acting(nameKey.text, handler)
    }
    public func accessibilityAction(named name: Text, _ handler: @escaping () -> Void) -> some View {
        acting(name.content, handler)
    }
    @_disfavoredOverload public func accessibilityAction<S: StringProtocol>(
        named name: S, _ handler: @escaping () -> Void
    ) -> some View { acting(String(name), handler) }
    public func accessibilityAction(
        _ actionKind: AccessibilityActionKind = .default, _ handler: @escaping () -> Void
    ) -> some View { acting(actionKind.fact, handler) }

    // developer.apple.com/documentation/swiftui/view/accessibilityaction(action:label:), iOS 15.
    public func accessibilityAction<Label: View>(
        action: @escaping () -> Void, @ViewBuilder label: () -> Label
    ) -> some View {
        let label = label()
        return eachChanged { element, context in
            let name = shownElements(of: label, in: context.at("action")).map(\.words).joined(separator: " ")
            element.facts.append(.init("accessibilityAction", name))
            if context.environment.isEnabled { element.actions.append((name, context.evaluation.performing { action() })) }
        }
    }

    private func acting(_ name: String, _ handler: @escaping () -> Void) -> some View {
        eachChanged { element, context in
            element.facts.append(.init("accessibilityAction", name))
            if context.environment.isEnabled { element.actions.append((name, context.evaluation.performing { handler() })) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityrespondstouserinteraction(_:), iOS 17.
    public func accessibilityRespondsToUserInteraction(_ respondsToUserInteraction: Bool = true) -> some View {
        noting("accessibilityRespondsToUserInteraction", "\(respondsToUserInteraction)")
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityheading(_:), iOS 15.
    public func accessibilityHeading(_ level: AccessibilityHeadingLevel) -> some View {
        noting("accessibilityHeading", "\(level)")
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityshowslargecontentviewer(), iOS 15.
    public func accessibilityShowsLargeContentViewer() -> some View { noting("accessibilityShowsLargeContentViewer") }

    // developer.apple.com/documentation/swiftui/view/speechspellsoutcharacters(_:), iOS 15.
    public func speechSpellsOutCharacters(_ value: Bool = true) -> some View {
        eachChanged { element, _ in if value { element.facts.append(.init("speechSpellsOutCharacters")) } }
    }
}

// developer.apple.com/documentation/accessibility/accessibilitynotification, iOS 17, macOS 14. It is of the framework
// Accessibility, which UIKit and AppKit re-export.
public enum AccessibilityNotification {
    // developer.apple.com/documentation/accessibility/accessibilitynotification/announcement
    public struct Announcement: Sendable {
        let text: String
        public init(_ announcement: String) { text = announcement }
        public init(_ announcement: AttributedString) { text = String(announcement.characters) }
        public func post() { Journal.current?.announcements.append(text) }
    }

    // developer.apple.com/documentation/accessibility/accessibilitynotification/screenchanged
    public struct ScreenChanged: Sendable {
        public init() {}
        public func post() { Journal.current?.announcements.append("screen changed") }
    }

    // developer.apple.com/documentation/accessibility/accessibilitynotification/layoutchanged
    public struct LayoutChanged: Sendable {
        public init() {}
        public func post() { Journal.current?.announcements.append("layout changed") }
    }
}
