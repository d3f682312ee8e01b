#if Tools
import Foundation
@testable import ThumbturnServer

/// Short ways to run SQL past the store, in tests of what it keeps.
extension ThumbturnServer.Database {
    func execute(sql: String, arguments: ThumbturnServer.StatementArguments = []) throws {
        // Several statements have no arguments.
        for statement in arguments.values.isEmpty ? sql.split(separator: ";\n") : [sql[...]] {
            try run(sql: String(statement), arguments: arguments)
        }
    }
}

extension SQLConvertible {
    static func fetchOne(
        _ db: ThumbturnServer.Database, sql: String, arguments: ThumbturnServer.StatementArguments = []
    ) throws -> Self? {
        try db.one(Self.self, sql: sql, arguments: arguments)
    }

    static func fetchAll(
        _ db: ThumbturnServer.Database, sql: String, arguments: ThumbturnServer.StatementArguments = []
    ) throws -> [Self] {
        try db.all(Self.self, sql: sql, arguments: arguments)
    }
}

/// The tables of the store, by name. Both engines have the same.
enum Tables {
    static var names: [String] {
        get throws {
            try SQLitePool(inMemory: nil).read {
                try $0.all(String.self, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%'")
            }
        }
    }
}
#endif
