#if Server
import GRDB

/// Statements that are compiled once for each connection. GRDB's own calls with SQL compile it each time, which takes
/// longer than most of these statements run.
extension Database {
    func run(sql: String, arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func one(_: Row.Type, sql: String, arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func all(_: Row.Type, sql: String, arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    func one<Value: DatabaseValueConvertible>(
        _: Value.Type, sql: String, arguments: StatementArguments = []
    ) throws -> Value? {
        try Value.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func all<Value: DatabaseValueConvertible>(
        _: Value.Type, sql: String, arguments: StatementArguments = []
    ) throws -> [Value] {
        try Value.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The row of a statement that always has one, as those of the table `node` do.
    func value(_: Row.Type, sql: String, arguments: StatementArguments = []) throws -> Row {
        guard let row = try one(Row.self, sql: sql, arguments: arguments) else { Self.hasNoRow(sql) }
        return row
    }

    /// The value of a statement that always has a row, for example a count.
    func value<Value: DatabaseValueConvertible>(
        _: Value.Type, sql: String, arguments: StatementArguments = []
    ) throws -> Value {
        guard let value = try one(Value.self, sql: sql, arguments: arguments) else { Self.hasNoRow(sql) }
        return value
    }

    private static func hasNoRow(_ sql: String) -> Never {
        preconditionFailure("a statement that always has a row had none: \(sql)")
    }
}
#endif
