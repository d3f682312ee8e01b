#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// The key of this id with its device, even if the device is revoked.
    package func key(_ kid: String) async throws -> EnrolledKey? {
        try await pool.read { try Self.key(kid, in: $0) }
    }

    /// The key of this id, possibly out of date. Values that never change are correct; the others are judged again in
    /// the transaction that the key authorises.
    package func knownKey(_ kid: String) async throws -> EnrolledKey? {
        // The epoch is read first: a key that is read while an epoch ends must not be cached for the next one.
        let epoch = writer.currentEpoch
        if let known = recentKeys[kid, in: epoch] { return known }
        let found = try await key(kid)
        // Only active keys without wrong signatures are cached. A revoked key is not worth the memory, an unproven key
        // may still become another device's, and the end of a pause must be current.
        // Nor one that is less than its group demands: the group may demand less by now.
        if let found, found.wrongInARow == 0 {
            let standing = found.standing(at: time.now)
            if standing.state == .active, standing.isEnough { recentKeys.remember(found, in: epoch) }
        }
        return found
    }

    static func areFree(_ keys: [NewDevice.Key], in db: Database) throws -> Bool {
        try keys.allSatisfy { try isFree($0.kid, forItsHolder: $0.isActive, in: db) }
    }

    /// Whether a key belongs to no device and no plain client. A key that was registered without its own proof is still
    /// free for the device that proves it.
    static func isFree(_ kid: String, forItsHolder isProven: Bool, in db: Database) throws -> Bool {
        let taken = try db.one(
            Int.self,
            sql: """
                SELECT (SELECT count(*) FROM keys WHERE kid = ?1 AND (active_since IS NOT NULL OR NOT ?2))
                    + (SELECT count(*) FROM plain_keys WHERE kid = ?1)
                """,
            arguments: [kid, isProven]
        )
        return taken == 0
    }

    /// Inserts a key, or replaces the row of the same key without a proof. Rows of keys are never deleted, because
    /// SQLite would then look through all sessions for one that refers to the key.
    static func insert(
        _ key: NewDevice.Key, of device: Data, enrolledBy origin: KeyOrigin, in db: Database, at now: UnixTime
    ) throws {
        let columns: StatementArguments = [
            device, key.kind.rawValue, blob(key.x963), key.isActive ? now.seconds : nil, origin.rawValue, key.kid,
        ]
        try db.run(
            sql: """
                UPDATE keys SET device_id = ?, kind = ?, x963 = ?, active_since = ?, enrolled_by = ?, protection = 'software',
                    verification = 'none', evidence_id = NULL, wrong_in_a_row = 0, paused_until = 0, retired_at = NULL, sessions_over = -1
                WHERE kid = ? AND active_since IS NULL
                """,
            arguments: columns
        )
        guard db.changesCount == 0 else { return }
        try db.run(
            sql: "INSERT INTO keys (device_id, kind, x963, active_since, enrolled_by, kid) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: columns
        )
    }

    static func key(_ kid: String, in db: Database) throws -> EnrolledKey? {
        let statement = """
            SELECT k.kind, k.x963, k.wrong_in_a_row, k.paused_until, k.enrolled_by, k.protection, k.verification,
                k.active_since IS NOT NULL AS active,
                d.id AS device_id, d.session_jkt, d.cools_off_until, a.id AS account_id, a.name,
                g.protection AS least_protection, g.verification AS least_verification, d.revoked_at IS NOT NULL OR k.retired_at IS NOT NULL OR a.disabled_at IS NOT NULL AS revoked
            FROM keys k JOIN devices d ON d.id = k.device_id JOIN accounts a ON a.id = d.account_id
                LEFT JOIN account_groups g ON g.name = a.group_name WHERE k.kid = ?
            """
        return try db.one(Row.self, sql: statement, arguments: [kid]).flatMap { row in
            guard let kind = KeyKind(rawValue: try row["kind"]), let origin = KeyOrigin(rawValue: try row["enrolled_by"]),
                let proven = try Assurance(row), let minimum = try Assurance(minimum: row)
            else { return nil }
            return try EnrolledKey(
                kid: kid, kind: kind, x963: Array(row["x963"] as Data), device: identifier(row["device_id"]),
                account: identifier(row["account_id"]), accountName: row["name"],
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), sessionJKT: row["session_jkt"],
                isRevoked: row["revoked"], isActive: row["active"], enrolledBy: origin, proven: proven,
                minimum: minimum, wrongInARow: row["wrong_in_a_row"], pausedUntil: UnixTime(seconds: row["paused_until"])
            )
        }
    }
}

extension Assurance {
    /// The columns of an account's group; nil for values that this version does not know. The minimum of a group without a
    /// row is the highest there is: a group that the policy forgot admits little.
    init?(minimum row: Row) throws(SQLError) {
        guard let least = try row["least_protection"] as String? else {
            self = .highest
            return
        }
        guard let protection = KeyProtection(rawValue: least),
            let verification = UserVerification(rawValue: try row["least_verification"])
        else { return nil }
        self.init(protection: protection, verification: verification)
    }

    /// The highest assurance there is.
    static let highest = Assurance(protection: .attestedHardware, verification: .biometric)

    /// The columns `protection` and `verification` of a key; nil for values that this version does not know.
    init?(_ row: Row) throws(SQLError) {
        guard let protection = KeyProtection(rawValue: try row["protection"]),
            let verification = UserVerification(rawValue: try row["verification"])
        else { return nil }
        self.init(protection: protection, verification: verification)
    }
}
#endif
