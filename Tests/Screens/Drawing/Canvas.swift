/// One thing that is drawn.
struct Mark {
    /// What it looks like.
    enum Look {
        case fill(radius: Double, Colour)
        case stroke(radius: Double, width: Double, Colour)
        case text([String], Typeface, Colour, Place)
        case pictogram(String, Colour)
        /// The ring of a progress view whose end is not known.
        case ring(Colour)
    }

    var look: Look
    var frame: Rect
    /// What cuts it off at the edges; nil where nothing does.
    var clip: Clip?
    /// The sheet, alert or screen to which it belongs, counted from the back.
    var layer: Int
    /// Whether it needs no contrast, as it belongs to a disabled control.
    var isDisabled: Bool
}

/// An area outside of which nothing is seen.
struct Clip: Hashable, Sendable {
    var frame: Rect
    var radius = 0.0
}

/// Where the layout draws to: it collects the marks from back to front, and what a person would stumble over.
struct Canvas {
    var marks: [Mark] = []
    var findings: [String] = []

    /// The whole screen; what touches the edge of the safe area is drawn as far as the screen's edge.
    let screen: Rect
    /// The area that the system's own bars leave.
    var safeArea: Rect
    /// Where the elements of this layer must be.
    var bounds: Rect
    /// Whether the elements can be scrolled into view, so that their place says nothing about whether they can be reached.
    var scrolls = false
    var clip: Clip?
    var opacity = 1.0
    var isDisabled = false
    var layer = 0
    /// Where a text stands that is as wide as its room. It matters where the reader's font is wider or narrower than the one
    /// that was measured with.
    var hold = Place.center
    /// The row of a list in which a control stands: there the whole row can be tapped.
    var row: Rect?

    /// Draws with something changed, and changes it back.
    mutating func with<Value>(_ path: WritableKeyPath<Canvas, Value>, _ value: Value, _ draw: (inout Canvas) -> Void) {
        let before = self[keyPath: path]
        self[keyPath: path] = value
        draw(&self)
        self[keyPath: path] = before
    }

    mutating func fill(_ frame: Rect, radius: Double = 0, _ colour: Colour) {
        guard colour.opacity > 0 else { return }
        add(.fill(radius: radius, colour.faded(opacity)), frame)
    }

    mutating func stroke(_ frame: Rect, radius: Double = 0, width: Double = 1, _ colour: Colour) {
        add(.stroke(radius: radius, width: width, colour.faded(opacity)), frame)
    }

    mutating func pictogram(_ name: String, _ frame: Rect, _ colour: Colour) {
        add(.pictogram(name, colour.faded(opacity)), frame)
        checkPlace(frame, "the symbol \(name)")
    }

    mutating func ring(_ frame: Rect, _ colour: Colour) { add(.ring(colour.faded(opacity)), frame) }

    mutating func text(_ lines: [String], _ font: Typeface, _ colour: Colour, _ frame: Rect, _ place: Place) {
        guard lines.contains(where: { !$0.isEmpty }) else { return }
        add(.text(lines, font, colour.faded(opacity), place), frame)
        checkPlace(frame, quoted(lines.joined(separator: " ")))
    }

    private mutating func add(_ look: Mark.Look, _ frame: Rect) {
        guard opacity > 0.001 else { return }
        if let clip, clip.frame.intersection(frame).width <= 0 || clip.frame.intersection(frame).height <= 0 { return }
        marks.append(Mark(look: look, frame: frame, clip: clip, layer: layer, isDisabled: isDisabled))
    }

    /// Notes an element that leaves the screen.
    mutating func checkPlace(_ frame: Rect, _ what: String) {
        guard opacity > 0.001 else { return }
        var frame = frame
        if scrolls { (frame.y, frame.height) = (bounds.y, 0) }
        if !bounds.contains(frame) { note("outside the safe area: \(what)") }
    }

    mutating func note(_ finding: String) {
        guard opacity > 0.001, !findings.contains(finding) else { return }
        findings.append(finding)
    }

    /// The colour that is seen at a point, of all fills so far.
    func colour(x: Double, y: Double, below end: Int, on background: Colour) -> Colour {
        var seen = background
        for mark in marks[..<end] {
            guard case .fill(_, let colour) = mark.look, mark.frame.contains(x: x, y: y) else { continue }
            if let clip = mark.clip, !clip.frame.contains(x: x, y: y) { continue }
            let isSystem = colour.isSystem && (colour.opacity > 0.999 || seen.isSystem)
            seen = colour.over(seen)
            seen.isSystem = isSystem
        }
        return seen
    }

    /// Whether an opaque fill after a mark hides a rectangle.
    private func isHidden(_ frame: Rect, from start: Int, to end: Int) -> Bool {
        marks[start..<end].contains { mark in
            guard case .fill(_, let colour) = mark.look, colour.opacity > 0.99 else { return false }
            return (mark.clip.map { mark.frame.intersection($0.frame) } ?? mark.frame).contains(frame)
        }
    }

    /// Notes texts whose contrast is too low, and texts that overlap.
    mutating func checkTexts(on background: Colour) {
        var texts: [(index: Int, frame: Rect, layer: Int, words: String)] = []
        for (index, mark) in marks.enumerated() {
            guard case .text(let lines, let font, let colour, _) = mark.look else { continue }
            let words = quoted(lines.joined(separator: " "))
            let visible = mark.clip.map { mark.frame.intersection($0.frame) } ?? mark.frame
            if isHidden(visible, from: index, to: marks.count) { continue }
            for other in texts where other.layer == mark.layer {
                let shared = other.frame.intersection(visible)
                guard shared.width > 1, shared.height > 1, !isHidden(shared, from: other.index, to: index) else { continue }
                note("texts overlap: \(other.words) and \(words)")
            }
            texts.append((index, visible, mark.layer, words))
            guard !mark.isDisabled else { continue }
            let below = self.colour(x: visible.midX, y: visible.midY, below: index, on: background)
            let ratio = colour.over(below).contrast(with: below)
            let wanted = font.isLarge ? 3.0 : 4.5
            if ratio < wanted {
                let rounded = ((ratio * 10).rounded(.down) / 10).short
                let system = colour.isSystem && below.isSystem ? " (the system’s own colours)" : ""
                note("contrast \(rounded):1, below \(wanted.short):1: \(words)\(system)")
            }
        }
    }

    /// Mirrors what was drawn in a rectangle since a mark.
    mutating func mirror(since start: Int, in frame: Rect) {
        func mirrored(_ rect: Rect) -> Rect {
            var rect = rect
            rect.x = frame.x + frame.maxX - rect.maxX
            return rect
        }
        for index in marks.indices[start...] {
            marks[index].frame = mirrored(marks[index].frame)
            if let clip = marks[index].clip, frame.contains(clip.frame) { marks[index].clip?.frame = mirrored(clip.frame) }
            if case .text(let lines, let font, let colour, let place) = marks[index].look {
                let turned: Place = place == .start ? .end : place == .end ? .start : .center
                marks[index].look = .text(lines, font, colour, turned)
            }
        }
    }
}

/// A text in quotation marks, shortened where it is long.
func quoted(_ text: String) -> String { "“" + (text.count > 60 ? text.prefix(59) + "…" : text[...]) + "”" }
