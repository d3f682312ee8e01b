#if Server
/// Tables for a terminal.
package enum Columns {
    /// Rows of the same number of cells as lines of the same columns, each as wide as its widest cell: the first ones to the left, the
    /// others, which are numbers, to the right.
    package static func aligned(_ rows: [[String]], toTheLeft: Int = 1) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column < toTheLeft ? cell + space : space + cell
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
#endif
