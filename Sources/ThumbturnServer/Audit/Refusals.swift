#if Server
import Synchronization

/// The refusals since the last row about them, by reason. A refused request of a stranger has no row of its own in the
/// audit log, so that strangers cannot fill it; the log has one row a minute with these counts.
///
/// The reasons are a closed set, so the table cannot grow.
final class Refusals: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func count(_ reason: LogReason) { counts.withLock { $0[reason.code, default: 0] += 1 } }

    /// Takes the counts, which begin anew.
    func take() -> [String: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }
}
#endif
