#if canImport(LocalAuthentication) && canImport(Security)
import LocalAuthentication
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// One `LAContext`, from before its prompt until after its use. It is evaluated once: a context that has matched would
/// match again without a prompt, and so satisfy a step-up that the person never saw.
actor PromptContext {
    let context: LAContext
    /// The purpose of the prompt, and the only use of a match; nil if nothing is to be opened.
    nonisolated let purpose: Purpose?
    nonisolated let system: AppleSystem
    /// Whether the only prompt was shown, whether the person matched, and whether the match was used.
    var wasAsked = false
    var didMatch = false
    var wasUsed = false

    /// One key, at one place, for one message. The message is empty for the secret of a vault.
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

    /// Dismisses the prompt and invalidates the match.
    func end() {
        wasUsed = true
        context.invalidate()
    }
}
#endif
