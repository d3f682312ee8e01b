#if Server
import Foundation
import GRDB

/// A database of SQLite: a file, or one in memory.
final class SQLitePool: SQLPool {
    /// A pool of connections to the file; in memory one connection.
    let base: any DatabaseWriter
    /// The files beside the database that show whether it was restored; in memory there are none.
    let mark: CommitMark?
    private let checkpoints: Checkpoints?

    /// Opens the file, or creates it if it does not exist, and migrates its tables.
    ///
    /// - Parameter interval: the number of commits between two checkpoints.
    init(path: String, checkpointsEvery interval: Int = Checkpoints.interval) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = Limits.readers
        mark = try CommitMark(beside: path)
        base = try DatabasePool(path: path, configuration: configuration)
        try Schema.migrate(base, at: path)
        checkpoints = try Checkpoints(of: path, every: interval)
        try base.writeWithoutTransaction { db in
            // GRDB opens WAL files with synchronous=NORMAL, which may lose acknowledged commits when the power fails.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")
        }
        guard try durability().isFull else { throw StoreError.notDurable }
    }

    /// Opens a database in memory with the contents of an image; with the tables alone if there is none.
    init(inMemory image: StoreImage?) throws {
        base = try StoreImage.copy(of: image)
        mark = nil
        checkpoints = nil
    }

    /// Opens a copy of a file in memory, with the tables of this version.
    ///
    /// - Throws: `SetupError.noBackup` if there is no backup at the path, `SetupError.olderDatabase` and `SetupError.newerDatabase`.
    init(copyOf path: String) throws {
        var readOnly = Configuration()
        readOnly.readonly = true
        guard let backup = try? DatabaseQueue(path: path, configuration: readOnly),
            (try? backup.read { try $0.tableExists("node") && $0.tableExists("sessions") }) == true
        else { throw SetupError.noBackup(path) }
        let draft = try DatabaseQueue()
        try backup.backup(to: draft)
        try Schema.migrate(draft, at: path)
        base = draft
        mark = nil
        checkpoints = nil
    }

    var place: String { mark?.place ?? "" }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await base.read { try body(Database(SQLiteConnection($0))) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try base.read { try body(Database(SQLiteConnection($0))) }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try base.writeWithoutTransaction { db in
            var value: Value?
            try db.inTransaction(.immediate) {
                value = try body(Database(SQLiteConnection(db)))
                return .commit
            }
            guard let value else { throw StoreError.transactionEnded }
            return value
        }
    }

    // The files beside the database tell it when it is opened.
    func check(_ number: Int64) {}

    func committed(_ number: Int64) {
        mark?.record(number)
        checkpoints?.committed()
    }

    func tidy() { checkpoints?.finish(base) }

    /// What makes a commit durable, read back from the database.
    func durability() throws -> Durability {
        try base.writeWithoutTransaction { db in
            let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
            let journal = try String.fetchOne(db, sql: "PRAGMA journal_mode")
            return Durability(
                settings: ["synchronous": synchronous.map(String.init) ?? "", "journal_mode": journal ?? ""],
                isFull: synchronous == Self.full && journal == "wal")
        }
    }

    /// SQLite's number for `synchronous=FULL`.
    private static let full = 2

    /// Writes a copy of the whole database to a file.
    func backUp(to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try base.backup(to: copy)
        // One file, without a log beside it.
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }

    func replace(by draft: SQLitePool, if check: (Database) throws -> Void) throws {
        // SQLite's copy cannot be part of a transaction, so another process may still write between the two.
        try write(check)
        try draft.base.backup(to: base)
    }

    // The files beside the database tell it when it is opened.
    var ifWhole: String { "" }
}

/// One of SQLite's connections, for the time of one transaction.
private final class SQLiteConnection: SQLConnection {
    private let base: GRDB.Database

    init(_ base: GRDB.Database) { self.base = base }

    var isInsideTransaction: Bool { base.isInsideTransaction }

    func mayTakeLong() {}

    func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLResult {
        // GRDB's own calls with SQL compile it each time, which takes longer than most of these statements run.
        let statement = try base.cachedStatement(sql: sql)
        try statement.setArguments(GRDB.StatementArguments(arguments.map(\.grdb)))
        guard statement.columnCount > 0 else {
            try statement.execute()
            return SQLResult(changes: base.changesCount)
        }
        let columns = Row.Columns(statement.columnNames)
        var rows: [Row] = []
        let cursor = try GRDB.Row.fetchCursor(statement)
        while let row = try cursor.next() {
            rows.append(Row(columns: columns, values: row.databaseValues.map(SQLValue.init)))
        }
        // One that writes and returns rows has changed these.
        return SQLResult(rows: rows, changes: statement.isReadonly ? nil : rows.count)
    }
}

extension SQLValue {
    var grdb: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .integer(let number): number
        case .text(let text): text
        case .blob(let bytes): bytes
        }
    }

    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .blob(let bytes): self = .blob(bytes)
        case .double: preconditionFailure("no column and no statement has fractions")
        }
    }
}
#endif
