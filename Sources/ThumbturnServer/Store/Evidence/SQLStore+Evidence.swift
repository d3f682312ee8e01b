#if Server
import Crypto
import Foundation
package import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// The App Attest key of this id; nil if it is unknown.
    package func appAttestKey(_ id: [UInt8]) async throws -> AppAttestRecord? {
        try await pool.read { db in
            try db.one(Row.self, sql: "SELECT * FROM app_attest_keys WHERE id = ?", arguments: [blob(id)]).map { row in
                try AppAttestRecord(
                    id: id, x963: Array(row["x963"] as Data), appID: row["app_id"], isProduction: row["production"],
                    counter: row["counter"], attestedAt: UnixTime(seconds: row["attested_at"]),
                    receipt: Array(row["receipt"] as Data), account: (row["account_id"] as Data?).map { identifier($0) })
            }
        }
    }

    /// The evidence of devices that are not revoked, in the order of its ids: at most so many after one id.
    package func evidence(after id: EvidenceID?, atMost: Int) async throws -> [StoredEvidence] {
        try await pool.read { db in
            try db.all(
                Data.self, sql: "SELECT id FROM evidence WHERE id > ? ORDER BY id LIMIT ?",
                arguments: [blob(id?.bytes ?? []), atMost]
            ).compactMap { try Self.evidence(identifier($0), in: db) }
        }
    }

    /// The evidence of a device, oldest first.
    package func evidence(of device: DeviceID) async throws -> [StoredEvidence] {
        try await pool.read { db in
            try db.all(
                Data.self, sql: "SELECT id FROM evidence WHERE device_id = ? ORDER BY received_at, id",
                arguments: [blob(device.bytes)]
            ).compactMap { try Self.evidence(identifier($0), in: db) }
        }
    }

    /// Records what evidence proves when it is judged anew. The keys that it is for get the new assurance; where that is
    /// less, the device's sessions end and its owner gets a notice.
    package func record(_ renewed: RenewedVerdict) async throws -> RenewedVerdict.Outcome {
        try await writer.write { db, now in
            try Self.admit(renewed.verdict, in: db)
            guard let stored = try Self.evidence(renewed.evidence, in: db) else { return .gone }
            let (device, verdict) = (blob(stored.device.bytes), renewed.verdict)
            try db.run(
                sql: "UPDATE evidence SET judged_at = ?, policy = ?, refusal = ? WHERE id = ?",
                arguments: [now.seconds, verdict.policy, verdict.refusal, blob(renewed.evidence.bytes)])
            var isLess = false
            for (kid, before) in stored.verdict.keys {
                let after = verdict.keys[kid] ?? .withoutEvidence
                guard after != before else { continue }
                if !after.meets(before) {
                    // A retired key is in use no more, except by the sessions that it opened.
                    if stored.retired.contains(kid) {
                        try Self.endSessions(openedBy: kid, in: db)
                    } else {
                        isLess = true
                    }
                }
                try Self.prove(after, of: kid, by: renewed.evidence, in: db)
            }
            guard isLess else { return .kept }
            try Self.endSessions(of: device, in: db)
            try Self.audit(
                AuditEvent(.evidenceLowered, account: stored.account, device: stored.device, reason: verdict.refusal),
                in: db, at: now)
            try Self.note(.evidenceLowered, of: stored.account, stored.device, in: db, at: now)
            return .lowered
        }
    }

    /// A list that all nodes judge by; nil if none was stored.
    package func evidenceList(_ kind: EvidenceList.Kind) async throws -> EvidenceList? {
        try await pool.read { db in
            try db.one(
                Row.self, sql: "SELECT body, fetched_at FROM evidence_lists WHERE kind = ?", arguments: [kind.rawValue]
            ).map { row in
                try EvidenceList(
                    kind: kind, text: Array(row["body"] as Data), fetchedAt: UnixTime(seconds: row["fetched_at"]))
            }
        }
    }

    /// Stores a list, with a row in the audit log. False if the stored one is as new or newer.
    ///
    /// - Parameter count: how many certificates or roots it names.
    package func keep(_ list: EvidenceList, naming count: Int) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: """
                    INSERT INTO evidence_lists (kind, body, fetched_at) VALUES (?, ?, ?)
                    ON CONFLICT (kind) DO UPDATE SET body = excluded.body, fetched_at = excluded.fetched_at
                        WHERE evidence_lists.fetched_at < excluded.fetched_at OR evidence_lists.fetched_at > ?
                    """,
                arguments: [list.kind.rawValue, blob(list.text), list.fetchedAt.seconds, now.seconds])
            guard db.changesCount == 1 else { return false }
            let hash = Base64URL.encode(SHA256.hash(data: list.text))
            try Self.audit(AuditEvent(list.kind.event, count: count, detail: hash), in: db, at: now)
            return true
        }
    }

    /// Forgets a list, so that there is none of this kind, with a row in the audit log.
    package func forget(_ kind: EvidenceList.Kind) async throws {
        try await writer.write { db, now in
            try db.run(sql: "DELETE FROM evidence_lists WHERE kind = ?", arguments: [kind.rawValue])
            try Self.audit(AuditEvent(kind.event, count: 0), in: db, at: now)
        }
    }

    /// The group of an account; empty where it has none.
    package func group(of account: AccountID) async throws -> String {
        try await pool.read { db in
            try db.one(String.self, sql: "SELECT group_name FROM accounts WHERE id = ?", arguments: [blob(account.bytes)]) ?? ""
        }
    }

    /// Replaces the minimums of all groups of accounts. The group with an empty name is that of accounts without one.
    ///
    /// - Parameter version: that of the evidence policy that has them; it becomes the latest.
    /// - Throws: `SetupError.policyOutdated` if a node has used a later version.
    package func setMinimums(_ minimums: [String: Assurance], version: Int64?) async throws {
        try await writer.write { db, _ in
            try PolicyKind.evidence.check(version, after: Self.policyVersions(in: db))
            if let version { try Self.raise([.evidence: version], in: db) }
            try db.run(sql: "DELETE FROM account_groups")
            for (name, minimum) in minimums.merging(["": .withoutKey], uniquingKeysWith: { named, _ in named }) {
                try db.run(
                    sql: "INSERT INTO account_groups (name, protection, verification) VALUES (?, ?, ?)",
                    arguments: [name, minimum.protection.rawValue, minimum.verification.rawValue])
            }
        }
    }

    /// Puts an account into a group; an empty name takes it out. False if there is no such group.
    package func setGroup(_ group: String, of account: AccountID) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql:
                    "UPDATE accounts SET group_name = ?1 WHERE id = ?2 AND EXISTS (SELECT 1 FROM account_groups WHERE name = ?1)",
                arguments: [group, blob(account.bytes)])
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.accountGroup, account: account, detail: group), in: db, at: now)
            return true
        }
    }

    /// Refuses what was judged by an older policy than another node's, with `SetupError.policyOutdated`.
    private static func admit(_ verdict: EvidenceVerdict, in db: Database) throws {
        try PolicyKind.evidence.check(verdict.version, after: policyVersions(in: db))
    }

    // MARK: In the transaction of an enrolment or a change of keys

    /// Raises the counter of an App Attest key. False if it is not greater than the last one, if another account has the key,
    /// or if another key has the same id. It comes before everything that the evidence is stored for, because a refusal keeps
    /// what was written before it.
    static func count(_ new: NewEvidence?, of account: AccountID?, in db: Database) throws -> Bool {
        guard let key = new?.appAttestKey else { return true }
        try db.run(
            sql: """
                INSERT INTO app_attest_keys (id, x963, app_id, production, counter, attested_at, receipt, account_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET counter = excluded.counter, account_id = excluded.account_id
                    WHERE app_attest_keys.counter < excluded.counter AND app_attest_keys.x963 = excluded.x963
                        AND (app_attest_keys.account_id IS NULL OR app_attest_keys.account_id = excluded.account_id)
                """,
            arguments: [
                blob(key.id), blob(key.x963), key.appID, key.isProduction, key.counter, key.attestedAt.seconds,
                blob(key.receipt), account.map { blob($0.bytes) },
            ])
        return db.changesCount == 1
    }

    /// Stores evidence beside the keys that it is for, which have its assurance from now on. Where that is less than before,
    /// the device's sessions end. Evidence that no key has any more goes.
    static func insert(_ new: NewEvidence, of device: DeviceID, in db: Database, at now: UnixTime) throws {
        try admit(new.verdict, in: db)
        try db.run(
            sql: """
                INSERT INTO evidence (id, device_id, record, received_at, judged_at, policy) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                blob(new.id.bytes), blob(device.bytes), new.record, now.seconds, now.seconds, new.verdict.policy,
            ])
        try audit(
            AuditEvent(
                .evidenceAccepted, account: try account(of: device, in: db), device: device,
                detail: StoredEvidence.hash(of: new.record)),
            in: db, at: now)
        var isLess = false
        for (kid, proven) in new.verdict.keys {
            let before = try db.one(Row.self, sql: "SELECT protection, verification FROM keys WHERE kid = ?", arguments: [kid])
            isLess = try isLess || !(before.flatMap { try Assurance($0) }.map(proven.meets) ?? true)
            try db.run(
                sql: "UPDATE keys SET evidence_id = ? WHERE kid = ? AND device_id = ?",
                arguments: [blob(new.id.bytes), kid, blob(device.bytes)])
            try prove(proven, of: kid, by: new.id, in: db)
        }
        if isLess { try endSessions(of: blob(device.bytes), in: db) }
        try db.run(
            sql: """
                DELETE FROM evidence WHERE device_id = ? AND NOT EXISTS (SELECT 1 FROM keys WHERE evidence_id = evidence.id)
                """,
            arguments: [blob(device.bytes)])
    }

    /// Gives a key of this evidence what it proves now. A biometric key that the passcode unlocks as well, by the word of the
    /// hardware, shows the passcode and no more from then on, whatever becomes of its evidence.
    private static func prove(_ proven: Assurance, of kid: String, by evidence: EvidenceID, in db: Database) throws {
        try db.run(
            sql: """
                UPDATE keys SET protection = ?1, verification = ?2,
                    enrolled_by = CASE WHEN kind = 'biometric' AND ?2 = 'passcode' THEN 'passcode' ELSE enrolled_by END
                WHERE kid = ?3 AND evidence_id = ?4
                """,
            arguments: [proven.protection.rawValue, proven.verification.rawValue, kid, blob(evidence.bytes)])
    }

    private static func endSessions(openedBy kid: String, in db: Database) throws {
        try db.run(sql: "UPDATE keys SET sessions_over = (SELECT commits FROM node) WHERE kid = ?", arguments: [kid])
    }

    /// Deletes the evidence of a device that is revoked.
    static func deleteEvidence(of device: DeviceID, in db: Database) throws {
        try db.run(sql: "DELETE FROM evidence WHERE device_id = ?", arguments: [blob(device.bytes)])
    }

    private static func evidence(_ id: EvidenceID, in db: Database) throws -> StoredEvidence? {
        let found = try db.one(
            Row.self,
            sql: """
                SELECT e.*, d.account_id FROM evidence e JOIN devices d ON d.id = e.device_id
                WHERE e.id = ? AND d.revoked_at IS NULL
                """,
            arguments: [blob(id.bytes)])
        return try found.map { row in
            let device: DeviceID = identifier(try row["device_id"])
            let keys = try db.all(
                Row.self, sql: "SELECT kid, protection, verification, retired_at FROM keys WHERE evidence_id = ?",
                arguments: [blob(id.bytes)])
            var (proven, retired): ([String: Assurance], Set<String>) = ([:], [])
            for key in keys {
                let kid: String = try key["kid"]
                proven[kid] = try Assurance(key)
                if try key["retired_at"] as Int64? != nil { retired.insert(kid) }
            }
            return try StoredEvidence(
                id: id, device: device, account: identifier(row["account_id"]), record: row["record"],
                receivedAt: UnixTime(seconds: row["received_at"]), judgedAt: UnixTime(seconds: row["judged_at"]),
                verdict: EvidenceVerdict(keys: proven, policy: row["policy"], refusal: row["refusal"]), retired: retired)
        }
    }
}

extension EvidenceList.Kind {
    /// The event of the audit log that names it.
    fileprivate var event: AuditEvent.Kind {
        switch self {
        case .androidStatus: .evidenceStatus
        case .androidRoots: .evidenceRoots
        }
    }
}
#endif
