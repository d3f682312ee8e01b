#if Server
import Foundation
import GRDB
import ThumbturnCore
import ThumbturnMessages

extension SQLiteStore {
    package func rotate(_ rotation: Rotation) async throws -> Rotation.Outcome {
        try await writer.write { db, now in
            guard let session = try Self.session(rotation.session, in: db),
                let row = try db.one(
                    Row.self, sql: "SELECT rotated_at FROM sessions WHERE id = ?", arguments: [blob(rotation.session.bytes)]
                )
            else { return .over }
            switch rotation.judge(session, rotatedAt: UnixTime(seconds: row["rotated_at"]), at: now) {
            case .over: return .over
            case .successor: return try Self.replaceToken(rotation, in: db, at: now)
            case .sameSuccessor: return .repeated(session)
            case .reused:
                try db.run(
                    sql: "UPDATE sessions SET ended_at = ? WHERE id = ?",
                    arguments: [now.seconds, blob(rotation.session.bytes)]
                )
                try Self.audit(
                    AuditEvent(
                        .refreshTokenReused, account: session.account, device: session.device, session: rotation.session),
                    in: db, at: now)
                try Self.note(.refreshTokenReused, of: session.account, session.device, in: db, at: now)
                return .reused
            case .foreign:
                // A leaked token may be sent any number of times; equal notices are joined, and so are the rows of the audit log.
                // The notice that they are joined with stays for that time, whatever else the owner is told.
                if try Self.note(.foreignKey, of: session.account, session.device, in: db, at: now) {
                    try Self.audit(
                        AuditEvent(.foreignKey, account: session.account, device: session.device, session: rotation.session),
                        in: db, at: now)
                }
                return .foreign
            }
        }
    }

    /// Makes the successor the session's live token, if the presented token was that until now. The session and the
    /// generation were judged in the same transaction.
    private static func replaceToken(
        _ rotation: Rotation, in db: Database, at now: UnixTime
    ) throws -> Rotation.Outcome {
        try db.cachedStatement(
            sql: """
                UPDATE sessions SET generation = generation + 1, token_hash = ?, rotated_at = ?
                WHERE id = ? AND token_hash = ?
                """
        ).execute(
            arguments: [
                blob(rotation.successorHash), now.seconds, blob(rotation.session.bytes), blob(rotation.tokenHash),
            ]
        )
        guard db.changesCount == 1, let rotated = try session(rotation.session, in: db) else { return .over }
        return .rotated(rotated)
    }
}
#endif
