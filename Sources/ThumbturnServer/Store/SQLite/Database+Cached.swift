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
}
#endif
