extension Context {
    /// What stands in a container.
    func contents<V: View>(_ view: V) -> [Shown] { shownElements(of: view, in: at("content")) }
}

/// The facts of a stack: what differs from the defaults.
private func layout(_ alignment: String, unless usual: String, _ spacing: CGFloat?) -> [Shown.Fact] {
    (alignment == usual ? [] : [.init("alignment", alignment)]) + (spacing.map { [.init("spacing", plain($0))] } ?? [])
}

// developer.apple.com/documentation/swiftui/vstack, iOS 13.
public struct VStack<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        facts = layout(alignment.fact, unless: "center", spacing)
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.vertical, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/hstack, iOS 13.
public struct HStack<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        facts = layout(alignment.fact, unless: "center", spacing)
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.horizontal, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/zstack, iOS 13. The first stands behind the others.
public struct ZStack<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        facts = layout(alignment.fact, unless: "center", nil)
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.depth, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/pinnedscrollableviews, iOS 14.
public struct PinnedScrollableViews: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let sectionHeaders = PinnedScrollableViews(rawValue: 1)
    public static let sectionFooters = PinnedScrollableViews(rawValue: 2)
}

// developer.apple.com/documentation/swiftui/lazyvstack, iOS 14. All of it is evaluated.
public struct LazyVStack<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, pinnedViews: PinnedScrollableViews = .init(),
        @ViewBuilder content: () -> Content
    ) {
        facts = layout(alignment.fact, unless: "center", spacing)
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.vertical, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/griditem, iOS 14.
public struct GridItem: Sendable {
    public enum Size: Sendable {
        case fixed(CGFloat)
        case flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity)
        case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
    }

    public var size: Size
    public var spacing: CGFloat?
    public var alignment: Alignment?

    public init(_ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil) {
        (self.size, self.spacing, self.alignment) = (size, spacing, alignment)
    }

    var fact: String {
        let size =
            switch size {
            case .fixed(let width): "fixed \(plain(width))"
            case .flexible(10, .infinity): "flexible"
            case .flexible(let least, let most): "flexible \(plain(least)) to \(plain(most))"
            case .adaptive(let least, .infinity): "adaptive \(plain(least))"
            case .adaptive(let least, let most): "adaptive \(plain(least)) to \(plain(most))"
            }
        return size + (spacing.map { " spacing \(plain($0))" } ?? "")
    }
}

// developer.apple.com/documentation/swiftui/lazyvgrid, iOS 14. A grid without rows: its children fill the columns in order.
public struct LazyVGrid<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(
        columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        pinnedViews: PinnedScrollableViews = .init(), @ViewBuilder content: () -> Content
    ) {
        facts =
            [.init("columns", columns.map(\.fact).joined(separator: ", "))] + layout(alignment.fact, unless: "center", spacing)
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.grid, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/grid, iOS 16.
public struct Grid<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(
        alignment: Alignment = .center, horizontalSpacing: CGFloat? = nil, verticalSpacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {
        facts =
            layout(alignment.fact, unless: "center", nil)
            + (horizontalSpacing.map { [.init("horizontalSpacing", plain($0))] } ?? [])
            + (verticalSpacing.map { [.init("verticalSpacing", plain($0))] } ?? [])
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.grid, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/gridrow, iOS 16.
public struct GridRow<Content: View>: View, Primitive {
    public typealias Body = Never
    let facts: [Shown.Fact]
    let content: Content

    public init(alignment: VerticalAlignment? = nil, @ViewBuilder content: () -> Content) {
        facts = alignment.map { [.init("alignment", $0.fact)] } ?? []
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] { [Shown(.gridRow, facts: facts, children: context.contents(content))] }
}

// developer.apple.com/documentation/swiftui/spacer, iOS 13.
public struct Spacer: View, Primitive {
    public typealias Body = Never
    public var minLength: CGFloat?
    nonisolated public init(minLength: CGFloat? = nil) { self.minLength = minLength }

    func elements(in context: Context) -> [Shown] {
        [Shown(.spacer, facts: minLength.map { [.init("minLength", plain($0))] } ?? [])]
    }
}

// developer.apple.com/documentation/swiftui/divider, iOS 13.
public struct Divider: View, Primitive {
    public typealias Body = Never
    nonisolated public init() {}
    func elements(in context: Context) -> [Shown] { [Shown(.divider)] }
}

// developer.apple.com/documentation/swiftui/scrollview, iOS 13; this initialiser is without showsIndicators since iOS 13.
public struct ScrollView<Content: View>: View, Primitive {
    public typealias Body = Never
    public var content: Content
    public var axes: Axis.Set

    public init(_ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content) {
        self.axes = axes
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] {
        let facts: [Shown.Fact] = axes == .vertical ? [] : [.init("axes", axes.fact)]
        return [Shown(.scroll, facts: facts).pulling(context) { $0.contents(content) }]
    }
}

// developer.apple.com/documentation/swiftui/viewthatfits, iOS 16. The stand-in measures nothing: it takes the first view, and
// the last with an accessibility size of text.
public struct ViewThatFits<Content: View>: View, Primitive {
    public typealias Body = Never
    let axes: Axis.Set
    let content: Content

    public init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {
        self.axes = axes
        self.content = content()
    }

    func elements(in context: Context) -> [Shown] {
        // Nothing is measured here: the last view is taken where text is large or the window small, the first one elsewhere.
        let isLarge = context.environment.dynamicTypeSize.isAccessibilitySize || context.environment.standInIsSmall
        guard let parts = (content as? any SeveralViews)?.parts, !parts.isEmpty else { return context.contents(content) }
        let place = isLarge ? parts.count - 1 : 0
        return shownElements(of: parts[place], in: context.at("content").at(place))
    }
}

// developer.apple.com/documentation/swiftui/groupbox, iOS 14.
public struct GroupBox<Label: View, Content: View>: View, Primitive {
    public typealias Body = Never
    let label: Label
    let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        self.content = content()
        self.label = label()
    }

    func elements(in context: Context) -> [Shown] {
        let label = shownElements(of: label, in: context.at("label"))
        return [Shown(.group, facts: [.init("groupBox")], children: label + context.contents(content))]
    }
}

extension GroupBox where Label == EmptyView {
    public init(@ViewBuilder content: () -> Content) { self.init(content: content, label: { EmptyView() }) }
}

extension GroupBox where Label == Text {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { Text(titleKey) })
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(content: content, label: { Text(title) })
    }
}
