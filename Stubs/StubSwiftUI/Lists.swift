// developer.apple.com/documentation/swiftui/list, iOS 13. Lists without a selection; with one where it is bound.
public struct List<SelectionValue: Hashable, Content: View>: View, Primitive {
    public typealias Body = Never
    let content: Content

    public init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) { self.content = content() }
    public init(selection: Binding<Set<SelectionValue>>?, @ViewBuilder content: () -> Content) { self.content = content() }

    func elements(in context: Context) -> [Shown] {
        [Shown(.list).pulling(context) { $0.contents(content) }]
    }
}

extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
        content = ForEach(data, content: rowContent)
    }

    public init<Data: RandomAccessCollection, ID: Hashable, RowContent: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, ID, RowContent> {
        content = ForEach(data, id: id, content: rowContent)
    }
}

// developer.apple.com/documentation/swiftui/form, iOS 13.
public struct Form<Content: View>: View, Primitive {
    public typealias Body = Never
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func elements(in context: Context) -> [Shown] { [Shown(.form).pulling(context) { $0.contents(content) }] }
}

// developer.apple.com/documentation/swiftui/section, iOS 13. A header and a footer are children of kind group with that fact.
public struct Section<Parent, Content, Footer> {
    let header: Parent
    let content: Content
    let footer: Footer
}

extension Section: View, Primitive where Parent: View, Content: View, Footer: View {
    public typealias Body = Never

    // iOS 15.
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
    ) {
        self.init(header: header(), content: content(), footer: footer())
    }

    func elements(in context: Context) -> [Shown] {
        let header = shownElements(of: header, in: context.at("header"))
        let footer = shownElements(of: footer, in: context.at("footer"))
        return [
            Shown(
                .section,
                children: (header.isEmpty ? [] : [Shown(.group, facts: [.init("header")], children: header)])
                    + context.contents(content)
                    + (footer.isEmpty ? [] : [Shown(.group, facts: [.init("footer")], children: footer)]))
        ]
    }
}

extension Section where Parent == EmptyView, Content: View, Footer: View {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
        self.init(content: content, header: { EmptyView() }, footer: footer)
    }
}

extension Section where Parent: View, Content: View, Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
        self.init(content: content, header: header, footer: { EmptyView() })
    }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content) {
        self.init(content: content, header: { EmptyView() }, footer: { EmptyView() })
    }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content, header: { Text(titleKey) }, footer: { EmptyView() })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(content: content, header: { Text(title) }, footer: { EmptyView() })
    }
}

// developer.apple.com/documentation/swiftui/labeledcontent, iOS 16.
public struct LabeledContent<Label, Content> {
    let label: Label
    let content: Content
}

extension LabeledContent: View, Primitive where Label: View, Content: View {
    public typealias Body = Never

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        self.init(label: label(), content: content())
    }

    func elements(in context: Context) -> [Shown] {
        let label = shownElement(of: label, in: context.at("label"))
        let content = shownElement(of: content, in: context.at("content"))
        return [Shown(.horizontal, facts: [.init("labeledContent")], children: [label, content])]
    }
}

extension LabeledContent where Label == Text, Content: View {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { Text(title) })
    }
}

extension LabeledContent where Label == Text, Content == Text {
    public init<S: StringProtocol>(_ titleKey: LocalizedStringKey, value: S) {
        self.init(content: { Text(value) }, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S1: StringProtocol, S2: StringProtocol>(_ title: S1, value: S2) {
        self.init(content: { Text(value) }, label: { Text(title) })
    }
    public init<F: FormatStyle>(_ titleKey: LocalizedStringKey, value: F.FormatInput, format: F)
    where F.FormatInput: Equatable, F.FormatOutput == String {
        self.init(content: { Text(value, format: format) }, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol, F: FormatStyle>(_ title: S, value: F.FormatInput, format: F)
    where F.FormatInput: Equatable, F.FormatOutput == String {
        self.init(content: { Text(value, format: format) }, label: { Text(title) })
    }
}

// developer.apple.com/documentation/swiftui/contentunavailableview, iOS 17.
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View, Primitive {
    public typealias Body = Never
    let label: Label
    let description: Description
    let actions: Actions

    public init(
        @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
        @ViewBuilder actions: () -> Actions = { EmptyView() }
    ) {
        (self.label, self.description, self.actions) = (label(), description(), actions())
    }

    func elements(in context: Context) -> [Shown] {
        [
            Shown(
                .vertical, facts: [.init("contentUnavailableView")],
                children: shownElements(of: label, in: context.at("label"))
                    + shownElements(of: description, in: context.at("description"))
                    + shownElements(of: actions, in: context.at("actions")))
        ]
    }
}

extension ContentUnavailableView where Label == StubSwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
    public init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil) {
        self.init(
            label: { StubSwiftUI.Label(title, systemImage: name) }, description: { description }, actions: { EmptyView() })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, systemImage name: String, description: Text? = nil) {
        self.init(
            label: { StubSwiftUI.Label(title, systemImage: name) }, description: { description }, actions: { EmptyView() })
    }
}

extension Shown {
    /// A list with its rows, which takes what `refreshable` says around it.
    @MainActor func pulling(_ context: Context, _ rows: (Context) -> [Shown]) -> Shown {
        var (list, context) = (self, context)
        if let refresh = context.environment.refresh {
            list.facts.append(.init("refreshable"))
            context.evaluation.refresh = refresh
            context.environment.refresh = nil
        }
        list.children = rows(context)
        return list
    }
}
