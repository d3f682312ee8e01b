/// A small picture for a symbol's name, drawn by us: Apple's symbols may not be copied into other works.
struct Pictogram {
    /// Lines to draw, as SVG path data in a square of 24 points.
    var lines: String = ""
    /// Areas to fill, by the even-odd rule.
    var areas: String = ""

    /// The pictogram of a symbol's name; a rounded square for a name without one.
    init(_ name: String) {
        if let found = Self.all[name] {
            self = found
        } else if name.hasSuffix(".fill"), let found = Self.all[String(name.dropLast(5))] {
            self = found
        } else if let square = Self.all["square"] {
            self = square
        }
    }

    private init(lines: String = "", areas: String = "") { (self.lines, self.areas) = (lines, areas) }

    /// Whether a name has a pictogram of its own.
    static func knows(_ name: String) -> Bool { all[name] != nil }

    /// Whether the symbol points where the text runs, so that it is mirrored from right to left.
    static func followsText(_ name: String) -> Bool {
        name.contains("forward") || name.contains("backward") || name == "doc.text"
    }

    private static func disc(_ x: Double, _ y: Double, _ radius: Double) -> String {
        let (radius, twice) = (radius.short, (radius * 2).short)
        return
            "M\((x).short) \(y.short)m-\(radius) 0a\(radius) \(radius) 0 1 0 \(twice) 0a\(radius) \(radius) 0 1 0-\(twice) 0z"
    }

    private static let ring = disc(12, 12, 9)
    private static let phone = "M8 2.5h8a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM10.5 18.8h3"
    private static let laptop = "M6 5h12a1.5 1.5 0 0 1 1.5 1.5V16h-15V6.5A1.5 1.5 0 0 1 6 5zM2 19h20"
    private static let lockBody = "M7 10.5h10a2 2 0 0 1 2 2v6.5a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-6.5a2 2 0 0 1 2-2z"
    private static let shackle = "M8 10.5V7.5a4 4 0 0 1 8 0v3"
    private static let smallLock = "M10 11h4a.8.8 0 0 1 .8.8v2.9a.8.8 0 0 1-.8.8h-4a.8.8 0 0 1-.8-.8v-2.9a.8.8 0 0 1 .8-.8z"
    private static let smallShackle = "M10.3 11V9.6a1.7 1.7 0 0 1 3.4 0V11"
    private static let check = "M7.5 12.5l3.2 3.3 6-7.3"
    private static let cross = "M8.5 8.5l7 7M15.5 8.5l-7 7"
    private static let triangle = "M10.6 4.3a1.6 1.6 0 0 1 2.8 0l7.2 13a1.6 1.6 0 0 1-1.4 2.4H4.8a1.6 1.6 0 0 1-1.4-2.4z"
    private static let eye = "M2.5 12C5 7.6 8.3 5.5 12 5.5S19 7.6 21.5 12C19 16.4 15.7 18.5 12 18.5S5 16.4 2.5 12z"
    private static let keyLines = "M12.2 11.8L20 4M17 7l2.5 2.5M14.5 9.5l1.8 1.8"
    private static let person = "M5.8 18.4c1.2-2.6 3.5-3.9 6.2-3.9s5 1.3 6.2 3.9"
    private static let card = "M4.5 5.5h15a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-15a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2z"

    private static let all: [String: Pictogram] = [
        "faceid": Pictogram(
            lines: "M3 8V6a3 3 0 0 1 3-3h2M16 3h2a3 3 0 0 1 3 3v2M21 16v2a3 3 0 0 1-3 3h-2M8 21H6a3 3 0 0 1-3-3v-2"
                + "M8.8 9v1.4M15.2 9v1.4M8.2 14.7a5 5 0 0 0 7.6 0"
        ),
        "touchid": Pictogram(
            lines: "M5.5 6.7a8.6 8.6 0 0 1 13 0M3.8 11.5a8.3 8.3 0 0 1 16.4 0v2.5M6.6 17.5c.4-1.5.4-3 .4-5.5a5 5 0 0 1 10 0"
                + "c0 3-.1 5-.8 7M12 12c0 3.8-.3 6.3-1.5 9M9.5 12.2a2.5 2.5 0 0 1 5 0c0 3.6-.3 6-1 8.3"
        ),
        "opticid": Pictogram(lines: eye + disc(12, 12, 3.6), areas: disc(12, 12, 1.3)),
        "eye": Pictogram(lines: eye + disc(12, 12, 3)),
        "eye.slash": Pictogram(lines: eye + disc(12, 12, 3) + "M4 20L20 4"),
        "lock": Pictogram(lines: lockBody + shackle),
        "lock.fill": Pictogram(lines: shackle, areas: lockBody),
        "lock.open": Pictogram(lines: lockBody + "M8 10.5V7a4 4 0 0 1 7.8-1.2"),
        "lock.shield": Pictogram(
            lines: "M12 2.5l8 3v6c0 5-3.3 8.5-8 10-4.7-1.5-8-5-8-10v-6z" + smallShackle, areas: smallLock
        ),
        "checkmark.shield": Pictogram(lines: "M12 2.5l8 3v6c0 5-3.3 8.5-8 10-4.7-1.5-8-5-8-10v-6z" + check),
        "lock.iphone": Pictogram(lines: phone + smallShackle, areas: smallLock),
        "lock.laptopcomputer": Pictogram(
            lines: laptop + "M10.3 9.5V8.6a1.7 1.7 0 0 1 3.4 0v.9",
            areas: "M10 9.5h4a.8.8 0 0 1 .8.8v2.4H9.2v-2.4a.8.8 0 0 1 .8-.8z"
        ),
        "iphone": Pictogram(lines: phone),
        "ipad": Pictogram(lines: "M6 2.5h12a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM10 18.8h4"),
        "laptopcomputer": Pictogram(lines: laptop),
        "desktopcomputer": Pictogram(
            lines: "M4 4h16a1.5 1.5 0 0 1 1.5 1.5v9.5a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 15V5.5A1.5 1.5 0 0 1 4 4z"
                + "M10 16.5v4M14 16.5v4M8 20.5h8"
        ),
        "circle.grid.3x3.fill": Pictogram(
            areas: [5.5, 12, 18.5].flatMap { y in [5.5, 12, 18.5].map { disc($0, y, 2.1) } }.joined()
        ),
        "circle.grid.3x3": Pictogram(
            lines: [5.5, 12, 18.5].flatMap { y in [5.5, 12, 18.5].map { disc($0, y, 1.8) } }.joined()),
        "circle": Pictogram(lines: ring),
        "circle.fill": Pictogram(areas: ring),
        "person.crop.circle": Pictogram(lines: ring + person + disc(12, 9.5, 3)),
        "person": Pictogram(lines: disc(12, 7.5, 4) + "M4 20.5c1-4 4.2-6 8-6s7 2 8 6"),
        "person.badge.key": Pictogram(
            lines: disc(9, 7.5, 3.6) + "M2.5 19.5c.8-3.5 3.4-5 6.5-5 1.5 0 2.8.3 4 1" + disc(18, 14, 2) + "M18 16v5M18 19h2"),
        "delete.left": Pictogram(
            lines: "M8.5 5.5H19a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H8.5L2.5 12zM11.2 9.5l5 5M16.2 9.5l-5 5"
        ),
        "delete.backward": Pictogram(
            lines: "M8.5 5.5H19a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H8.5L2.5 12zM11.2 9.5l5 5M16.2 9.5l-5 5"
        ),
        "checkmark": Pictogram(lines: "M4.5 13l5 5.5L19.5 5.5"),
        "checkmark.circle": Pictogram(lines: ring + check),
        "checkmark.circle.fill": Pictogram(
            areas: disc(12, 12, 10) + "M10.7 17.4L6.4 13l1.5-1.5 2.7 2.7 5.4-6.7 1.6 1.3z"
        ),
        "xmark": Pictogram(lines: "M5.5 5.5l13 13M18.5 5.5l-13 13"),
        "xmark.circle": Pictogram(lines: ring + cross),
        "xmark.circle.fill": Pictogram(
            areas: disc(12, 12, 10)
                + "M8.9 7.4L7.4 8.9l3.1 3.1-3.1 3.1 1.5 1.5 3.1-3.1 3.1 3.1 1.5-1.5-3.1-3.1 3.1-3.1-1.5-1.5-3.1 3.1z"
        ),
        "exclamationmark.triangle": Pictogram(lines: triangle + "M12 9v5M12 16.7v.1"),
        "exclamationmark.circle": Pictogram(lines: ring + "M12 7v6M12 16.5v.1"),
        "info.circle": Pictogram(lines: ring + "M12 11v5.5M12 7.5v.1"),
        "questionmark.circle": Pictogram(lines: ring + "M9.3 9.5a2.7 2.7 0 1 1 4 2.4c-.9.5-1.3 1-1.3 2M12 16.7v.1"),
        "chevron.forward": Pictogram(lines: "M8.5 4.5L16 12l-7.5 7.5"),
        "chevron.right": Pictogram(lines: "M8.5 4.5L16 12l-7.5 7.5"),
        "chevron.backward": Pictogram(lines: "M15.5 4.5L8 12l7.5 7.5"),
        "chevron.up.chevron.down": Pictogram(lines: "M7.5 9L12 4.5 16.5 9M7.5 15l4.5 4.5 4.5-4.5"),
        "chevron.down": Pictogram(lines: "M4.5 8.5L12 16l7.5-7.5"),
        "arrow.right": Pictogram(lines: "M4 12h16M13.5 5.5L20 12l-6.5 6.5"),
        "arrow.forward": Pictogram(lines: "M4 12h16M13.5 5.5L20 12l-6.5 6.5"),
        "arrow.clockwise": Pictogram(lines: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.4M20 4v5.4h-5.4"),
        "gear": Pictogram(
            lines: disc(12, 12, 7) + disc(12, 12, 2.6)
                + "M12 5V2.2M12 21.8V19M5 12H2.2M21.8 12H19M7.05 7.05L5.07 5.07M18.93 18.93l-1.98-1.98M7.05 16.95l-1.98 1.98"
                + "M18.93 5.07l-1.98 1.98"
        ),
        "trash": Pictogram(
            lines:
                "M4 6h16M9 6V4.5A1.5 1.5 0 0 1 10.5 3h3A1.5 1.5 0 0 1 15 4.5V6"
                + "M6 6l.9 13a2 2 0 0 0 2 1.9h6.2a2 2 0 0 0 2-1.9L18 6"
                + "M10 10.2v6.5M14 10.2v6.5"
        ),
        "pencil": Pictogram(lines: "M4 20l1-4.5L16.5 4a1.9 1.9 0 0 1 2.7 0l.8.8a1.9 1.9 0 0 1 0 2.7L8.5 19zM14.5 6l3.5 3.5"),
        "key": Pictogram(lines: disc(8.2, 15.8, 4.7) + keyLines),
        "key.fill": Pictogram(lines: keyLines, areas: disc(8.2, 15.8, 5.4) + disc(7.2, 16.8, 1.5)),
        "clock": Pictogram(lines: ring + "M12 6.5V12l3.8 2.3"),
        "hand.raised": Pictogram(
            lines: "M8 12V6a1.4 1.4 0 0 1 2.8 0v5M10.8 10.5V4.4a1.4 1.4 0 0 1 2.8 0v6.1M13.6 10.5V5.6a1.4 1.4 0 0 1 2.8 0v6.4"
                + "M16.4 11.5V8.6a1.4 1.4 0 0 1 2.8 0v6.4"
                + "c0 4-2.5 6.5-6.2 6.5-3 0-4.6-1.3-6-3.9l-2.4-4.3c-.9-1.6 1.1-2.8 2.2-1.6"
                + "L8 13.3V11"
        ),
        "doc.text": Pictogram(
            lines: "M7 2.5h7l4.5 4.5v12.5a2 2 0 0 1-2 2H7.5a2 2 0 0 1-2-2v-15a2 2 0 0 1 1.5-2zM8.5 11h7M8.5 14h7M8.5 17h4.5"),
        "plus": Pictogram(lines: "M12 4v16M4 12h16"),
        "minus": Pictogram(lines: "M4 12h16"),
        "plus.circle": Pictogram(lines: ring + "M12 7.5v9M7.5 12h9"),
        "creditcard": Pictogram(lines: card + "M2.5 10h19M6 15h4"),
        "bell": Pictogram(
            lines:
                "M12 3.5a6 6 0 0 0-6 6c0 4.5-1.5 6-2.2 7.5h16.4"
                + "C19.5 15.5 18 14 18 9.5a6 6 0 0 0-6-6zM9.8 20a2.4 2.4 0 0 0 4.4 0"
        ),
        "house": Pictogram(lines: "M3.5 11.5L12 4l8.5 7.5M5.5 10v10h13V10M10 20v-5.5h4V20"),
        "list.bullet": Pictogram(
            lines: "M8.5 6.5h11M8.5 12h11M8.5 17.5h11", areas: disc(4.5, 6.5, 1.2) + disc(4.5, 12, 1.2) + disc(4.5, 17.5, 1.2)),
        "wifi.slash": Pictogram(
            lines: "M3 9.5a13 13 0 0 1 18 0M6.5 13a8 8 0 0 1 11 0M9.7 16.2a3.6 3.6 0 0 1 4.6 0M4 20L20 4"
        ),
        "square": Pictogram(
            lines: "M6 3.5h12A2.5 2.5 0 0 1 20.5 6v12a2.5 2.5 0 0 1-2.5 2.5H6A2.5 2.5 0 0 1 3.5 18V6A2.5 2.5 0 0 1 6 3.5z"),
    ]
}
