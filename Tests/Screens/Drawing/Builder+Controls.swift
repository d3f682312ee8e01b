import SwiftUI

/// Buttons, switches and fields as the system draws them.
extension Builder {
    func button(_ piece: Piece, _ setting: Setting) -> Node {
        let isDestructive = piece.value("role") == "destructive"
        let tint = isDestructive ? setting.palette.red : setting.tint
        var inside = setting
        inside.axis = .horizontal
        inside.isRow = false
        var style = setting.buttonStyle
        if style == "automatic" { style = setting.isPhone || setting.isRow ? "borderless" : "bordered" }
        if piece.kind == .menu, setting.isRow, piece.has("picker") { return picker(piece, setting) }
        if piece.kind == .menu { style = style == "bordered" && setting.buttonStyle == "automatic" ? "borderless" : style }
        if Self.systemStyles.contains(style), !setting.isRow, setting.place == .start { inside.place = .center }
        let size = ButtonSize(setting)
        if style.hasPrefix("bordered") || style == "borderedProminent" {
            if setting.controlSize == "small" || setting.controlSize == "mini" {
                inside.font = .style(.subheadline, self.style)
            }
        }
        switch style {
        case "borderedProminent": inside.foreground = setting.foreground ?? .white
        case "bordered":
            inside.foreground = setting.foreground ?? (setting.isPhone || isDestructive ? tint : setting.palette.label)
        // A row that leads to another screen is written as any other row.
        case "borderless" where setting.isRow && piece.has("navigationLink"): break
        case "borderless", "link": inside.foreground = setting.foreground ?? tint
        default: inside.foreground = setting.foreground ?? (isDestructive ? setting.palette.red : nil)
        }

        var parts = nodes(piece.children.filter { !$0.has("items") }, inside)
        if parts.isEmpty, !piece.text.isEmpty { parts = [text(piece.text, inside)] }
        if setting.isRow, piece.has("navigationLink") {
            let spacer = Node(SpacerLayout(axis: .horizontal, least: 8))
            spacer.isSpacer = true
            var faint = setting
            (faint.foreground, faint.weight, faint.imageScale) = (setting.palette.tertiary, 600, 0.65)
            parts += [spacer, symbolNode("chevron.forward", faint)]
        }
        if piece.kind == .menu {
            inside.imageScale = 0.7
            parts.append(symbolNode("chevron.up.chevron.down", inside))
        }
        var body = parts.count == 1 ? parts[0] : Node(StackLayout(axis: .horizontal, children: parts))
        if style == "borderedProminent" || style == "bordered" {
            body = Node(PaddingLayout(child: body, edges: size.padding))
            body = Node(FrameLayout(child: body, height: .init(least: size.height)))
            let fill = style == "borderedProminent" ? tint : setting.isPhone ? setting.palette.fill : setting.palette.row
            body = Node(
                BehindLayout(child: body, other: Node(FillLayout(outline: size.outline, colour: fill)), isOverlay: false))
            if !setting.isPhone, style == "bordered" {
                let line = FillLayout(outline: size.outline, colour: setting.palette.separator, line: 0.5)
                body = Node(BehindLayout(child: body, other: Node(line), isOverlay: true))
            }
        }
        if setting.isRow {
            body = Node(FrameLayout(child: body, width: .init(most: .infinity), alignment: Alignment(horizontal: .start)))
        }
        var own = setting
        // A style of the app's own shows by itself that a button is disabled.
        if !Self.systemStyles.contains(style) { own.isEnabled = true }
        return control(body, piece, "button", own)
    }

    private static let systemStyles = ["automatic", "bordered", "borderedProminent", "borderless", "link", "plain"]

    /// A choice in a row: its name, and what is chosen.
    private func picker(_ piece: Piece, _ setting: Setting) -> Node {
        var (name, value) = (setting, setting)
        (name.axis, name.isRow, value.axis, value.isRow) = (.horizontal, false, .horizontal, false)
        value.foreground = setting.palette.secondary
        let chosen = piece.children.filter { $0.has("items") }.flatMap(\.children).first { $0.has("isSelected") }
        let spacer = Node(SpacerLayout(axis: .horizontal, least: 8))
        spacer.isSpacer = true
        let label = nodes(piece.children.filter { !$0.has("items") }, name)
        let choice = chosen.map { nodes($0.children, value) } ?? []
        value.imageScale = 0.7
        let parts = label + [spacer] + choice + [symbolNode("chevron.up.chevron.down", value)]
        return control(Node(StackLayout(axis: .horizontal, children: parts, spacing: 6)), piece, "menu", setting)
    }

    /// A control that is faint where it is disabled, and noted where it is too small or has no label.
    func control(_ body: Node, _ piece: Piece, _ kind: String, _ setting: Setting, isSystemSized: Bool = false) -> Node {
        let shown =
            setting.isEnabled ? body : Node(EffectLayout(child: body, opacity: 0.4, isDisabled: true))
        return Node(
            ControlLayout(child: shown, label: piece.spoken, kind: kind, least: leastControl, isSystemSized: isSystemSized)
        )
    }

    func symbolNode(_ name: String, _ setting: Setting) -> Node {
        let side = (setting.typeface.size * 1.25 * setting.imageScale).rounded()
        return Node(PictogramLayout(name: name, side: side, colour: setting.textColour))
    }

    func toggle(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .horizontal
        var label = nodes(piece.children, inside)
        if label.isEmpty, !piece.text.isEmpty { label = [text(piece.text, inside)] }
        let isOn = piece.value("isOn") == "true"
        if !["automatic", "switch", "button", "checkbox"].contains(setting.toggleStyle) {
            let contents = label.count == 1 ? label[0] : Node(StackLayout(axis: .horizontal, children: label))
            return control(contents, piece, "toggle", setting)
        }
        let (palette, tint) = (setting.palette, setting.tint == setting.palette.accent ? setting.palette.green : setting.tint)
        let labels = Node(StackLayout(axis: .horizontal, children: label))
        if !setting.isPhone, setting.toggleStyle != "switch", setting.listStyle != "grouped" {
            let accent = setting.tint
            let box = FixedLayout(fixed: Size(width: 14, height: 14)) { frame, canvas in
                canvas.fill(frame, radius: 3.5, isOn ? accent : palette.row)
                if isOn {
                    canvas.pictogram("checkmark", frame.inset(Edges(top: 2, leading: 2, bottom: 2, trailing: 2)), .white)
                }
                if !isOn { canvas.stroke(frame, radius: 3.5, width: 0.5, palette.secondary) }
            }
            let row = StackLayout(axis: .horizontal, children: [Node(box), labels], spacing: 6)
            return control(Node(row), piece, "toggle", setting, isSystemSized: true)
        }
        let size = setting.isPhone ? Size(width: 51, height: 31) : Size(width: 38, height: 22)
        let knob = FixedLayout(fixed: size) { frame, canvas in
            canvas.fill(frame, radius: frame.height / 2, isOn ? tint : palette.strongFill)
            let side = frame.height - 4
            let x = isOn ? frame.maxX - side - 2 : frame.x + 2
            canvas.fill(Rect(x: x, y: frame.y + 2, width: side, height: side), radius: side / 2, .white)
        }
        let spacer = Node(SpacerLayout(axis: .horizontal, least: 8))
        spacer.isSpacer = true
        let row = Node(StackLayout(axis: .horizontal, children: label.isEmpty ? [Node(knob)] : [labels, spacer, Node(knob)]))
        return control(row, piece, "toggle", setting, isSystemSized: true)
    }

    func field(_ piece: Piece, _ setting: Setting) -> Node {
        var inside = setting
        inside.axis = .horizontal
        inside.lineLimit = 1
        let entered = piece.value("value") ?? ""
        if entered.isEmpty { inside.foreground = setting.palette.tertiary }
        let words = entered.isEmpty ? piece.value("prompt") ?? piece.text : entered
        var body = Node(
            FrameLayout(
                child: text(words.isEmpty ? " " : words, inside), width: .init(most: .infinity),
                alignment: Alignment(horizontal: setting.place == .start ? .start : setting.place)
            )
        )
        if setting.fieldStyle == "roundedBorder" || (!setting.isPhone && setting.fieldStyle == "automatic") {
            let edges =
                setting.isPhone
                ? Edges(top: 6, leading: 8, bottom: 6, trailing: 8) : Edges(top: 3, leading: 6, bottom: 3, trailing: 6)
            body = Node(PaddingLayout(child: body, edges: edges))
            let (fill, line) = (setting.palette.row, setting.palette.separator)
            let radius = setting.isPhone ? 6.0 : 5.0
            body = Node(
                BehindLayout(
                    child: body, other: Node(FillLayout(outline: .rectangle(radius: radius), colour: fill)), isOverlay: false
                )
            )
            body = Node(
                BehindLayout(
                    child: body, other: Node(FillLayout(outline: .rectangle(radius: radius), colour: line, line: 0.75)),
                    isOverlay: true
                )
            )
        }
        var named = piece
        (named.kind, named.children) = (.text, [])
        if piece.text.isEmpty { named.text = piece.value("prompt") ?? "" }
        return control(body, named, piece.kind == .secureField ? "secure field" : "text field", setting)
    }
}

/// What a control size means for a button with a border.
private struct ButtonSize {
    var padding: Edges
    var height: Double
    var outline: Outline

    init(_ setting: Setting) {
        let radius: Double
        switch (setting.isPhone, setting.controlSize) {
        case (true, "large"), (true, "extraLarge"):
            (padding, height, radius) = (Edges(top: 14, leading: 20, bottom: 14, trailing: 20), 50, 12)
        case (true, "small"), (true, "mini"):
            (padding, height, radius) = (Edges(top: 4, leading: 10, bottom: 4, trailing: 10), 28, 14)
        case (true, _): (padding, height, radius) = (Edges(top: 6, leading: 12, bottom: 6, trailing: 12), 34, 8)
        case (false, "large"), (false, "extraLarge"):
            (padding, height, radius) = (Edges(top: 6, leading: 16, bottom: 6, trailing: 16), 28, 7)
        case (false, _): (padding, height, radius) = (Edges(top: 3, leading: 10, bottom: 3, trailing: 10), 22, 6)
        }
        let words = Words(setting.borderShape)
        if words.names.contains("capsule") {
            outline = .capsule
        } else if words.names.contains("circle") {
            outline = .circle
        } else {
            outline = .rectangle(radius: words.numbers.first ?? radius)
        }
    }
}
