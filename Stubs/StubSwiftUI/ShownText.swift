extension Shown {
    /// The tree as text for people to read and compare: one element per line, two spaces for each depth.
    ///
    ///     Vertical [spacing 16, padding]
    ///       Text "Unlock Acme" [font title2, accessibilityAddTraits isHeader]
    ///       Button "Use PIN" [symbol lock, buttonStyle bordered]
    ///
    /// A button, toggle or menu whose label is one text, one symbol, or a label of both, is one line with it. A layout
    /// container that says nothing and has one child is left out. A control that a tap does nothing with is marked `(off)`.
    /// Where something else was said of an element before a view was laid over or behind it, both stand in `Layers`.
    public func text(depth: Int = 0) -> String {
        let tree = folded
        // The host's own group holds what is shown and what stands over it, and is no element.
        let elements = tree.kind == .group && tree.facts.isEmpty ? tree.children : [tree]
        // What is covered cannot be tapped, and is not off.
        let top = elements.lastIndex { [.sheet, .cover, .alert, .dialog].contains($0.kind) } ?? 0
        return elements.indices.flatMap { elements[$0].lines(at: depth, isCovered: $0 < top) }.joined(separator: "\n")
    }

    /// The same without containers that say nothing.
    private var folded: Shown {
        if let layers = layered { return layers.folded }
        var copy = self
        copy.children = children.map(\.folded).flatMap { $0.kind == .group && $0.facts.isEmpty ? $0.children : [$0] }
        let isStack = [.vertical, .horizontal, .depth].contains(kind)
        guard copy.children.count == 1, isStack ? facts.allSatisfy(\.isBetweenChildren) : kind == .group && facts.isEmpty else {
            return copy
        }
        return copy.children[0]
    }

    /// An element with facts, and what was laid over or behind it after those: the outermost of these layers.
    private var layered: Shown? {
        guard let marker = facts.lastIndex(where: \.isLayer), !facts[..<marker].allSatisfy(\.isLayer) else { return nil }
        let isOverlay = facts[marker].name == "overlay"
        let isPart: (Shown) -> Bool = { [name = facts[marker].name] in $0.kind == .group && $0.facts.first?.name == name }
        guard let place = isOverlay ? children.lastIndex(where: isPart) : children.firstIndex(where: isPart) else { return nil }
        var inner = self
        inner.facts = Array(facts[..<marker])
        let part = inner.children.remove(at: place)
        return Shown(
            .depth, facts: [.init("layers")] + facts[(marker + 1)...], children: isOverlay ? [inner, part] : [part, inner])
    }

    private func lines(at depth: Int, isCovered: Bool) -> [String] {
        var line = Line(self, isCovered: isCovered)
        line.takeRole()
        line.takeLabel()
        return [String(repeating: "  ", count: depth) + line.text]
            + line.children.flatMap { $0.lines(at: depth + 1, isCovered: isCovered) }
    }

    /// Whether it fits on the line of its control: one text or symbol, or a label of both.
    fileprivate var isShort: Bool {
        switch kind {
        case .text, .symbol: children.isEmpty
        case .horizontal: isPlainLabel
        default: false
        }
    }

    /// Whether it is a label of one symbol and one text.
    fileprivate var isPlainLabel: Bool {
        kind == .horizontal && facts.contains(.init("label")) && children.map(\.kind) == [.symbol, .text]
            && children.allSatisfy { $0.children.isEmpty }
    }
}

/// One line of the text, while it is put together.
@MainActor private struct Line {
    let element: Shown
    let isCovered: Bool
    var name: String
    var facts: [Shown.Fact]
    var words: [String]
    var children: [Shown]

    init(_ element: Shown, isCovered: Bool) {
        (self.element, self.isCovered) = (element, isCovered)
        name = element.kind.rawValue.prefix(1).uppercased() + element.kind.rawValue.dropFirst()
        (facts, children) = (element.facts, element.children)
        words = element.text.isEmpty ? [] : [element.text]
    }

    /// A group that is there for something is called by it: `Toolbar confirmationAction`.
    mutating func takeRole() {
        if facts.first == .init("layers") {
            name = "Layers"
            facts.removeFirst()
        }
        guard element.kind == .group, let fact = facts.first, Self.roles.contains(fact.name) else { return }
        name = fact.name.prefix(1).uppercased() + fact.name.dropFirst() + (fact.value.isEmpty ? "" : " \(fact.value)")
        facts.removeFirst()
    }

    /// The label of a control stands on its line, and so do the parts of a label.
    mutating func takeLabel() {
        if [.button, .toggle, .menu].contains(element.kind), let label = children.first, label.isShort {
            children.removeFirst()
            take(label)
        } else if element.isPlainLabel {
            (name, children, facts) = ("Label", [], [])
            take(element)
        } else if element.facts.first?.name == "labeledContent", children.map(\.kind) == [.text, .text],
            children.allSatisfy({ $0.facts.isEmpty && $0.children.isEmpty })
        {
            (name, words, children) = ("LabeledContent", children.map(\.text), [])
            facts.removeFirst()
        }
    }

    private mutating func take(_ label: Shown) {
        let parts = label.children.isEmpty ? [label] : label.children
        var said: [Shown.Fact] = []
        for part in parts {
            if part.kind == .symbol {
                // A symbol beside words is not read out.
                said.append(.init("symbol", part.text))
                said += part.facts.filter { parts.count == 1 || $0.name != "accessibilityHidden" }
            } else {
                words = [part.text]
                said += part.facts
            }
        }
        facts = said + (label.children.isEmpty ? [] : label.facts.filter { $0.name != "label" }) + facts
    }

    var text: String {
        var text = name
        switch element.kind {
        case .symbol, .color, .shape: text += " " + element.text
        default: text += words.map { " \"\(Self.onOneLine($0))\"" }.joined()
        }
        let said = facts.filter(\.isNotable).map { $0.value.isEmpty ? $0.name : "\($0.name) \(Self.onOneLine($0.value))" }
        if !said.isEmpty { text += " [" + said.joined(separator: ", ") + "]" }
        let isOff =
            switch element.kind {
            case .button, .toggle: element.tap == nil
            case .textField, .secureField: element.set == nil
            default: false
            }
        return isOff && !isCovered ? text + " (off)" : text
    }

    private static func onOneLine(_ text: String) -> String { text.replacing("\n", with: "⏎") }

    private static let roles: Set<String> = [
        "background", "overlay", "header", "footer", "toolbar", "items", "contextMenu", "swipeActions", "safeAreaInset", "tabs",
        "tabView", "groupBox",
    ]
}

extension Shown.Fact {
    /// Whether it says that a view was laid over or behind.
    fileprivate var isLayer: Bool { value == "view" && (name == "overlay" || name == "background") }

    /// Whether it says how children stand to each other, which is nothing where there is one.
    fileprivate var isBetweenChildren: Bool { name == "spacing" || name == "alignment" }

    /// Whether a person sees, hears or can do something else because of it.
    fileprivate var isNotable: Bool {
        switch name {
        // Tests find elements by it; people never meet it.
        case "accessibilityIdentifier": false
        // The child `Background` or `Overlay` says it.
        case "background", "overlay": value != "view"
        default: true
        }
    }
}

extension Shown: @MainActor CustomStringConvertible {
    public var description: String { text() }
}
