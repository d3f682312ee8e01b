#if Server
/// What happens between the reads of a request and its transaction. Other requests come there at any time; a walk of the
/// server's states sends one there on purpose.
package enum Interlude {
    /// Runs before each transaction of this task; nil for nothing.
    @TaskLocal package static var beforeWrite: (@Sendable () async -> Void)?
}
#endif
