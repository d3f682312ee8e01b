#if Server
import Foundation
package import ThumbturnCore

extension SQLStore {
    /// The server's secrets, newest first, and their edition.
    ///
    /// Secrets that are missing or due for renewal are made in the same transaction, so that nodes which start together
    /// agree. A key of access tokens from an earlier epoch does not count: every epoch has a key of its own.
    ///
    /// - Parameters:
    ///   - check: called first, with every stored secret. If it throws, no secret is made: a node with the wrong master
    ///     key must not add secrets that the others cannot read.
    ///   - isDue: whether the newest secret for a use has to be replaced.
    ///   - make: makes a secret.
    package func secrets(
        checking check: @escaping @Sendable (SealedSecret) throws -> Void,
        renewing isDue: @escaping @Sendable (SealedSecret) -> Bool,
        make: @escaping @Sendable (SecretUse, UnixTime) throws -> SealedSecret
    ) async throws -> (secrets: [SealedSecret], edition: SecretsEdition) {
        try await writer.write(adopting: true) { db, now in
            let edition = try Self.edition(in: db)
            var secrets = try db.all(
                Row.self, sql: "SELECT id, use, created_at, sealed, signs_in FROM secrets ORDER BY created_at DESC, id"
            ).compactMap(Self.secret)
            try secrets.forEach(check)
            for use in SecretUse.allCases {
                let newest = secrets.first { $0.use == use && (use != .token || $0.signsIn == edition.epoch) }
                if let newest, !isDue(newest) { continue }
                secrets.insert(try Self.insert(try make(use, now), in: db), at: 0)
            }
            // Two challenge secrets cover the longest life of a challenge many times over.
            for old in secrets.filter({ $0.use == .challenge }).dropFirst(2) {
                try db.run(sql: "DELETE FROM secrets WHERE id = ?", arguments: [old.id])
            }
            return (secrets, edition)
        }
    }

    /// The edition of the secrets that the database has now.
    package func secretsEdition() async throws -> SecretsEdition {
        let ifWhole = pool.ifWhole
        do {
            return try await pool.read { try Self.edition(in: $0, ifWhole) }
        } catch let error as SQLError where error.state == SQLError.noRow {
            // The rows were put back by a copy, and the next transaction begins an epoch.
            try? await writer.write { _, _ in }
            return try await pool.read { try Self.edition(in: $0, ifWhole) }
        }
    }

    static func edition(in db: Database, _ ifWhole: String = "") throws -> SecretsEdition {
        let row = try db.value(Row.self, sql: "SELECT epoch, secret_changes FROM node" + ifWhole)
        return try SecretsEdition(epoch: row["epoch"], changes: row["secret_changes"])
    }

    static func secret(_ row: Row) throws -> SealedSecret? {
        try SecretUse(rawValue: row["use"]).map {
            try SealedSecret(
                id: row["id"], use: $0, createdAt: UnixTime(seconds: row["created_at"]), sealed: Array(row["sealed"] as Data),
                signsIn: row["signs_in"]
            )
        }
    }
}
#endif
