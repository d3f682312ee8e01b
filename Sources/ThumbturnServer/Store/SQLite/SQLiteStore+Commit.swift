#if Server
import GRDB
import ThumbturnCore

/// The transaction that ends a ceremony.
extension SQLiteStore {
    /// Consumes the challenge and the ticket, judges the authorisation again with the current rows, and runs `work`
    /// with its keys, in one transaction. The challenge and the ticket are consumed for every outcome.
    func commit<Value: Sendable>(
        _ authorisation: Authorisation,
        _ work: @escaping @Sendable (_ db: Database, _ keys: [EnrolledKey], _ now: UnixTime) throws -> CommitOutcome<Value>
    ) async throws -> CommitOutcome<Value> {
        try await writer.write { db, now in
            guard try Self.spendAll(authorisation.spends, in: db, at: now) else { return .refused }
            return try Self.authorised(authorisation, in: db, at: now, work)
        }
    }

    /// Judges the authorisation again with the current rows, and runs `work` with its keys.
    static func authorised<Value: Sendable>(
        _ authorisation: Authorisation, in db: Database, at now: UnixTime,
        _ work: (_ db: Database, _ keys: [EnrolledKey], _ now: UnixTime) throws -> CommitOutcome<Value>
    ) throws -> CommitOutcome<Value> {
        switch authorisation.judge(try authorisation.kids.map { try key($0, in: db) }, at: now) {
        case .refused: return .refused
        case .disabled: return .disabled
        case .done(let keys):
            for key in keys { try signed(key, in: db, at: now) }
            return try work(db, keys, now)
        }
    }

    /// Records a right signature of a key: its count of wrong ones is reset, and the first signature makes it active.
    private static func signed(_ key: EnrolledKey, in db: Database, at now: UnixTime) throws {
        if key.wrongInARow > 0 {
            try db.run(sql: "UPDATE keys SET wrong_in_a_row = 0, paused_until = 0 WHERE kid = ?", arguments: [key.kid])
        }
        if !key.isActive {
            try db.cachedStatement(sql: "UPDATE keys SET active_since = ? WHERE kid = ? AND active_since IS NULL")
                .execute(arguments: [now.seconds, key.kid])
        }
    }
}
#endif
