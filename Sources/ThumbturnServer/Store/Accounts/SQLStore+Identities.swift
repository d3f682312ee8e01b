#if Server
import Foundation
import ThumbturnCore

extension SQLStore {
    /// Consumes an ID token with what made its sign-in fresh, and returns the account of its identity, which is made
    /// the first time. Nil if one of them was consumed before, if the account is switched off, or if an account of that
    /// name exists already.
    ///
    /// - Parameter freshness: the freshness of the sign-in, for the audit log.
    package func account(
        of identity: Identity, orMaking fresh: Account, by freshness: SignInFreshness, spending spends: [Spend]
    ) async throws -> IdentityAccount? {
        try await writer.write { db, now in
            guard try Self.spendAll(spends, in: db, at: now) else { return nil }
            let known = try db.one(
                Row.self,
                sql: """
                    SELECT a.id, a.credential_generation, a.disabled_at IS NULL AS is_on
                    FROM identities i JOIN accounts a ON a.id = i.account_id WHERE i.issuer = ? AND i.subject = ?
                    """,
                arguments: [identity.issuer, identity.subject]
            )
            if let known {
                guard try known["is_on"] else { return nil }
                let account: AccountID = identifier(try known["id"])
                let detail = freshness == .fresh ? "id-token" : "\(freshness.rawValue)-id-token"
                try Self.audit(AuditEvent(.credentials, account: account, detail: detail), in: db, at: now)
                return IdentityAccount(id: account, credentialGeneration: try known["credential_generation"])
            }
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
            try Self.audit(AuditEvent(.accountAdded, account: fresh.id, detail: "id-token"), in: db, at: now)
            return IdentityAccount(id: fresh.id, credentialGeneration: 0)
        }
    }
}
#endif
