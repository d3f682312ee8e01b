#if Server
import Foundation
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func rotate(_ rotation: Rotation) async throws -> Rotation.Outcome {
        try await writer.write { db, now in
            guard let session = try Self.session(rotation.session, in: db), session.isLive,
                let row = try db.one(
                    Row.self, sql: "SELECT rotated_at FROM sessions WHERE id = ?", arguments: [blob(rotation.session.bytes)]
                )
            else { return .over }
            guard session.sessionJKT == rotation.jkt else {
                // A leaked token may be sent any number of times; its owner hears of it once an hour.
                try Self.note(
                    .foreignKey, of: session.account, session.device, atMostEvery: .seconds(3600), in: db, at: now)
                return .foreign
            }
            let rotatedAt = UnixTime(seconds: row["rotated_at"])
            guard now - session.authTime < rotation.lifetime, now - rotatedAt < rotation.idleLimit else { return .over }

            if rotation.generation == session.generation {
                try db.cachedStatement(
                    sql: """
                        UPDATE sessions SET generation = generation + 1, token_hash = ?, rotated_at = ?
                        WHERE id = ? AND generation = ? AND token_hash = ? AND ended_at IS NULL
                        """
                ).execute(
                    arguments: [
                        blob(rotation.successorHash), now.seconds, blob(rotation.session.bytes), rotation.generation,
                        blob(rotation.tokenHash),
                    ]
                )
                guard db.changesCount == 1, let rotated = try Self.session(rotation.session, in: db) else { return .over }
                return .rotated(rotated)
            }
            // The live generation is the successor of the one before it, and nobody has used it yet: had they, it would not be live.
            if rotation.generation &+ 1 == session.generation, now - rotatedAt <= rotation.grace {
                return .repeated(session)
            }
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL",
                arguments: [now.seconds, blob(rotation.session.bytes)]
            )
            try Self.note(.refreshTokenReused, of: session.account, session.device, in: db, at: now)
            return .reused
        }
    }
}
#endif
