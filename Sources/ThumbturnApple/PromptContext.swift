#if canImport(LocalAuthentication) && canImport(Security)
import LocalAuthentication
import ThumbturnCore
import ThumbturnDevice

/// One `LAContext`, from before its prompt to after the use of what it opened. It is asked once: a context that has matched would match
/// again without a prompt, which would satisfy a step-up that nobody saw.
actor PromptContext {
    let context: LAContext
    /// What the person is asked for, and the only thing that is opened; nil where nothing is to be opened.
    nonisolated let key: KeyName?
    nonisolated let system: AppleSystem
    /// Whether its one prompt, or its one use, was taken.
    var wasAsked = false
    var wasUsed = false

    init(_ system: AppleSystem, for key: KeyName? = nil) {
        self.system = system
        self.key = key
        context = LAContext()
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe system.executor.asUnownedSerialExecutor() }

    /// Takes the prompt off the screen, and what it opened away.
    func end() {
        wasUsed = true
        context.invalidate()
    }
}
#endif
