import SwiftUI

/// What a view's surroundings say to it: SwiftUI's environment, as far as it changes a drawing.
struct Setting {
    var style: ScreenDrawing.Style
    var palette: Palette
    var font: Typeface
    var weight: Int?
    var isMonospacedDigit = false
    var foreground: Colour?
    var tint: Colour
    var isEnabled = true
    var place = Place.start
    var lineLimit: Int?
    var minimumScale = 1.0
    var buttonStyle = "automatic"
    var borderShape = "automatic"
    var controlSize = "regular"
    var labelStyle = "automatic"
    var toggleStyle = "automatic"
    var fieldStyle = "automatic"
    var listStyle = "automatic"
    var progressStyle = "automatic"
    var imageScale = 1.0
    var isUppercase = false
    /// The axis of the stack around it, along which a spacer is flexible.
    var axis: Axis?
    /// Whether it is the outermost element of a list's row.
    var isRow = false

    init(_ style: ScreenDrawing.Style, isElevated: Bool = false) {
        self.style = style
        palette = Palette(isDark: style.appearance == .dark, isMac: style.device == .mac, isElevated: isElevated)
        font = .style(.body, style)
        tint = palette.accent
    }

    var isPhone: Bool { style.device == .phone }

    /// The colour of a text.
    var textColour: Colour { foreground ?? palette.label }

    /// The font with what weight and digits were said apart from it.
    var typeface: Typeface {
        var font = font
        if let weight { font.weight = weight }
        if isMonospacedDigit { font.isMonospacedDigit = true }
        return font
    }

    /// The setting inside of an element about which facts were said. The innermost fact wins, which stands first.
    func inside(_ facts: [Shown.Fact]) -> Setting {
        var inside = self
        for fact in facts.reversed() { inside.take(fact) }
        return inside
    }

    private mutating func take(_ fact: Shown.Fact) {
        let value = fact.value
        switch fact.name {
        case "font": font = Typeface.named(value, style) ?? font
        case "fontWeight": weight = Typeface.weights[value] ?? weight
        case "bold": weight = 700
        case "monospacedDigit": isMonospacedDigit = true
        case "foregroundStyle": foreground = palette.named(value, tint: tint) ?? foreground
        case "tint", "accentColor": tint = palette.named(value, tint: tint) ?? tint
        case "disabled": isEnabled = false
        case "enabled": isEnabled = true
        case "colorScheme", "preferredColorScheme":
            guard value == "light" || value == "dark" else { return }
            let isAccent = tint == palette.accent
            palette.isDark = value == "dark"
            if isAccent { tint = palette.accent }
        case "dynamicTypeSize":
            style.textSize = value.hasPrefix("accessibility") ? .accessibilityLarge : .standard
            font = .style(.body, style)
        case "multilineTextAlignment": place = Words(value).alignment?.horizontal ?? place
        case "lineLimit": lineLimit = Words(value).numbers.last.map { Int($0) }
        case "minimumScaleFactor": minimumScale = Double(value) ?? minimumScale
        case "buttonStyle": buttonStyle = value
        case "buttonBorderShape": borderShape = value
        case "controlSize": controlSize = value
        case "labelStyle": labelStyle = value
        case "toggleStyle": toggleStyle = value
        case "textFieldStyle": fieldStyle = value
        case "listStyle", "formStyle": listStyle = value
        case "progressViewStyle": progressStyle = value
        case "imageScale": imageScale = value == "large" ? 1.3 : value == "small" ? 0.8 : 1
        case "textCase": isUppercase = value == "uppercase"
        default: break
        }
    }
}
