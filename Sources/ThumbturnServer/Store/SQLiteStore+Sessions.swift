#if Server
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func end(_ session: SessionID, by jkt: String) async throws {
        try await writer.write { db, now in
            try db.run(
                sql: """
                    UPDATE sessions SET ended_at = ? WHERE (id = ? OR granted IS NOT NULL) AND ended_at IS NULL
                    AND device_id IN (SELECT id FROM devices WHERE session_jkt = ?)
                    """,
                arguments: [now.seconds, blob(session.bytes), jkt]
            )
        }
    }
}
#endif
