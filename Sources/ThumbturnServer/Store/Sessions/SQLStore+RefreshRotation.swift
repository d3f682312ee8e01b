#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// Exchanges one generation of a session's refresh token for the next.
    package func rotate(_ rotation: RefreshRotation) async throws -> RefreshRotation.Outcome {
        try await writer.write { db, now in
            guard let session = try Self.session(rotation.session, in: db) else { return .over }
            switch rotation.judge(session, at: now) {
            case .over: return .over
            case .successor: return try Self.replaceToken(rotation, of: session, in: db, at: now)
            case .sameSuccessor: return .repeated(session)
            case .reused:
                try Self.end(session, in: db, at: now)
                try Self.audit(
                    AuditEvent(
                        .refreshTokenReused, account: session.account, device: session.enrolledDevice,
                        session: rotation.session),
                    in: db, at: now)
                try Self.note(.refreshTokenReused, of: session.account, session.enrolledDevice, in: db, at: now)
                return .reused
            case .foreign:
                // A leaked token may be sent any number of times; equal notices are joined, and so are the rows of the audit log.
                // The notice that they are joined with stays for that time, whatever else the owner is told.
                if try Self.note(.foreignKey, of: session.account, session.enrolledDevice, in: db, at: now) {
                    try Self.audit(
                        AuditEvent(
                            .foreignKey, account: session.account, device: session.enrolledDevice, session: rotation.session),
                        in: db, at: now)
                }
                return .foreign
            }
        }
    }

    /// Makes the successor the session's live token, if the presented token was that until now. The session and the
    /// generation were judged in the same transaction.
    private static func replaceToken(
        _ rotation: RefreshRotation, of session: SessionView, in db: Database, at now: UnixTime
    ) throws -> RefreshRotation.Outcome {
        try db.run(
            sql: session.isVisit
                ? """
                UPDATE visits SET generation = generation + 1, token_hash = ?, rotated_at = ?
                WHERE id = ? AND token_hash = ?
                """
                : """
                UPDATE sessions SET generation = generation + 1, token_hash = ?, rotated_at = ?
                WHERE id = ? AND token_hash = ?
                """,
            arguments: [
                blob(rotation.successorHash), now.seconds, blob(rotation.session.bytes), blob(rotation.tokenHash),
            ]
        )
        guard db.changesCount == 1, let rotated = try self.session(rotation.session, in: db) else { return .over }
        return .rotated(rotated)
    }
}
#endif
