#if Server
package import ThumbturnCore
import ThumbturnMessages

/// What a ceremony found, for the store to judge again inside the transaction: everything may have changed since it was read.
package struct Authorisation: Sendable {
    package var rules: CeremonyRules
    /// What is spent, whether or not the rest holds.
    package var spends: [Spend]
    /// The enrolled keys whose signatures were right; none where a ticket authorises.
    package var kids: [String]
    /// The session key of the caller: the keys' device must still be its own.
    package var jkt: String

    /// Judges the rows of `kids` as the transaction reads them, by the same functions as before.
    ///
    /// A key that is disabled is told from one that is refused only where nothing else is wrong, and then whether or not its
    /// signature was right.
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

/// How the transaction of a ceremony ended. What it spends stays spent in each case.
package enum CommitOutcome<Value: Sendable>: Sendable {
    case done(Value)
    case refused
    /// An authorising key has had too many wrong signatures.
    case disabled
}
#endif
