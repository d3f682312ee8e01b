import Foundation

/// A colour in sRGB with its opacity, each part from 0 to 1.
struct Colour: Hashable, Sendable {
    var red: Double
    var green: Double
    var blue: Double
    var opacity = 1.0

    /// Whether it is one of the system's, which the system's settings adapt, and not one that the app fixed.
    var isSystem = true

    /// Makes a colour of its six hexadecimal digits.
    init(_ hex: UInt32, opacity: Double = 1) {
        red = Double(hex >> 16 & 0xFF) / 255
        green = Double(hex >> 8 & 0xFF) / 255
        blue = Double(hex & 0xFF) / 255
        self.opacity = opacity
    }

    /// Makes a colour that a view chose itself.
    init(own red: Double, _ green: Double, _ blue: Double, opacity: Double) {
        (self.red, self.green, self.blue, self.opacity) = (red, green, blue, opacity)
        isSystem = false
    }

    static let white = Colour(0xFFFFFF)
    static let black = Colour(0x000000)

    /// The colour with its opacity multiplied.
    func faded(_ opacity: Double) -> Colour {
        var faded = self
        faded.opacity *= opacity
        return faded
    }

    /// What is seen where this colour lies over an opaque one.
    func over(_ below: Colour) -> Colour {
        var seen = self
        seen.red = red * opacity + below.red * (1 - opacity)
        seen.green = green * opacity + below.green * (1 - opacity)
        seen.blue = blue * opacity + below.blue * (1 - opacity)
        seen.opacity = 1
        return seen
    }

    /// The relative luminance of WCAG 2.2.
    private var luminance: Double {
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast ratio of WCAG 2.2 (success criterion 1.4.3), from 1 to 21.
    func contrast(with other: Colour) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// The six hexadecimal digits, as SVG wants them.
    var hex: String {
        func digits(_ part: Double) -> String {
            let text = String(Int((min(1, max(0, part)) * 255).rounded()), radix: 16, uppercase: true)
            return text.count < 2 ? "0" + text : text
        }
        return "#" + digits(red) + digits(green) + digits(blue)
    }
}

/// The colours of the system in one appearance, as Apple's Human Interface Guidelines publish them for iOS 18 and macOS 15.
struct Palette: Sendable {
    var isDark: Bool
    var isMac: Bool
    /// Whether it is a sheet's: in dark appearance the system lifts what stands in front.
    var isElevated = false

    private func pick(_ light: UInt32, _ dark: UInt32) -> Colour { Colour(isDark ? dark : light) }

    var label: Colour { pick(0x000000, 0xFFFFFF) }
    var secondary: Colour { pick(0x3C3C43, 0xEBEBF5).faded(0.6) }
    var tertiary: Colour { pick(0x3C3C43, 0xEBEBF5).faded(0.3) }
    var quaternary: Colour { pick(0x3C3C43, 0xEBEBF5).faded(isDark ? 0.16 : 0.18) }
    var accent: Colour { pick(0x007AFF, 0x0A84FF) }
    var red: Colour { pick(0xFF3B30, 0xFF453A) }
    var green: Colour { pick(0x34C759, 0x30D158) }
    var separator: Colour { isDark ? Colour(0x545458, opacity: 0.6) : Colour(0x3C3C43, opacity: 0.29) }
    /// The fill of bordered buttons and of keys.
    var fill: Colour { Colour(0x767680, opacity: isDark ? 0.24 : 0.12) }
    /// The fill of a switch that is off.
    var strongFill: Colour { Colour(0x787880, opacity: isDark ? 0.32 : 0.16) }

    /// What is behind a screen's contents.
    var background: Colour {
        if isMac { return pick(0xECECEC, 0x282828) }
        return isDark && isElevated ? Colour(0x1C1C1E) : pick(0xFFFFFF, 0x000000)
    }

    /// What is behind the rows of a grouped list.
    var groupedBackground: Colour {
        if isMac { return background }
        return isDark && isElevated ? Colour(0x1C1C1E) : pick(0xF2F2F7, 0x000000)
    }

    /// The rows of a grouped list.
    var row: Colour {
        if isMac { return pick(0xF7F7F7, 0x323232) }
        return isDark && isElevated ? Colour(0x2C2C2E) : pick(0xFFFFFF, 0x1C1C1E)
    }

    /// An alert's or a dialog's card.
    var card: Colour { pick(0xF2F2F2, 0x252525) }

    /// The colour that a value names: `secondary`, `red in circle`, `rgb 0 0.5 1 opacity 0.2`; nil where it names none.
    func named(_ text: String, tint: Colour) -> Colour? {
        let words = Words(text)
        let opacity = words.number("opacity") ?? 1
        if words.names.first == "rgb", words.numbers.count >= 3 {
            return Colour(own: words.numbers[0], words.numbers[1], words.numbers[2], opacity: opacity)
        }
        if words.names.first == "white", let grey = words.number("white") {
            return Colour(own: grey, grey, grey, opacity: opacity)
        }
        for name in words.names {
            guard var found = plain(name, tint: tint) else { continue }
            if opacity != 1 { (found.opacity, found.isSystem) = (found.opacity * opacity, false) }
            return found
        }
        return nil
    }

    private func plain(_ name: String, tint: Colour) -> Colour? {
        switch name {
        case "primary", "label", "foreground": label
        case "secondary": secondary
        case "tertiary", "placeholder": tertiary
        case "quaternary": quaternary
        case "quinary": quaternary.faded(0.5)
        case "tint", "accentColor": tint
        case "background": background
        case "separator": separator
        case "fill": fill
        // They stay as they are whatever the system's settings say.
        case "white": Colour(own: 1, 1, 1, opacity: 1)
        case "black": Colour(own: 0, 0, 0, opacity: 1)
        case "clear": Colour(0, opacity: 0)
        case "red": red
        case "orange": pick(0xFF9500, 0xFF9F0A)
        case "yellow": pick(0xFFCC00, 0xFFD60A)
        case "green": green
        case "mint": pick(0x00C7BE, 0x63E6E2)
        case "teal": pick(0x30B0C7, 0x40C8E0)
        case "cyan": pick(0x32ADE6, 0x64D2FF)
        case "blue": accent
        case "indigo": pick(0x5856D6, 0x5E5CE6)
        case "purple": pick(0xAF52DE, 0xBF5AF2)
        case "pink": pick(0xFF2D55, 0xFF375F)
        case "brown": pick(0xA2845E, 0xAC8E68)
        case "gray": Colour(0x8E8E93)
        // Materials are drawn as the plain colour that they give over the screen's background.
        case "ultraThinMaterial", "ultraThin": pick(0xFAFAFA, 0x1E1E1E)
        case "thinMaterial", "thin": pick(0xF8F8F8, 0x222222)
        case "regularMaterial", "regular", "bar": pick(0xF6F6F6, 0x252525)
        case "thickMaterial", "thick": pick(0xF4F4F4, 0x2A2A2A)
        case "ultraThickMaterial", "ultraThick": pick(0xF2F2F2, 0x2D2D2D)
        default: nil
        }
    }
}
