/// The names and the numbers of a fact's value, in order: `maxWidth infinity`, `system 44 light`, `top 8 leading 4`.
struct Words {
    /// One word of the value.
    enum Word: Hashable {
        case name(String)
        case number(Double)
    }

    var all: [Word] = []

    init(_ text: String) {
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            if word == "infinity" {
                all.append(.number(.infinity))
            } else if let number = Double(word), number.isFinite {
                all.append(.number(number))
            } else {
                all.append(.name(String(word)))
            }
        }
    }

    var names: [String] {
        all.compactMap { word in
            if case .name(let name) = word { name } else { nil }
        }
    }

    var numbers: [Double] {
        all.compactMap { word in
            if case .number(let number) = word { number } else { nil }
        }
    }

    /// The number that follows a name.
    func number(_ name: String) -> Double? {
        guard let index = all.firstIndex(of: .name(name)), index + 1 < all.count, case .number(let number) = all[index + 1]
        else {
            return nil
        }
        return number
    }

    /// The margins that a `padding` says: nothing for all sides, names of sides, numbers for the sides named before them.
    ///
    /// - Parameter standard: The system's margin, which applies where no number stands.
    func edges(standard: Double) -> Edges {
        var edges = Edges()
        var sides: [String] = []
        func set(_ length: Double) {
            for side in sides.isEmpty ? ["all"] : sides {
                if side == "top" || side == "vertical" || side == "all" { edges.top = length }
                if side == "bottom" || side == "vertical" || side == "all" { edges.bottom = length }
                if side == "leading" || side == "horizontal" || side == "all" { edges.leading = length }
                if side == "trailing" || side == "horizontal" || side == "all" { edges.trailing = length }
            }
            sides = []
        }
        var hadNumber = false
        for word in all {
            switch word {
            case .name(let name) where ["top", "bottom", "leading", "trailing", "vertical", "horizontal", "all"].contains(name):
                sides.append(name)
            case .name: break
            case .number(let number):
                set(number)
                hadNumber = true
            }
        }
        if !sides.isEmpty || !hadNumber { set(standard) }
        return edges
    }

    /// The alignment that the names say: `leading`, `top`, `bottomTrailing`; nil where they say none.
    var alignment: Alignment? {
        let names = names.map { $0.lowercased() }
        func says(_ part: String) -> Bool { names.contains { $0.hasPrefix(part) || $0.hasSuffix(part) } }
        let horizontal: Place? = says("leading") ? .start : says("trailing") ? .end : nil
        // Stacks on a common baseline are drawn on a common top.
        let isTop = says("top") || names.contains { $0.hasSuffix("firsttextbaseline") }
        let isBottom = says("bottom") || names.contains { $0.hasSuffix("lasttextbaseline") }
        let vertical: Place? = isTop ? .start : isBottom ? .end : nil
        if horizontal == nil, vertical == nil, !says("center") { return nil }
        return Alignment(horizontal: horizontal ?? .center, vertical: vertical ?? .center)
    }
}
