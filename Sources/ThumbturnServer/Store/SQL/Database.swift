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
        try rows(sql, arguments).first?.value(0)
    }

    /// The first column of all rows, none of which may be null.
    func all<Value: SQLConvertible>(_: Value.Type, sql: String, arguments: StatementArguments = []) throws -> [Value] {
        try rows(sql, arguments).map { row in
            guard let value: Value = try row.value(0) else {
                throw SQLError.unlikeSchema("the column \(row.columns.names[0]) is null")
            }
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

    /// The value of a column; nil for null. Throws where the table is another one than `Schema` made.
    subscript<Value: SQLConvertible>(name: String) -> Value? {
        get throws(SQLError) {
            guard let index = columns[name] else { throw .unlikeSchema("there is no column \(name)") }
            return try value(index)
        }
    }

    /// The value of a column that is never null. Throws as the other one does.
    subscript<Value: SQLConvertible>(name: String) -> Value {
        get throws(SQLError) {
            guard let value = try self[name] as Value? else { throw .unlikeSchema("the column \(name) is null") }
            return value
        }
    }

    fileprivate func value<Value: SQLConvertible>(_ index: Int) throws(SQLError) -> Value? {
        if values[index] == .null { return nil }
        guard let value = Value(values[index]) else {
            throw .unlikeSchema("the column \(columns.names[index]) is of another type")
        }
        return value
    }
}
#endif
