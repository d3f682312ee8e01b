#if canImport(LocalAuthentication) && canImport(Security)
import LocalAuthentication
import ThumbturnCore

/// One `LAContext`, from before its prompt to after the use of what it opened. It is asked once: a context that has matched would match
/// again without a prompt, which would satisfy a step-up that nobody saw.
actor PromptContext {
    let context: LAContext
    private let executor: any SerialExecutor
    /// Whether its one prompt, or its one use, was taken.
    var wasAsked = false
    var wasUsed = false

    init(_ system: AppleSystem) {
        executor = system.executor
        context = LAContext()
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Takes the prompt off the screen, and what it opened away.
    func end() { context.invalidate() }
}
#endif
