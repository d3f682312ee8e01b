import SwiftUI

/// Lists, forms and their sections, as inset groups of rows.
extension Builder {
    func list(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .vertical
        if piece.kind == .form || setting.isPhone, setting.listStyle != "plain" { inside.listStyle = "grouped" }
        // Rows that stand in no section are one of their own.
        var sections: [Node] = []
        var loose: [Piece] = []
        func close() {
            guard !loose.isEmpty else { return }
            sections.append(rows(loose, inside))
            loose = []
        }
        for child in Self.flat(piece.children) {
            if child.kind == .section {
                close()
                sections.append(section(child, inside.inside(child.facts)))
            } else {
                loose.append(child)
            }
        }
        close()
        let isPlain = inside.listStyle == "plain"
        let gap = isPlain ? 0.0 : setting.isPhone ? 24.0 : 16.0
        let edges = isPlain ? Edges.zero : Edges(top: 12, leading: 16, bottom: 24, trailing: 16)
        let all = Node(PaddingLayout(child: Node(StackLayout(axis: .vertical, children: sections, spacing: gap)), edges: edges))
        let back = isPlain ? setting.palette.background : setting.palette.groupedBackground
        return Node(ScrollLayout(child: all, background: back))
    }

    /// Children with those of groups in their place.
    static func flat(_ pieces: [Piece]) -> [Piece] {
        pieces.filter { !$0.isAside }.flatMap { $0.isPlainGroup ? flat(spread($0)) : [$0] }
    }

    func section(_ piece: Piece, _ setting: Setting) -> Node {
        let children = Self.flat(piece.children)
        var parts: [Node] = []
        let margin = setting.listStyle == "grouped" || !setting.isPhone ? 16.0 : 20.0
        func note(_ pieces: [Piece], isHeader: Bool) -> Node {
            var small = setting
            small.font = .style(.footnote, style)
            small.foreground = setting.palette.secondary
            small.isUppercase = isHeader && setting.isPhone
            small.listStyle = "automatic"
            if isHeader, !setting.isPhone {
                (small.font, small.foreground) = (.style(.headline, style), nil)
            }
            let edges = Edges(top: isHeader ? 6 : 7, leading: margin, bottom: isHeader ? 7 : 0, trailing: margin)
            let contents = StackLayout(axis: .vertical, children: nodes(pieces, small), place: .start)
            let wide = FrameLayout(child: Node(contents), width: .init(most: .infinity), alignment: .init(horizontal: .start))
            return Node(PaddingLayout(child: Node(wide), edges: edges))
        }
        let headers = children.filter { $0.has("header") }.flatMap { Self.spread(Self.without($0, "header")) }
        let footers = children.filter { $0.has("footer") }.flatMap { Self.spread(Self.without($0, "footer")) }
        if !headers.isEmpty { parts.append(note(headers, isHeader: true)) }
        let contents = children.filter { !$0.has("header") && !$0.has("footer") }
        if !contents.isEmpty { parts.append(rows(contents, setting)) }
        if !footers.isEmpty { parts.append(note(footers, isHeader: false)) }
        return Node(StackLayout(axis: .vertical, children: parts, spacing: 0))
    }

    private static func without(_ piece: Piece, _ fact: String) -> Piece {
        var piece = piece
        piece.facts.removeAll { $0.name == fact }
        return piece
    }

    private func rows(_ pieces: [Piece], _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .vertical
        inside.isRow = true
        var parts: [Node] = []
        let isPlain = setting.listStyle == "plain"
        for (index, piece) in pieces.enumerated() {
            if index > 0 {
                let hasSymbol = Self.leadsWithSymbol(pieces[index]) && Self.leadsWithSymbol(pieces[index - 1])
                let line = Node(
                    FrameLayout(child: Node(FillLayout(colour: setting.palette.separator)), height: .init(fixed: 0.5)))
                let leading = hasSymbol && setting.isPhone ? 16 + Self.symbolWidth(setting) + 12 : 16
                parts.append(Node(PaddingLayout(child: line, edges: Edges(leading: leading))))
            }
            var row = Node(
                FrameLayout(
                    child: node(piece, inside), width: .init(most: .infinity), alignment: Alignment(horizontal: .start)
                )
            )
            let (down, least) = setting.isPhone ? (11.0, 44.0) : (6.0, 32.0)
            row = Node(PaddingLayout(child: row, edges: Edges(top: down, leading: 16, bottom: down, trailing: 16)))
            row = Node(FrameLayout(child: row, height: .init(least: least)))
            if let back = piece.value("listRowBackground").flatMap({ setting.palette.named($0, tint: setting.tint) }) {
                row = Node(BehindLayout(child: row, other: Node(FillLayout(colour: back)), isOverlay: false))
            }
            let isControl = [.button, .menu, .toggle, .textField, .secureField].contains(piece.kind)
            parts.append(isControl ? Node(RowLayout(child: row)) : row)
        }
        let all = Node(StackLayout(axis: .vertical, children: parts, spacing: 0))
        guard !isPlain else { return all }
        let outline = Outline.rectangle(radius: setting.isPhone ? 10 : 6)
        let card = Node(FillLayout(outline: outline, colour: setting.palette.row))
        return Node(BehindLayout(child: all, other: card, isOverlay: false))
    }

    private static func leadsWithSymbol(_ piece: Piece) -> Bool {
        if piece.has("label") { return piece.children.first?.kind == .symbol }
        if piece.kind == .symbol { return true }
        guard piece.kind == .button || piece.kind == .toggle || piece.kind == .horizontal || piece.kind == .group else {
            return false
        }
        return piece.children.first.map { leadsWithSymbol($0) } ?? false
    }

    /// The width that the symbols of a list's labels share, so that the titles stand below one another.
    static func symbolWidth(_ setting: Setting) -> Double { (setting.font.size * 1.55).rounded() }

    /// A symbol and a title beside it.
    func label(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .horizontal
        var parts = piece.children
        var icon: [Node] = []
        if let first = parts.first, first.kind == .symbol {
            parts.removeFirst()
            var symbols = inside
            let isInList = setting.listStyle == "grouped" || setting.listStyle == "plain"
            if isInList, setting.foreground == nil { symbols.foreground = setting.tint }
            let symbol = node(first, symbols)
            let width = FrameLayout.Length(least: isInList ? Self.symbolWidth(setting) : nil)
            icon = [Node(FrameLayout(child: symbol, width: width))]
        }
        let spacing = setting.listStyle == "grouped" || setting.listStyle == "plain" ? 12.0 : 6.0
        return Node(StackLayout(axis: .horizontal, children: icon + nodes(parts, inside), spacing: spacing))
    }

    /// A title and a value, at the two ends of a row; below one another where the text is very large.
    func labeledContent(_ piece: Piece, _ setting: Setting) -> Node {
        var (title, value) = (setting, setting)
        (title.axis, value.axis) = (.horizontal, .horizontal)
        value.foreground = setting.foreground ?? setting.palette.secondary
        let first = Array(piece.children.prefix(1))
        let rest = Array(piece.children.dropFirst())
        if style.textSize == .accessibilityLarge {
            return Node(
                StackLayout(axis: .vertical, children: nodes(first, title) + nodes(rest, value), spacing: 2, place: .start))
        }
        value.place = .end
        let spacer = Node(SpacerLayout(axis: .horizontal, least: 8))
        spacer.isSpacer = true
        return Node(
            StackLayout(axis: .horizontal, children: nodes(first, title) + [spacer] + nodes(rest, value), place: .start))
    }

    /// What a screen shows in place of contents: a large symbol, a title, a description, and what one can do.
    func unavailable(_ piece: Piece, _ setting: Setting) -> Node {
        var parts: [Node] = []
        for child in piece.children {
            var inside = setting
            inside.axis = .vertical
            inside.place = .center
            if child.has("label") {
                for part in child.children {
                    inside.font = part.kind == .symbol ? .size(48) : .style(.title2, style)
                    inside.weight = part.kind == .symbol ? nil : 700
                    inside.foreground = part.kind == .symbol ? setting.palette.secondary : nil
                    parts.append(node(part, inside))
                }
            } else {
                inside.font = .style(.callout, style)
                if child.kind == .text { inside.foreground = setting.palette.secondary }
                parts.append(node(child, inside))
            }
        }
        let stack = Node(
            PaddingLayout(
                child: Node(StackLayout(axis: .vertical, children: parts, spacing: 12)), edges: Words("").edges(standard: 24)))
        return Node(FrameLayout(child: stack, width: .init(most: .infinity), height: .init(most: .infinity)))
    }

    /// A card with a title and contents.
    func groupBox(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .vertical
        let contents = Node(StackLayout(axis: .vertical, children: nodes(piece.children, inside), place: .start))
        let wide = Node(FrameLayout(child: contents, width: .init(most: .infinity), alignment: Alignment(horizontal: .start)))
        let padded = Node(PaddingLayout(child: wide, edges: Words("").edges(standard: 16)))
        let card = FillLayout(
            outline: .rectangle(radius: 10), colour: setting.isPhone ? Palette.boxFill(setting.palette) : setting.palette.row)
        return Node(BehindLayout(child: padded, other: Node(card), isOverlay: false))
    }
}

extension Palette {
    /// A group box's card, which is light on a white screen and grey on one of rows.
    static func boxFill(_ palette: Palette) -> Colour { palette.isDark ? Colour(0x1C1C1E) : Colour(0xF2F2F7) }
}
