#if Server
package import ThumbturnCore

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
