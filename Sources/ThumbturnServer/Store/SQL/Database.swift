#if Server

/// What statements run on: one connection to a database, for the time of one transaction.
final class Database {
    let connection: any SQLConnection
    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    private(set) var changesCount = 0

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// Whether a transaction is open. SQLite ends one by itself, for example when the disk is full.
    var isInsideTransaction: Bool { connection.isInsideTransaction }

    /// Lets the statements of this transaction take as long as they need, for what changes many rows at once.
    func mayTakeLong() throws { try connection.mayTakeLong() }

    func run(sql: String, arguments: StatementArguments = []) throws { _ = try rows(sql, arguments) }

    func one(_: Row.Type, sql: String, arguments: StatementArguments = []) throws -> Row? {
        try rows(sql, arguments).first
    }

    func all(_: Row.Type, sql: String, arguments: StatementArguments = []) throws -> [Row] { try rows(sql, arguments) }

    /// The first column of the first row; nil if there is no row, or if the value is null.
    func one<Value: SQLConvertible>(_: Value.Type, sql: String, arguments: StatementArguments = []) throws -> Value? {
        try rows(sql, arguments).first?.first()
    }

    /// The first column of all rows, none of which may be null.
    func all<Value: SQLConvertible>(_: Value.Type, sql: String, arguments: StatementArguments = []) throws -> [Value] {
        try rows(sql, arguments).map { row in
            guard let value: Value = row.first() else { preconditionFailure("a value is null, or of another type: \(sql)") }
            return value
        }
    }

    /// The row of a statement that always has one, as those of the table `node` do.
    func value(_: Row.Type, sql: String, arguments: StatementArguments = []) throws -> Row {
        guard let row = try one(Row.self, sql: sql, arguments: arguments) else { throw SQLError(state: SQLError.noRow) }
        return row
    }

    /// The value of a statement that always has a row, for example a count.
    func value<Value: SQLConvertible>(
        _: Value.Type, sql: String, arguments: StatementArguments = []
    ) throws -> Value {
        guard let value = try one(Value.self, sql: sql, arguments: arguments) else { throw SQLError(state: SQLError.noRow) }
        return value
    }

    private func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        let result = try connection.run(sql, arguments.values)
        if let changes = result.changes { changesCount = changes }
        return result.rows
    }
}

/// A row of a result.
struct Row {
    let columns: Columns
    let values: [SQLValue]

    /// The names of a result's columns, which its rows share.
    final class Columns: Sendable {
        let names: [String]

        init(_ names: [String]) { self.names = names }

        // Rows have few columns, and a dictionary would be made for each statement.
        subscript(name: String) -> Int? { names.firstIndex(of: name) }
    }

    /// The value of a column; nil for null.
    subscript<Value: SQLConvertible>(name: String) -> Value? {
        guard let index = columns[name] else { preconditionFailure("the result has no column \(name)") }
        if values[index] == .null { return nil }
        guard let value = Value(values[index]) else { preconditionFailure("the column \(name) is of another type") }
        return value
    }

    /// The value of a column that is never null.
    subscript<Value: SQLConvertible>(name: String) -> Value {
        guard let value = self[name] as Value? else { preconditionFailure("the column \(name) is null") }
        return value
    }

    fileprivate func first<Value: SQLConvertible>() -> Value? { values.first.flatMap { Value($0) } }
}
#endif
