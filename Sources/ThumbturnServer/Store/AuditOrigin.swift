#if Server
/// What the audit log knows of the request that a task answers. No decision depends on it.
struct AuditOrigin: Sendable {
    /// The network that the request came from.
    var network: Network?
    /// The end of the log in the transaction of `GroupCommit` that runs; nil outside of one.
    var end: AuditEnd?

    @TaskLocal static var current = AuditOrigin()
}
#endif
