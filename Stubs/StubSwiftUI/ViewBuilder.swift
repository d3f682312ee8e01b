// developer.apple.com/documentation/swiftui/viewbuilder, iOS 13; buildBlock with parameter packs since iOS 17's SDK.
// There is no buildArray: a `for` loop is no view.
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    @available(*, unavailable, message: "this expression does not conform to 'View'")
    @_disfavoredOverload public static func buildExpression(_ invalid: Any) -> some View { EmptyView() }

    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    @MainActor public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var parts: [any View] = []
        for part in repeat each content { parts.append(part) }
        return TupleView(value: (repeat each content), parts: parts)
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent(storage: .first(first)) }

    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent(storage: .second(second)) }

    @MainActor public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

// developer.apple.com/documentation/swiftui/tupleview, iOS 13.
public struct TupleView<T>: View, Primitive, SeveralViews {
    public typealias Body = Never
    public var value: T
    let parts: [any View]

    func elements(in context: Context) -> [Shown] {
        parts.indices.flatMap { shownElements(of: parts[$0], in: context.at($0)) }
    }
}

/// Views side by side in a builder.
@MainActor protocol SeveralViews {
    var parts: [any View] { get }
}

// developer.apple.com/documentation/swiftui/_conditionalcontent, iOS 13.
public struct _ConditionalContent<TrueContent, FalseContent> {
    enum Storage {
        case first(TrueContent)
        case second(FalseContent)
    }

    let storage: Storage
}

extension _ConditionalContent: View, Primitive where TrueContent: View, FalseContent: View {
    public typealias Body = Never

    func elements(in context: Context) -> [Shown] {
        switch storage {
        case .first(let view): shownElements(of: view, in: context.at(true))
        case .second(let view): shownElements(of: view, in: context.at(false))
        }
    }
}

// developer.apple.com/documentation/swiftui/view: an optional view is one, iOS 13.
extension Optional: View where Wrapped: View {
    public typealias Body = Never
}

extension Optional: Primitive where Wrapped: View {
    func elements(in context: Context) -> [Shown] { map { shownElements(of: $0, in: context.at("some")) } ?? [] }
}

// developer.apple.com/documentation/swiftui/group, iOS 13. It has no place of its own in a layout: each element stands alone.
public struct Group<Content> {
    let content: Content
}

extension Group: View, Primitive where Content: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func elements(in context: Context) -> [Shown] { shownElements(of: content, in: context.at("group")) }
}

// developer.apple.com/documentation/swiftui/foreach, iOS 13.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    public var data: Data
    public var content: (Data.Element) -> Content
    let id: (Data.Element) -> ID
    var delete: ((IndexSet) -> Void)?
}

extension ForEach: View, Primitive where Content: View {
    public typealias Body = Never

    func elements(in context: Context) -> [Shown] {
        var seen: Set<ID> = []
        return data.flatMap { element in
            let id = id(element)
            precondition(seen.insert(id).inserted, "ForEach shows two elements with the identity \(id)")
            return shownElements(of: content(element), in: context.at(id))
        }
    }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data: data, content: content, id: { $0.id })
    }

    // developer.apple.com/documentation/swiftui/foreach/init(_:content:) for a binding, iOS 15.
    public init<C>(_ data: Binding<C>, @ViewBuilder content: @escaping (Binding<C.Element>) -> Content)
    where
        Data == LazyMapSequence<C.Indices, Binding<C.Element>>, C: MutableCollection & RandomAccessCollection,
        C.Element: Identifiable, C.Index: Hashable, ID == C.Element.ID, C.Indices: RandomAccessCollection
    {
        let whole = data
        self.init(
            data: whole.wrappedValue.indices.lazy.map { index in whole.element(at: index) },
            content: content, id: { $0.wrappedValue.id })
    }
}

extension ForEach where Content: View {
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data: data, content: content, id: { $0[keyPath: id] })
    }
}

extension ForEach where Data == Range<Int>, ID == Int, Content: View {
    // The compiler warns, here as there, where the range is not constant.
    @_semantics("swiftui.requires_constant_range")
    public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {
        self.init(data: data, content: content, id: { $0 })
    }
}

// developer.apple.com/documentation/swiftui/dynamicviewcontent, iOS 13.
public protocol DynamicViewContent: View {
    associatedtype Data: Collection
    var data: Self.Data { get }
}

extension ForEach: DynamicViewContent where Content: View {}
