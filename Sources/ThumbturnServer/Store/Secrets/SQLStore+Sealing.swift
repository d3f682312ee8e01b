#if Server
import Foundation

extension SQLStore {
    /// Seals again, in one transaction, everything that the database keeps sealed. Running servers read their secrets
    /// again before they write. If `sealing` throws, nothing has changed.
    package func sealAgain(_ sealing: @escaping Sealing) async throws {
        try await writer.write { db, now in
            try Schema.sealAgain(db, sealing)
            try Schema.countSecretChange(db)
            try Self.audit(AuditEvent(.masterKeyChanged), in: db, at: now)
        }
    }

    /// Any value that the database keeps sealed; nil if there is none yet.
    func anySealed() throws -> (sealed: [UInt8], label: [UInt8])? {
        try pool.read { db in try db.one(Row.self, sql: "SELECT id, use, sealed FROM secrets LIMIT 1").map(Schema.sealedValue) }
    }
}

extension Schema {
    /// Seals everything again that the database keeps sealed: the server's secrets, and the accounts' secrets of one-time
    /// codes. No other column has a sealed value.
    static func sealAgain(_ db: Database, _ sealing: Sealing) throws {
        try db.mayTakeLong()
        for row in try db.all(Row.self, sql: "SELECT id, use, sealed FROM secrets") {
            let (sealed, label) = try sealedValue(row)
            let id: String = try row["id"]
            try db.run(
                sql: "UPDATE secrets SET sealed = ? WHERE id = ?", arguments: [blob(try sealing(sealed, label)), id])
        }
        let accounts = try db.all(
            Row.self, sql: "SELECT id, one_time_secret FROM accounts WHERE one_time_secret IS NOT NULL")
        for row in accounts {
            let (id, sealed) = (try row["id"] as Data, Array(try row["one_time_secret"] as Data))
            try db.run(
                sql: "UPDATE accounts SET one_time_secret = ? WHERE id = ?",
                arguments: [blob(try sealing(sealed, SealLabel.oneTime)), id])
        }
    }

    /// Counts a change of the secrets, so that every running server reads them before it writes again.
    static func countSecretChange(_ db: Database) throws {
        try db.run(sql: "UPDATE node SET secret_changes = secret_changes + 1")
    }

    fileprivate static func sealedValue(_ row: Row) throws -> (sealed: [UInt8], label: [UInt8]) {
        (Array(try row["sealed"] as Data), SealLabel.secret(try row["id"], use: try row["use"]))
    }
}
#endif
