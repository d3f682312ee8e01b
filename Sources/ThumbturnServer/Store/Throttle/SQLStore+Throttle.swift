#if Server
import Foundation
import ThumbturnCore

extension SQLStore {
    /// Whether a sign-in may be tried. `paused` is for one account, `closed` for one device or address, and `overloaded`
    /// for every sender without an enrolled session key.
    package func standing(of attempt: SignInAttempt) async throws -> SignInStanding {
        let now = time.now
        return try await pool.read { try Self.standing(of: attempt, in: $0, at: now) }
    }

    /// Accepts a sign-in or counts it as a wrong one, in one transaction. When this returns, the one-time step or the
    /// recovery code has been consumed, or the counts have grown. Only if it is open is a sign-in accepted, and only
    /// then do the counts of consecutive attempts grow. The counts by rate grow even while an account is paused:
    /// otherwise the sender's own address would show the state of any name.
    package func settle(_ attempt: SignInAttempt) async throws -> SignInStanding {
        try await writer.write { db, now in
            let found = try Self.standing(of: attempt, in: db, at: now)
            let standing = found == .open && !attempt.isJudged ? .paused : found
            // The same statements run in every case, so that the time does not reveal to a stranger which case it is.
            let isAccepted = try Self.accept(attempt, onlyIf: standing == .open, in: db, at: now)
            let counts = standing == .open
            // A paused account's attempt has the row of a wrong one, so that the time does not tell them apart; both count at
            // the address.
            if counts || standing == .paused { try Self.audit(attempt, isAccepted: isAccepted, in: db, at: now) }
            if isAccepted {
                for id in attempt.inARow { try Self.forget(id, in: db) }
                return .open
            }
            for id in attempt.inARow {
                let wrong = try Self.countInARow(id, by: counts ? 1 : 0, attempt.limits, in: db, at: now)
                guard wrong >= attempt.limits.freeInARow else { continue }
                try Self.noteWrongSignIns(attempt, at: id, onlyIf: counts, in: db, at: now)
            }
            // An address is counted whatever the standing of the account: otherwise a right sign-in from it to another
            // account would tell whether it was counted, and so whether the name's own count was at its limit.
            let countsRates = counts || standing == .paused
            for id in attempt.byRate { try Self.countByRate(id, counts: countsRates, attempt.limits, in: db, at: now) }
            return standing == .open ? .wrong : standing
        }
    }

    /// Counts a wrong request against addresses only.
    package func count(against ids: [ThrottleID], limits: ThrottleLimits) async throws {
        try await writer.write { db, now in
            for id in ids { try Self.countByRate(id, counts: true, limits, in: db, at: now) }
        }
    }

    /// Resets the count of wrong sign-ins of an account, and gives its enrolments and changes of keys of a day back.
    package func unlock(_ account: AccountID) async throws {
        try await writer.write { db, now in
            try Self.forget(.account(account), in: db)
            let devices = try db.all(
                Data.self, sql: "SELECT id FROM devices WHERE account_id = ? AND revoked_at IS NULL",
                arguments: [blob(account.bytes)])
            for device in devices { try Self.forget(.device(identifier(device)), in: db) }
            try Self.giveBackQuotas(of: account, in: db, at: now)
            try Self.audit(AuditEvent(.accountUnlocked, account: account), in: db, at: now)
        }
    }

    // MARK: Inside a transaction

    /// Writes the row of a judged sign-in. A wrong one has a row whether or not the name has an account.
    private static func audit(_ attempt: SignInAttempt, isAccepted: Bool, in db: Database, at now: UnixTime) throws {
        // An id is made into text for each name, so that the work is the same.
        let id = attempt.account ?? AccountID(unchecked: [UInt8](repeating: 0, count: 16))
        var event = AuditEvent(isAccepted ? .credentials : .wrongCredentials, account: id)
        if attempt.account == nil { event.account = AuditEvent.unknownAccount }
        if isAccepted, case .recoveryCode = attempt.evidence { event.kind = .recoveryCodeUsed }
        try audit(event, in: db, at: now)
    }

    /// Writes a notice of wrong sign-ins, at most once an hour. A name without an account has no owner to notify; the
    /// same work is done for it, with a table of its own.
    private static func noteWrongSignIns(
        _ attempt: SignInAttempt, at id: ThrottleID, onlyIf isWritten: Bool, in db: Database, at now: UnixTime
    ) throws {
        let anHourAgo = now + .seconds(-3600)
        guard let account = attempt.account else {
            let recent = "SELECT 1 FROM notices_to_nobody WHERE place = ? AND at > ? AND kind = ? LIMIT 1"
            let place = blob(id.bytes)
            let kind = Notice.Kind.wrongSignIns.rawValue
            guard try db.one(Int.self, sql: recent, arguments: [place, anHourAgo.seconds, kind]) == nil, isWritten else { return }
            try db.run(
                sql: "INSERT INTO notices_to_nobody (id, place, kind, at) VALUES (?, ?, ?, ?)",
                arguments: [blob(Identifier<NoticeKind>.random().bytes), place, kind, now.seconds]
            )
            // As for the notices of an account.
            try db.run(
                sql: """
                    DELETE FROM notices_to_nobody WHERE id IN (
                        SELECT id FROM notices_to_nobody WHERE place = ? ORDER BY kind, at DESC, id LIMIT -1 OFFSET ?)
                    """,
                arguments: [place, Limits.noticesOfKind])
            return
        }
        guard try !wasNoted(.wrongSignIns, of: account, .anyDevice, since: anHourAgo, in: db), isWritten else { return }
        let device: DeviceID? = if case .device(let device) = id { device } else { nil }
        try note(.wrongSignIns, of: account, device, in: db, at: now)
    }

    private static func standing(
        of attempt: SignInAttempt, in db: Database, at now: UnixTime
    ) throws -> SignInStanding {
        var (isPaused, isClosed, isOverloaded) = (false, false, false)
        for id in attempt.inARow {
            let (wrong, until) = try row(id, in: db)
            guard wrong >= attempt.limits.mostInARow || until > now.seconds else { continue }
            if case .device = id { isClosed = true } else { isPaused = true }
        }
        for id in attempt.byRate {
            let (burst, refill) = rate(of: id, attempt.limits)
            guard try row(id, in: db).until > now.seconds + Int64(burst - 1) * refill else { continue }
            if id == .global { isOverloaded = true } else { isClosed = true }
        }
        return isOverloaded ? .overloaded : isClosed ? .closed : isPaused ? .paused : .open
    }

    /// Consumes the one-time step or the recovery code of an attempt. False if the evidence is wrong or not enough.
    private static func accept(
        _ attempt: SignInAttempt, onlyIf isOpen: Bool, in db: Database, at now: UnixTime
    ) throws -> Bool {
        let account = blob(attempt.account?.bytes ?? [UInt8](repeating: 0, count: 16))
        // Without an account, the row of another one is read.
        let known = """
            SELECT id = ?1 AND credential_generation = ?2 AND disabled_at IS NULL AS is_it,
                one_time_secret IS NOT NULL AS asks, one_time_last
            FROM accounts WHERE id >= ?1 ORDER BY id LIMIT 1
            """
        guard let row = try db.one(Row.self, sql: known, arguments: [account, attempt.credentialGeneration]) else { return false }
        let (isIt, asksForCode, lastStep): (Bool, Bool, Int64) = try (row["is_it"], row["asks"], row["one_time_last"])
        switch attempt.evidence {
        case .nothing: return false
        case .password(let step):
            guard isOpen, isIt else { return false }
            guard asksForCode else { return true }
            // RFC 6238 section 5.2: each step is accepted once.
            guard let step, step > lastStep else { return false }
            try db.run(sql: "UPDATE accounts SET one_time_last = ? WHERE id = ?", arguments: [step, account])
            return true
        case .recoveryCode(let hash, let passwordFits):
            // A recovery code replaces one lost factor: the one-time codes if the account has them, and otherwise the
            // password.
            let isAllowed = isOpen && isIt && (passwordFits || !asksForCode)
            try db.run(
                sql: "UPDATE recovery_codes SET used_at = ? WHERE account_id = ? AND hash = ? AND used_at IS NULL AND ?",
                arguments: [now.seconds, account, blob(hash), isAllowed])
            guard db.changesCount == 1, let id = attempt.account else { return false }
            try note(.recoveryUsed, of: id, nil, in: db, at: now)
            return true
        }
    }

    static func row(_ id: ThrottleID, in db: Database) throws -> (wrong: Int, until: Int64) {
        let statement = "SELECT wrong, until FROM throttles WHERE scope = ? AND id = ?"
        return try db.one(Row.self, sql: statement, arguments: [id.scope, blob(id.bytes)]).map {
            try ($0["wrong"], $0["until"])
        } ?? (0, 0)
    }

    private static func write(_ id: ThrottleID, wrong: Int, until: Int64, in db: Database) throws {
        try db.run(
            sql: """
                INSERT INTO throttles (scope, id, wrong, until) VALUES (?, ?, ?, ?)
                ON CONFLICT (scope, id) DO UPDATE SET wrong = excluded.wrong, until = excluded.until, turn = throttles.turn + 1
                """, arguments: [id.scope, blob(id.bytes), wrong, until])
    }

    private static func countInARow(
        _ id: ThrottleID, by count: Int, _ limits: ThrottleLimits, in db: Database, at now: UnixTime
    ) throws -> Int {
        let before = try row(id, in: db)
        let wrong = before.wrong + count
        let wait = limits.wait(after: wrong) ?? .zero
        try write(id, wrong: wrong, until: max(before.until, count == 0 ? 0 : (now + wait).seconds), in: db)
        return wrong
    }

    /// Counts by the generic cell rate algorithm: the stored value is the time at which all attempts will be available
    /// again. After any number of wrong attempts the next one is available after one refill, so an attacker cannot
    /// block an address for days.
    private static func countByRate(
        _ id: ThrottleID, counts: Bool, _ limits: ThrottleLimits, in db: Database, at now: UnixTime
    ) throws {
        let before = try row(id, in: db)
        let (burst, refill) = rate(of: id, limits)
        let after = min(max(before.until, now.seconds) + refill, now.seconds + Int64(burst) * refill)
        try write(id, wrong: 0, until: counts ? after : before.until, in: db)
    }

    private static func rate(of id: ThrottleID, _ limits: ThrottleLimits) -> (burst: Int, refill: Int64) {
        id == .global
            ? (limits.globalBurst, limits.globalRefill.components.seconds)
            : (limits.addressBurst, limits.addressRefill.components.seconds)
    }

    static func forget(_ id: ThrottleID, in db: Database) throws {
        try db.run(sql: "DELETE FROM throttles WHERE scope = ? AND id = ?", arguments: [id.scope, blob(id.bytes)])
    }

    /// Deletes the counts that have returned to zero with time. The consecutive wrong attempts of a name or a device
    /// stay, those of names up to a number of them.
    static func forgetThrottles(in db: Database, at now: UnixTime, keeping names: Int = Limits.names) throws {
        try db.run(
            sql: "DELETE FROM throttles WHERE scope IN (4, 5) AND until <= ? AND wrong = 0", arguments: [now.seconds]
        )
        try db.run(
            sql: """
                DELETE FROM throttles WHERE scope = 1 AND id IN (
                    SELECT id FROM throttles WHERE scope = 1 ORDER BY until DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [names]
        )
    }
}
#endif
