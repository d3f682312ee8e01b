#if Server
import Foundation
import GRDB
package import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension SQLiteStore {
    package func approval(_ id: ApprovalID) async throws -> ApprovalView? {
        try await pool.read { try Self.approval(id, in: $0) }
    }

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

    package func create(_ new: NewApproval) async throws -> ApprovalCreation {
        try await writer.write { db, now in
            let accounts = [new.account] + (new.second.map { [$0] } ?? [])
            for account in accounts {
                let known = try db.one(Int.self, sql: "SELECT 1 FROM accounts WHERE id = ?", arguments: [blob(account.bytes)])
                guard known == 1 else { return .unknownAccount }
            }
            let live = try db.one(
                Data.self,
                sql: """
                    SELECT id FROM approvals
                    WHERE creator = ? AND transaction_id = ? AND state IN ('open', 'approved', 'redeemed')
                    """,
                arguments: [new.creator, new.transactionID]
            )
            if let live, let old = try Self.approval(identifier(live), in: db) {
                guard old.state != .redeemed else { return .redeemed }
                let isSame =
                    old.txn == new.txn && old.demand == new.demand && old.account == new.account && old.second == new.second
                if isSame, now < old.expiresAt { return .exists(old) }
                try Self.end(old.id, .withdrawn, in: db)
            }
            for account in accounts {
                let open = try db.one(
                    Int.self,
                    sql: """
                        SELECT (SELECT count(*) FROM approvals WHERE account_id = ?1 AND state = 'open' AND expires_at > ?2)
                            + (SELECT count(*) FROM approvals WHERE second_id = ?1 AND state = 'open' AND expires_at > ?2)
                        """,
                    arguments: [blob(account.bytes), now.seconds]
                )
                guard let open, open < new.cap else { return .tooMany }
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
            guard let made = try Self.approval(new.id, in: db) else { return .unknownAccount }
            return .made(made)
        }
    }

    package func approve(
        _ new: NewApprovalSignature, by authorisation: Authorisation
    ) async throws -> CommitOutcome<ApprovalView> {
        try await commit(authorisation) { db, keys, now in
            guard let key = keys.first, key.account == new.account, let approval = try Self.approval(new.approval, in: db),
                (try? approval.admit(new, by: key.standing(at: now), at: now)) != nil
            else { return .refused }
            // If two keys are demanded, both have to be of one device: a signature by another device replaces those
            // before.
            try db.run(
                sql: """
                    DELETE FROM approval_proofs WHERE approval_id = ? AND account_id = ? AND (device_id != ? OR EXISTS (
                        SELECT 1 FROM keys k WHERE k.kid = approval_proofs.kid AND k.retired_at IS NOT NULL))
                    """,
                arguments: [blob(new.approval.bytes), blob(new.account.bytes), blob(key.device.bytes)]
            )
            try db.run(
                sql: """
                    INSERT OR REPLACE INTO approval_proofs (approval_id, account_id, kind, kid, device_id, proof, liveness, at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    blob(new.approval.bytes), blob(new.account.bytes), key.kind.rawValue, key.kid, blob(key.device.bytes),
                    key.kind == .pin ? nil : new.proof, new.liveness, now.seconds,
                ]
            )
            guard let signed = try Self.approval(new.approval, in: db) else { return .refused }
            guard signed.accounts.allSatisfy(signed.isSigned) else { return .done(signed) }
            try db.run(
                sql: "UPDATE approvals SET state = 'approved', expires_at = max(expires_at, ?) WHERE id = ?",
                arguments: [(now + new.redeemableFor).seconds, blob(new.approval.bytes)]
            )
            return .done(try Self.approval(new.approval, in: db) ?? signed)
        }
    }

    package func decline(_ id: ApprovalID, by account: AccountID) async throws -> ApprovalView? {
        try await writer.write { db, now in
            guard let approval = try Self.approval(id, in: db), approval.accounts.contains(account),
                [.open, .approved].contains(approval.state(at: now))
            else { return nil }
            try Self.end(id, .declined, in: db)
            return try Self.approval(id, in: db)
        }
    }

    package func withdraw(_ id: ApprovalID, by creator: String) async throws -> ApprovalView? {
        try await writer.write { db, now in
            guard let approval = try Self.approval(id, in: db), approval.creator == creator,
                [.open, .approved].contains(approval.state(at: now))
            else { return nil }
            try Self.end(id, .withdrawn, in: db)
            return try Self.approval(id, in: db)
        }
    }

    package func redeem(_ redemption: Redemption) async throws -> Redemption.Outcome {
        try await writer.write { db, now in
            guard let approval = try Self.approval(redemption.approval, in: db), approval.creator == redemption.creator else {
                return .unknown
            }
            let state = approval.state(at: now)
            guard approval.txn == redemption.txn else {
                // The transaction was changed after it was approved.
                if state == .open || state == .approved { try Self.end(approval.id, .withdrawn, in: db) }
                return .changed
            }
            if state == .redeemed, approval.redemption?.key == redemption.key { return .redeemed(approval) }
            guard state == .approved else { return .not(state) }
            // The device or the key of a signature may be gone since.
            guard approval.accounts.allSatisfy(approval.isSigned) else {
                try Self.end(approval.id, .withdrawn, in: db)
                return .not(.withdrawn)
            }
            try db.run(
                sql: "UPDATE approvals SET state = 'redeemed', redeem_key = ?, receipt = ? WHERE id = ? AND state = 'approved'",
                arguments: [redemption.key, try redemption.receipt(approval, now), blob(approval.id.bytes)]
            )
            guard db.changesCount == 1, let redeemed = try Self.approval(approval.id, in: db) else { return .unknown }
            return .redeemed(redeemed)
        }
    }

    package func purgeApprovals(before: UnixTime) async throws {
        try await writer.write { db, _ in
            // Redeemed approvals stay, so that their transactions are never redeemed again.
            try db.run(
                sql: "DELETE FROM approvals WHERE state != 'redeemed' AND expires_at <= ?", arguments: [before.seconds]
            )
        }
    }

    private static func end(_ id: ApprovalID, _ state: ApprovalState, in db: Database) throws {
        try db.run(
            sql: "UPDATE approvals SET state = ? WHERE id = ? AND state IN ('open', 'approved')",
            arguments: [state.rawValue, blob(id.bytes)]
        )
    }

    private static func approval(_ id: ApprovalID, in db: Database) throws -> ApprovalView? {
        guard let row = try db.one(Row.self, sql: "SELECT * FROM approvals WHERE id = ?", arguments: [blob(id.bytes)]),
            let state = ApprovalState(rawValue: row["state"])
        else { return nil }
        let signatures = try db.all(
            Row.self,
            sql: """
                SELECT p.*, k.x963, k.enrolled_by, d.enrolled_at,
                        k.retired_at IS NOT NULL OR d.revoked_at IS NOT NULL AS gone FROM approval_proofs p
                    JOIN keys k ON k.kid = p.kid JOIN devices d ON d.id = p.device_id
                WHERE p.approval_id = ? ORDER BY p.at, p.kind
                """,
            arguments: [blob(id.bytes)]
        ).compactMap { row -> ApprovalSignature? in
            if row["gone"], state != .redeemed { return nil }
            guard let kind = KeyKind(rawValue: row["kind"]), let origin = KeyOrigin(rawValue: row["enrolled_by"]) else {
                return nil
            }
            return ApprovalSignature(
                account: identifier(row["account_id"]), device: identifier(row["device_id"]), kind: kind, kid: row["kid"],
                x963: Array(row["x963"] as Data), enrolledAt: UnixTime(seconds: row["enrolled_at"]), enrolledBy: origin,
                proof: row["proof"], liveness: row["liveness"], at: UnixTime(seconds: row["at"])
            )
        }
        let (key, receipt): (String?, String?) = (row["redeem_key"], row["receipt"])
        let redemption: (key: String, receipt: String)? =
            if let key, let receipt { (key, receipt) } else { nil }
        return ApprovalView(
            id: id, creator: row["creator"], account: identifier(row["account_id"]),
            second: (row["second_id"] as Data?).map { identifier($0) }, txn: row["txn"],
            demand: try WireJSON.decode(ApprovalDemand.self, from: Array((row["demand"] as String).utf8)),
            createdAt: UnixTime(seconds: row["created_at"]), expiresAt: UnixTime(seconds: row["expires_at"]), state: state,
            signatures: signatures, redemption: redemption
        )
    }
}
#endif
