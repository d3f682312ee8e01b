#if Server
import ThumbturnCore

/// The part of the store that keeps notices.
///
/// The transaction of an event writes its notice, so that no notice is lost and none reports an event that did not
/// happen.
package protocol NoticeStore: Sendable {
    /// The notices of the last 30 days, newest first, at most 100.
    func notices(of account: AccountID) async throws -> [Notice]
    /// Takes the notices that are due, those that have waited longest first, at most `Limits.noticesInARound`, each with
    /// the number of earlier tries. A notice becomes due again later, until it is settled or has been tried for a day.
    func takeDueNotices() async throws -> [(notice: Notice, tries: Int)]
    /// Marks a notice as delivered.
    func settle(_ notice: String) async throws
}
#endif
