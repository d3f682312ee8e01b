#if canImport(LocalAuthentication) && canImport(Security)
import LocalAuthentication
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// One `LAContext`, from before its prompt to after the use of what it opened. It is asked once: a context that has matched would match
/// again without a prompt, which would satisfy a step-up that nobody saw.
actor PromptContext {
    let context: LAContext
    /// What the person is asked for, and the only thing that is opened; nil where nothing is to be opened.
    nonisolated let purpose: Purpose?
    nonisolated let system: AppleSystem
    /// Whether its one prompt was taken, whether the person matched there, and whether that was used.
    var wasAsked = false
    var didMatch = false
    var wasUsed = false

    /// One key, at one place, for one message; for the secret of a vault the message is empty.
    struct Purpose: Hashable, Sendable {
        var key: KeyName
        var message: [UInt8]
        var place: KeychainPlace
    }

    init(_ system: AppleSystem, for purpose: Purpose? = nil) {
        self.system = system
        self.purpose = purpose
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
