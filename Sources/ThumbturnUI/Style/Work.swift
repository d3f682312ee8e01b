#if canImport(SwiftUI)
/// The work of a model that a tap begins.
enum Work {
    /// Where it runs; nil outside of tests, which run it in virtual time.
    @TaskLocal package static var executor: (any TaskExecutor)?

    @MainActor static func begin(_ work: @escaping @MainActor @Sendable () async -> Void) {
        Task(executorPreference: executor) { await work() }
    }
}
#endif
