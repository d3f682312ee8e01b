#if Server
import Logging
import ServiceLifecycle
import ThumbturnMessages
import UnixSignals

/// Reads the policy file again when the process receives SIGHUP, which never ends the server. A file with a mistake
/// changes nothing and is logged.
struct PolicyReloading: ServiceLifecycle.Service, CustomStringConvertible {
    let policy: StepUpPolicy
    let logger: Logger
    /// Writes the policy in use to the audit log.
    let record: @Sendable () async throws -> Void

    var description: String { "PolicyReloading" }

    private func recordOrLog() async {
        do {
            try await record()
        } catch {
            logger.error("the policy is in use and has no row in the audit log", metadata: ["error": "\(type(of: error))"])
        }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            guard policy.isFromFile else {
                logger.notice("SIGHUP changes nothing: the server was started without a policy file")
                continue
            }
            do throws(PolicyFileError) {
                try policy.reload()
                logger.notice("the policy was read again")
                await recordOrLog()
                for warning in policy.current.warnings { logger.warning("policy", metadata: ["warning": .string(warning)]) }
            } catch {
                logger.error("the policy before stays in use", metadata: ["mistake": .string(error.description)])
            }
        }
    }
}
#endif
