/// A part of a screen that can be measured for an offered size, and drawn in a place.
protocol Layout {
    func size(_ offer: Offer) -> Size
    func draw(in frame: Rect, on canvas: inout Canvas)
}

/// A layout in its place among others. It remembers what it measured: stacks ask often.
final class Node {
    let layout: any Layout
    var priority = 0.0
    /// Whether it takes the room that others leave, and has no distance to its neighbours.
    var isSpacer = false { didSet { if isSpacer { priority = -1000 } } }
    private var measured: [Offer: Size] = [:]

    init(_ layout: any Layout) { self.layout = layout }

    func size(_ offer: Offer) -> Size {
        if let known = measured[offer] { return known }
        let size = layout.size(offer)
        measured[offer] = size
        return size
    }

    func draw(in frame: Rect, on canvas: inout Canvas) { layout.draw(in: frame, on: &canvas) }
}

/// A text, wrapped to the offered width and cut at the offered height.
struct TextLayout: Layout {
    var text: String
    var font: Typeface
    var colour: Colour
    var place = Place.start
    var lineLimit: Int?
    var minimumScale = 1.0

    func size(_ offer: Offer) -> Size {
        let (font, lines, _) = fitting(width: offer.width ?? .infinity, height: offer.height ?? .infinity)
        let widest = lines.map { font.width($0) }.max() ?? 0
        return Size(width: widest.rounded(.up), height: (Double(lines.count) * font.lineHeight).rounded(.up))
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let (font, lines, isCut) = fitting(width: frame.width, height: frame.height)
        let height = Double(lines.count) * font.lineHeight
        if isCut || height > frame.height + 1 || frame.width < 1 { canvas.note("cut: \(quoted(text))") }
        let drawn = Rect(x: frame.x, y: frame.midY - height / 2, width: frame.width, height: height)
        let isTight = lines.count == 1 && font.width(lines[0]) > frame.width - 1.5
        canvas.text(lines, font, colour, drawn, isTight ? canvas.hold : place)
    }

    /// The font and the lines with which the text fits, and whether some of it is lost or a word is broken.
    private func fitting(width: Double, height: Double) -> (Typeface, [String], Bool) {
        var scale = 1.0
        while true {
            let font = scale == 1 ? font : font.scaled(scale)
            var (lines, isBroken) = font.lines(of: text, width: width)
            var most = lineLimit ?? .max
            if height.isFinite { most = min(most, max(1, Int((height + 0.5) / font.lineHeight))) }
            if lines.count <= most && !isBroken { return (font, lines, false) }
            if scale - 0.05 >= minimumScale - 0.001 {
                scale -= 0.05
                continue
            }
            guard lines.count > most else { return (font, lines, isBroken) }
            let last = lines[(most - 1)...].joined(separator: " ")
            lines = Array(lines[..<(most - 1)]) + [font.truncated(last, width: width)]
            return (font, lines, true)
        }
    }
}

/// A pictogram: as large as its font says, or as the offered room where it can be resized.
struct PictogramLayout: Layout {
    var name: String
    var side: Double
    var colour: Colour
    var isResizable = false

    func size(_ offer: Offer) -> Size {
        guard isResizable else { return Size(width: side, height: side) }
        let side = min(offer.width ?? self.side, offer.height ?? self.side)
        return Size(width: side, height: side)
    }

    func draw(in frame: Rect, on canvas: inout Canvas) { canvas.pictogram(name, frame, colour) }
}

/// A colour or a shape that takes all of the offered room.
struct FillLayout: Layout {
    var outline = Outline.rectangle(radius: 0)
    var colour: Colour
    /// The width of the line, for an outline alone; nil for a filled shape.
    var line: Double?
    /// Whether it is drawn as far as the screen's edge where it touches the edge of the safe area, as a background is.
    var reachesEdges = false

    func size(_ offer: Offer) -> Size {
        let size = Size(width: offer.width ?? 10, height: offer.height ?? 10)
        guard outline == .circle else { return size }
        return Size(width: min(size.width, size.height), height: min(size.width, size.height))
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let (shape, radius) = outline.fitted(to: frame)
        if let line {
            let edges = Edges(top: line / 2, leading: line / 2, bottom: line / 2, trailing: line / 2)
            return canvas.stroke(shape.inset(edges), radius: radius, width: line, colour)
        }
        canvas.fill(reachesEdges && radius == 0 ? canvas.extended(shape) : shape, radius: radius, colour)
    }
}

/// The outline of a shape.
enum Outline: Hashable, Sendable {
    case rectangle(radius: Double)
    case capsule
    case circle

    /// The outline that a value names: `circle`, `fill in roundedRectangle 12`; a rectangle where it names none.
    init(_ text: String) {
        let words = Words(text)
        if words.names.contains("circle") {
            self = .circle
        } else if words.names.contains("capsule") || words.names.contains("ellipse") {
            self = .capsule
        } else {
            self = .rectangle(radius: words.number("roundedRectangle") ?? 0)
        }
    }

    /// The place and the corner's radius in a frame.
    func fitted(to frame: Rect) -> (Rect, radius: Double) {
        let shorter = min(frame.width, frame.height)
        switch self {
        case .rectangle(let radius): return (frame, min(radius, shorter / 2))
        case .capsule: return (frame, shorter / 2)
        case .circle: return (frame.placing(Size(width: shorter, height: shorter), .center), shorter / 2)
        }
    }
}

extension Canvas {
    /// A rectangle that touches the edge of the safe area, extended to the screen's edge.
    func extended(_ frame: Rect) -> Rect {
        var (left, top, right, bottom) = (frame.x, frame.y, frame.maxX, frame.maxY)
        if abs(left - safeArea.x) < 0.6 { left = screen.x }
        if abs(top - safeArea.y) < 0.6 { top = screen.y }
        if abs(right - safeArea.maxX) < 0.6 { right = screen.maxX }
        if abs(bottom - safeArea.maxY) < 0.6 { bottom = screen.maxY }
        return Rect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// Something that the layout draws itself, of a fixed size: a switch, a spinner.
struct FixedLayout: Layout {
    var fixed: Size
    /// Whether it takes the offered width.
    var takesWidth = false
    var paint: (Rect, inout Canvas) -> Void

    func size(_ offer: Offer) -> Size {
        takesWidth ? Size(width: offer.width ?? fixed.width, height: fixed.height) : fixed
    }

    func draw(in frame: Rect, on canvas: inout Canvas) { paint(frame, &canvas) }
}

/// Room that takes what others leave along one axis, or along both.
struct SpacerLayout: Layout {
    var axis: Axis?
    var least: Double

    func size(_ offer: Offer) -> Size {
        var size = Size.zero
        for one in [Axis.horizontal, .vertical] where axis == nil || axis == one { size[one] = max(least, offer[one] ?? least) }
        return size
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {}
}

/// A margin around a child.
struct PaddingLayout: Layout {
    var child: Node
    var edges: Edges

    func size(_ offer: Offer) -> Size {
        let (across, down) = (edges.leading + edges.trailing, edges.top + edges.bottom)
        let size = child.size(
            Offer(width: offer.width.map { max(0, $0 - across) }, height: offer.height.map { max(0, $0 - down) }))
        return Size(width: size.width + across, height: size.height + down)
    }

    func draw(in frame: Rect, on canvas: inout Canvas) { child.draw(in: frame.inset(edges), on: &canvas) }
}

/// A frame: fixed lengths, or least and greatest ones.
struct FrameLayout: Layout {
    /// What was said about one axis.
    struct Length {
        var fixed: Double?
        var least: Double?
        var ideal: Double?
        var most: Double?
    }

    var child: Node
    var width = Length()
    var height = Length()
    var alignment = Alignment.center

    func size(_ offer: Offer) -> Size {
        let inner = child.size(Offer(width: offered(width, offer.width), height: offered(height, offer.height)))
        return Size(
            width: taken(width, offer.width, inner.width), height: taken(height, offer.height, inner.height)
        )
    }

    private func offered(_ length: Length, _ offer: Double?) -> Double? {
        if let fixed = length.fixed { return fixed }
        guard let offer = offer ?? length.ideal else { return nil }
        return max(length.least ?? 0, min(length.most ?? .infinity, offer))
    }

    private func taken(_ length: Length, _ offer: Double?, _ child: Double) -> Double {
        if let fixed = length.fixed { return fixed }
        // With a greatest length the frame takes the offered room up to it, and without one it is as long as its child.
        guard let most = length.most else { return max(length.least ?? 0, child) }
        let lowest = length.least ?? child
        return max(length.least ?? 0, min(most, max(lowest, offer ?? child)))
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let size = child.size(Offer(frame.size))
        let hold = size.width < frame.width - 1 ? alignment.horizontal : canvas.hold
        canvas.with(\.hold, hold) { child.draw(in: frame.placing(size, alignment), on: &$0) }
    }
}

/// A child with another one behind it or before it, which takes the child's size.
struct BehindLayout: Layout {
    var child: Node
    var other: Node
    var isOverlay: Bool
    var alignment = Alignment.center

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let place = frame.placing(other.size(Offer(frame.size)), alignment)
        if isOverlay { child.draw(in: frame, on: &canvas) }
        canvas.with(\.hold, alignment.horizontal) { other.draw(in: place, on: &$0) }
        if !isOverlay { child.draw(in: frame, on: &canvas) }
    }
}

/// A child that is drawn otherwise and measured as it is: with opacity, cut to a shape, or disabled.
struct EffectLayout: Layout {
    var child: Node
    var opacity = 1.0
    var outline: Outline?
    var isDisabled = false
    var offset = Size.zero

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        var frame = frame
        frame.x += offset.width
        frame.y += offset.height
        var clip = canvas.clip
        if let outline {
            let (shape, radius) = outline.fitted(to: frame)
            clip = Clip(frame: clip?.frame.intersection(shape) ?? shape, radius: radius)
        }
        canvas.with(\.clip, clip) { canvas in
            canvas.with(\.isDisabled, canvas.isDisabled || isDisabled) { canvas in
                canvas.with(\.opacity, canvas.opacity * opacity) { child.draw(in: frame, on: &$0) }
            }
        }
    }
}

/// A child with another direction than the screen, such as a key pad, which keeps its order from left to right.
struct MirroredLayout: Layout {
    var child: Node

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let start = canvas.marks.count
        child.draw(in: frame, on: &canvas)
        canvas.mirror(since: start, in: frame)
    }
}

/// A cell that has no part in how large its row and its column are.
struct UnsizedLayout: Layout {
    var child: Node

    func size(_ offer: Offer) -> Size { .zero }

    func draw(in frame: Rect, on canvas: inout Canvas) { child.draw(in: frame, on: &canvas) }
}

/// A child at its ideal size along one or both axes, whatever is offered.
struct FixedSizeLayout: Layout {
    var child: Node
    var horizontal: Bool
    var vertical: Bool

    func size(_ offer: Offer) -> Size {
        child.size(Offer(width: horizontal ? nil : offer.width, height: vertical ? nil : offer.height))
    }

    func draw(in frame: Rect, on canvas: inout Canvas) { child.draw(in: frame, on: &canvas) }
}

/// A child that keeps the ratio of its width to its height.
struct RatioLayout: Layout {
    var child: Node
    var ratio: Double
    var fills: Bool

    func size(_ offer: Offer) -> Size {
        guard offer.width != nil || offer.height != nil else { return child.size(offer) }
        let byWidth = offer.width.map { Size(width: $0, height: $0 / ratio) }
        let byHeight = offer.height.map { Size(width: $0 * ratio, height: $0) }
        guard let byWidth, let byHeight else { return byWidth ?? byHeight ?? .zero }
        return (byWidth.height <= byHeight.height) != fills ? byWidth : byHeight
    }

    func draw(in frame: Rect, on canvas: inout Canvas) { child.draw(in: frame, on: &canvas) }
}

/// A child that is drawn as far as the screen's edges where it touches the edges of the safe area.
struct EdgeLayout: Layout {
    var child: Node

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) { child.draw(in: canvas.extended(frame), on: &canvas) }
}

/// Contents that can be longer than the room for them.
struct ScrollLayout: Layout {
    var child: Node
    var axis = Axis.vertical
    /// What is behind the contents; nil for nothing.
    var background: Colour?

    func size(_ offer: Offer) -> Size {
        let inner = contents(offer)
        var size = inner
        size[axis] = offer[axis] ?? inner[axis]
        return size
    }

    private func contents(_ offer: Offer) -> Size {
        var offer = offer
        offer[axis] = nil
        return child.size(offer)
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        if let background { canvas.fill(canvas.extended(frame), background) }
        let inner = contents(Offer(frame.size))
        var place = frame.placing(inner, Alignment(horizontal: .center, vertical: .start))
        if axis == .horizontal { place.x = frame.x }
        let tooLong = inner[axis] > frame.size[axis] + 0.5
        let seen = canvas.extended(frame)
        let clip =
            tooLong ? Clip(frame: canvas.clip?.frame.intersection(seen) ?? seen, radius: canvas.clip?.radius ?? 0) : canvas.clip
        canvas.with(\.clip, clip) { canvas in
            canvas.with(\.scrolls, canvas.scrolls || tooLong) { child.draw(in: place, on: &$0) }
        }
    }
}

/// A control: it notes what is too small to be tapped, and what has no label.
struct ControlLayout: Layout {
    var child: Node
    var label: String
    var kind: String
    /// The least side of a control: 44 points for a finger, 20 for a pointer (Apple's Human Interface Guidelines).
    var least: Double
    /// Whether the system draws all of it at a size that apps do not choose, as a switch.
    var isSystemSized = false

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        child.draw(in: frame, on: &canvas)
        let name = label.isEmpty ? "a \(kind)" : "the \(kind) \(quoted(label))"
        canvas.checkPlace(frame, name)
        if label.isEmpty { canvas.note("no label: a \(kind) of \(frame.width.short)×\(frame.height.short) points") }
        let area = canvas.row ?? frame
        if !isSystemSized, area.width < least - 0.5 || area.height < least - 0.5 {
            let size = "\(area.width.short)×\(area.height.short)"
            canvas.note("smaller than \(least.short)×\(least.short) points: \(name), \(size)")
        }
    }
}

/// A row of a list, of which all can be tapped.
struct RowLayout: Layout {
    var child: Node

    func size(_ offer: Offer) -> Size { child.size(offer) }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        canvas.with(\.row, frame) { child.draw(in: frame, on: &$0) }
    }
}
