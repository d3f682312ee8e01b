/// Writes a laid out screen as an SVG document.
enum SVG {
    static func document(_ screen: Screen) -> String {
        let margin = 24.0
        let (width, height) = (screen.size.width + 2 * margin, screen.size.height + 2 * margin + 28)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width.short)" height="\(height.short)" \
            viewBox="0 0 \(width.short) \(height.short)" role="img" \
            font-family="-apple-system, system-ui, Helvetica, Arial, sans-serif">
            """,
            "<title>\(escaped(screen.title))</title>",
            "<desc>\(escaped(ScreenDrawing.caption))</desc>",
        ]
        let device = screen.style.device
        let corner = device == .phone ? 55.0 : 10.0
        let frame = Rect(x: 0, y: 0, width: screen.size.width, height: screen.size.height)
        var clips: [Clip] = [Clip(frame: frame, radius: corner)]
        var body: [String] = []
        var open: Int?
        for mark in screen.canvas.marks {
            var index: Int?
            if let clip = mark.clip {
                index = clips.firstIndex(of: clip) ?? clips.count
                if index == clips.count { clips.append(clip) }
            }
            if index != open {
                if open != nil { body.append("</g>") }
                if let index { body.append("<g clip-path=\"url(#c\(index))\">") }
                open = index
            }
            body += Self.lines(mark, screen)
        }
        if open != nil { body.append("</g>") }

        lines.append("<defs>")
        for (index, clip) in clips.enumerated() {
            lines.append("<clipPath id=\"c\(index)\">\(rectangle(clip.frame, clip.radius, screen))/></clipPath>")
        }
        lines.append("</defs>")
        lines.append("<g transform=\"translate(\(margin.short) \(margin.short))\">")
        if device == .phone {
            let bezel = Rect(x: -10, y: -10, width: frame.width + 20, height: frame.height + 20)
            lines.append("\(rectangle(bezel, corner + 10, screen)) fill=\"#1D1D1F\" stroke=\"#8E8E93\"/>")
        }
        lines.append("<g clip-path=\"url(#c0)\">")
        lines.append("\(rectangle(frame, 0, screen)) fill=\"\(screen.background.hex)\"/>")
        lines += body
        if device == .phone {
            lines.append("<rect x=\"133.5\" y=\"12\" width=\"126\" height=\"36\" rx=\"18\" fill=\"#000000\"/>")
            let bar = screen.frontPalette.label
            lines.append(
                "<rect x=\"126.5\" y=\"839\" width=\"140\" height=\"5\" rx=\"2.5\"\(paint("fill", bar.faded(0.85)))/>"
            )
        }
        lines.append("</g>")
        if device == .mac {
            lines.append("\(rectangle(frame, corner, screen)) fill=\"none\" stroke=\"#8E8E93\"/>")
        }
        lines.append("</g>")
        let captionY = screen.size.height + 2 * margin + 10
        lines.append(
            """
            <text x="\((width / 2).short)" y="\(captionY.short)" font-size="13" text-anchor="middle" fill="#767680">\
            \(escaped(ScreenDrawing.caption))</text>
            """
        )
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ mark: Mark, _ screen: Screen) -> [String] {
        let left = screen.left(of: mark.frame)
        switch mark.look {
        case .fill(let radius, let colour):
            return ["\(rectangle(mark.frame, radius, screen))\(paint("fill", colour))/>"]
        case .stroke(let radius, let width, let colour):
            return [
                """
                \(rectangle(mark.frame, radius, screen)) fill="none"\(paint("stroke", colour)) \
                stroke-width="\(width.short)"/>
                """
            ]
        case .ring(let colour):
            // Eight spokes, the first one the darkest.
            let (radius, x, y) = (mark.frame.width / 2, left + mark.frame.width / 2, mark.frame.midY)
            let turns: [(Double, Double)] = [
                (0, -1), (0.71, -0.71), (1, 0), (0.71, 0.71), (0, 1), (-0.71, 0.71), (-1, 0), (-0.71, -0.71),
            ]
            return turns.enumerated().map { index, turn in
                """
                <line x1="\((x + turn.0 * radius * 0.5).short)" y1="\((y + turn.1 * radius * 0.5).short)" \
                x2="\((x + turn.0 * radius * 0.9).short)" y2="\((y + turn.1 * radius * 0.9).short)"\
                \(paint("stroke", colour.faded(1 - Double(index) * 0.1))) stroke-width="\((radius * 0.2).short)" \
                stroke-linecap="round"/>
                """
            }
        case .pictogram(let name, let colour):
            let pictogram = Pictogram(name)
            let scale = mark.frame.width / 24
            var transform = "translate(\(left.short) \(mark.frame.y.short)) scale(\(decimals(scale)))"
            if screen.style.rightToLeft, Pictogram.followsText(name) {
                let right = (left + mark.frame.width).short
                transform = "translate(\(right) \(mark.frame.y.short)) scale(-\(decimals(scale)) \(decimals(scale)))"
            }
            var lines: [String] = []
            if !pictogram.areas.isEmpty {
                lines.append(
                    "<path transform=\"\(transform)\" d=\"\(pictogram.areas)\" fill-rule=\"evenodd\"\(paint("fill", colour))/>")
            }
            if !pictogram.lines.isEmpty {
                lines.append(
                    """
                    <path transform="\(transform)" d="\(pictogram.lines)" fill="none"\(paint("stroke", colour)) \
                    stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>
                    """
                )
            }
            return lines
        case .text(let texts, let font, let colour, let place):
            return texts.enumerated().compactMap { index, text in
                guard !text.isEmpty else { return nil }
                let y = mark.frame.y + (Double(index) + 0.5) * font.lineHeight + 0.35 * font.size
                return self.text(text, font, colour, x: left, width: mark.frame.width, y: y, place, screen)
            }
        }
    }

    private static func text(
        _ text: String, _ font: Typeface, _ colour: Colour, x: Double, width: Double, y: Double, _ place: Place,
        _ screen: Screen
    ) -> String {
        let runsLeft = Script.runsLeft(text) ?? screen.style.rightToLeft
        // On screen, not in reading order: a screen from right to left is mirrored.
        let share = screen.style.rightToLeft ? 1 - place.share : place.share
        let anchor = share == 0.5 ? "middle" : (share == 0) != runsLeft ? "start" : "end"
        var attributes = "x=\"\((x + width * share).short)\" y=\"\(y.short)\" font-size=\"\(font.size.short)\""
        if font.weight != 400 { attributes += " font-weight=\"\(font.weight)\"" }
        if anchor != "start" { attributes += " text-anchor=\"\(anchor)\"" }
        if runsLeft { attributes += " direction=\"rtl\"" }
        if font.isMonospaced { attributes += " font-family=\"ui-monospace, Menlo, monospace\"" }
        return "<text \(attributes)\(paint("fill", colour))>\(escaped(text))</text>"
    }

    private static func rectangle(_ frame: Rect, _ radius: Double, _ screen: Screen) -> String {
        let place = "x=\"\(screen.left(of: frame).short)\" y=\"\(frame.y.short)\""
        let size = "width=\"\(frame.width.short)\" height=\"\(frame.height.short)\""
        return "<rect \(place) \(size)" + (radius > 0 ? " rx=\"\(radius.short)\"" : "")
    }

    private static func paint(_ name: String, _ colour: Colour) -> String {
        " \(name)=\"\(colour.hex)\"" + (colour.opacity < 0.999 ? " \(name)-opacity=\"\(colour.opacity.short)\"" : "")
    }

    /// A scale with three decimals, as two are seen at the size of a screen.
    private static func decimals(_ number: Double) -> String {
        let thousandths = Int((number * 1000).rounded())
        let rest = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// A text for XML: what would be markup is escaped, and what XML 1.0 does not allow is left out.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += " "
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// In which direction a text runs.
enum Script {
    /// Whether the first letter of the text is of a script that runs from right to left; nil for a text without letters.
    static func runsLeft(_ text: String) -> Bool? {
        for scalar in text.unicodeScalars where scalar.properties.isAlphabetic {
            switch scalar.value {
            case 0x590..<0x900, 0xFB1D..<0xFE00, 0xFE70..<0xFF00, 0x10800..<0x11000, 0x1E800..<0x1F000: return true
            default: return false
            }
        }
        return nil
    }
}
