/// What one navigation stack shows, while it is evaluated and between.
@MainActor final class Navigation {
    /// What was pushed over the root: a value, or the link with that place.
    enum Entry: Hashable {
        case value(AnyHashable)
        case link(Place)
    }

    /// The entries where the app keeps no path.
    var own: [Entry] = []
    var read: () -> [Entry] = { [] }
    var write: ([Entry]) -> Void = { _ in }

    // Collected anew in each evaluation.
    var destinations: [ObjectIdentifier: (AnyHashable, Context) -> [Shown]] = [:]
    var links: [Place: (Context) -> [Shown]] = [:]
    var presented: [(place: Place, dismiss: @MainActor () -> Void, screen: (Context) -> [Shown])] = []

    func push(_ entry: Entry) { write(read() + [entry]) }
    func pop() { write(Array(read().dropLast())) }

    func screen(_ entry: Entry) -> ((Context) -> [Shown])? {
        switch entry {
        case .link(let place): return links[place]
        case .value(let value):
            guard let destination = destinations[ObjectIdentifier(type(of: value.base))] else { return nil }
            return { destination(value, $0) }
        }
    }
}

// developer.apple.com/documentation/swiftui/navigationpath, iOS 16.
public struct NavigationPath: Equatable {
    var values: [AnyHashable] = []
    public init() {}
    public init<S: Sequence>(_ elements: S) where S.Element: Hashable { values = elements.map { AnyHashable($0) } }
    public var count: Int { values.count }
    public var isEmpty: Bool { values.isEmpty }
    public mutating func append<V: Hashable>(_ value: V) { values.append(AnyHashable(value)) }
    public mutating func removeLast(_ k: Int = 1) { values.removeLast(k) }
}

// developer.apple.com/documentation/swiftui/navigationstack, iOS 16. Its child is the topmost screen; a pushed one begins
// with the system's button to go back.
public struct NavigationStack<Data, Root: View>: View, Primitive {
    public typealias Body = Never
    let read: (() -> [AnyHashable])?
    let write: (([AnyHashable]) -> Void)?
    let root: Root

    func elements(in context: Context) -> [Shown] {
        let evaluation = context.evaluation
        let navigation = evaluation.location(at: context.at("navigation").place, Navigation()).value
        if let read, let write {
            navigation.read = { read().map { .value($0) } + navigation.own }
            navigation.write = { entries in
                navigation.own = entries.filter { if case .link = $0 { true } else { false } }
                write(entries.compactMap { if case .value(let value) = $0 { value } else { nil } })
            }
        } else {
            navigation.read = { navigation.own }
            navigation.write = { navigation.own = $0 }
        }
        (navigation.destinations, navigation.links, navigation.presented) = ([:], [:], [])
        evaluation.navigations.append(navigation)
        defer { evaluation.navigations.removeLast() }
        let entries = navigation.read()
        // Whether a destination is presented is known only after a first look at the root, which tells nothing yet.
        evaluation.covered += 1
        let rootContext = context.at("root")
        let covered = shownElements(of: root, in: rootContext)
        var lower: [(entry: Navigation.Entry, context: Context)] = []
        for (index, entry) in entries.enumerated() {
            lower.append((entry, pushed(context.at("pushed").at(index).at(entry), navigation)))
        }
        for (entry, context) in lower.dropLast() { _ = navigation.screen(entry)?(context) }
        let isPresenting = !navigation.presented.isEmpty
        if isPresenting, let last = lower.last { _ = navigation.screen(last.entry)?(last.context) }
        evaluation.covered -= 1
        var top: [Shown]
        if let presented = navigation.presented.last {
            var context = context.at("presented")
            context.environment.dismiss = DismissAction(action: presented.dismiss)
            context.environment.isPresented = true
            top = [back(presented.dismiss, in: context)] + presented.screen(context)
        } else if let last = lower.last {
            guard let screen = navigation.screen(last.entry) else {
                return [Shown(.navigation, children: [Shown(.text, "No navigationDestination for what was pushed")])]
            }
            top = [back({ navigation.pop() }, in: context)] + screen(last.context)
        } else if evaluation.covered == 0 {
            top = shownElements(of: root, in: rootContext)
        } else {
            top = covered
        }
        if top.contains(where: { $0.value("navigationBarBackButtonHidden") != nil }) { top.removeFirst() }
        return [Shown(.navigation, children: top)]
    }

    private func back(_ pop: @escaping @MainActor () -> Void, in context: Context) -> Shown {
        var button = Shown(.button, facts: [.init("back")], children: [Shown(.text, "Back")])
        button.tap = context.evaluation.performing(pop)
        return button
    }

    private func pushed(_ context: Context, _ navigation: Navigation) -> Context {
        var context = context
        context.environment.dismiss = DismissAction { navigation.pop() }
        context.environment.isPresented = true
        return context
    }
}

extension NavigationStack where Data == NavigationPath {
    public init(@ViewBuilder root: () -> Root) { (read, write, self.root) = (nil, nil, root()) }

    public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) {
        read = { path.wrappedValue.values }
        write = { path.wrappedValue.values = $0 }
        self.root = root()
    }
}

extension NavigationStack
where
    Data: MutableCollection, Data: RandomAccessCollection, Data: RangeReplaceableCollection, Data.Element: Hashable
{
    public init(path: Binding<Data>, @ViewBuilder root: () -> Root) {
        read = { path.wrappedValue.map { AnyHashable($0) } }
        write = { values in path.wrappedValue = Data(values.compactMap { $0.base as? Data.Element }) }
        self.root = root()
    }
}

// developer.apple.com/documentation/swiftui/navigationlink, iOS 13; with values since iOS 16.
public struct NavigationLink<Label: View, Destination: View>: View, Primitive {
    public typealias Body = Never
    let label: Label
    let destination: Destination?
    let value: AnyHashable?

    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        (self.label, self.destination, value) = (label(), destination(), nil)
    }

    func elements(in context: Context) -> [Shown] {
        var element = Shown(
            .button, facts: [.init("navigationLink")], children: shownElements(of: label, in: context.at("label")))
        let navigation = context.evaluation.navigations.last
        if let destination { navigation?.links[context.place] = { shownElements(of: destination, in: $0) } }
        // Outside a stack, and without a value, a link is disabled.
        if let navigation, context.environment.isEnabled, destination != nil || value != nil {
            let entry = value.map { Navigation.Entry.value($0) } ?? .link(context.place)
            element.tap = context.evaluation.performing { navigation.push(entry) }
        }
        return [element]
    }
}

extension NavigationLink where Destination == Never {
    public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) {
        (self.label, destination, self.value) = (label(), nil, value.map { AnyHashable($0) })
    }
    public init<P: Hashable>(_ titleKey: LocalizedStringKey, value: P?) where Label == Text {
        self.init(value: value, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol, P: Hashable>(_ title: S, value: P?) where Label == Text {
        self.init(value: value, label: { Text(title) })
    }
}

extension NavigationLink where Label == Text {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {
        self.init(destination: destination, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {
        self.init(destination: destination, label: { Text(title) })
    }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/navigationdestination(for:destination:), iOS 16.
    public func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View {
        around { content, context in
            context.evaluation.navigations.last?.destinations[ObjectIdentifier(data)] = { value, context in
                (value.base as? D).map { shownElements(of: destination($0), in: context) } ?? []
            }
            return shownElements(of: content, in: context)
        }
    }

    // developer.apple.com/documentation/swiftui/view/navigationdestination(ispresented:destination:), iOS 16.
    public func navigationDestination<V: View>(
        isPresented: Binding<Bool>, @ViewBuilder destination: () -> V
    ) -> some View {
        let view = destination()
        return around { content, context in
            let elements = shownElements(of: content, in: context)
            if isPresented.wrappedValue {
                context.evaluation.navigations.last?.presented.append(
                    (context.place, { isPresented.wrappedValue = false }, { shownElements(of: view, in: $0) }))
            }
            return elements
        }
    }

    // developer.apple.com/documentation/swiftui/view/navigationdestination(item:destination:), iOS 17.
    public func navigationDestination<D: Hashable, C: View>(
        item: Binding<D?>, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View {
        around { content, context in
            let elements = shownElements(of: content, in: context)
            if let value = item.wrappedValue {
                context.evaluation.navigations.last?.presented.append(
                    (context.place, { item.wrappedValue = nil }, { shownElements(of: destination(value), in: $0.at(value)) }))
            }
            return elements
        }
    }

    // developer.apple.com/documentation/swiftui/view/navigationtitle(_:), iOS 14.
    public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { noting("navigationTitle", titleKey.text) }
    public func navigationTitle(_ title: Text) -> some View { noting("navigationTitle", title.content) }
    @_disfavoredOverload public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        noting("navigationTitle", String(title))
    }

    // developer.apple.com/documentation/swiftui/view/navigationbarbackbuttonhidden(_:), iOS 13, macOS 13.
    public func navigationBarBackButtonHidden(_ hidesBackButton: Bool = true) -> some View {
        hidesBackButton ? noting("navigationBarBackButtonHidden") : noting("navigationBarBackButton")
    }
}

// MARK: Toolbars

// developer.apple.com/documentation/swiftui/toolbaritemplacement, iOS 14. What only iOS has is in PlatformSpecific.swift.
public struct ToolbarItemPlacement {
    let fact: String
    public static var automatic: ToolbarItemPlacement { .init(fact: "automatic") }
    public static var principal: ToolbarItemPlacement { .init(fact: "principal") }
    public static var navigation: ToolbarItemPlacement { .init(fact: "navigation") }
    public static var primaryAction: ToolbarItemPlacement { .init(fact: "primaryAction") }
    public static var secondaryAction: ToolbarItemPlacement { .init(fact: "secondaryAction") }
    public static var status: ToolbarItemPlacement { .init(fact: "status") }
    public static var confirmationAction: ToolbarItemPlacement { .init(fact: "confirmationAction") }
    public static var cancellationAction: ToolbarItemPlacement { .init(fact: "cancellationAction") }
    public static var destructiveAction: ToolbarItemPlacement { .init(fact: "destructiveAction") }
}

// developer.apple.com/documentation/swiftui/toolbarcontent, iOS 14.
@MainActor @preconcurrency public protocol ToolbarContent {
    associatedtype Body: ToolbarContent
    @ToolbarContentBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

/// Content of a toolbar that turns into elements itself.
@MainActor protocol ToolbarPrimitive {
    func elements(in context: Context) -> [Shown]
}

extension Never: ToolbarContent {}

extension ToolbarContent where Body == Never {
    public var body: Never { fatalError("\(Self.self) has no body") }
}

@MainActor func toolbarElements<T: ToolbarContent>(of content: T, in context: Context) -> [Shown] {
    if let primitive = content as? any ToolbarPrimitive { return primitive.elements(in: context) }
    var content = content
    connect(&content, in: context.at("toolbar"))
    return toolbarElements(of: content.body, in: context.at("toolbar"))
}

// developer.apple.com/documentation/swiftui/toolbaritem, iOS 14.
public struct ToolbarItem<ID, Content: View>: ToolbarContent, ToolbarPrimitive {
    public typealias Body = Never
    let placement: ToolbarItemPlacement
    let content: Content

    func elements(in context: Context) -> [Shown] {
        [Shown(.group, facts: [.init("toolbar", placement.fact)], children: shownElements(of: content, in: context.at("item")))]
    }
}

extension ToolbarItem where ID == () {
    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        self.placement = placement
        self.content = content()
    }
}

// developer.apple.com/documentation/swiftui/toolbaritemgroup, iOS 14.
public struct ToolbarItemGroup<Content: View>: ToolbarContent, ToolbarPrimitive {
    public typealias Body = Never
    let placement: ToolbarItemPlacement
    let content: Content

    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        self.placement = placement
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] {
        [
            Shown(
                .group, facts: [.init("toolbar", placement.fact)], children: shownElements(of: content, in: context.at("items"))
            )
        ]
    }
}

public struct _ToolbarParts: ToolbarContent, ToolbarPrimitive {
    public typealias Body = Never
    let parts: [any ToolbarContent]
    func elements(in context: Context) -> [Shown] {
        parts.indices.flatMap { toolbarElements(of: parts[$0], in: context.at($0)) }
    }
}

extension Optional: ToolbarContent where Wrapped: ToolbarContent {}

extension Optional: ToolbarPrimitive where Wrapped: ToolbarContent {
    func elements(in context: Context) -> [Shown] { map { toolbarElements(of: $0, in: context.at("some")) } ?? [] }
}

// developer.apple.com/documentation/swiftui/toolbarcontentbuilder, iOS 14; `if` without else since iOS 16.
@MainActor @resultBuilder public struct ToolbarContentBuilder {
    public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: ToolbarContent>(_ content: Content) -> some ToolbarContent { content }
    public static func buildBlock<each Content: ToolbarContent>(_ content: repeat each Content) -> some ToolbarContent {
        var parts: [any ToolbarContent] = []
        for part in repeat each content { parts.append(part) }
        return _ToolbarParts(parts: parts)
    }
    public static func buildIf<Content: ToolbarContent>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: ToolbarContent>(first: First) -> _ToolbarParts {
        _ToolbarParts(parts: [first])
    }
    public static func buildEither<Second: ToolbarContent>(second: Second) -> _ToolbarParts {
        _ToolbarParts(parts: [second])
    }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/toolbar(content:), iOS 14. Each item is a child group with the fact
    // `toolbar`.
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        let items = content()
        return changed { elements, context in
            let children = shownElements(of: items, in: context.at("toolbar"))
            if !elements.isEmpty, !children.isEmpty {
                elements[0].children.append(Shown(.group, facts: [.init("toolbar", "automatic")], children: children))
            }
        }
    }

    public func toolbar<Content: ToolbarContent>(@ToolbarContentBuilder content: () -> Content) -> some View {
        let items = content()
        return changed { elements, context in
            if !elements.isEmpty { elements[0].children += toolbarElements(of: items, in: context.at("toolbar")) }
        }
    }
}

// MARK: Tabs

// developer.apple.com/documentation/swiftui/tabcontent, iOS 18.
@MainActor @preconcurrency public protocol TabContent {
    associatedtype TabValue: Hashable
}

/// Content of a tab view that turns into tabs itself.
@MainActor protocol TabPrimitive {
    func tabs(in context: Context) -> [TabPart]
}

struct TabPart {
    let value: AnyHashable
    let label: [Shown]
    let content: () -> [Shown]
}

// developer.apple.com/documentation/swiftui/defaulttablabel, iOS 18.
public struct DefaultTabLabel: View, Primitive {
    public typealias Body = Never
    let label: StubSwiftUI.Label<Text, Image>
    func elements(in context: Context) -> [Shown] { shownElements(of: label, in: context) }
}

// developer.apple.com/documentation/swiftui/tab, iOS 18.
public struct Tab<Value: Hashable, Content: View, Label: View>: TabContent, TabPrimitive {
    public typealias TabValue = Value
    let value: Value?
    let content: Content
    let label: Label

    func tabs(in context: Context) -> [TabPart] {
        let value = value.map { AnyHashable($0) } ?? AnyHashable(context.place)
        let (content, inner) = (content, context.at("content"))
        return [
            TabPart(
                value: value, label: shownElements(of: label, in: context.at("label")),
                content: { shownElements(of: content, in: inner) })
        ]
    }
}

extension Tab where Label == DefaultTabLabel {
    public init(_ titleKey: LocalizedStringKey, systemImage: String, value: Value, @ViewBuilder content: () -> Content) {
        (self.value, self.content) = (value, content())
        label = DefaultTabLabel(label: .init(titleKey, systemImage: systemImage))
    }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, systemImage: String, value: Value, @ViewBuilder content: () -> Content
    ) {
        (self.value, self.content) = (value, content())
        label = DefaultTabLabel(label: .init(title, systemImage: systemImage))
    }
}

extension Tab where Value == Never, Label == DefaultTabLabel {
    public init(_ titleKey: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content) {
        (value, self.content) = (nil, content())
        label = DefaultTabLabel(label: .init(titleKey, systemImage: systemImage))
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, systemImage: String, @ViewBuilder content: () -> Content) {
        (value, self.content) = (nil, content())
        label = DefaultTabLabel(label: .init(title, systemImage: systemImage))
    }
}

public struct _TabParts<Value: Hashable>: TabContent, TabPrimitive {
    public typealias TabValue = Value
    let parts: [any TabContent]
    func tabs(in context: Context) -> [TabPart] {
        parts.indices.flatMap { (parts[$0] as? any TabPrimitive)?.tabs(in: context.at($0)) ?? [] }
    }
}

extension Optional: TabContent where Wrapped: TabContent {
    public typealias TabValue = Wrapped.TabValue
}

extension Optional: TabPrimitive where Wrapped: TabContent {
    func tabs(in context: Context) -> [TabPart] { (self as? any TabPrimitive)?.tabs(in: context.at("some")) ?? [] }
}

// developer.apple.com/documentation/swiftui/tabcontentbuilder, iOS 18.
@MainActor @resultBuilder public struct TabContentBuilder<TabValue: Hashable> {
    /// What a tab view of tabs shows.
    public struct Content<C: TabContent>: View, Primitive where C.TabValue == TabValue {
        public typealias Body = Never
        let content: C
        func elements(in context: Context) -> [Shown] { [] }
    }

    public static func buildExpression<T: TabContent>(_ content: T) -> T where T.TabValue == TabValue { content }
    public static func buildBlock<C: TabContent>(_ content: C) -> C where C.TabValue == TabValue { content }
    // A builder with a parameter pack would need equal tab values of all parts, which the language has not yet. Apple's takes
    // ten.
    public static func buildBlock<C0: TabContent, C1: TabContent>(
        _ c0: C0, _ c1: C1
    ) -> _TabParts<TabValue> where C0.TabValue == TabValue, C1.TabValue == TabValue { _TabParts(parts: [c0, c1]) }
    public static func buildBlock<C0: TabContent, C1: TabContent, C2: TabContent>(
        _ c0: C0, _ c1: C1, _ c2: C2
    ) -> _TabParts<TabValue> where C0.TabValue == TabValue, C1.TabValue == TabValue, C2.TabValue == TabValue {
        _TabParts(parts: [c0, c1, c2])
    }
    public static func buildBlock<C0: TabContent, C1: TabContent, C2: TabContent, C3: TabContent>(
        _ c0: C0, _ c1: C1, _ c2: C2, _ c3: C3
    ) -> _TabParts<TabValue>
    where C0.TabValue == TabValue, C1.TabValue == TabValue, C2.TabValue == TabValue, C3.TabValue == TabValue {
        _TabParts(parts: [c0, c1, c2, c3])
    }
    public static func buildBlock<C0: TabContent, C1: TabContent, C2: TabContent, C3: TabContent, C4: TabContent>(
        _ c0: C0, _ c1: C1, _ c2: C2, _ c3: C3, _ c4: C4
    ) -> _TabParts<TabValue>
    where
        C0.TabValue == TabValue, C1.TabValue == TabValue, C2.TabValue == TabValue, C3.TabValue == TabValue,
        C4.TabValue == TabValue
    { _TabParts(parts: [c0, c1, c2, c3, c4]) }
    public static func buildBlock<
        C0: TabContent, C1: TabContent, C2: TabContent, C3: TabContent, C4: TabContent, C5: TabContent
    >(
        _ c0: C0, _ c1: C1, _ c2: C2, _ c3: C3, _ c4: C4, _ c5: C5
    ) -> _TabParts<TabValue>
    where
        C0.TabValue == TabValue, C1.TabValue == TabValue, C2.TabValue == TabValue, C3.TabValue == TabValue,
        C4.TabValue == TabValue, C5.TabValue == TabValue
    { _TabParts(parts: [c0, c1, c2, c3, c4, c5]) }
    public static func buildIf<C: TabContent>(_ content: C?) -> _TabParts<TabValue> where C.TabValue == TabValue {
        _TabParts(parts: content.map { [$0] } ?? [])
    }
}

// developer.apple.com/documentation/swiftui/tabview, iOS 13; with tabs since iOS 18.
// A group with the fact `tabView`: the chosen tab's content, then the tabs as buttons in a group with the fact `tabs`.
public struct TabView<SelectionValue: Hashable, Content: View>: View, Primitive {
    public typealias Body = Never
    let selection: Binding<SelectionValue>?
    let parts: (Context) -> [TabPart]

    func elements(in context: Context) -> [Shown] {
        let tabs = parts(context.at("tabs"))
        let own = context.evaluation.location(at: context.at("selection").place, Optional<AnyHashable>.none)
        let selection = selection
        let wanted = selection.map { AnyHashable($0.wrappedValue) } ?? own.value
        let chosen = tabs.first { $0.value == wanted } ?? tabs.first
        var content: [Shown] = []
        for tab in tabs {
            // A tab that is not chosen keeps its state.
            if tab.value == chosen?.value {
                content = tab.content()
            } else {
                context.evaluation.covered += 1
                _ = tab.content()
                context.evaluation.covered -= 1
            }
        }
        let buttons = tabs.map { tab in
            var button = Shown(.button, facts: tab.value == chosen?.value ? [.init("isSelected")] : [], children: tab.label)
            button.tap = context.evaluation.performing {
                if let selection {
                    if let value = tab.value.base as? SelectionValue { selection.wrappedValue = value }
                } else {
                    own.value = tab.value
                }
            }
            return button
        }
        return [
            Shown(
                .group, facts: [.init("tabView")],
                children: content + [Shown(.group, facts: [.init("tabs")], children: buttons)])
        ]
    }
}

extension TabView {
    public init<C: TabContent>(
        selection: Binding<SelectionValue>, @TabContentBuilder<SelectionValue> content: () -> C
    ) where Content == TabContentBuilder<SelectionValue>.Content<C>, C.TabValue == SelectionValue {
        let tabs = content()
        (self.selection, parts) = (selection, { (tabs as? any TabPrimitive)?.tabs(in: $0) ?? [] })
    }
}

extension TabView where SelectionValue == Never {
    public init<C: TabContent>(@TabContentBuilder<Never> content: () -> C)
    where Content == TabContentBuilder<Never>.Content<C>, C.TabValue == Never {
        let tabs = content()
        (selection, parts) = (nil, { (tabs as? any TabPrimitive)?.tabs(in: $0) ?? [] })
    }
}
