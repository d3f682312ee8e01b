#if Server
import Foundation
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func account(of identity: Identity, orMaking fresh: Account, spending spend: Spend) async throws -> AccountID? {
        try await writer.write { db, now in
            guard try Schema.spend(spend, in: db, at: now) else { return nil }
            let known = try db.one(
                Data.self, sql: "SELECT account_id FROM identities WHERE issuer = ? AND subject = ?",
                arguments: [identity.issuer, identity.subject]
            )
            if let known { return identifier(known) }
            try db.run(
                sql: "INSERT INTO accounts (id, name, password_hash, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [blob(fresh.id.bytes), fresh.name, fresh.passwordHash, now.seconds]
            )
            // An account of that name exists and belongs to another person.
            guard db.changesCount == 1 else { return nil }
            try db.run(
                sql: "INSERT INTO identities (issuer, subject, account_id) VALUES (?, ?, ?)",
                arguments: [identity.issuer, identity.subject, blob(fresh.id.bytes)]
            )
            return fresh.id
        }
    }
}
#endif
