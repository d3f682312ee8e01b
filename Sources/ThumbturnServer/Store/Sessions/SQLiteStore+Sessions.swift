#if Server
import Foundation
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func end(_ session: SessionID, by jkt: String) async throws {
        try await writer.write { db, now in
            let device = try db.one(
                Data.self, sql: "SELECT device_id FROM keys WHERE kid = ? AND kind = 'session'", arguments: [jkt])
            guard let device else { return }
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE id = ? AND device_id = ? AND ended_at IS NULL",
                arguments: [now.seconds, blob(session.bytes), device]
            )
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE device_id = ? AND granted IS NOT NULL AND ended_at IS NULL",
                arguments: [now.seconds, device]
            )
        }
    }
}
#endif
