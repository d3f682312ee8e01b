#if Server
import Foundation
package import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension SQLStore {
    /// The approval of this id.
    package func approval(_ id: ApprovalID) async throws -> ApprovalView? {
        try await pool.read { try Self.approval(id, in: $0) }
    }

    /// The approvals that an account is still asked for, oldest first.
    package func openApprovals(of account: AccountID) async throws -> [ApprovalView] {
        try await pool.read { db in
            try db.all(
                Data.self,
                sql: """
                    SELECT id FROM approvals WHERE account_id = ?1 AND state = 'open'
                    UNION SELECT id FROM approvals WHERE second_id = ?1 AND state = 'open'
                    """,
                arguments: [blob(account.bytes)]
            )
            .compactMap { try Self.approval(identifier($0), in: db) }
            .sorted { ($0.createdAt.seconds, $0.id.text) < ($1.createdAt.seconds, $1.id.text) }
        }
    }

    /// Makes an approval. If the creator has a live approval with this transaction id, that one is returned if it is
    /// equal, and withdrawn if it differs: a changed transaction needs a new approval.
    package func create(_ new: NewApproval) async throws -> ApprovalCreation {
        try await writer.write { db, now in
            let accounts = new.accounts
            for account in accounts {
                let known = try db.one(
                    Int.self, sql: "SELECT 1 FROM accounts WHERE id = ? AND disabled_at IS NULL",
                    arguments: [blob(account.bytes)])
                guard known == 1 else { return .unknownAccount }
            }
            // The creator was authenticated before this transaction; its registration may have changed since.
            guard let creator = try Self.client(new.creator, in: db), creator.limits.allow(new.txn, for: accounts) else {
                return .notAllowed
            }
            let live = try db.one(
                Data.self,
                sql: """
                    SELECT id FROM approvals
                    WHERE creator = ? AND transaction_id = ? AND state IN ('open', 'approved', 'redeemed')
                    """,
                arguments: [new.creator, new.transactionID]
            )
            let old = try live.flatMap { try Self.approval(identifier($0), in: db) }
            if let old {
                guard old.state != .redeemed else { return .redeemed }
                let isSame =
                    old.txn == new.txn && old.demand == new.demand && old.account == new.account && old.second == new.second
                // That of a back end which had this name before cannot be redeemed by this one.
                if isSame, now < old.expiresAt, creator.createdAt <= old.createdAt { return .exists(old) }
            }
            // A refused request changes nothing, so the one that it would replace ends after the last guard.
            for account in accounts {
                let open = try db.one(
                    Int.self,
                    sql: """
                        SELECT (SELECT count(*) FROM approvals
                                WHERE account_id = ?1 AND creator = ?3 AND state = 'open' AND expires_at > ?2
                                    AND id IS DISTINCT FROM ?4)
                            + (SELECT count(*) FROM approvals
                                WHERE second_id = ?1 AND creator = ?3 AND state = 'open' AND expires_at > ?2
                                    AND id IS DISTINCT FROM ?4)
                        """,
                    arguments: [blob(account.bytes), now.seconds, new.creator, live]
                )
                guard let open, open < new.cap else { return .tooMany }
            }
            if let wait = try Self.countRate(of: new, in: db, at: now) { return .tooFast(wait) }
            if let old {
                try Self.end(old.id, .withdrawn, in: db)
                if old.state(at: now) != .expired { try Self.audit(.approvalWithdrawn, old, in: db, at: now) }
            }
            try db.run(
                sql: """
                    INSERT INTO approvals
                        (id, creator, transaction_id, account_id, second_id, txn, demand, created_at, expires_at, state)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')
                    """,
                arguments: [
                    blob(new.id.bytes), new.creator, new.transactionID, blob(new.account.bytes),
                    new.second.map { blob($0.bytes) }, new.txn,
                    json(new.demand), now.seconds, (now + new.lifetime).seconds,
                ]
            )
            try Self.forgetEnded(besides: new, in: db, at: now)
            guard let made = try Self.approval(new.id, in: db) else { return .unknownAccount }
            try Self.audit(.approvalCreated, made, in: db, at: now)
            return .made(made)
        }
    }

    /// Counts an approval against the rates of its creator, which are the same for every back end. The rate that the
    /// operator registered for one (`ClientLimits.requestsPerMinute`) was counted before, in memory.
    ///
    /// - Returns: how long to wait for the next one; nil if this one is accepted.
    private static func countRate(of new: NewApproval, in db: Database, at now: UnixTime) throws -> Duration? {
        var rates: [(account: [UInt8], rate: ApprovalRate)] = [([], new.rate)]
        for account in new.accounts { rates.append((account.bytes, new.rateForAccount)) }
        var counted: [(account: [UInt8], fullAt: Int64)] = []
        for (account, rate) in rates {
            let interval = Int64(rate.interval / .milliseconds(1))
            let stored = try db.one(
                Int64.self, sql: "SELECT full_at FROM approval_rates WHERE creator = ? AND account_id = ?",
                arguments: [new.creator, blob(account)])
            let fullAt = max(stored ?? 0, now.seconds * 1000) + interval
            let tooMuch = fullAt - now.seconds * 1000 - Int64(rate.burst) * interval
            guard tooMuch <= 0 else { return .seconds((tooMuch + 999) / 1000) }
            counted.append((account, fullAt))
        }
        for (account, fullAt) in counted {
            try db.run(
                sql: """
                    INSERT INTO approval_rates (creator, account_id, full_at) VALUES (?, ?, ?)
                    ON CONFLICT (creator, account_id) DO UPDATE SET full_at = excluded.full_at
                    """,
                arguments: [new.creator, blob(account), fullAt])
        }
        return nil
    }

    /// Deletes the oldest ended approvals of the creator for each account that is asked: one that makes and withdraws
    /// approvals again and again leaves no pile of them. Those that ask an account as the second one are counted apart,
    /// because each of the two has its own index.
    private static func forgetEnded(besides new: NewApproval, in db: Database, at now: UnixTime) throws {
        let statements = [
            """
            DELETE FROM approvals WHERE id IN (
                SELECT id FROM approvals
                WHERE creator = ? AND account_id = ? AND state != 'redeemed'
                    AND (state NOT IN ('open', 'approved') OR expires_at <= ?)
                ORDER BY created_at DESC, id LIMIT -1 OFFSET ?)
            """,
            """
            DELETE FROM approvals WHERE id IN (
                SELECT id FROM approvals
                WHERE creator = ? AND second_id = ? AND state != 'redeemed'
                    AND (state NOT IN ('open', 'approved') OR expires_at <= ?)
                ORDER BY created_at DESC, id LIMIT -1 OFFSET ?)
            """,
        ]
        for account in new.accounts {
            for sql in statements {
                try db.run(
                    sql: sql, arguments: [new.creator, blob(account.bytes), now.seconds, Limits.endedApprovals])
            }
        }
    }

    /// Adds the signature of one key, if the authorisation still holds and the approval still admits it. The last
    /// missing signature makes the approval approved.
    package func approve(
        _ new: NewApprovalSignature, by authorisation: Authorisation
    ) async throws -> CommitOutcome<ApprovalView> {
        try await commit(authorisation) { db, keys, now in
            guard let key = keys.first, key.account == new.account, let approval = try Self.approval(new.approval, in: db),
                (try? approval.admit(new, by: key.standing(at: now), at: now)) != nil
            else { return .refused }
            // If two keys are demanded, both have to be of one device: a signature by another device replaces those
            // before. One by the same factor replaces the former one whole.
            try db.run(
                sql: """
                    DELETE FROM approval_proofs
                    WHERE approval_id = ? AND account_id = ? AND (device_id != ? OR kind = ? OR EXISTS (
                        SELECT 1 FROM keys k WHERE k.kid = approval_proofs.kid AND k.retired_at IS NOT NULL))
                    """,
                arguments: [
                    blob(new.approval.bytes), blob(new.account.bytes), blob(key.device.bytes), key.kind.rawValue,
                ]
            )
            try db.run(
                sql: """
                    INSERT INTO approval_proofs (approval_id, account_id, kind, kid, device_id, proof, liveness, at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    blob(new.approval.bytes), blob(new.account.bytes), key.kind.rawValue, key.kid, blob(key.device.bytes),
                    key.kind == .pin ? nil : new.proof, new.liveness, now.seconds,
                ]
            )
            guard let signed = try Self.approval(new.approval, in: db) else { return .refused }
            try Self.audit(AuditEvent(.approvalSigned, by: key, approval: new.approval), in: db, at: now)
            guard signed.accounts.allSatisfy(signed.isSigned) else { return .done(signed) }
            try db.run(
                sql: "UPDATE approvals SET state = 'approved', expires_at = max(expires_at, ?) WHERE id = ?",
                arguments: [(now + new.redeemableFor).seconds, blob(new.approval.bytes)]
            )
            return .done(try Self.approval(new.approval, in: db) ?? signed)
        }
    }

    /// Declines an approval for the account of a session key's device. Nil if that account is not asked for it, if the
    /// approval is neither open nor approved, or if the device is revoked or in its cool-off.
    package func decline(_ id: ApprovalID, byDeviceOf jkt: String) async throws -> ApprovalView? {
        try await writer.write { db, now in
            // The device was judged before this transaction; it may have been revoked, or begun to cool off, since.
            guard let session = try Self.key(jkt, in: db), session.kind == .session else { return nil }
            let standing = session.standing(at: now)
            guard standing.state != .gone, !standing.coolsOff, let approval = try Self.approval(id, in: db),
                approval.accounts.contains(session.account), [.open, .approved].contains(approval.state(at: now))
            else { return nil }
            try Self.end(id, .declined, in: db)
            try Self.audit(AuditEvent(.approvalDeclined, by: session, approval: id), in: db, at: now)
            return try Self.approval(id, in: db)
        }
    }

    /// Withdraws an approval for its creator. Nil if it is neither open nor approved.
    package func withdraw(_ id: ApprovalID, by creator: String) async throws -> ApprovalView? {
        try await writer.write { db, now in
            guard let approval = try Self.approval(id, in: db), approval.creator == creator,
                [.open, .approved].contains(approval.state(at: now))
            else { return nil }
            try Self.end(id, .withdrawn, in: db)
            try Self.audit(.approvalWithdrawn, approval, in: db, at: now)
            return try Self.approval(id, in: db)
        }
    }

    /// Redeems an approval once. The same idempotency key gets the same receipt again.
    package func redeem(_ redemption: Redemption) async throws -> Redemption.Outcome {
        try await writer.write { db, now in
            guard let approval = try Self.approval(redemption.approval, in: db), approval.creator == redemption.creator else {
                return .unknown
            }
            let state = approval.state(at: now)
            guard approval.txn == redemption.txn else {
                // The transaction was changed after it was approved. Only the call that ends the approval has a row: a back
                // end may repeat it any number of times.
                if state == .open || state == .approved {
                    try Self.end(approval.id, .withdrawn, in: db)
                    try Self.audit(.redemptionRefused, approval, reason: "approval changed", in: db, at: now)
                }
                return .changed
            }
            if state == .redeemed, approval.redemption?.key == redemption.key { return .redeemed(approval) }
            guard state == .approved else { return .not(state) }
            guard let creator = try Self.client(redemption.creator, in: db), creator.createdAt <= approval.createdAt,
                creator.limits.allow(approval.txn, for: approval.accounts)
            else { return .notAllowed }
            // The device or the key of a signature may be gone since.
            guard approval.accounts.allSatisfy(approval.isSigned) else {
                try Self.end(approval.id, .withdrawn, in: db)
                try Self.audit(.redemptionRefused, approval, reason: "approval unknownKey", in: db, at: now)
                return .not(.withdrawn)
            }
            let receipt = try redemption.receipt(approval, now, Self.edition(in: db))
            try db.run(
                sql: "UPDATE approvals SET state = 'redeemed', redeem_key = ?, receipt = ? WHERE id = ? AND state = 'approved'",
                arguments: [redemption.key, receipt, blob(approval.id.bytes)]
            )
            guard db.changesCount == 1, let redeemed = try Self.approval(approval.id, in: db) else { return .unknown }
            try Self.audit(.approvalRedeemed, redeemed, in: db, at: now)
            return .redeemed(redeemed)
        }
    }

    /// Deletes approvals that ended before a time without being redeemed.
    package func purgeApprovals(before: UnixTime) async throws {
        try await writer.write { db, now in
            // A rate that is full again is as good as none.
            try db.run(sql: "DELETE FROM approval_rates WHERE full_at <= ?", arguments: [now.seconds * 1000])
            // Redeemed approvals stay, so that their transactions are never redeemed again.
            try db.run(
                sql: "DELETE FROM approvals WHERE state != 'redeemed' AND expires_at <= ?", arguments: [before.seconds]
            )
        }
    }

    private static func audit(
        _ kind: AuditEvent.Kind, _ approval: ApprovalView, reason: String? = nil, in db: Database, at now: UnixTime
    ) throws {
        try audit(
            AuditEvent(kind, account: approval.account, approval: approval.id, client: approval.creator, reason: reason),
            in: db, at: now)
    }

    private static func end(_ id: ApprovalID, _ state: ApprovalState, in db: Database) throws {
        try db.run(
            sql: "UPDATE approvals SET state = ? WHERE id = ? AND state IN ('open', 'approved')",
            arguments: [state.rawValue, blob(id.bytes)]
        )
    }

    private static func approval(_ id: ApprovalID, in db: Database) throws -> ApprovalView? {
        guard let row = try db.one(Row.self, sql: "SELECT * FROM approvals WHERE id = ?", arguments: [blob(id.bytes)]),
            let state = ApprovalState(rawValue: try row["state"])
        else { return nil }
        let demand = try WireJSON.decode(ApprovalDemand.self, from: Array((row["demand"] as String).utf8))
        let signatures = try db.all(
            Row.self,
            sql: """
                SELECT p.*, d.enrolled_at, p.at <= a.signatures_over AS over
                FROM approval_proofs p JOIN devices d ON d.id = p.device_id JOIN accounts a ON a.id = p.account_id
                WHERE p.approval_id = ? ORDER BY p.at, p.kind
                """,
            arguments: [blob(id.bytes)]
        ).compactMap { row -> ApprovalSignature? in
            guard let kind = KeyKind(rawValue: try row["kind"]), let key = try Self.key(row["kid"], in: db) else { return nil }
            let signature = try ApprovalSignature(
                account: identifier(row["account_id"]), device: identifier(row["device_id"]), kind: kind, kid: key.kid,
                x963: key.x963, enrolledAt: UnixTime(seconds: row["enrolled_at"]), enrolledBy: key.enrolledBy,
                assurance: key.standing(at: UnixTime(seconds: row["at"])).assurance, proof: row["proof"],
                liveness: row["liveness"], at: UnixTime(seconds: row["at"])
            )
            return try state == .redeemed || (!row["over"] && signature.counts(by: key, for: demand)) ? signature : nil
        }
        let (key, receipt): (String?, String?) = (try row["redeem_key"], try row["receipt"])
        let redemption: (key: String, receipt: String)? =
            if let key, let receipt { (key, receipt) } else { nil }
        return try ApprovalView(
            id: id, creator: row["creator"], account: identifier(row["account_id"]),
            second: (row["second_id"] as Data?).map { identifier($0) }, txn: row["txn"],
            demand: demand,
            createdAt: UnixTime(seconds: row["created_at"]), expiresAt: UnixTime(seconds: row["expires_at"]), state: state,
            signatures: signatures, redemption: redemption
        )
    }
}
#endif
