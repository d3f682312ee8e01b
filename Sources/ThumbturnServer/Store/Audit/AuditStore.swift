#if Server
package import ThumbturnCore

/// The part of the store that keeps the audit log.
///
/// The transaction of an event writes its row, so no row is lost and none tells of what did not happen. Rows are only
/// ever added; `purgeAudit` deletes the oldest ones.
package protocol AuditStore: Sendable {
    /// Writes a row for an event that has no transaction of its own.
    func record(_ event: AuditEvent) async throws
    /// The state of the log.
    func auditState() async throws -> AuditState
    /// The state of the log and all its checkpoints at one moment, so that none of them is newer than the state.
    func auditStateAndCheckpoints() async throws -> (AuditState, [AuditVerification.StoredCheckpoint])
    /// The rows after this number in the order of their numbers, at most `limit`.
    func auditRows(after number: Int64, limit: Int) async throws -> [AuditRow]
    /// Writes a checkpoint over the last row, if there are rows after the last checkpoint.
    ///
    /// - Parameter sign: signs the end of the log. It runs inside the transaction.
    /// - Returns: whether a checkpoint was written.
    func addCheckpoint(
        _ sign: @escaping @Sendable (_ log: [UInt8], AuditVerification.Head, UnixTime) throws -> String
    ) async throws -> Bool
    /// All checkpoints in the order of their rows.
    func checkpoints() async throws -> [AuditVerification.StoredCheckpoint]
    /// Deletes the oldest rows that a checkpoint from before this time covers, and the checkpoints before that one. The
    /// rest can still be verified.
    ///
    /// One call deletes some ten thousand rows in one transaction; call it again until nothing was deleted.
    ///
    /// - Returns: whether rows were deleted.
    @discardableResult
    func purgeAudit(before: UnixTime) async throws -> Bool
}

/// The state of the audit log.
package struct AuditState: Hashable, Sendable {
    /// The id of the log: 16 bytes.
    package var log: [UInt8]
    package var head: AuditVerification.Head
    /// The number of the first row that is left; nil if there is none.
    package var first: Int64?
    /// The row and the time of the last checkpoint; 0 before the first one.
    package var checkpoint: (number: Int64, at: UnixTime) { (checkpointNumber, checkpointAt) }
    var checkpointNumber: Int64
    var checkpointAt: UnixTime
}
#endif
