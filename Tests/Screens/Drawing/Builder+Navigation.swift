import SwiftUI

/// Navigation bars, and the parts of alerts.
extension Builder {
    /// The title that an element says for its navigation bar.
    static func navigationTitle(_ piece: Piece) -> String? {
        if let title = piece.value("navigationTitle") { return title }
        for child in piece.children where !child.isLayer {
            if let title = navigationTitle(child) { return title }
        }
        return nil
    }

    private static func isInline(_ piece: Piece) -> Bool {
        if piece.value("navigationBarTitleDisplayMode") == "inline" || piece.value("toolbarTitleDisplayMode") == "inline" {
            return true
        }
        return piece.children.contains { !$0.isLayer && isInline($0) }
    }

    /// The items of the bars, with where they stand; and the element without them.
    private static func takeItems(_ piece: inout Piece) -> [(placement: String, item: Piece)] {
        var items: [(String, Piece)] = []
        var kept: [Piece] = []
        for var child in piece.children where !child.isLayer {
            if child.kind == .group, let placement = child.value("toolbar") {
                items += child.children.map { (placement, $0) }
            } else if child.has("back") {
                let chevron = Piece(.symbol, "chevron.backward", facts: [.init("accessibilityHidden")])
                child.children = [Piece(.horizontal, facts: [.init("spacing", "5")], children: [chevron] + child.children)]
                items.append(("navigation", child))
            } else {
                items += takeItems(&child)
                kept.append(child)
            }
        }
        piece.children = kept
        return items
    }

    func navigation(_ piece: Piece, _ setting: Setting) -> Node {
        var inner = piece
        let items = Self.takeItems(&inner)
        let title = Self.navigationTitle(piece)
        var inside = setting
        inside.axis = .vertical
        var contents = nodes(inner.children, inside)
        if contents.count != 1 { contents = [Node(StackLayout(axis: .vertical, children: contents))] }
        let fill = FrameLayout(child: contents[0], width: .init(most: .infinity), height: .init(most: .infinity))
        var parts: [Node] = []
        let isInline = Self.isInline(piece) || style.device == .mac
        if title != nil || !items.isEmpty, style.device == .phone || !items.isEmpty {
            parts.append(bar(isInline && style.device == .phone ? title : nil, items, setting))
        }
        if let title, !isInline {
            var large = setting
            large.font = .style(.largeTitle, style)
            large.weight = 700
            let text = Node(
                FrameLayout(
                    child: self.text(title, large), width: .init(most: .infinity), alignment: Alignment(horizontal: .start))
            )
            parts.append(Node(PaddingLayout(child: text, edges: Edges(top: 3, leading: 16, bottom: 8, trailing: 16))))
        }
        let bottom = items.filter { $0.placement.lowercased().contains("bottom") }.map(\.item)
        let body = Node(fill)
        // The bars take their room first.
        body.priority = -1
        parts.append(body)
        if !bottom.isEmpty {
            var row = setting
            row.axis = .horizontal
            let stack = Node(StackLayout(axis: .horizontal, children: nodes(bottom, row)))
            parts.append(Node(FrameLayout(child: stack, width: .init(most: .infinity), height: .init(fixed: 49))))
        }
        return Node(StackLayout(axis: .vertical, children: parts, spacing: 0))
    }

    private func bar(_ title: String?, _ items: [(placement: String, item: Piece)], _ setting: Setting) -> Node {
        var row = setting
        row.axis = .horizontal
        // Bars do not grow with the text: a long press shows their items enlarged.
        var standard = style
        standard.textSize = .standard
        row.font = .style(.body, standard)
        func group(_ wanted: (String) -> Bool) -> [Node] {
            items.filter { wanted($0.placement.lowercased()) }.map { item in
                var inside = row
                if item.placement.hasPrefix("confirmation") { inside.weight = 600 }
                return Node(FrameLayout(child: Node(BarItemLayout(child: node(item.item, inside))), height: .init(fixed: 44)))
            }
        }
        func isLeading(_ place: String) -> Bool {
            place.contains("leading") || place.contains("cancellation") || place == "navigation"
        }
        func isElsewhere(_ place: String) -> Bool {
            place.contains("bottom") || place.contains("principal") || place.contains("keyboard")
        }
        let leading = Node(StackLayout(axis: .horizontal, children: group(isLeading), spacing: 16))
        let trailing = Node(StackLayout(axis: .horizontal, children: group { !isLeading($0) && !isElsewhere($0) }, spacing: 16))
        var middle = group { $0.contains("principal") }
        if let title {
            var headline = row
            headline.font = .style(.headline, standard)
            headline.lineLimit = 1
            middle = [text(title, headline)]
        }
        let spacer = Node(SpacerLayout(axis: .horizontal, least: 0))
        spacer.isSpacer = true
        let ends = Node(StackLayout(axis: .horizontal, children: [leading, spacer, trailing], spacing: 0))
        let all = Node(DepthLayout(children: [ends] + middle))
        let padded = Node(PaddingLayout(child: all, edges: Edges(leading: 16, trailing: 16)))
        return Node(FrameLayout(child: padded, width: .init(most: .infinity), height: .init(fixed: 44)))
    }

    /// An alert's or a dialog's title, message and buttons.
    func parts(of layer: Piece, _ setting: Setting) -> (title: [Node], message: [Node], buttons: [Node]) {
        var (heading, small) = (setting, setting)
        let isDialog = layer.kind == .dialog && style.device == .phone
        heading.font = isDialog ? .style(.footnote, style) : .style(.headline, style)
        heading.weight = 600
        small.font = .style(.footnote, style)
        (heading.place, small.place) = (.center, .center)
        if isDialog { (heading.foreground, small.foreground) = (setting.palette.secondary, setting.palette.secondary) }
        let title = layer.text.isEmpty ? [] : [text(layer.text, heading)]
        var message: [Node] = []
        var buttons: [Node] = []
        func take(_ pieces: [Piece]) {
            for piece in pieces {
                switch piece.kind {
                case .group: take(piece.children)
                case .button:
                    var action = setting
                    if isDialog { action.font = .style(.title3, style) }
                    if piece.value("role") == "cancel" { action.weight = 600 }
                    action.buttonStyle = "borderless"
                    buttons.append(node(piece, action))
                default: message.append(node(piece, small))
                }
            }
        }
        take(layer.children.filter { !$0.isLayer })
        return (title, message, buttons)
    }
}

extension Builder {
    /// The chosen tab's contents and the bar of tabs, which a Mac has at the top.
    func tabs(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .vertical
        let isPhone = style.device == .phone
        let buttons = piece.children.filter { $0.has("tabs") }.flatMap(\.children).map { button -> Node in
            var own = setting
            let isChosen = button.has("isSelected")
            own.foreground = isChosen ? setting.tint : isPhone ? setting.palette.secondary : setting.palette.label
            own.axis = .vertical
            let label = Self.flat(button.children).flatMap { $0.has("label") ? $0.children : [$0] }
            let parts = label.filter { isPhone || $0.kind != .symbol }.map { part -> Node in
                var small = own
                // A tab bar does not grow with the text.
                var standard = style
                standard.textSize = .standard
                small.font = part.kind == .symbol ? .size(20) : isPhone ? .size(10) : .style(.body, standard)
                return node(part, small)
            }
            let stack = Node(StackLayout(axis: .vertical, children: parts, spacing: 2))
            let area = Node(FrameLayout(child: stack, width: .init(most: .infinity), height: .init(fixed: isPhone ? 49 : 28)))
            return control(area, button, "tab", setting)
        }
        let bar = Node(StackLayout(axis: .horizontal, children: buttons, spacing: 0))
        let line = Node(FrameLayout(child: Node(FillLayout(colour: setting.palette.separator)), height: .init(fixed: 0.5)))
        var contents = nodes(piece.children.filter { !$0.has("tabs") }, inside)
        if contents.count != 1 { contents = [Node(StackLayout(axis: .vertical, children: contents))] }
        let fill = FrameLayout(child: contents[0], width: .init(most: .infinity), height: .init(most: .infinity))
        let body = Node(fill)
        body.priority = -1
        return Node(StackLayout(axis: .vertical, children: isPhone ? [body, line, bar] : [bar, line, body], spacing: 0))
    }
}

/// An item of a bar: a tap counts on 44 points in each direction around it.
struct BarItemLayout: Layout {
    var child: Node

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let (width, height) = (max(44, frame.width), max(44, frame.height))
        let area = Rect(x: frame.midX - width / 2, y: frame.midY - height / 2, width: width, height: height)
        canvas.with(\.row, area) { child.draw(in: frame, on: &$0) }
    }
}
