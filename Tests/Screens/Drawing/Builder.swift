import SwiftUI

/// Makes layouts of the tree's elements.
struct Builder {
    let style: ScreenDrawing.Style

    /// The least side of what can be tapped.
    var leastControl: Double { style.device == .phone ? 44 : 20 }

    /// The layout of an element.
    func node(_ piece: Piece, _ outer: Setting) -> Node {
        let setting = outer.inside(piece.facts)
        func groups(_ name: String) -> [Piece] { piece.children.filter { $0.kind == .group && $0.has(name) } }
        // The outermost background stands first among the children, and the outermost overlay last.
        var (behind, before) = (Array(groups("background").reversed()), groups("overlay"))
        let insets = groups("safeAreaInset")
        var inner = piece
        inner.children = piece.children.filter { child in
            let isBeside = ["background", "overlay", "safeAreaInset"].contains { child.kind == .group && child.has($0) }
            return !isBeside && (!child.isAside || child.has("toolbar") || child.has("items"))
        }
        var node = plain(inner, setting)
        for (place, fact) in piece.facts.enumerated() {
            let wrapped: Node
            // What was said before a view was added does not reach that view.
            var beside: Setting { outer.inside(Array(piece.facts[(place + 1)...])) }
            switch fact.name {
            case "background" where fact.value == "view" && !behind.isEmpty:
                wrapped = add(behind.removeFirst(), to: node, isOverlay: false, beside)
            case "overlay" where fact.value == "view" && !before.isEmpty:
                wrapped = add(before.removeFirst(), to: node, isOverlay: true, beside)
            default: wrapped = wrap(node, fact, setting)
            }
            if wrapped !== node {
                (wrapped.priority, wrapped.isSpacer) = (node.priority, node.isSpacer)
                node = wrapped
            }
        }
        for bar in insets { node = inset(bar, of: node, outer) }
        return node
    }

    /// A bar at the top or the bottom, which takes its room from the contents.
    private func inset(_ bar: Piece, of node: Node, _ setting: Setting) -> Node {
        var inside = setting
        (inside.axis, inside.listStyle) = (.vertical, "automatic")
        var piece = bar
        piece.facts.removeAll { $0.name == "safeAreaInset" }
        let contents = nodes([piece], inside)
        let wide = FrameLayout(child: Node(StackLayout(axis: .vertical, children: contents)), width: .init(most: .infinity))
        node.priority = -1
        let isTop = Words(bar.value("safeAreaInset") ?? "").names.contains("top")
        return Node(StackLayout(axis: .vertical, children: isTop ? [Node(wide), node] : [node, Node(wide)], spacing: 0))
    }

    /// The layouts of children; a group's children stand in its place.
    func nodes(_ pieces: [Piece], _ setting: Setting) -> [Node] {
        pieces.filter { !$0.isAside }.flatMap { piece in
            piece.isPlainGroup ? nodes(Self.spread(piece), setting) : [node(piece, setting)]
        }
    }

    /// A group's children with the facts of the group, which SwiftUI says to each of them.
    static func spread(_ group: Piece) -> [Piece] {
        group.children.map { child in
            var child = child
            child.facts += group.facts
            return child
        }
    }

    private func add(_ other: Piece, to node: Node, isOverlay: Bool, _ setting: Setting) -> Node {
        let name = isOverlay ? "overlay" : "background"
        let words = Words(other.value(name) ?? "")
        var piece = other
        piece.facts.removeAll { $0.name == name }
        let contents = nodes([piece], setting)
        let layers = contents.count == 1 ? contents[0] : Node(DepthLayout(children: contents))
        return Node(BehindLayout(child: node, other: layers, isOverlay: isOverlay, alignment: words.alignment ?? .center))
    }

    // MARK: Modifiers

    private func wrap(_ node: Node, _ fact: Shown.Fact, _ setting: Setting) -> Node {
        let words = Words(fact.value)
        switch fact.name {
        case "padding", "safeAreaPadding": return Node(PaddingLayout(child: node, edges: words.edges(standard: 16)))
        case "frame": return frame(node, words)
        case "background", "overlay":
            guard let colour = setting.palette.named(fact.value, tint: setting.tint) else { return node }
            let outline = Outline(fact.value)
            let fill = FillLayout(outline: outline, colour: colour, reachesEdges: fact.name == "background")
            return Node(BehindLayout(child: node, other: Node(fill), isOverlay: fact.name == "overlay"))
        case "opacity": return Node(EffectLayout(child: node, opacity: words.numbers.first ?? 1))
        case "hidden": return Node(EffectLayout(child: node, opacity: 0))
        case "redacted": return Node(EffectLayout(child: node, opacity: 0.3))
        case "clipShape", "clipped": return Node(EffectLayout(child: node, outline: Outline(fact.value)))
        case "offset":
            let offset = Size(width: words.number("x") ?? 0, height: words.number("y") ?? 0)
            return Node(EffectLayout(child: node, offset: offset))
        case "fixedSize":
            return Node(
                FixedSizeLayout(child: node, horizontal: fact.value != "vertical", vertical: fact.value != "horizontal"))
        case "layoutPriority":
            node.priority = words.numbers.first ?? 0
            return node
        case "aspectRatio":
            return Node(RatioLayout(child: node, ratio: words.numbers.first ?? 1, fills: words.names.contains("fill")))
        case "gridCellUnsizedAxes": return Node(UnsizedLayout(child: node))
        case "layoutDirection":
            return (fact.value == "rightToLeft") == style.rightToLeft ? node : Node(MirroredLayout(child: node))
        case "ignoresSafeArea": return Node(EdgeLayout(child: node))
        default: return node
        }
    }

    private func frame(_ node: Node, _ words: Words) -> Node {
        var layout = FrameLayout(child: node, alignment: words.alignment ?? .center)
        layout.width = .init(
            fixed: words.number("width"), least: words.number("minWidth"), ideal: words.number("idealWidth"),
            most: words.number("maxWidth")
        )
        layout.height = .init(
            fixed: words.number("height"), least: words.number("minHeight"), ideal: words.number("idealHeight"),
            most: words.number("maxHeight")
        )
        return Node(layout)
    }

    // MARK: Elements

    private func plain(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        if piece.kind != .group { inside.isRow = false }
        switch piece.kind {
        case .text: return text(piece.text, inside)
        case .symbol: return symbol(piece, inside)
        case .color:
            let colour = inside.palette.named(piece.text, tint: inside.tint) ?? inside.palette.fill
            return Node(FillLayout(colour: colour, reachesEdges: true))
        case .shape: return shape(piece, inside)
        case .divider:
            let colour = inside.palette.separator
            if inside.axis == .horizontal {
                let line = FrameLayout(child: Node(FillLayout(colour: colour)), width: .init(fixed: 0.5))
                return Node(line)
            }
            return Node(FrameLayout(child: Node(FillLayout(colour: colour)), height: .init(fixed: 0.5)))
        case .spacer:
            let least = piece.value("minLength").flatMap { Words($0).numbers.first } ?? StackLayout.standardSpacing
            let node = Node(SpacerLayout(axis: inside.axis, least: least))
            node.isSpacer = true
            return node
        case .progress: return progress(piece, inside)
        case .vertical where piece.has("contentUnavailableView"): return unavailable(piece, inside)
        case .vertical: return stack(piece, .vertical, inside)
        case .horizontal where piece.has("label"): return label(piece, inside)
        case .horizontal where piece.has("labeledContent"): return labeledContent(piece, inside)
        case .horizontal: return stack(piece, .horizontal, inside)
        case .depth:
            inside.axis = nil
            let alignment = Words(piece.value("alignment") ?? "").alignment
            return Node(DepthLayout(children: nodes(piece.children, inside), alignment: alignment ?? .center))
        case .group where piece.has("groupBox"): return groupBox(piece, inside)
        case .group where piece.has("tabView"): return tabs(piece, inside)
        case .group:
            let contents = nodes(piece.children, inside)
            return contents.count == 1 ? contents[0] : Node(StackLayout(axis: inside.axis ?? .vertical, children: contents))
        case .grid, .gridRow: return grid(piece, inside)
        case .scroll:
            inside.axis = piece.value("axes") == "horizontal" ? .horizontal : .vertical
            let contents = nodes(piece.children, inside)
            let child =
                contents.count == 1 ? contents[0] : Node(StackLayout(axis: inside.axis ?? .vertical, children: contents))
            return Node(ScrollLayout(child: child, axis: inside.axis ?? .vertical))
        case .list, .form: return list(piece, inside)
        case .section: return section(piece, inside)
        case .navigation: return navigation(piece, inside)
        case .button, .menu:
            inside.isRow = setting.isRow
            return button(piece, inside)
        case .toggle: return toggle(piece, inside)
        case .secureField, .textField:
            inside.isRow = setting.isRow
            return field(piece, inside)
        case .sheet, .cover, .alert, .dialog: return Node(SpacerLayout(axis: nil, least: 0))
        }
    }

    func text(_ text: String, _ setting: Setting) -> Node {
        Node(
            TextLayout(
                text: setting.isUppercase ? text.uppercased() : text, font: setting.typeface, colour: setting.textColour,
                place: setting.place, lineLimit: setting.lineLimit, minimumScale: setting.minimumScale
            )
        )
    }

    private func symbol(_ piece: Piece, _ setting: Setting) -> Node {
        let side = (setting.typeface.size * 1.25 * setting.imageScale).rounded()
        return Node(
            PictogramLayout(name: piece.text, side: side, colour: setting.textColour, isResizable: piece.has("resizable"))
        )
    }

    private func shape(_ piece: Piece, _ setting: Setting) -> Node {
        let outline = Outline(piece.text)
        let fill = piece.value("fill").map { setting.palette.named($0, tint: setting.tint) ?? setting.textColour }
        if let stroke = piece.value("stroke") ?? piece.value("strokeBorder") {
            let colour = setting.palette.named(stroke, tint: setting.tint) ?? setting.textColour
            return Node(FillLayout(outline: outline, colour: colour, line: Words(stroke).numbers.last ?? 1))
        }
        return Node(FillLayout(outline: outline, colour: fill ?? setting.textColour, reachesEdges: true))
    }

    private func stack(_ piece: Piece, _ axis: Axis, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = axis
        let alignment = Words(piece.value("alignment") ?? "").alignment ?? .center
        return Node(
            StackLayout(
                axis: axis, children: nodes(piece.children, inside),
                spacing: piece.value("spacing").flatMap { Words($0).numbers.first }, place: alignment[axis.across]
            )
        )
    }

    private func grid(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .horizontal
        let alignment = Words(piece.value("alignment") ?? "").alignment ?? .center
        let spacing = piece.value("spacing").flatMap { Words($0).numbers.first }
        let across = piece.value("horizontalSpacing").flatMap { Words($0).numbers.first } ?? spacing
        let down = piece.value("verticalSpacing").flatMap { Words($0).numbers.first } ?? spacing
        let gaps = Size(width: across ?? 8, height: down ?? 8)
        guard let columns = columns(of: piece) else {
            let rows = Self.flat(piece.children).map { row in
                row.kind == .gridRow ? nodes(row.children, inside.inside(row.facts)) : [node(row, inside)]
            }
            return Node(GridLayout(rows: rows, spacing: gaps, alignment: alignment, sharesWidth: false))
        }
        let cells = nodes(piece.children, inside)
        let rows = stride(from: 0, to: cells.count, by: columns).map { Array(cells[$0..<min($0 + columns, cells.count)]) }
        return Node(GridLayout(rows: rows, spacing: gaps, alignment: alignment, sharesWidth: true))
    }

    /// The number of columns of a lazy grid; nil for a grid whose rows say it.
    private func columns(of piece: Piece) -> Int? {
        guard let value = piece.value("columns"), !piece.children.contains(where: { $0.kind == .gridRow }) else { return nil }
        let words = Words(value)
        let kinds = words.names.filter { ["flexible", "fixed", "adaptive"].contains($0) }.count
        return max(1, kinds > 0 ? kinds : Int(words.numbers.first ?? 1))
    }

    private func progress(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .vertical
        var parts = nodes(piece.children, inside)
        if !piece.text.isEmpty { parts.append(text(piece.text, inside)) }
        let share = piece.value("value").flatMap { Words($0).numbers.first }
        if let share {
            let (track, tint) = (setting.palette.strongFill, setting.tint)
            let bar = FixedLayout(fixed: Size(width: 100, height: 4), takesWidth: true) { frame, canvas in
                canvas.fill(frame, radius: 2, track)
                var part = frame
                part.width *= min(1, max(0, share))
                canvas.fill(part, radius: 2, tint)
            }
            return Node(StackLayout(axis: .vertical, children: parts + [Node(bar)], place: .start))
        }
        let side = setting.controlSize == "large" || setting.controlSize == "extraLarge" ? 36.0 : 20.0
        let colour = setting.foreground ?? setting.palette.secondary
        let ring = Node(FixedLayout(fixed: Size(width: side, height: side)) { $1.ring($0, colour) })
        return parts.isEmpty ? ring : Node(StackLayout(axis: .vertical, children: [ring] + parts))
    }
}
