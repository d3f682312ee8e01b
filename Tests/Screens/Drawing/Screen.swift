import SwiftUI

/// A screen that has been laid out: what is drawn, from back to front, and what a person would stumble over.
struct Screen {
    let style: ScreenDrawing.Style
    let size: Size
    let title: String
    private(set) var canvas: Canvas
    /// What is behind everything.
    let background: Colour
    /// The colours of the layer in front.
    private(set) var frontPalette: Palette
    var findings: [String] { canvas.findings }

    private let setting: Setting
    private let builder: Builder

    init(_ root: Piece, _ style: ScreenDrawing.Style) {
        self.style = style
        size = style.device == .phone ? Size(width: 393, height: 852) : Size(width: 480, height: 360)
        setting = Setting(style)
        builder = Builder(style: style)
        frontPalette = setting.palette
        background = Self.behind(root, setting.palette)
        let whole = Rect(x: 0, y: 0, width: size.width, height: size.height)
        let edges = style.device == .phone ? Edges(top: 59, bottom: 34) : Edges(top: 28)
        canvas = Canvas(screen: whole, safeArea: whole.inset(edges), bounds: whole.inset(edges))
        title = Self.title(root, style)

        drawContents(root, setting, in: canvas.safeArea)
        if style.device == .mac { drawTitleBar(root) }
        for layer in Self.layers(root) { draw(layer) }
        canvas.checkTexts(on: background)
    }

    /// The x coordinate on the screen of a rectangle's left edge: from right to left everything is mirrored.
    func left(of frame: Rect) -> Double { style.rightToLeft ? size.width - frame.maxX : frame.x }

    // MARK: Parts

    /// What stands over the screen, from back to front.
    private static func layers(_ piece: Piece) -> [Piece] {
        piece.children.flatMap { child in child.isLayer ? [child] + layers(child) : layers(child) }
    }

    /// The colour behind a screen's contents: a list's where the screen is a list.
    private static func behind(_ root: Piece, _ palette: Palette) -> Colour {
        var piece = root
        while true {
            if piece.kind == .list || piece.kind == .form {
                return piece.value("listStyle") == "plain" ? palette.background : palette.groupedBackground
            }
            let inner = piece.children.filter { child in
                !child.isAside && !child.has("back")
                    && !["background", "overlay", "tabs"].contains { child.has($0) && child.kind == .group }
            }
            guard inner.count == 1 else { return palette.background }
            piece = inner[0]
        }
    }

    private static func title(_ root: Piece, _ style: ScreenDrawing.Style) -> String {
        let front = layers(root).last ?? root
        let name =
            Builder.navigationTitle(front) ?? (front.text.isEmpty ? nil : front.text) ?? firstText(front)
            ?? Builder.navigationTitle(root) ?? "A screen"
        let parts = [
            style.device == .phone ? "on a phone" : "in a Mac’s window", style.appearance == .dark ? "dark" : nil,
            style.rightToLeft ? "right to left" : nil, style.textSize == .accessibilityLarge ? "large text" : nil,
        ]
        return "\(name), " + parts.compactMap { $0 }.joined(separator: ", ")
    }

    private static func firstText(_ piece: Piece) -> String? {
        if piece.kind == .text, !piece.text.isEmpty { return piece.text }
        for child in piece.children where !child.isLayer {
            if let text = firstText(child) { return text }
        }
        return nil
    }

    // MARK: Layers

    private mutating func drawContents(_ piece: Piece, _ setting: Setting, in area: Rect) {
        var vertical = setting
        vertical.axis = .vertical
        var contents = builder.nodes([piece], vertical)
        if contents.isEmpty { return }
        if contents.count > 1 { contents = [Node(StackLayout(axis: .vertical, children: contents))] }
        let size = contents[0].size(Offer(area.size))
        contents[0].draw(in: area.placing(size, .center), on: &canvas)
    }

    private mutating func drawTitleBar(_ root: Piece) {
        let palette = setting.palette
        let bar = Rect(x: 0, y: 0, width: size.width, height: 28)
        // The buttons of a window stand at its left from right to left too.
        for (index, hex) in [UInt32(0xFF5F57), 0xFEBC2E, 0x28C840].enumerated() {
            let x = 10 + Double(index) * 20
            let place = Rect(x: style.rightToLeft ? size.width - x - 12 : x, y: 8, width: 12, height: 12)
            canvas.fill(place, radius: 6, Colour(hex))
        }
        guard let title = Builder.navigationTitle(root) else { return }
        var font = Typeface.style(.headline, style)
        font.weight = 700
        let line = font.width(title) > 320 ? font.truncated(title, width: 320) : title
        let text = Size(width: min(320, font.width(title)).rounded(.up), height: font.lineHeight)
        canvas.with(\.bounds, bar) { $0.text([line], font, palette.label, bar.placing(text, .center), .center) }
    }

    private mutating func draw(_ layer: Piece) {
        canvas.layer += 1
        var front = Setting(style, isElevated: layer.kind == .sheet)
        front.axis = .vertical
        front = front.inside(layer.facts)
        frontPalette = front.palette
        switch layer.kind {
        case .cover:
            // Nothing of what is behind can be seen or reached.
            (canvas.marks, canvas.findings) = ([], [])
            canvas.fill(canvas.screen, Self.behind(contents(of: layer), front.palette))
            drawContents(contents(of: layer), front, in: canvas.safeArea)
        case .alert: drawAlert(layer, front)
        case .dialog: style.device == .phone ? drawDialog(layer, front) : drawAlert(layer, front)
        default: drawSheet(layer, front)
        }
    }

    private func contents(of layer: Piece) -> Piece { Piece(.group, children: layer.children) }

    private mutating func dim() {
        canvas.fill(canvas.screen, Colour(0x000000, opacity: style.appearance == .dark ? 0.5 : 0.25))
    }

    private mutating func drawSheet(_ layer: Piece, _ setting: Setting) {
        dim()
        let piece = contents(of: layer)
        let isPhone = style.device == .phone
        var card = canvas.screen
        let safeArea = canvas.safeArea
        let detents = Self.detents(layer)
        if isPhone {
            card.y = detents.map { size.height - $0(size.height) } ?? 69
            card.height = size.height - card.y
        } else {
            var vertical = setting
            vertical.axis = .vertical
            let nodes = builder.nodes([piece], vertical)
            let wanted = Node(StackLayout(axis: .vertical, children: nodes)).size(Offer(width: 380, height: 310))
            let size = Size(width: min(420, max(260, wanted.width)), height: min(320, max(100, wanted.height)))
            card = canvas.screen.placing(size, .center)
        }
        // The lower corners of a phone's sheet are below the screen's edge.
        let shape = Clip(
            frame: Rect(x: card.x, y: card.y, width: card.width, height: card.height + (isPhone ? 20 : 0)),
            radius: isPhone ? 12 : 10
        )
        let named = Self.value("presentationBackground", in: layer).flatMap {
            setting.palette.named($0, tint: setting.tint)
        }
        canvas.fill(shape.frame, radius: shape.radius, named ?? Self.behind(piece, setting.palette))
        if Self.value("presentationDragIndicator", in: layer) == "visible" {
            let grip = Rect(x: card.midX - 18, y: card.y + 5, width: 36, height: 5)
            canvas.fill(grip, radius: 2.5, setting.palette.tertiary)
        }
        let inner = card.inset(isPhone ? Edges(top: 8, bottom: 34) : .zero)
        // What touches the sheet's edges ends there.
        canvas = Canvas(continuing: canvas, screen: card, safeArea: inner)
        canvas.clip = shape
        drawContents(piece, setting, in: inner)
        canvas = Canvas(
            continuing: canvas, screen: Rect(x: 0, y: 0, width: size.width, height: size.height), safeArea: safeArea)
    }

    /// The height of the first detent that a sheet names; nil for a sheet over the whole screen.
    private static func detents(_ layer: Piece) -> ((Double) -> Double)? {
        guard let value = value("presentationDetents", in: layer) else { return nil }
        let words = Words(value)
        if let share = words.number("fraction") { return { $0 * share } }
        if let height = words.number("height") { return { _ in height + 34 } }
        return words.names.contains("medium") ? { ($0 / 2).rounded() } : nil
    }

    /// The value of a fact at a layer or at one of its contents.
    private static func value(_ name: String, in piece: Piece) -> String? {
        if let value = piece.value(name) { return value }
        for child in piece.children where !child.isLayer {
            if let value = value(name, in: child) { return value }
        }
        return nil
    }

    private mutating func drawAlert(_ layer: Piece, _ setting: Setting) {
        dim()
        let (title, message, buttons) = builder.parts(of: layer, setting)
        let isPhone = style.device == .phone
        let width = style.textSize == .accessibilityLarge && isPhone ? 340.0 : 270.0
        let isStacked =
            buttons.count != 2 || buttons.contains { $0.size(Offer(width: nil, height: nil)).width > width / 2 - 16 }
        let texts = Node(
            PaddingLayout(
                child: Node(StackLayout(axis: .vertical, children: title + message, spacing: 4)),
                edges: Edges(top: 20, leading: 16, bottom: 18, trailing: 16)
            )
        )
        let textHeight = texts.size(Offer(width: width, height: nil)).height
        let least = isPhone ? 44.0 : 32.0
        let share = isStacked ? width : width / 2
        let heights = buttons.map { max(least, $0.size(Offer(width: share - 16, height: nil)).height + 16) }
        let buttonHeight = isStacked ? heights.reduce(0, +) : heights.max() ?? 0
        let card = canvas.screen.placing(Size(width: width, height: textHeight + buttonHeight), .center)
        canvas.fill(card, radius: 14, setting.palette.card)
        canvas.checkPlace(card, "an alert")
        texts.draw(in: Rect(x: card.x, y: card.y, width: width, height: textHeight), on: &canvas)
        var (x, y) = (card.x, card.y + textHeight)
        for (index, button) in buttons.enumerated() {
            let area = Rect(x: x, y: y, width: share, height: isStacked ? heights[index] : buttonHeight)
            if isStacked || index == 0 {
                canvas.fill(Rect(x: card.x, y: y, width: width, height: 0.5), setting.palette.separator)
            } else {
                canvas.fill(Rect(x: x, y: y, width: 0.5, height: buttonHeight), setting.palette.separator)
            }
            let inner = button.size(Offer(width: share - 16, height: area.height))
            canvas.with(\.row, area) { button.draw(in: area.placing(inner, .center), on: &$0) }
            if isStacked { y += heights[index] } else { x += share }
        }
    }

    private mutating func drawDialog(_ layer: Piece, _ setting: Setting) {
        dim()
        let (title, message, buttons) = builder.parts(of: layer, setting)
        let cancel = layer.children.flatMap { $0.kind == .group ? $0.children : [$0] }.filter { $0.kind == .button }
            .firstIndex { $0.value("role") == "cancel" }
        let width = size.width - 16
        var y = size.height - 34
        func place(_ nodes: [Node], least: Double) -> [Double] {
            nodes.map { max(least, $0.size(Offer(width: width - 32, height: nil)).height + 24) }
        }
        var groups: [[Node]] = [buttons.indices.filter { $0 != cancel }.map { buttons[$0] }]
        if !(title + message).isEmpty {
            groups[0].insert(Node(StackLayout(axis: .vertical, children: title + message, spacing: 4)), at: 0)
        }
        if let cancel { groups.append([buttons[cancel]]) }
        for group in groups.reversed() {
            let heights = place(group, least: 57)
            let height = heights.reduce(0, +)
            y -= height
            canvas.fill(Rect(x: 8, y: y, width: width, height: height), radius: 14, setting.palette.card)
            var at = y
            for (index, node) in group.enumerated() {
                if index > 0 { canvas.fill(Rect(x: 8, y: at, width: width, height: 0.5), setting.palette.separator) }
                let area = Rect(x: 8, y: at, width: width, height: heights[index])
                let inner = node.size(Offer(width: width - 32, height: area.height))
                canvas.with(\.row, area) { node.draw(in: area.placing(inner, .center), on: &$0) }
                at += heights[index]
            }
            y -= 8
        }
        if y < canvas.safeArea.y { canvas.note("outside the safe area: a dialog") }
    }
}

extension Canvas {
    /// A canvas with the marks and findings of another, for another area.
    init(continuing other: Canvas, screen: Rect, safeArea: Rect) {
        self.init(screen: screen, safeArea: safeArea, bounds: safeArea)
        (marks, findings, layer) = (other.marks, other.findings, other.layer)
    }
}
