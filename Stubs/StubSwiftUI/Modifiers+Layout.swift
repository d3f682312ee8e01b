// Each is at developer.apple.com/documentation/swiftui/view/ under its name, and of iOS 13 where nothing else is said.

extension View {
    // developer.apple.com/documentation/swiftui/view/padding(_:), iOS 13.
    public func padding(_ insets: EdgeInsets) -> some View { noting("padding", insets.fact) }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
        let parts = [edges == .all ? nil : edges.fact, length.map(plain)].compactMap { $0 }
        return noting("padding", parts.joined(separator: " "))
    }
    public func padding(_ length: CGFloat) -> some View { noting("padding", plain(length)) }

    // developer.apple.com/documentation/swiftui/view/frame(width:height:alignment:), iOS 13.
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
        noting("frame", frameFact([("width", width), ("height", height)], alignment))
    }

    @available(*, deprecated, message: "Please pass one or more parameters.")
    public func frame() -> some View { noting("frame") }

    // developer.apple.com/documentation/swiftui/view/frame(minwidth:idealwidth:maxwidth:minheight:…), iOS 13.
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View {
        let lengths = [
            ("minWidth", minWidth), ("idealWidth", idealWidth), ("maxWidth", maxWidth), ("minHeight", minHeight),
            ("idealHeight", idealHeight), ("maxHeight", maxHeight),
        ]
        return noting("frame", frameFact(lengths, alignment))
    }

    private func frameFact(_ lengths: [(String, CGFloat?)], _ alignment: Alignment) -> String {
        let parts = lengths.compactMap { name, length in length.map { "\(name) \(plain($0))" } }
        return (parts + (alignment == .center ? [] : ["alignment \(alignment.fact)"])).joined(separator: " ")
    }

    // developer.apple.com/documentation/swiftui/view/containerrelativeframe(_:alignment:), iOS 17.
    public func containerRelativeFrame(_ axes: Axis.Set, alignment: Alignment = .center) -> some View {
        noting("containerRelativeFrame", axes.fact + (alignment == .center ? "" : " alignment \(alignment.fact)"))
    }

    // developer.apple.com/documentation/swiftui/view/fixedsize(), iOS 13.
    public func fixedSize() -> some View { noting("fixedSize") }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View {
        let axes = [horizontal ? "horizontal" : nil, vertical ? "vertical" : nil].compactMap { $0 }
        return eachChanged { element, _ in
            if !axes.isEmpty { element.facts.append(.init("fixedSize", axes.count == 2 ? "" : axes[0])) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/layoutpriority(_:), iOS 13.
    public func layoutPriority(_ value: Double) -> some View { noting("layoutPriority", plain(value)) }

    // developer.apple.com/documentation/swiftui/view/aspectratio(_:contentmode:), iOS 13.
    public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View {
        noting("aspectRatio", (aspectRatio.map { plain($0) + " " } ?? "") + "\(contentMode)")
    }
    public func scaledToFit() -> some View { noting("aspectRatio", "fit") }
    public func scaledToFill() -> some View { noting("aspectRatio", "fill") }

    // developer.apple.com/documentation/swiftui/view/offset(x:y:), iOS 13.
    public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { noting("offset", "x \(plain(x)) y \(plain(y))") }

    // developer.apple.com/documentation/swiftui/view/zindex(_:), iOS 13.
    public func zIndex(_ value: Double) -> some View { noting("zIndex", plain(value)) }

    // developer.apple.com/documentation/swiftui/view/ignoressafearea(_:edges:), iOS 14.
    public func ignoresSafeArea(_ regions: SafeAreaRegions = .all, edges: Edge.Set = .all) -> some View {
        noting("ignoresSafeArea", edges == .all ? "" : edges.fact)
    }

    // developer.apple.com/documentation/swiftui/view/safeareainset(edge:alignment:spacing:content:), iOS 15.
    public func safeAreaInset<V: View>(
        edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> V
    ) -> some View {
        let inset = content()
        return eachChanged { element, context in
            let children = shownElements(of: inset, in: context.at("safeAreaInset"))
            if !children.isEmpty {
                element.children.append(Shown(.group, facts: [.init("safeAreaInset", "\(edge)")], children: children))
            }
        }
    }

    // developer.apple.com/documentation/swiftui/view/safeareapadding(_:_:), iOS 17.
    public func safeAreaPadding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
        let parts = [edges == .all ? nil : edges.fact, length.map(plain)].compactMap { $0 }
        return noting("safeAreaPadding", parts.joined(separator: " "))
    }

    // developer.apple.com/documentation/swiftui/view/gridcellcolumns(_:) and its like, iOS 16.
    public func gridCellColumns(_ count: Int) -> some View { noting("gridCellColumns", "\(count)") }
    public func gridColumnAlignment(_ guide: HorizontalAlignment) -> some View { noting("gridColumnAlignment", guide.fact) }
    public func gridCellUnsizedAxes(_ axes: Axis.Set) -> some View { noting("gridCellUnsizedAxes", axes.fact) }

    // MARK: Before and behind

    // developer.apple.com/documentation/swiftui/view/background(_:ignoressafeareaedges:), iOS 15.
    public func background<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View {
        noting("background", style._fact)
    }

    // iOS 15.
    public func background(ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View { noting("background", "background") }

    // developer.apple.com/documentation/swiftui/view/background(_:in:fillstyle:), iOS 15.
    public func background<S: ShapeStyle, T: InsettableShape>(
        _ style: S, in shape: T, fillStyle: FillStyle = FillStyle()
    ) -> some View {
        noting("background", "\(style._fact) in \(shape._shape)")
    }

    // developer.apple.com/documentation/swiftui/view/background(in:fillstyle:), iOS 15.
    public func background<S: InsettableShape>(in shape: S, fillStyle: FillStyle = FillStyle()) -> some View {
        noting("background", "background in \(shape._shape)")
    }

    // developer.apple.com/documentation/swiftui/view/background(alignment:content:), iOS 15. The fact `background` `view`
    // keeps its order.
    public func background<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
        let behind = content()
        return eachChanged { element, context in
            let children = shownElements(of: behind, in: context.at("background"))
            guard !children.isEmpty else { return }
            element.facts.append(.init("background", "view"))
            element.children.insert(Shown(.group, facts: aside("background", alignment), children: children), at: 0)
        }
    }

    private func aside(_ name: String, _ alignment: Alignment) -> [Shown.Fact] {
        [.init(name, alignment == .center ? "" : alignment.fact)]
    }

    // developer.apple.com/documentation/swiftui/view/overlay(_:ignoressafeareaedges:), iOS 15.
    public func overlay<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View {
        noting("overlay", style._fact)
    }

    // developer.apple.com/documentation/swiftui/view/overlay(_:in:fillstyle:), iOS 15.
    public func overlay<S: ShapeStyle, T: Shape>(_ style: S, in shape: T, fillStyle: FillStyle = FillStyle()) -> some View {
        noting("overlay", "\(style._fact) in \(shape._shape)")
    }

    // developer.apple.com/documentation/swiftui/view/overlay(alignment:content:), iOS 15.
    public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
        let before = content()
        return eachChanged { element, context in
            let children = shownElements(of: before, in: context.at("overlay"))
            guard !children.isEmpty else { return }
            element.facts.append(.init("overlay", "view"))
            element.children.append(Shown(.group, facts: aside("overlay", alignment), children: children))
        }
    }

    // developer.apple.com/documentation/swiftui/view/clipshape(_:style:), iOS 13.
    public func clipShape<S: Shape>(_ shape: S, style: FillStyle = FillStyle()) -> some View {
        noting("clipShape", shape._shape)
    }
    public func clipped(antialiased: Bool = false) -> some View { noting("clipped") }

    // developer.apple.com/documentation/swiftui/view/contentshape(_:eofill:), iOS 13. It changes only where a tap counts.
    public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { noting("contentShape", shape._shape) }

    // developer.apple.com/documentation/swiftui/view/shadow(color:radius:x:y:), iOS 13.
    public func shadow(
        color: Color = Color(.sRGBLinear, white: 0, opacity: 0.33), radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
    ) -> some View { noting("shadow", plain(radius)) }

    // developer.apple.com/documentation/swiftui/view/blur(radius:opaque:), iOS 13.
    public func blur(radius: CGFloat, opaque: Bool = false) -> some View { noting("blur", plain(radius)) }
    public func scaleEffect(_ s: CGFloat, anchor: UnitPoint = .center) -> some View { noting("scaleEffect", plain(s)) }

    // developer.apple.com/documentation/swiftui/view/mask(alignment:_:), iOS 15.
    public func mask<Mask: View>(alignment: Alignment = .center, @ViewBuilder _ mask: () -> Mask) -> some View {
        noting("mask")
    }
}

// developer.apple.com/documentation/swiftui/fillstyle, iOS 13.
public struct FillStyle: Equatable, Sendable {
    public var isEOFilled: Bool
    public var isAntialiased: Bool
    public init(eoFill: Bool = false, antialiased: Bool = true) { (isEOFilled, isAntialiased) = (eoFill, antialiased) }
}
