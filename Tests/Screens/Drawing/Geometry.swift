/// A width and a height, in points.
struct Size: Hashable, Sendable {
    var width: Double
    var height: Double

    static let zero = Size(width: 0, height: 0)

    /// The length along an axis.
    subscript(axis: Axis) -> Double {
        get { axis == .horizontal ? width : height }
        set { if axis == .horizontal { width = newValue } else { height = newValue } }
    }
}

/// A direction in which a stack lays out its children.
enum Axis: Hashable, Sendable {
    case horizontal, vertical

    /// The other axis.
    var across: Axis { self == .horizontal ? .vertical : .horizontal }
}

/// The size that a container offers to a child; nil along an axis asks for the child's ideal length.
struct Offer: Hashable, Sendable {
    var width: Double?
    var height: Double?

    init(_ size: Size) { (width, height) = (size.width, size.height) }

    init(width: Double?, height: Double?) { (self.width, self.height) = (width, height) }

    subscript(axis: Axis) -> Double? {
        get { axis == .horizontal ? width : height }
        set { if axis == .horizontal { width = newValue } else { height = newValue } }
    }
}

/// A rectangle whose `x` counts from the leading edge. What is drawn from right to left is mirrored when it is written.
struct Rect: Hashable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var size: Size { Size(width: width, height: height) }
    var maxX: Double { x + width }
    var maxY: Double { y + height }
    var midX: Double { x + width / 2 }
    var midY: Double { y + height / 2 }

    /// Whether another rectangle lies in this one, within half a point.
    func contains(_ other: Rect) -> Bool {
        other.x >= x - 0.5 && other.y >= y - 0.5 && other.maxX <= maxX + 0.5 && other.maxY <= maxY + 0.5
    }

    func contains(x: Double, y: Double) -> Bool { x >= self.x && x <= maxX && y >= self.y && y <= maxY }

    /// The part that two rectangles share; it has no size where they share none.
    func intersection(_ other: Rect) -> Rect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return Rect(
            x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top)
        )
    }

    /// The rectangle without a margin on each side.
    func inset(_ edges: Edges) -> Rect {
        Rect(
            x: x + edges.leading, y: y + edges.top, width: max(0, width - edges.leading - edges.trailing),
            height: max(0, height - edges.top - edges.bottom)
        )
    }

    /// Where something of a size stands in this rectangle.
    func placing(_ size: Size, _ alignment: Alignment) -> Rect {
        Rect(
            x: x + (width - size.width) * alignment.horizontal.share, y: y + (height - size.height) * alignment.vertical.share,
            width: size.width, height: size.height
        )
    }
}

/// A margin on each side of a rectangle.
struct Edges: Hashable, Sendable {
    var top = 0.0
    var leading = 0.0
    var bottom = 0.0
    var trailing = 0.0

    static let zero = Edges()
}

/// A place along one axis: its beginning, its middle or its end.
enum Place: Hashable, Sendable {
    case start, center, end

    /// The part of the free room that lies before the child.
    var share: Double {
        switch self {
        case .start: 0
        case .center: 0.5
        case .end: 1
        }
    }
}

/// Where a child stands in a larger rectangle.
struct Alignment: Hashable, Sendable {
    var horizontal = Place.center
    var vertical = Place.center

    static let center = Alignment()

    subscript(axis: Axis) -> Place { axis == .horizontal ? horizontal : vertical }
}

extension Double {
    /// The number for an SVG attribute: two decimals at most and none where they are zero.
    var short: String {
        guard isFinite else { return "0" }
        let hundredths = Int((self * 100).rounded())
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        let sign = hundredths < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
