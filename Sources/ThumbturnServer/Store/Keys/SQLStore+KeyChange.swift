#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// Adds, replaces or removes a key, if the authorisation still holds, the old key is still there, and the new one
    /// is unknown. The old key stays stored as retired and is never enrolled again. Its sessions end, unless it
    /// authorised the change itself.
    package func change(_ change: NewKeys, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView> {
        try await commit(authorisation) { db, keys, now in
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
            let origin: KeyOrigin
            switch authorisation.grounds {
            case .ticket(let ticket):
                guard try Self.account(of: change.device, in: db) == ticket.account else { return .refused }
                origin = .credentials
            case .keys:
                guard let key = keys.first else { return .refused }
                origin = key.standing(at: now).originOfNewKeys
            }
            if let new = change.new {
                guard try Self.areFree([new], in: db) else { return .refused }
                if let full = try Self.full(change.quota, ofChanges: change.device, in: db, at: now) { return .full(full) }
            }
            guard try Self.count(change.evidence, of: try Self.account(of: change.device, in: db), in: db) else {
                return .refused
            }
            if let old = change.old {
                try db.run(sql: "UPDATE keys SET retired_at = ? WHERE kid = ?", arguments: [now.seconds, old])
            }
            // Another key, or a ticket, has brought or removed it.
            if !keys.contains(where: { $0.kind == change.kind }) {
                try Self.endSessions(openedBy: change.kind, of: device, in: db)
            }
            if let new = change.new {
                try Self.insert(new, of: device, enrolledBy: origin, in: db, at: now)
            }
            if let evidence = change.evidence { try Self.insert(evidence, of: change.device, in: db, at: now) }
            if case .ticket(let ticket) = authorisation.grounds {
                // Full credentials brought a factor, as in an enrolment.
                let coolOff = NewCoolOff(duration: change.coolOff, evenAlone: ticket.freshness.worth.coolsOffAlone)
                try Self.coolOff(change.device, as: coolOff, in: db, at: now)
            }
            try Self.audit(
                AuditEvent(
                    .keysChanged, account: try Self.account(of: change.device, in: db), device: change.device, key: change.kind,
                    detail: change.new == nil ? "removed" : origin.rawValue),
                in: db, at: now)
            try Self.note(.keysChanged, ofDevice: change.device, in: db, at: now)
            guard let changed = try Self.device(change.device, in: db) else { return .refused }
            return .done(changed)
        }
    }
}
#endif
