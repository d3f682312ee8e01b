#if Server
import Logging
import ServiceLifecycle
import ThumbturnMessages
import UnixSignals

/// Reads the policy file again when the process receives SIGHUP. A file with a mistake changes nothing and is logged.
struct PolicyReloading: ServiceLifecycle.Service, CustomStringConvertible {
    let policy: StepUpPolicy
    let logger: Logger

    var description: String { "PolicyReloading" }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            do throws(PolicyFileError) {
                try policy.reload()
                logger.notice("the policy was read again")
                for warning in policy.current.warnings { logger.warning("policy", metadata: ["warning": .string(warning)]) }
            } catch {
                logger.error("the policy before stays in use", metadata: ["mistake": .string(error.description)])
            }
        }
    }
}
#endif
