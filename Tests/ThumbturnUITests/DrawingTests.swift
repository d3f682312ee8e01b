#if STAND_INS
import Foundation
import Screens
import SwiftUI
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The drawings of screens: where things stand, what is noted, and that the documents are sound.
@MainActor struct DrawingTests {
    // MARK: Layout

    @Test("a column stands in the middle, its children at its leading edge and at its distance")
    func column() throws {
        let column = Shown(
            .vertical, facts: [.init("alignment", "leading"), .init("spacing", "10")],
            children: [box("red", 100, 20), box("green", 50, 20)])
        let drawing = try Drawing(of: column)
        // The middle of the safe area, which is from 59 to 818.
        #expect(drawing.frame(red) == .init(x: 146.5, y: 413.5, width: 100, height: 20))
        #expect(drawing.frame(green) == .init(x: 146.5, y: 443.5, width: 50, height: 20))
    }

    @Test("a spacer takes what the others leave, and padding keeps its margin")
    func spacer() throws {
        let row = Shown(
            .horizontal, facts: [.init("padding", "horizontal 20")],
            children: [box("red", 30, 30), Shown(.spacer), box("green", 40, 30)])
        let drawing = try Drawing(of: row)
        #expect(drawing.frame(red)?.x == 20)
        #expect(drawing.frame(green)?.x == 333.0)
    }

    @Test("a frame without end takes the offered width, up to what an outer frame allows")
    func flexibleFrame() throws {
        let wide = Shown(
            .color, "red",
            facts: [.init("frame", "height 10"), .init("frame", "maxWidth infinity"), .init("frame", "maxWidth 200")])
        #expect(try Drawing(of: wide).frame(red) == .init(x: 96.5, y: 433.5, width: 200, height: 10))
    }

    @Test("what lies over and behind takes the size of the element")
    func behind() throws {
        let text = Shown(.text, "Hello", facts: [.init("padding", "10"), .init("background", "red in roundedRectangle 8")])
        let drawing = try Drawing(of: text)
        let words = try #require(drawing.texts.first)
        let fill = try #require(drawing.frame(red))
        #expect(fill.height == 22 + 20)
        #expect(abs(words.x - (fill.x + fill.width / 2)) < 0.1)
        #expect(drawing.elements.contains { $0.attributes["rx"] == "8" })
    }

    @Test("views behind and before stand in the order of their modifiers")
    func layered() throws {
        let text = Shown(
            .text, "Hello",
            facts: [
                .init("padding", "10"), .init("background", "view"), .init("padding", "20"), .init("background", "view"),
                .init("overlay", "view"),
            ],
            children: [
                Shown(.group, facts: [.init("background")], children: [Shown(.color, "green")]),
                Shown(.group, facts: [.init("background")], children: [Shown(.color, "red")]),
                Shown(.group, facts: [.init("overlay", "topTrailing")], children: [box("blue", 8, 8)]),
            ])
        let drawing = try Drawing(of: text)
        let (outer, inner) = try (#require(drawing.frame(green)), #require(drawing.frame(red)))
        #expect(inner == .init(x: outer.x + 20, y: outer.y + 20, width: outer.width - 40, height: 42))
        #expect(drawing.frame(blue) == .init(x: outer.x + outer.width - 8, y: outer.y, width: 8, height: 8))
    }

    @Test("bars take their room from what they stand beside")
    func bars() throws {
        let inset = Shown(.group, facts: [.init("safeAreaInset", "bottom")], children: [box("red", 50, 60)])
        let filled = Shown(.color, "green", children: [inset])
        let item = Shown(.group, facts: [.init("toolbar", "confirmationAction")], children: [button("Done", [])])
        let list = Shown(.vertical, facts: [.init("navigationTitle", "Devices")], children: [filled, item])
        let drawing = try Drawing(of: Shown(.navigation, children: [list]))
        #expect(drawing.frame(red)?.y == 818.0 - 60)
        #expect(drawing.texts.map(\.text) == ["Done", "Devices"])
        let tabs = Shown(
            .group, facts: [.init("tabs")], children: [button("Accounts", [.init("isSelected")]), button("Cards", [])])
        let tabView = Shown(.group, facts: [.init("tabView")], children: [Shown(.text, "Yours"), tabs])
        #expect(try Drawing(of: tabView).texts.map(\.text) == ["Yours", "Accounts", "Cards"])
    }

    @Test("contents that are too long leave the screen, and do not where they scroll")
    func scrolling() {
        let tall = Shown(.vertical, facts: [.init("spacing", "0")], children: (0..<50).map { Shown(.text, "Line \($0)") })
        #expect(ScreenDrawing.findings(in: tall, style: .init()).contains("outside the safe area: “Line 0”"))
        #expect(ScreenDrawing.findings(in: Shown(.scroll, children: [tall]), style: .init()).isEmpty)
    }

    @Test("a grid fills its columns in order")
    func grid() throws {
        let cells = ["red", "green", "blue", "orange"].map { box($0, 20, 20) }
        let grid = Shown(
            .grid, facts: [.init("columns", "flexible, flexible, flexible"), .init("spacing", "0")], children: cells)
        let drawing = try Drawing(of: grid)
        #expect(drawing.frame(red)?.x == 55.5)
        #expect(drawing.frame(green)?.x == 186.5)
        #expect(drawing.frame("#FF9500").map { [$0.x, $0.y] } == [55.5, 438.5])
    }

    @Test("a long text wraps between words, and no line is wider than the screen")
    func wrapping() throws {
        let sentence = "The key that signs never leaves this phone, and it opens only for a face that is enrolled on it today."
        let drawing = try Drawing(of: Shown(.text, sentence, facts: [.init("padding", "24")]))
        #expect(drawing.texts.count == 3)
        #expect(drawing.texts.map(\.text).joined(separator: " ") == sentence)
        #expect(ScreenDrawing.findings(in: Shown(.text, sentence), style: .init()).isEmpty)
    }

    @Test("large text is drawn larger on a phone, and not on a Mac")
    func textSize() throws {
        let text = Shown(.text, "Hello", facts: [.init("font", "title2")])
        func size(_ style: ScreenDrawing.Style) throws -> String? { try Drawing(of: text, style).texts.first?.size }
        #expect(try size(.init()) == "22")
        #expect(try size(.init(textSize: .accessibilityLarge)) == "39")
        #expect(try size(.init(.mac)) == "17")
        #expect(try size(.init(.mac, textSize: .accessibilityLarge)) == "17")
    }

    // MARK: Right to left

    @Test("from right to left everything is mirrored")
    func mirrored() throws {
        let row = Shown(.horizontal, children: [box("red", 30, 30), Shown(.spacer), box("green", 40, 30)])
        let drawing = try Drawing(of: row, .init(rightToLeft: true))
        #expect(drawing.frame(red)?.x == 363.0)
        #expect(drawing.frame(green)?.x == 0)
    }

    @Test("a key pad keeps its order")
    func unmirrored() throws {
        let row = Shown(
            .horizontal, facts: [.init("layoutDirection", "leftToRight"), .init("padding", "trailing 93")],
            children: [box("red", 100, 30), box("green", 50, 30)])
        let drawing = try Drawing(of: row, .init(rightToLeft: true))
        let (first, second) = try (#require(drawing.frame(red)), #require(drawing.frame(green)))
        #expect(second.x == first.x + 108)
    }

    @Test("a part in dark appearance has dark colours")
    func darkPart() throws {
        let text = Shown(.text, "Hello", facts: [.init("background", "background"), .init("colorScheme", "dark")])
        let drawing = try Drawing(of: text)
        #expect(drawing.texts.first?.fill == "#FFFFFF")
        #expect(ScreenDrawing.findings(in: text, style: .init()).isEmpty)
    }

    @Test("what is said before a view is laid over does not reach that view")
    func beside() throws {
        let text = Shown(
            .text, "Hello", facts: [.init("colorScheme", "dark"), .init("overlay", "view")],
            children: [Shown(.group, facts: [.init("overlay")], children: [Shown(.text, "Over")])])
        #expect(try Drawing(of: text).texts.map(\.fill) == ["#FFFFFF", "#000000"])
    }

    @Test("a text runs as its letters do, whatever the screen does")
    func direction() throws {
        let texts = ["فتح الحساب", "Unlock", "1234"].map { Shown(.text, $0) }
        let list = Shown(.vertical, facts: [.init("alignment", "leading")], children: texts)
        let drawing = try Drawing(of: list, .init(rightToLeft: true))
        #expect(drawing.texts.map(\.direction) == ["rtl", nil, "rtl"])
    }

    // MARK: What is noted

    @Test("a sound screen has no findings")
    func sound() {
        let screen = Shown(
            .vertical, facts: [.init("spacing", "16"), .init("padding", "24")],
            children: [
                Shown(.symbol, "lock.fill", facts: [.init("font", "system 56"), .init("accessibilityHidden")]),
                Shown(.text, "Unlock Acme", facts: [.init("font", "title2 semibold")]), Shown(.spacer),
                button(
                    "Use PIN",
                    [.init("buttonStyle", "borderedProminent"), .init("controlSize", "large"), .init("tint", "black")]),
            ])
        #expect(ScreenDrawing.findings(in: screen, style: .init()).isEmpty)
    }

    @Test("each kind of trouble is noted", arguments: Trouble.all) func troubles(_ trouble: Trouble) {
        #expect(ScreenDrawing.findings(in: trouble.screen, style: trouble.style) == trouble.findings)
    }

    /// A screen with something wrong about it, and what has to be noted.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @MainActor @Sendable () -> Shown
        let findings: [String]
        var style = ScreenDrawing.Style()

        @MainActor var screen: Shown { make() }

        static let all = [
            Trouble(testDescription: "a text in one line that needs two") {
                Shown(
                    .text, "Your device could not be checked at this time",
                    facts: [.init("lineLimit", "1"), .init("frame", "width 120")])
            } findings: {
                ["cut: “Your device could not be checked at this time”"]
            },
            Trouble(testDescription: "a word that is wider than its place") {
                Shown(.text, "Benutzerauthentifizierung", facts: [.init("frame", "width 120")])
            } findings: {
                ["cut: “Benutzerauthentifizierung”"]
            },
            Trouble(testDescription: "a text in too low a frame") {
                Shown(.text, "One two three four five six", facts: [.init("frame", "width 80 height 30")])
            } findings: {
                ["cut: “One two three four five six”"]
            },
            Trouble(testDescription: "a small button") {
                button("Go", [.init("buttonStyle", "plain")])
            } findings: {
                ["smaller than 44×44 points: the button “Go”, 23×22"]
            },
            Trouble(testDescription: "a button without a name") {
                Shown(
                    .button, facts: [.init("buttonStyle", "plain")],
                    children: [Shown(.symbol, "trash", facts: [.init("frame", "width 50 height 50")])])
            } findings: {
                ["no label: a button of 50×50 points"]
            },
            Trouble(testDescription: "a text beside the screen") {
                Shown(.text, "Hello", facts: [.init("offset", "x 300 y 0")])
            } findings: {
                ["outside the safe area: “Hello”"]
            },
            Trouble(testDescription: "texts over one another") {
                Shown(.depth, children: [Shown(.text, "One"), Shown(.text, "Two")])
            } findings: {
                ["texts overlap: “One” and “Two”"]
            },
            Trouble(testDescription: "a pale colour of the app's own") {
                Shown(.text, "Hello", facts: [.init("foregroundStyle", "rgb 0.5 0.5 0.5")])
            } findings: {
                ["contrast 3.9:1, below 4.5:1: “Hello”"]
            },
            Trouble(testDescription: "a pale colour of the system's") {
                Shown(.text, "Hello", facts: [.init("foregroundStyle", "tertiary")])
            } findings: {
                ["contrast 1.7:1, below 4.5:1: “Hello” (the system’s own colours)"]
            },
            Trouble(testDescription: "black on a dark screen") {
                Shown(.text, "Hello", facts: [.init("foregroundStyle", "black")])
            } findings: {
                ["contrast 1:1, below 4.5:1: “Hello”"]
            } style: {
                ScreenDrawing.Style(appearance: .dark)
            },
        ]

        init(
            testDescription: String, make: @escaping @MainActor @Sendable () -> Shown, findings: () -> [String],
            style: () -> ScreenDrawing.Style = { .init() }
        ) {
            (self.testDescription, self.make, self.findings, self.style) = (testDescription, make, findings(), style())
        }
    }

    @Test("what needs no contrast or no room is not noted")
    func spared() {
        let grey = Shown.Fact("foregroundStyle", "rgb 0.5 0.5 0.5")
        let spared = [
            Shown(.text, "Large", facts: [.init("font", "title2"), grey]),
            Shown(.text, "Not there", facts: [.init("opacity", "0"), grey]),
            button(
                "Disabled",
                [
                    .init("frame", "minWidth 44 minHeight 44"), .init("disabled"), .init("controlSize", "large"),
                    .init("buttonStyle", "bordered"), grey,
                ]),
        ]
        for element in spared { #expect(ScreenDrawing.findings(in: element, style: .init()).isEmpty) }
        // On a Mac a pointer taps.
        #expect(ScreenDrawing.findings(in: button("Go on", [.init("tint", "black")]), style: .init(.mac)).isEmpty)
        // What can be scrolled into view is not lost, and a row of a list can be tapped as a whole.
        let rows = (0..<40).map { button("Row \($0)", [.init("tint", "black")]) }
        #expect(ScreenDrawing.findings(in: Shown(.list, children: rows), style: .init()).isEmpty)
        // What an opaque cover hides is of no account.
        let hidden = Shown(
            .depth, children: [Shown(.text, "Behind"), Shown(.color, "white"), Shown(.text, "Before")])
        #expect(ScreenDrawing.findings(in: hidden, style: .init()).isEmpty)
    }

    // MARK: Controls and layers

    @Test("a toggle is drawn on or off")
    func toggles() throws {
        func knob(_ isOn: Bool, _ style: ScreenDrawing.Style) throws -> Double? {
            let toggle = Shown(.toggle, facts: [.init("isOn", "\(isOn)")], children: [Shown(.text, "Face ID")])
            let drawing = try Drawing(of: Shown(.form, children: [toggle]), style)
            return drawing.elements.first { $0.attributes["width"] == "27" }?.number("x")
        }
        #expect(try knob(true, .init()) == 332.0)
        #expect(try knob(false, .init()) == 312.0)
        #expect(try knob(true, .init(rightToLeft: true)) == 34.0)
    }

    @Test("a secure field shows dots, and an empty field its prompt")
    func fields() throws {
        let fields = [
            Shown(.secureField, "Password", facts: [.init("value", "••••")]),
            Shown(.textField, "Name", facts: [.init("prompt", "Your name")]),
        ]
        #expect(try Drawing(of: Shown(.form, children: fields)).texts.map(\.text) == ["••••", "Your name"])
    }

    @Test("a sheet stands over the screen, and a cover in place of it")
    func layers() throws {
        func screen(_ kind: Shown.Kind) -> Shown {
            Shown(.group, children: [Shown(.text, "Behind"), Shown(kind, children: [Shown(.text, "Before")])])
        }
        #expect(try Drawing(of: screen(.sheet)).texts.map(\.text) == ["Behind", "Before"])
        #expect(try Drawing(of: screen(.cover)).texts.map(\.text) == ["Before"])
    }

    @Test("an alert has its title, its message and its buttons") func alert() throws {
        let alert = Shown(
            .alert, "Remove?",
            children: [
                Shown(.text, "It signs in anew."), button("Remove", [.init("role", "destructive")]),
                button("Cancel", [.init("role", "cancel")]),
            ])
        let drawing = try Drawing(of: Shown(.group, children: [Shown(.color, "white"), alert]))
        #expect(drawing.texts.map(\.text) == ["Remove?", "It signs in anew.", "Remove", "Cancel"])
        let (remove, cancel) = (drawing.texts[2], drawing.texts[3])
        #expect(remove.y == cancel.y && remove.x < cancel.x)
    }

    // MARK: Documents

    @Test("markup in a text stays a text, and what XML does not allow is left out")
    func escaping() throws {
        let text = "</text><script>alert(\"1 & 2\")</script> ' \u{7}"
        let drawing = try Drawing(of: Shown(.text, text, facts: [.init("font", "caption2"), .init("lineLimit", "1")]))
        #expect(drawing.texts.map(\.text) == ["</text><script>alert(\"1 & 2\")</script> ' "])
        #expect(drawing.elements.allSatisfy { $0.name != "script" })
    }

    @Test("every drawing says in words what it is")
    func caption() throws {
        let style = ScreenDrawing.Style(appearance: .dark, rightToLeft: true, textSize: .accessibilityLarge)
        let drawing = try Drawing(of: Shown(.text, "Unlock Acme"), style)
        #expect(
            drawing.elements.first { $0.name == "title" }?.text == "Unlock Acme, on a phone, dark, right to left, large text")
        #expect(drawing.elements.last { $0.name == "text" }?.text == "Drawn from the view’s tree, not photographed")
    }

    @Test("each symbol that the views use has a picture of its own")
    func symbols() throws {
        func paths(_ name: String) throws -> [String?] {
            try Drawing(of: Shown(.symbol, name)).elements.filter { $0.name == "path" }.map { $0.attributes["d"] }
        }
        let other = try paths("no.such.symbol")
        #expect(!other.isEmpty)
        for name in Self.symbolNames { #expect(try paths(name) != other, "\(name)") }
    }

    static let symbolNames = """
        faceid touchid opticid lock lock.fill lock.iphone lock.laptopcomputer circle.grid.3x3.fill person.crop.circle \
        delete.left checkmark checkmark.circle checkmark.circle.fill exclamationmark.triangle exclamationmark.circle \
        xmark chevron.forward iphone laptopcomputer desktopcomputer gear trash pencil eye.slash key key.fill clock \
        hand.raised circle circle.fill doc.text plus creditcard arrow.right bell
        """.split(separator: " ").map(String.init)

    @Test("every style of a screen with everything on it is sound XML, small, and the same each time")
    func everyStyle() throws {
        for device in ScreenDrawing.Style.Device.allCases {
            for appearance in ScreenDrawing.Style.Appearance.allCases {
                for size in ScreenDrawing.Style.TextSize.allCases {
                    for rightToLeft in [false, true] {
                        let style = ScreenDrawing.Style(
                            device, appearance: appearance, rightToLeft: rightToLeft, textSize: size)
                        let svg = ScreenDrawing.svg(of: everything, style: style)
                        #expect(svg == ScreenDrawing.svg(of: everything, style: style))
                        #expect(svg.utf8.count < 40_000)
                        #expect(!(try Drawing(svg).elements.isEmpty))
                        #expect(!svg.contains("nan") && !svg.contains("inf\""))
                    }
                }
            }
        }
    }

    /// A screen with an element of every kind.
    private var everything: Shown {
        let kinds: [Shown.Kind] = [
            .vertical, .horizontal, .depth, .grid, .gridRow, .scroll, .group, .text, .symbol, .color, .divider, .spacer,
            .progress, .shape,
            .button, .toggle, .secureField, .textField, .menu,
        ]
        let each = kinds.map { kind in
            Shown(
                kind, kind == .shape ? "circle" : "\(kind)", facts: [.init("frame", "maxHeight 40")],
                children: [Shown(.text, "Inside"), Shown(.symbol, "gear")])
        }
        let header = Shown(.group, facts: [.init("header")], children: [Shown(.text, "Header")])
        let footer = Shown(.group, facts: [.init("footer")], children: [Shown(.text, "Footer")])
        let list = Shown(
            .list, facts: [.init("navigationTitle", "Everything")],
            children: [Shown(.section, children: [header] + each + [footer]), Shown(.form, children: each)])
        let layers = [Shown.Kind.sheet, .alert, .dialog].map { kind in
            Shown(
                kind, "Over it",
                children: [Shown(.text, "Words"), button("Go on", []), button("Leave", [.init("role", "cancel")])])
        }
        return Shown(.group, children: [Shown(.navigation, children: [list])] + layers)
    }
}

private let (red, green, blue) = ("#FF3B30", "#34C759", "#007AFF")

@MainActor private func box(_ colour: String, _ width: Int, _ height: Int) -> Shown {
    Shown(.color, colour, facts: [.init("frame", "width \(width) height \(height)")])
}

@MainActor private func button(_ label: String, _ facts: [Shown.Fact]) -> Shown {
    Shown(.button, facts: facts, children: [Shown(.text, label)])
}

/// A drawing read back from its document.
private struct Drawing {
    struct Frame: Equatable {
        var x, y, width, height: Double
    }

    struct Element {
        var name: String
        var attributes: [String: String]
        var text = ""

        func number(_ name: String) -> Double? { attributes[name].flatMap(Double.init) }
    }

    struct Words {
        var text: String
        var x, y: Double
        var size: String?
        var direction: String?
        var fill: String?
    }

    var elements: [Element]

    @MainActor init(of shown: Shown, _ style: ScreenDrawing.Style = .init()) throws {
        try self.init(ScreenDrawing.svg(of: shown, style: style))
    }

    init(_ svg: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = reader
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        elements = reader.elements
    }

    /// Where the first rectangle of a colour stands.
    func frame(_ colour: String) -> Frame? {
        elements.first { $0.name == "rect" && $0.attributes["fill"] == colour }.map {
            Frame(
                x: $0.number("x") ?? 0, y: $0.number("y") ?? 0, width: $0.number("width") ?? 0, height: $0.number("height") ?? 0
            )
        }
    }

    /// The texts of the screen, without the caption.
    var texts: [Words] {
        elements.filter { $0.name == "text" }.dropLast().map {
            Words(
                text: $0.text, x: $0.number("x") ?? 0, y: $0.number("y") ?? 0, size: $0.attributes["font-size"],
                direction: $0.attributes["direction"], fill: $0.attributes["fill"])
        }
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [Element] = []
        private var open: [Int] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(elements.count)
            elements.append(Element(name: name, attributes: attributes))
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            if let index = open.last { elements[index].text += string }
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }
    }
}
#endif
