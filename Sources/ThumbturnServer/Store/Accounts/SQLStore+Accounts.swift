#if Server
import Foundation
import ThumbturnCore

extension SQLStore {
    /// The account of this name. An unknown name takes as long as a known one.
    package func account(named name: String) async throws -> Account? {
        try await pool.read { db in
            // For an unknown name the row of another account is read, so that the time does not reveal whether the name
            // exists. It does not reveal whether the account has one-time codes either: without a secret, as many bytes
            // are read as a sealed one has (nonce 12, secret 20, tag 16).
            let statement = """
                SELECT id, name, password_hash, one_time_secret IS NOT NULL AS asks,
                    coalesce(one_time_secret, zeroblob(48)) AS secret, credential_generation
                FROM accounts WHERE id >= coalesce((SELECT id FROM accounts WHERE name = ?), zeroblob(16)) ORDER BY id LIMIT 1
                """
            let row = try db.one(Row.self, sql: statement, arguments: [name])
            return try row.flatMap { row in
                var account = try Account(id: identifier(row["id"]), name: row["name"], passwordHash: row["password_hash"])
                let secret = Array(try row["secret"] as Data)
                account.oneTimeSecret = try row["asks"] ? secret : nil
                account.credentialGeneration = try row["credential_generation"]
                return account.name == name ? account : nil
            }
        }
    }

    /// Adds an account. False if the name is taken.
    package func addAccount(_ account: Account) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: "INSERT INTO accounts (id, name, password_hash, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [blob(account.id.bytes), account.name, account.passwordHash, now.seconds]
            )
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.accountAdded, account: account.id), in: db, at: now)
            return true
        }
    }

    /// Sets the sealed secret of one-time codes. If nil, sign-ins demand no one-time code. Tickets and sign-ins that were
    /// judged before become void.
    package func setOneTimeSecret(_ sealed: [UInt8]?, of account: AccountID) async throws {
        try await writer.write { db, now in
            try db.run(
                sql: "UPDATE accounts SET one_time_secret = ?, one_time_last = 0 WHERE id = ?",
                arguments: [sealed.map { blob($0) }, blob(account.bytes)]
            )
            // A ticket from before was issued without a code of these.
            try Self.voidCredentials(of: account, in: db)
            try Self.audit(
                AuditEvent(sealed == nil ? .oneTimeCodesRemoved : .oneTimeCodesSet, account: account), in: db, at: now)
            try Self.note(.oneTimeCodesSet, of: account, nil, in: db, at: now)
        }
    }

    /// Replaces all recovery codes of an account.
    package func setRecoveryCodes(_ hashes: [[UInt8]], of account: AccountID) async throws {
        try await writer.write { db, now in
            try db.run(sql: "DELETE FROM recovery_codes WHERE account_id = ?", arguments: [blob(account.bytes)])
            for hash in hashes {
                try db.run(
                    sql: "INSERT INTO recovery_codes (account_id, hash) VALUES (?, ?)",
                    arguments: [blob(account.bytes), blob(hash)]
                )
            }
            // A ticket from before may be for a code that a thief has found.
            try Self.voidCredentials(of: account, in: db)
            try Self.audit(AuditEvent(.recoveryCodesMade, account: account), in: db, at: now)
            try Self.note(.recoveryCodesMade, of: account, nil, in: db, at: now)
        }
    }
}
#endif
