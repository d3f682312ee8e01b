#if Server
import ThumbturnCore

/// The transaction that ends a ceremony.
extension SQLStore {
    /// Consumes the challenge and the ticket, judges the authorisation again with the current rows, and runs `work`
    /// with its keys, in one transaction. The challenge and the ticket are consumed for every outcome.
    func commit<Value: Sendable>(
        _ authorisation: Authorisation,
        _ work: @escaping @Sendable (_ db: Database, _ keys: [EnrolledKey], _ now: UnixTime) throws -> CommitOutcome<Value>
    ) async throws -> CommitOutcome<Value> {
        try await writer.write { db, now in
            guard try Self.spendAll(authorisation.spends, in: db, at: now) else {
                return try Self.refuse(authorisation, .replayed, in: db, at: now)
            }
            return try Self.authorised(authorisation, in: db, at: now, work)
        }
    }

    /// Judges the authorisation again with the current rows, and runs `work` with its keys. A ticket is judged by its
    /// account.
    static func authorised<Value: Sendable>(
        _ authorisation: Authorisation, in db: Database, at now: UnixTime,
        _ work: (_ db: Database, _ keys: [EnrolledKey], _ now: UnixTime) throws -> CommitOutcome<Value>
    ) throws -> CommitOutcome<Value> {
        if case .ticket(let ticket) = authorisation.grounds, try !isCurrent(ticket, in: db) {
            return try refuse(authorisation, .changed, in: db, at: now)
        }
        let rows = try authorisation.kids.map { try key($0, in: db) }
        switch authorisation.judge(rows, at: now) {
        case .refused:
            let isLess = rows.contains { $0?.standing(at: now).isEnough == false }
            return try refuse(authorisation, isLess ? .insufficient : .unknownKey, in: db, at: now)
        case .disabled:
            _ = try refuse(authorisation, .disabled, in: db, at: now) as CommitOutcome<Value>
            return .disabled
        case .insufficient: return .insufficient
        case .full(let quota): return .full(quota)
        case .done(let keys):
            for key in keys { try signed(key, in: db, at: now) }
            let outcome = try work(db, keys, now)
            switch outcome {
            case .done, .disabled, .full: return outcome
            case .refused: return try refuse(authorisation, .changed, in: db, at: now)
            case .insufficient:
                _ = try refuse(authorisation, .insufficient, in: db, at: now) as CommitOutcome<Value>
                return outcome
            }
        }
    }

    /// The outcome `refused`, with a row in the audit log if a key of the caller's device is known.
    static func refuse<Value: Sendable>(
        _ authorisation: Authorisation, _ cause: RefusedCommit, in db: Database, at now: UnixTime
    ) throws -> CommitOutcome<Value> {
        let reason = "\(authorisation.rules.log.rawValue) \(cause.rawValue)"
        // A replay and a revoked device are only counted, with all refusals, so that they cannot fill the log.
        if cause != .replayed, let key = try key(authorisation.kids.first ?? authorisation.jkt, in: db), !key.isRevoked,
            key.sessionJKT == authorisation.jkt
        {
            try audit(AuditEvent(.refused, by: key, reason: reason), in: db, at: now)
        } else if cause == .insufficient, case .ticket(let ticket) = authorisation.grounds {
            // A new device has no key that is known. Its ticket was given to the account.
            try audit(AuditEvent(.refused, account: ticket.account, reason: reason), in: db, at: now)
        }
        return .refused
    }

    /// Why a transaction refused what the ceremony had accepted.
    enum RefusedCommit: String {
        /// Something was consumed before.
        case replayed
        /// A key may no longer authorise it.
        case unknownKey
        /// A key has had too many wrong signatures.
        case disabled
        /// What it would change is no longer as it was.
        case changed
        /// A key, or all new ones, are less than the account's group demands.
        case insufficient
    }

    /// Records a right signature of a key: its count of wrong ones is reset, and the first signature makes it active.
    private static func signed(_ key: EnrolledKey, in db: Database, at now: UnixTime) throws {
        if key.wrongInARow > 0 {
            try db.run(sql: "UPDATE keys SET wrong_in_a_row = 0, paused_until = 0 WHERE kid = ?", arguments: [key.kid])
        }
        if !key.isActive {
            try db.run(
                sql: "UPDATE keys SET active_since = ? WHERE kid = ? AND active_since IS NULL", arguments: [now.seconds, key.kid])
        }
    }
}
#endif
