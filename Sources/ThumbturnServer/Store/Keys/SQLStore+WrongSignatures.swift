#if Server
import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// Consumes the challenge of a proof that this key did not sign, and counts one more consecutive wrong signature.
    /// It counts nothing if something had been consumed before, because such an attempt does not reveal whether a PIN
    /// is right. From the fifth wrong signature on a key is paused, except PIN keys, which have only ten tries; during
    /// a pause nothing is counted.
    ///
    /// - Returns: the consecutive wrong signatures; nil if the challenge was consumed before or the key is gone.
    package func countWrongSignature(of kid: String, spending spends: [Spend]) async throws -> Int? {
        defer { recentKeys.forget(kid) }
        return try await writer.write { db, now in
            guard try Self.spendAll(spends, in: db, at: now) else { return nil }
            // A right signature finds nothing either, once the key is gone.
            guard let key = try Self.key(kid, in: db), key.standing(at: now).state != .gone else { return nil }
            return try Self.countWrongSignature(key, in: db, at: now)
        }
    }

    /// Counts one more wrong signature of a key. For a paused or disabled key other than a PIN key nothing is counted,
    /// because no signature is checked.
    ///
    /// - Returns: the consecutive wrong signatures.
    static func countWrongSignature(_ key: EnrolledKey, in db: Database, at now: UnixTime) throws -> Int {
        let limits = ThrottleLimits.standard
        switch key.standing(at: now).state {
        case .paused, .disabled: if key.kind != .pin { return key.wrongInARow }
        case .gone, .unproven, .active: break
        }
        let wrong = key.wrongInARow + 1
        let wait = key.kind == .pin ? .zero : limits.wait(after: wrong) ?? .zero
        try db.run(
            sql: "UPDATE keys SET wrong_in_a_row = ?, paused_until = ? WHERE kid = ?",
            arguments: [wrong, wait == .zero ? 0 : (now + wait).seconds, key.kid])
        try audit(AuditEvent(.wrongSignature, by: key, count: wrong), in: db, at: now)
        if wrong >= limits.freeInARow, let account = try account(of: key.device, in: db) {
            try note(.wrongSignatures, of: account, key.device, in: db, at: now)
        }
        return wrong
    }
}
#endif
