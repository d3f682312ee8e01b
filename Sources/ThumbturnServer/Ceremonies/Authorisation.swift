#if Server
package import ThumbturnCore
import ThumbturnMessages

/// The rules, keys and consumptions of a ceremony. The store judges the keys again inside its transaction, because they
/// may have changed since the ceremony read them.
package struct Authorisation: Sendable {
    /// The rules of the ceremony.
    package var rules: CeremonyRules
    /// The one-time things that are consumed, however the rest is judged.
    package var spends: [Spend]
    /// What authorises.
    package var grounds: Grounds
    /// The session key of the caller: the keys' device must still be its own.
    package var jkt: String

    /// What authorises a ceremony: keys or a ticket, never neither.
    package enum Grounds: Sendable {
        /// The enrolled keys, by id, whose signatures were right.
        case keys([String])
        case ticket(Tickets.Right)
    }

    package init(rules: CeremonyRules, spends: [Spend], grounds: Grounds, jkt: String) {
        (self.rules, self.spends, self.grounds, self.jkt) = (rules, spends, grounds, jkt)
    }

    /// The ids of the authorising keys; none where a ticket authorises.
    package var kids: [String] {
        guard case .keys(let kids) = grounds else { return [] }
        return kids
    }

    /// Judges the rows of `kids` as the transaction reads them, by the same functions as before.
    ///
    /// The result is `disabled` only if nothing else is wrong; then it does not depend on whether the signature was
    /// right.
    package func judge(_ rows: [EnrolledKey?], at now: UnixTime) -> CommitOutcome<[EnrolledKey]> {
        guard rules.takes(grounds), rows.count == kids.count else { return .refused }
        var isDisabled = false
        for row in rows {
            guard let key = row, key.sessionJKT == jkt else { return .refused }
            let standing = key.standing(at: now)
            guard (try? rules.admit(standing)) != nil else { return .refused }
            if case .paused = standing.state { return .refused }
            isDisabled = isDisabled || standing.state == .disabled
        }
        return isDisabled ? .disabled : .done(rows.compactMap { $0 })
    }
}

/// The outcome of a ceremony's transaction. The challenge and the ticket are consumed in each case.
package enum CommitOutcome<Value: Sendable>: Sendable {
    /// The authorised change was made.
    case done(Value)
    /// The authorisation no longer holds, or something was consumed before.
    case refused
    /// An authorising key has had too many wrong signatures.
    case disabled
    /// The authorisation holds, and the new keys are less than the account's group demands.
    case insufficient
    /// The authorisation holds, and the account has as much as it may have.
    case full(AccountQuota.Full)
}
#endif
