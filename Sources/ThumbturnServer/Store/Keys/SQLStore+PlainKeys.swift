#if Server
import Foundation
import ThumbturnCore

/// What the store keeps of the keys of plain clients. Each belongs to a device that has no other key.
extension SQLStore {
    /// Consumes the ticket, and enrols a device whose only key is this one. False if the ticket was consumed before, if
    /// the key is known already, if the vouching device may not vouch, or if the account has the maximum of such keys
    /// or of devices. The ticket is consumed in any case.
    package func enrol(_ device: NewDevice, with key: NewPlainKey, by ticket: Tickets.Right) async throws -> Bool {
        try await writer.write { db, now in
            guard try Schema.spend(ticket.spend, in: db, at: now), try Self.isCurrent(ticket, in: db),
                try Self.support(for: device, by: ticket, in: db, at: now) != nil,
                try Self.plainKeyCount(of: device.account, in: db) < EnrolledPlainKey.mostOfAnAccount,
                try Self.full(device.quota, ofDevices: device.account, by: ticket, in: db, at: now) == nil,
                // Nothing is known of a plain client's key.
                try Assurance.withoutKey.meets(Self.minimum(of: device.account, in: db))
            else { return false }
            guard try Self.isFree(key.kid, forItsHolder: true, in: db) else { return false }
            // A device that registered this key without a proof loses it.
            try db.run(
                sql: "UPDATE keys SET retired_at = ? WHERE kid = ? AND active_since IS NULL", arguments: [now.seconds, key.kid]
            )
            try Self.insert(device, by: ticket, in: db, at: now)
            try db.run(
                sql: "INSERT INTO plain_keys (kid, device_id, spki, account_id, format) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    key.kid, blob(device.id.bytes), blob(key.spki), blob(device.account.bytes), key.format.rawValue,
                ]
            )
            try Self.audit(
                AuditEvent(.deviceEnrolled, account: device.account, device: device.id, detail: "plain"), in: db, at: now)
            try Self.note(.newDevice, of: device.account, device.id, in: db, at: now)
            return true
        }
    }

    /// Keys of one length, as many as an account may have: all of the account's own whose device is not revoked, filled
    /// up with keys of other accounts. So the number of rows does not reveal how many keys the account has. There are
    /// fewer only if the store has fewer.
    package func plainKeys(around account: AccountID, ofLength spkiLength: Int) async throws -> [EnrolledPlainKey] {
        try await pool.read { db in
            let most = EnrolledPlainKey.mostOfAnAccount
            let fromHere = try Self.plainKeys(">=", account, spkiLength, most: most, in: db)
            // After the last account, the search goes on with the first.
            return try fromHere + Self.plainKeys("<", account, spkiLength, most: most - fromHere.count, in: db)
        }
    }

    /// Consumes a challenge, in any case.
    ///
    /// - Returns: the account's credential generation. Nil if the challenge was consumed before, the key's device has been
    ///   revoked or its account was switched off.
    package func spend(_ spend: Spend, on key: EnrolledPlainKey) async throws -> Int64? {
        try await writer.write { db, now in
            guard try Schema.spend(spend, in: db, at: now) else { return nil }
            // The key was read before this transaction; its device may have been revoked since.
            guard let generation = try Self.plainGeneration(of: key.device, in: db) else { return nil }
            try Self.audit(
                AuditEvent(.signedIn, account: key.account, device: key.device, detail: "plain"), in: db, at: now)
            return generation
        }
    }

    /// The credential generation of a device's account. Nil unless the device has such a key and is not revoked, and its
    /// account is on.
    package func plainGeneration(of device: DeviceID) async throws -> Int64? {
        try await pool.read { try Self.plainGeneration(of: device, in: $0) }
    }

    private static func plainGeneration(of device: DeviceID, in db: Database) throws -> Int64? {
        let statement = """
            SELECT a.credential_generation, g.protection AS least_protection, g.verification AS least_verification FROM plain_keys p JOIN devices d ON d.id = p.device_id JOIN accounts a ON a.id = d.account_id
                LEFT JOIN account_groups g ON g.name = a.group_name
            WHERE p.device_id = ? AND d.revoked_at IS NULL AND a.disabled_at IS NULL
            """
        guard let row = try db.one(Row.self, sql: statement, arguments: [blob(device.bytes)]),
            let minimum = try Assurance(minimum: row), Assurance.withoutKey.meets(minimum)
        else { return nil }
        return try row["credential_generation"]
    }

    private static func plainKeys(
        _ side: String, _ account: AccountID, _ spkiLength: Int, most: Int, in db: Database
    ) throws -> [EnrolledPlainKey] {
        let statement = """
            SELECT spki, device_id, account_id, format FROM plain_keys INDEXED BY plain_keys_by_account
            WHERE length(spki) = ? AND account_id \(side) ? ORDER BY account_id LIMIT ?
            """
        return try db.all(Row.self, sql: statement, arguments: [spkiLength, blob(account.bytes), most]).compactMap { row in
            try PlainFormat(rawValue: row["format"]).map { format in
                try EnrolledPlainKey(
                    spki: Array(row["spki"] as Data), device: identifier(row["device_id"]),
                    account: identifier(row["account_id"]), format: format)
            }
        }
    }

    private static func plainKeyCount(of account: AccountID, in db: Database) throws -> Int {
        let sql = """
            SELECT count(*) FROM plain_keys p JOIN devices d ON d.id = p.device_id WHERE d.account_id = ? AND d.revoked_at IS NULL
            """
        return try db.value(Int.self, sql: sql, arguments: [blob(account.bytes)])
    }

    /// Hides a device's plain key from searches. The row stays, so that the key is never enrolled again.
    static func hidePlainKey(of device: DeviceID, in db: Database) throws {
        try db.run(sql: "UPDATE plain_keys SET account_id = NULL WHERE device_id = ?", arguments: [blob(device.bytes)])
    }
}
#endif
