#if Server
import Foundation
import GRDB
package import ThumbturnCore

extension SQLiteStore {
    package func secrets(
        checking check: @escaping @Sendable (SealedSecret) throws -> Void,
        renewing isDue: @escaping @Sendable (SealedSecret) -> Bool,
        make: @escaping @Sendable (SecretUse, UnixTime) throws -> SealedSecret
    ) async throws -> (secrets: [SealedSecret], epoch: Int64) {
        try await writer.write(adopting: true) { db, now in
            var secrets = try db.all(
                Row.self, sql: "SELECT id, use, created_at, sealed FROM secrets ORDER BY created_at DESC, id"
            ).compactMap(Self.secret)
            try secrets.forEach(check)
            for use in SecretUse.allCases {
                if let newest = secrets.first(where: { $0.use == use }), !isDue(newest) { continue }
                let made = try make(use, now)
                try Self.insert(made, in: db)
                secrets.insert(made, at: 0)
            }
            // Two challenge secrets cover the longest life of a challenge many times over.
            for old in secrets.filter({ $0.use == .challenge }).dropFirst(2) {
                try db.run(sql: "DELETE FROM secrets WHERE id = ?", arguments: [old.id])
            }
            return (secrets, try db.value(Int64.self, sql: "SELECT epoch FROM node"))
        }
    }

    static func secret(_ row: Row) -> SealedSecret? {
        SecretUse(rawValue: row["use"]).map {
            SealedSecret(
                id: row["id"], use: $0, createdAt: UnixTime(seconds: row["created_at"]), sealed: Array(row["sealed"] as Data)
            )
        }
    }
}
#endif
