#if Server
import Foundation
import GRDB
import ThumbturnCore
import ThumbturnVerifier

extension SQLiteStore {
    package func addClient(_ client: NewClient) async throws -> Bool {
        let jwks = json(JWKS(keys: client.keys.map(\.jwk)))
        let scope = ClientScope.text(client.scopes)
        return try await writer.write { db, now in
            try db.run(
                sql: "INSERT INTO clients (id, scope, jwks, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [client.id, scope, jwks, now.seconds]
            )
            return db.changesCount == 1
        }
    }

    package func removeClient(_ id: String) async throws -> Bool {
        try await writer.write { db, _ in
            try db.run(sql: "DELETE FROM clients WHERE id = ?", arguments: [id])
            return db.changesCount == 1
        }
    }

    package func client(_ id: String) async throws -> Client? {
        try await pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT id, scope, jwks, created_at FROM clients WHERE id = ?")
            return try Row.fetchOne(statement, arguments: [id]).map(Self.client)
        }
    }

    package func clients() async throws -> [Client] {
        try await pool.read { db in
            try db.all(Row.self, sql: "SELECT id, scope, jwks, created_at FROM clients ORDER BY id").map(Self.client)
        }
    }

    private static func client(_ row: Row) throws -> Client {
        let jwks = try WireJSON.decode(JWKS.self, from: Array((row["jwks"] as String).utf8))
        return Client(
            id: row["id"], scopes: ClientScope.known(in: row["scope"]), keys: try jwks.keys.map { try VerifyingKey(jwk: $0) },
            createdAt: UnixTime(seconds: row["created_at"])
        )
    }
}
#endif
