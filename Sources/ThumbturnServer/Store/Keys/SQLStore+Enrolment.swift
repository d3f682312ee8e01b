#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// Enrols a device with its keys, if the ticket still allows it and no key is known already. A device that is
    /// enrolled already gets the keys of this request, if it asked for that and no other device vouches for it.
    package func enrol(_ new: NewDevice, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView> {
        try await commit(authorisation) { db, _, now in
            guard case .ticket(let ticket) = authorisation.grounds,
                let support = try Self.support(for: new, by: ticket, in: db, at: now)
            else { return .refused }
            if new.ifEnrolled == .replace, let session = try Self.key(new.sessionJKT, in: db), session.kind == .session,
                !session.isRevoked
            {
                // A device vouches for another one, and asks again without harm if the answer was lost. Enrolled keys change
                // by `KeyChangeRules` or full credentials: else a PIN, which may let a device in, could bring another face,
                // and so could the session of a provider in the browser.
                return try Self.enrolAgain(
                    new, session.device, support,
                    mayChangeKeys: ticket.voucher == nil && ticket.freshness.worth.changesKeys, in: db, at: now)
            }
            guard try Self.areFree(new.keys, in: db) else { return .refused }
            guard try Self.isEnough(new, broughtBy: support.origin, in: db) else { return .insufficient }
            if let full = try Self.full(new.quota, ofDevices: new.account, by: ticket, in: db, at: now) { return .full(full) }
            guard try Self.count(new.evidence, of: new.account, in: db) else { return .refused }
            try Self.insert(new, by: ticket, in: db, at: now)
            for key in new.keys {
                try Self.insert(key, of: blob(new.id.bytes), enrolledBy: support.origin, in: db, at: now)
            }
            if let evidence = new.evidence { try Self.insert(evidence, of: new.id, in: db, at: now) }
            try Self.coolOff(new.id, as: support.coolOff, in: db, at: now)
            try Self.audit(
                AuditEvent(.deviceEnrolled, account: new.account, device: new.id, detail: support.origin.rawValue), in: db,
                at: now)
            try Self.note(.newDevice, of: new.account, new.id, in: db, at: now)
            guard let enrolled = try Self.device(new.id, in: db) else { return .refused }
            return .done(enrolled)
        }
    }

    static func insert(_ new: NewDevice, by ticket: Tickets.Right, in db: Database, at now: UnixTime) throws {
        try db.run(
            sql: """
                INSERT INTO devices (id, account_id, name, session_jkt, enrolled_at, cools_off_until, vouched)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                blob(new.id.bytes), blob(new.account.bytes), new.name, new.sessionJKT, now.seconds, now.seconds,
                ticket.voucher != nil,
            ]
        )
    }

    /// The origin and the cool-off of the keys of an enrolment; nil if the ticket may not bring them. It is judged in
    /// the enrolment's own transaction, because the vouching device may have been revoked since its ticket was made.
    static func support(
        for new: NewDevice, by ticket: Tickets.Right, in db: Database, at now: UnixTime
    ) throws -> (origin: KeyOrigin, coolOff: NewCoolOff)? {
        guard ticket.account == new.account else { return nil }
        let coolOff = NewCoolOff(duration: new.coolOff, evenAlone: ticket.freshness.worth.coolsOffAlone)
        guard let voucher = ticket.voucher else { return (.credentials, coolOff) }
        guard let session = try session(voucher, in: db), session.account == new.account,
            let standing = session.standing(at: now)
        else { return nil }
        guard (try? CeremonyRules.enrol.admit(standing)) != nil else { return nil }
        return switch DeviceChangeRules.vouching(by: standing.factor) {
        case .full: (standing.originOfNewKeys, reaches(new, standing) ? .zero : coolOff)
        case .withCoolOff: (standing.originOfNewKeys, coolOff)
        case .none: nil
        }
    }

    /// Whether a vouching key may be trusted as far as each new one. Else an attacker who copied a key without evidence could have
    /// it vouch for a genuine device of their own.
    private static func reaches(_ new: NewDevice, _ voucher: KeyStanding) -> Bool {
        new.keys.allSatisfy { key in
            let proven = new.evidence?.verdict.keys[key.kid] ?? .withoutEvidence
            return key.kind == .session
                || voucher.assurance.meets(
                    KeyStanding.assurance(of: key.kind, broughtBy: voucher.originOfNewKeys, proven: proven))
        }
    }

    /// Replaces the keys of a device that enrols again. Keys that it had before stay as they are, except one that is
    /// proven for the first time.
    private static func enrolAgain(
        _ new: NewDevice, _ device: DeviceID, _ support: (origin: KeyOrigin, coolOff: NewCoolOff), mayChangeKeys: Bool,
        in db: Database, at now: UnixTime
    ) throws -> CommitOutcome<DeviceView> {
        guard try account(of: device, in: db) == new.account else { return .refused }
        let live = try db.all(
            String.self, sql: "SELECT kid FROM keys WHERE device_id = ? AND retired_at IS NULL", arguments: [blob(device.bytes)]
        ).compactMap { try key($0, in: db) }
        let kept = live.filter { key in
            new.keys.contains { $0.kid == key.kid && $0.kind == key.kind && (key.isActive || !$0.isActive) }
        }
        let added = new.keys.filter { key in !kept.contains { $0.kid == key.kid } }
        let gone = live.filter { key in !kept.contains { $0.kid == key.kid } }
        guard mayChangeKeys || (added.isEmpty && gone.isEmpty), try areFree(added, in: db) else { return .refused }
        guard try isEnough(new, broughtBy: support.origin, in: db) else { return .insufficient }
        if !added.isEmpty, let full = try Self.full(new.quota, ofChanges: device, in: db, at: now) { return .full(full) }
        guard try count(new.evidence, of: new.account, in: db) else { return .refused }
        if mayChangeKeys {
            try db.run(
                sql: "UPDATE devices SET name = ?1 WHERE id = ?2 AND name != ?1", arguments: [new.name, blob(device.bytes)])
            if db.changesCount == 1 {
                try audit(AuditEvent(.deviceRenamed, account: new.account, device: device), in: db, at: now)
            }
        }
        if !added.isEmpty || !gone.isEmpty {
            for key in gone {
                try db.run(sql: "UPDATE keys SET retired_at = ? WHERE kid = ?", arguments: [now.seconds, key.kid])
            }
            for key in added { try insert(key, of: blob(device.bytes), enrolledBy: support.origin, in: db, at: now) }
            try endSessions(of: blob(device.bytes), in: db)
            try coolOff(device, as: support.coolOff, in: db, at: now)
            try audit(
                AuditEvent(.keysChanged, account: new.account, device: device, detail: support.origin.rawValue), in: db, at: now)
            try note(.keysChanged, of: new.account, device, in: db, at: now)
        }
        if let evidence = new.evidence {
            // Keys that prove more than before are as good as new ones.
            let rises = kept.contains { key in evidence.verdict.keys[key.kid].map { !key.proven.meets($0) } ?? false }
            if rises { try coolOff(device, as: support.coolOff, in: db, at: now) }
            try insert(evidence, of: device, in: db, at: now)
        }
        guard let enrolled = try self.device(device, in: db) else { return .refused }
        return .done(enrolled)
    }

    /// Whether one of the new keys is as much as the account's group demands. A device without one could sign in nowhere.
    private static func isEnough(_ new: NewDevice, broughtBy origin: KeyOrigin, in db: Database) throws -> Bool {
        let minimum = try minimum(of: new.account, in: db)
        if Assurance.withoutKey.meets(minimum) { return true }
        return new.keys.contains { key in
            let proven = new.evidence?.verdict.keys[key.kid] ?? .withoutEvidence
            return key.kind != .session
                && KeyStanding.assurance(of: key.kind, broughtBy: origin, proven: proven).meets(minimum)
        }
    }

    /// What an account that enrols one more device by a ticket would have too much of; nil if it may.
    static func full(
        _ quota: AccountQuota, ofDevices account: AccountID, by ticket: Tickets.Right, in db: Database, at now: UnixTime
    ) throws -> AccountQuota.Full? {
        let live = try db.one(
            Int.self, sql: "SELECT count(*) FROM devices WHERE account_id = ? AND revoked_at IS NULL",
            arguments: [blob(account.bytes)])
        guard let live, live < quota.devices else { return .devices }
        let today = try db.one(
            Int.self, sql: "SELECT count(*) FROM devices WHERE account_id = ? AND enrolled_at > ? AND vouched = ?",
            arguments: [
                blob(account.bytes), try startOfQuotas(of: account, in: db, at: now), ticket.voucher != nil,
            ])
        guard let today, today < (ticket.voucher == nil ? quota.enrolmentsInADay : quota.vouchedInADay) else { return .changes }
        return nil
    }

    /// What a device with one more new key would have too much of; nil if it may.
    static func full(
        _ quota: AccountQuota, ofChanges device: DeviceID, in db: Database, at now: UnixTime
    ) throws -> AccountQuota.Full? {
        guard let account = try Self.account(of: device, in: db) else { return .changes }
        let today = try db.one(
            Int.self, sql: "SELECT count(*) FROM keys WHERE device_id = ? AND retired_at > ?",
            arguments: [blob(device.bytes), try startOfQuotas(of: account, in: db, at: now)])
        guard let today, today < quota.keyChangesInADay else { return .changes }
        return nil
    }

    /// The time after which an account's enrolments and changes of keys count: a day ago, or the operator's last change
    /// of the account.
    private static func startOfQuotas(of account: AccountID, in db: Database, at now: UnixTime) throws -> Int64 {
        let over = try db.one(
            Int64.self, sql: "SELECT quotas_over FROM accounts WHERE id = ?", arguments: [blob(account.bytes)])
        return max(over ?? 0, (now + .seconds(-24 * 3600)).seconds)
    }

    /// Gives an account its enrolments and changes of keys of a day back. Only an operator's command does it.
    static func giveBackQuotas(of account: AccountID, in db: Database, at now: UnixTime) throws {
        try db.run(sql: "UPDATE accounts SET quotas_over = ? WHERE id = ?", arguments: [now.seconds, blob(account.bytes)])
    }

    /// Starts the cool-off of a device, if its account has other devices, or had one within a cool-off: otherwise a thief of
    /// a password could shed the cool-off by having the others removed.
    static func coolOff(_ device: DeviceID, as new: NewCoolOff, in db: Database, at now: UnixTime) throws {
        try db.run(
            sql: """
                UPDATE devices SET cools_off_until = max(cools_off_until, ?1) WHERE id = ?2 AND (?4 = 1 OR EXISTS (
                    SELECT 1 FROM devices other WHERE other.account_id = devices.account_id AND other.id != devices.id
                    AND (other.revoked_at IS NULL OR other.revoked_at > ?3)))
                """,
            arguments: [
                (now + new.duration).seconds, blob(device.bytes), (now + (.zero - new.duration)).seconds, new.evenAlone,
            ]
        )
    }
}

/// The cool-off that a ticket brings with it.
struct NewCoolOff: Hashable, Sendable {
    var duration: Duration
    /// Whether it begins even if the account has no other device.
    var evenAlone: Bool

    static let zero = NewCoolOff(duration: .zero, evenAlone: false)
}
#endif
