#if Server && PostgreSQL
import GRDB

/// Copies of all rows from one kind of database to the other, for backups.
enum TableCopy {
    /// Rows that are in memory at once.
    private static let portion = 1000

    /// Replaces all rows by those of a database of SQLite, each after those that it refers to, in the connection's transaction.
    static func copy(from pool: SQLitePool, to connection: PostgresConnection) throws {
        let tables = try tables(of: pool)
        for table in tables.reversed() { try connection.execute("DELETE FROM \(table.name)\(table.spared)") }
        try pool.base.read { db in
            for table in tables {
                let insertion = insertion(into: table)
                let rows = try GRDB.Row.fetchCursor(db, sql: "SELECT \(table.list) FROM \(table.name)\(table.spared)")
                while let row = try rows.next() { _ = try connection.run(insertion, row.databaseValues.map(SQLValue.init)) }
            }
        }
    }

    /// Copies all rows that the connection's transaction sees to a new file of SQLite, without a log beside it.
    static func copy(from connection: PostgresConnection, to path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(queue)
        let tables = try tables(of: SQLitePool(inMemory: nil))
        try queue.write { db in
            for table in tables.reversed() { try db.execute(sql: "DELETE FROM \(table.name)") }
            for table in tables {
                let insertion = try db.makeStatement(sql: insertion(into: table))
                try connection.execute("DECLARE copied NO SCROLL CURSOR FOR SELECT \(table.list) FROM \(table.name)")
                while case let rows = try connection.query("FETCH \(portion) FROM copied"), !rows.isEmpty {
                    for row in rows { try insertion.execute(arguments: GRDB.StatementArguments(row.values.map(\.grdb))) }
                }
                try connection.execute("CLOSE copied")
            }
        }
        try queue.close()
    }

    private static func insertion(into table: Table) -> String {
        "INSERT INTO \(table.name) (\(table.list)) VALUES (\(table.columns.map { _ in "?" }.joined(separator: ", ")))"
    }

    struct Table {
        var name: String
        var columns: [String]
        /// The names of the other tables that it refers to.
        fileprivate var others: Set<String>
    }

    /// The tables of a database of SQLite, each after those that it refers to.
    static func tables(of pool: SQLitePool) throws -> [Table] {
        var left = try pool.base.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'"
            ).map { name in
                Table(
                    name: name, columns: try db.columns(in: name).map(\.name),
                    others: Set(try db.foreignKeys(on: name).map(\.destinationTable)).subtracting([name]))
            }
        }
        var sorted: [Table] = []
        while !left.isEmpty {
            let missing = Set(left.map(\.name))
            let next = left.filter { $0.others.isDisjoint(with: missing) }
            precondition(!next.isEmpty, "tables refer to each other in a circle")
            sorted += next
            left.removeAll { $0.others.isDisjoint(with: missing) }
        }
        return sorted
    }
}

extension TableCopy.Table {
    /// The names of the columns, as a statement lists them.
    fileprivate var list: String { columns.joined(separator: ", ") }

    /// What spares the rows that outlast a restore: the proofs of DPoP, whose nonces other nodes take for some seconds more.
    fileprivate var spared: String { name == "spent" ? " WHERE use != \(Spend.Use.dpopProof.rawValue)" : "" }
}
#endif
