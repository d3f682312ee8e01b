#if Server
import Foundation
import ThumbturnCore

/// Marks the identifiers of notices.
package enum NoticeKind {}

/// What the store keeps of notices.
///
/// The transaction of an event writes its notice, so that no notice is lost and none reports an event that did not
/// happen.
extension SQLStore {
    /// The notices of the last 30 days, newest first, at most 100.
    package func notices(of account: AccountID) async throws -> [Notice] {
        try await pool.read { db in
            try db.all(
                Row.self, sql: "SELECT * FROM notices WHERE account_id = ? ORDER BY at DESC, id",
                arguments: [blob(account.bytes)]
            ).compactMap(Self.notice)
        }
    }

    /// Takes the notices that are due, those that have waited longest first, at most `Limits.noticesInARound`, each with
    /// the number of earlier tries. A notice becomes due again later, until it is settled or has been tried for a day.
    package func takeDueNotices() async throws -> [(notice: Notice, tries: Int)] {
        // Most of the time none is due, and then nothing is written.
        guard try await pool.read({ try $0.one(Int.self, sql: "SELECT 1 FROM notices WHERE due_at IS NOT NULL LIMIT 1") }) != nil
        else { return [] }
        return try await writer.write { db, now in
            let rows = try db.all(
                Row.self, sql: "SELECT * FROM notices WHERE due_at <= ? ORDER BY due_at, at, id LIMIT ?",
                arguments: [now.seconds, Limits.noticesInARound]
            )
            for row in rows {
                let tries: Int = try row["tries"]
                let next = now + Self.wait(after: tries)
                try db.run(
                    sql: "UPDATE notices SET tries = tries + 1, due_at = ? WHERE id = ?",
                    arguments: [tries + 1 < Limits.noticeTries ? next.seconds : nil, try row["id"] as Data]
                )
            }
            return try rows.compactMap { row in try Self.notice(row).map { ($0, try row["tries"]) } }
        }
    }

    /// Marks a notice as delivered.
    package func settle(_ notice: String) async throws {
        guard let id = Identifier<NoticeKind>(notice) else { return }
        try await writer.write { db, _ in
            try db.run(sql: "UPDATE notices SET due_at = NULL WHERE id = ?", arguments: [blob(id.bytes)])
        }
    }

    /// Writes a notice in the transaction of its event, unless an equal one counts for both.
    ///
    /// Its delivery is due some seconds after the one before it of the same account. So an account with many notices
    /// takes few places in each round of deliveries, and delays no other account's.
    ///
    /// - Returns: whether a notice was written.
    @discardableResult
    static func note(
        _ kind: Notice.Kind, of account: AccountID, _ device: DeviceID?, in db: Database, at now: UnixTime
    ) throws -> Bool {
        if let joined = kind.joinedFor,
            try wasNoted(kind, of: account, .device(device), since: now + (.zero - joined), in: db)
        {
            return false
        }
        let id = Identifier<NoticeKind>.random()
        try db.run(
            sql: """
                INSERT INTO notices (id, account_id, device_id, kind, at, due_at) VALUES (?1, ?2, ?3, ?4, ?5,
                    max(?5, coalesce(?6 + (SELECT max(due_at) FROM notices WHERE account_id = ?2 AND tries = 0), 0)))
                """,
            arguments: [
                blob(id.bytes), blob(account.bytes), device.map { blob($0.bytes) }, kind.rawValue,
                now.seconds, Limits.noticeSpacing.components.seconds,
            ]
        )
        try makeRoom(for: id, kind, of: account, in: db, at: now)
        return true
    }

    /// Deletes a notice if there are more of its kind than are kept.
    ///
    /// Each kind has a share of its own, so that no number of events of one kind keeps a warning of another from its
    /// owner. Within a kind the device with the most notices loses one, the oldest that was delivered, if there is one: the
    /// devices of a thief push out their own. The new notice stays, and so do those that further ones are still joined
    /// with: while they are there, each device has one an hour at most.
    private static func makeRoom(
        for new: Identifier<NoticeKind>, _ kind: Notice.Kind, of account: AccountID, in db: Database, at now: UnixTime
    ) throws {
        let joined = now + (.zero - (kind.joinedFor ?? .zero))
        try db.run(
            sql: """
                DELETE FROM notices WHERE id = (
                    SELECT id FROM notices
                    WHERE account_id = ?1 AND kind = ?2 AND at <= ?4 AND id != ?3 AND device_id IS NOT DISTINCT FROM (
                        SELECT device_id FROM notices WHERE account_id = ?1 AND kind = ?2 AND at <= ?4 AND id != ?3
                        GROUP BY device_id ORDER BY count(*) DESC, min(at) LIMIT 1)
                    ORDER BY due_at IS NOT NULL, at, id LIMIT 1)
                AND (SELECT count(*) FROM notices WHERE account_id = ?1 AND kind = ?2) > ?5
                """,
            arguments: [blob(account.bytes), kind.rawValue, blob(new.bytes), joined.seconds, Limits.noticesOfKind])
    }

    /// Whose notices of an account are looked through for an equal one.
    enum NoticeSubject {
        case anyDevice
        /// The notices of one device; nil for those without a device.
        case device(DeviceID?)
    }

    /// Whether a notice of this kind was written since a time.
    static func wasNoted(
        _ kind: Notice.Kind, of account: AccountID, _ subject: NoticeSubject, since time: UnixTime, in db: Database
    ) throws -> Bool {
        let (isOfAny, device): (Bool, DeviceID?) =
            switch subject {
            case .anyDevice: (true, nil)
            case .device(let device): (false, device)
            }
        let statement =
            "SELECT 1 FROM notices WHERE account_id = ? AND at > ? AND kind = ? AND (? OR device_id IS NOT DISTINCT FROM ?) LIMIT 1"
        return try db.one(
            Int.self, sql: statement,
            arguments: [blob(account.bytes), time.seconds, kind.rawValue, isOfAny, device.map { blob($0.bytes) }]) != nil
    }

    static func note(_ kind: Notice.Kind, ofDevice device: DeviceID, in db: Database, at now: UnixTime) throws {
        guard let account = try account(of: device, in: db) else { return }
        try note(kind, of: account, device, in: db, at: now)
    }

    static func forgetNotices(in db: Database, at now: UnixTime) throws {
        let old = now + (.zero - Limits.noticeAge)
        try db.run(sql: "DELETE FROM notices WHERE at <= ?", arguments: [old.seconds])
        try db.run(sql: "DELETE FROM notices_to_nobody WHERE at <= ?", arguments: [(now + .seconds(-3600)).seconds])
    }

    /// How long to wait for the next try: 30 s, doubled each time, an hour at most.
    private static func wait(after tries: Int) -> Duration { .seconds(min(3600, 30 << min(tries, 7))) }

    private static func notice(_ row: Row) throws -> Notice? {
        try Notice.Kind(rawValue: row["kind"]).map { kind in
            try Notice(
                id: (identifier(row["id"]) as Identifier<NoticeKind>).text, kind: kind,
                account: (identifier(row["account_id"]) as AccountID).text,
                device: (row["device_id"] as Data?).map { (identifier($0) as DeviceID).text },
                at: UnixTime(seconds: row["at"])
            )
        }
    }
}
#endif
