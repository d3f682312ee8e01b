#if Server
import Foundation
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func change(_ change: NewKeys, spending spends: [Spend]) async throws -> Paid<DeviceView> {
        try await writer.write { db, now in
            guard try Self.spendAll(spends, in: db, at: now) else { return .refused }
            // All that was read before this transaction may have changed since.
            if let kid = change.payer {
                guard let payer = try Self.key(kid, in: db), !payer.isRevoked, !payer.isPaused(at: now) else { return .refused }
                guard !payer.isDisabled else { return .disabled }
                try Self.signed(payer, in: db, at: now)
            }
            let device = blob(change.device.bytes)
            let live = try db.one(
                String.self,
                sql: """
                    SELECT coalesce((SELECT kid FROM keys WHERE device_id = ?1 AND kind = ?2 AND retired_at IS NULL), '')
                    FROM devices WHERE id = ?1 AND revoked_at IS NULL
                    """,
                arguments: [device, change.kind.rawValue]
            )
            guard let live, live == change.old ?? "" else { return .refused }
            if let new = change.new, try !Self.areFree([new], in: db) { return .refused }
            if let old = change.old {
                try db.run(sql: "UPDATE keys SET retired_at = ? WHERE kid = ?", arguments: [now.seconds, old])
                if old != change.payer { try Self.endSessions(openedBy: old, in: db) }
            }
            if let new = change.new {
                try Self.insert(new, of: device, enrolledBy: change.origin, in: db, at: now)
            }
            if change.payer == nil {
                // The password alone brought a factor, as in an enrolment.
                try Self.coolOff(change.device, until: now + change.coolOff, in: db)
            }
            try Self.note(.keysChanged, ofDevice: change.device, in: db, at: now)
            guard let changed = try Self.device(change.device, in: db) else { return .refused }
            return .done(changed)
        }
    }
}
#endif
