#if Server
/// What happens between the reads of a request and its transaction. Other requests come there at any time; a walk of the
/// server's states sends one there on purpose.
package final class Interlude: Sendable {
    /// The interlude before each transaction of this task; nil for none.
    @TaskLocal package static var beforeWrite: Interlude?

    let run: @Sendable () async -> Void

    package init(_ run: @escaping @Sendable () async -> Void) {
        self.run = run
    }
}
#endif
