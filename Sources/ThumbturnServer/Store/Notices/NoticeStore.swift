#if Server
import ThumbturnCore

/// Notices are written by the transactions of what they tell of, so that none is lost and none tells of what did not happen.
package protocol NoticeStore: Sendable {
    /// Of the last 30 days, the newest first, 100 at most.
    func notices(of account: AccountID) async throws -> [Notice]
    /// Those that are due, 32 at most, each with how often it was taken before. Each is due again later, until it is settled or was
    /// taken for a day.
    func takeDueNotices() async throws -> [(notice: Notice, tries: Int)]
    /// A notice was handed on.
    func settle(_ notice: String) async throws
}
#endif
