#if Server
package import ThumbturnCore
import ThumbturnMessages

/// The rules, keys and consumptions of a ceremony. The store judges the keys again inside its transaction, because they
/// may have changed since the ceremony read them.
package struct Authorisation: Sendable {
    /// The rules of the ceremony.
    package var rules: CeremonyRules
    /// The challenge and the ticket to consume, even if the keys are refused.
    package var spends: [Spend]
    /// The ids of the enrolled keys whose signatures were right; empty if a ticket authorises.
    package var kids: [String]
    /// The thumbprint of the caller's session key. The keys' device must still have this session key.
    package var jkt: String

    /// Judges the rows of `kids` that the transaction reads, with the functions that the ceremony used before.
    ///
    /// The result is `disabled` only if nothing else is wrong; then it does not depend on whether the signature was
    /// right.
    package func judge(_ rows: [EnrolledKey?], at now: UnixTime) -> CommitOutcome<[EnrolledKey]> {
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
}
#endif
