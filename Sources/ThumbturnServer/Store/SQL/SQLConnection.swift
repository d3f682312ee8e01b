#if Server
/// What one connection does: the part that SQLite and PostgreSQL do differently.
///
/// Statements are written once, in what both understand; `Dialect` has the rest. Each is compiled once for a connection.
protocol SQLConnection: AnyObject {
    var isInsideTransaction: Bool { get }
    /// Lets the statements of this transaction take as long as they need.
    func mayTakeLong() throws
    /// Runs one statement.
    func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLResult
}

/// What a statement returned.
struct SQLResult {
    var rows: [Row] = []
    /// The number of rows that it changed; nil for a statement that changes none.
    var changes: Int?
}
#endif
