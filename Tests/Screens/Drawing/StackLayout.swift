/// Children beside or below one another, nearly by the rules of SwiftUI's stacks: the least flexible child chooses first, from
/// an equal share.
struct StackLayout: Layout {
    var axis: Axis
    var children: [Node]
    var spacing: Double?
    /// Where the children stand across the axis.
    var place = Place.center

    /// The distance where the view says none.
    static let standardSpacing = 8.0

    private func gap(after index: Int) -> Double {
        guard index + 1 < children.count else { return 0 }
        if let spacing { return spacing }
        return children[index].isSpacer || children[index + 1].isSpacer ? 0 : Self.standardSpacing
    }

    private func sizes(_ offer: Offer) -> [Size] {
        guard let length = offer[axis] else { return children.map { $0.size(offer) } }
        var sizes = [Size](repeating: .zero, count: children.count)
        var left = length - children.indices.reduce(0) { $0 + gap(after: $1) }
        func ask(_ index: Int, _ length: Double) -> Size {
            var offer = offer
            offer[axis] = length
            return children[index].size(offer)
        }
        // Where there is room for everything as it would like to be, nothing has to shrink to an equal share.
        let ideal = children.map { child in
            var offer = offer
            offer[axis] = nil
            return child.size(offer)[axis]
        }
        let isRoomy = ideal.reduce(0, +) <= left + 0.5
        let least = children.indices.map { ask($0, 0)[axis] }
        let flexibility = children.indices.map { ask($0, .infinity)[axis] - least[$0] }
        let priorities = Set(children.map(\.priority)).sorted(by: >)
        for priority in priorities {
            let group = children.indices.filter { children[$0].priority == priority }.sorted {
                flexibility[$0] == flexibility[$1] ? $0 < $1 : flexibility[$0] < flexibility[$1]
            }
            let reserved = children.indices.filter { children[$0].priority < priority }.reduce(0) { $0 + least[$1] }
            var room = left - reserved
            for (done, index) in group.enumerated() {
                let share = room.isFinite ? max(0, room) / Double(group.count - done) : room
                sizes[index] = ask(index, isRoomy ? max(share, ideal[index]) : share)
                if room.isFinite { room -= sizes[index][axis] }
            }
            if left.isFinite { left = room + reserved }
        }
        return sizes
    }

    func size(_ offer: Offer) -> Size {
        let sizes = sizes(offer)
        var size = Size.zero
        size[axis] = sizes.reduce(0) { $0 + $1[axis] } + children.indices.reduce(0) { $0 + gap(after: $1) }
        size[axis.across] = sizes.map { $0[axis.across] }.max() ?? 0
        return size
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let sizes = sizes(Offer(frame.size))
        var at = axis == .horizontal ? frame.x : frame.y
        // Contents that are longer than the stack stand around its middle.
        let length = sizes.reduce(0) { $0 + $1[axis] } + children.indices.reduce(0) { $0 + gap(after: $1) }
        at += (frame.size[axis] - length) / 2
        for (index, size) in sizes.enumerated() {
            let free = frame.size[axis.across] - size[axis.across]
            let across = (axis == .horizontal ? frame.y : frame.x) + free * place.share
            let rect =
                axis == .horizontal
                ? Rect(x: at, y: across, width: size.width, height: size.height)
                : Rect(x: across, y: at, width: size.width, height: size.height)
            var hold = canvas.hold
            if axis == .horizontal, children.count > 1 {
                hold = children[..<index].contains(where: \.isSpacer) ? .end : .start
            } else if axis == .vertical, free > 1 {
                hold = place
            }
            canvas.with(\.hold, hold) { children[index].draw(in: rect, on: &$0) }
            at += size[axis] + gap(after: index)
        }
    }
}

/// Children over one another, the first at the back.
struct DepthLayout: Layout {
    var children: [Node]
    var alignment = Alignment.center

    func size(_ offer: Offer) -> Size {
        children.map { $0.size(offer) }.reduce(.zero) {
            Size(width: max($0.width, $1.width), height: max($0.height, $1.height))
        }
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        for child in children {
            let size = child.size(Offer(frame.size))
            let hold = size.width < frame.width - 1 ? alignment.horizontal : canvas.hold
            canvas.with(\.hold, hold) { child.draw(in: frame.placing(size, alignment), on: &$0) }
        }
    }
}

/// Children in rows and columns.
struct GridLayout: Layout {
    /// The cells of each row; a row of one cell may reach over all columns.
    var rows: [[Node]]
    var spacing: Size
    var alignment = Alignment.center
    /// Whether the columns share the offered width equally, as flexible columns do.
    var sharesWidth: Bool

    private var columns: Int { rows.map(\.count).max() ?? 0 }

    private func columnWidths(_ offer: Offer) -> [Double] {
        let free = offer.width.map { max(0, $0 - spacing.width * Double(max(0, columns - 1))) }
        if sharesWidth, let free { return Array(repeating: free / Double(max(1, columns)), count: columns) }
        var widths = [Double](repeating: 0, count: columns)
        for row in rows where row.count > 1 || columns == 1 {
            for (index, cell) in row.enumerated() {
                widths[index] = max(
                    widths[index], cell.size(Offer(width: free.map { $0 / Double(columns) }, height: nil)).width)
            }
        }
        return widths
    }

    private func width(_ cell: Int, of row: [Node], _ widths: [Double]) -> Double {
        // A row of one element in a grid of several columns reaches over all of them.
        row.count == 1 && columns > 1 && !sharesWidth
            ? widths.reduce(0, +) + spacing.width * Double(columns - 1) : widths[cell]
    }

    private func height(of row: [Node], _ widths: [Double]) -> Double {
        row.enumerated().map { $1.size(Offer(width: width($0, of: row, widths), height: nil)).height }.max() ?? 0
    }

    func size(_ offer: Offer) -> Size {
        let widths = columnWidths(offer)
        return Size(
            width: widths.reduce(0, +) + spacing.width * Double(max(0, columns - 1)),
            height: rows.reduce(0) { $0 + height(of: $1, widths) } + spacing.height * Double(max(0, rows.count - 1))
        )
    }

    func draw(in frame: Rect, on canvas: inout Canvas) {
        let widths = columnWidths(Offer(frame.size))
        var y = frame.y
        for row in rows {
            let height = height(of: row, widths)
            var x = frame.x
            for (index, cell) in row.enumerated() {
                let room = Rect(x: x, y: y, width: width(index, of: row, widths), height: height)
                let place = room.placing(cell.size(Offer(room.size)), alignment)
                canvas.with(\.hold, alignment.horizontal) { cell.draw(in: place, on: &$0) }
                x += room.width + spacing.width
            }
            y += height + spacing.height
        }
    }
}
