#if Server
import Foundation
import ThumbturnCore
import ThumbturnVerifier

extension SQLStore {
    /// Adds a back end. False if the name is taken.
    package func addClient(_ client: NewClient) async throws -> Bool {
        let jwks = json(JWKS(keys: client.keys.map(\.jwk)))
        let scope = ClientScope.text(client.scopes)
        return try await writer.write { db, now in
            try db.run(
                sql: """
                    INSERT INTO clients (id, scope, jwks, created_at, limits, allows_bearer) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                arguments: [client.id, scope, jwks, now.seconds, json(client.limits), client.allowsBearer]
            )
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.clientAdded, client: client.id, detail: scope), in: db, at: now)
            return true
        }
    }

    /// Removes a back end. False if there is none of this name.
    package func removeClient(_ id: String) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(sql: "DELETE FROM clients WHERE id = ?", arguments: [id])
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.clientRemoved, client: id), in: db, at: now)
            return true
        }
    }

    /// Changes a back end's limits, and whether it may use tokens without a key; nil leaves either as it is. False if
    /// there is none of this name.
    package func changeClient(_ id: String, limits: ClientLimits?, allowsBearer: Bool?) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: """
                    UPDATE clients SET limits = coalesce(?, limits), allows_bearer = coalesce(?, allows_bearer)
                    WHERE id = ?
                    """,
                arguments: [limits.map(json), allowsBearer, id]
            )
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.clientChanged, client: id), in: db, at: now)
            return true
        }
    }

    /// The back end of this name; nil if there is none.
    package func client(_ id: String) async throws -> Client? {
        try await pool.read { try Self.client(id, in: $0) }
    }

    /// All back ends, sorted by name.
    package func clients() async throws -> [Client] {
        try await pool.read { db in try db.all(Row.self, sql: "SELECT * FROM clients ORDER BY id").map(Self.client) }
    }

    static func client(_ id: String, in db: Database) throws -> Client? {
        try db.one(Row.self, sql: "SELECT * FROM clients WHERE id = ?", arguments: [id]).map(Self.client)
    }

    private static func client(_ row: Row) throws -> Client {
        let jwks = try WireJSON.decode(JWKS.self, from: Array((row["jwks"] as String).utf8))
        return try Client(
            id: row["id"], scopes: ClientScope.known(in: row["scope"]), keys: try jwks.keys.map { try VerifyingKey(jwk: $0) },
            createdAt: UnixTime(seconds: row["created_at"]),
            // Limits that cannot be read must not pass for none.
            limits: try WireJSON.decodeClaims(ClientLimits.self, from: Array((row["limits"] as String).utf8)),
            allowsBearer: row["allows_bearer"]
        )
    }
}
#endif
