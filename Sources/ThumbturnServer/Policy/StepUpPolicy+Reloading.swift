#if Server
import Logging
import ServiceLifecycle
import ThumbturnMessages
import UnixSignals

/// Reads the policy files again when the process receives SIGHUP, which never ends the server. A file with a mistake changes
/// nothing and is logged.
struct PolicyReloading: ServiceLifecycle.Service, CustomStringConvertible {
    let policy: StepUpPolicy
    let evidence: EvidenceRules
    let unlockPolicies: UnlockPolicies?
    let logger: Logger
    /// Writes the policies in use to the audit log.
    let record: @Sendable () async throws -> Void
    /// Has the database demand what the evidence policy demands.
    let apply: @Sendable () async throws -> Void
    /// Throws if another node has used a later version.
    let agree: @Sendable () async throws -> Void

    var description: String { "PolicyReloading" }

    private func recordOrLog() async {
        do {
            try await record()
        } catch {
            logger.error("the policy is in use and has no row in the audit log", metadata: ["error": "\(type(of: error))"])
        }
    }

    func run() async throws {
        unlockPolicies?.tell(logger)
        let signals = await UnixSignalsSequence(trapping: .sighup)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try? await cancelWhenGracefulShutdown { try await follow() } }
            for await _ in signals.cancelOnGracefulShutdown() {
                guard policy.isFromFile || evidence.isFromFile || unlockPolicies != nil else {
                    logger.notice("SIGHUP changes nothing: the server was started without a policy file")
                    continue
                }
                await reload()
            }
        }
    }

    /// Looks once a second whether another node has used a later version, and reads the files again, once a minute, while one has.
    private func follow() async throws {
        var readAt: ContinuousClock.Instant?
        while true {
            try await Task.sleep(for: .seconds(1))
            guard await whyOutdated() != nil else {
                readAt = nil
                continue
            }
            if let readAt, .now - readAt < .seconds(60) { continue }
            readAt = .now
            await reload()
            if let why = await whyOutdated() {
                logger.error("this node is not ready until it has the latest policy", metadata: ["mistake": .string(why)])
            }
        }
    }

    /// Why the files are not the latest; nil if they are, or if the database does not answer, which others tell of.
    private func whyOutdated() async -> String? {
        do {
            try await agree()
        } catch let error as SetupError {
            if case .policyOutdated = error { return error.description }
        } catch {}
        return nil
    }

    private func reload() async {
        var isNew = false
        if evidence.isFromFile { isNew = await reloadEvidence() }
        if policy.isFromFile { isNew = reloadPolicy() || isNew }
        if let unlockPolicies { isNew = reload(unlockPolicies) || isNew }
        if isNew { await recordOrLog() }
    }

    private func reloadPolicy() -> Bool {
        do throws(PolicyFileError) {
            try policy.reload()
            logger.notice("the policy was read again")
            for warning in policy.current.warnings { logger.warning("policy", metadata: ["warning": .string(warning)]) }
            return true
        } catch {
            logger.error("the policy before stays in use", metadata: ["mistake": .string(error.description)])
            return false
        }
    }

    private func reload(_ unlockPolicies: UnlockPolicies) -> Bool {
        do throws(PolicyFileError) {
            let before = unlockPolicies.digest
            try unlockPolicies.reload()
            guard unlockPolicies.digest != before else { return false }
            unlockPolicies.tell(logger)
            return true
        } catch {
            logger.error("the unlock policies before stay in use", metadata: ["mistake": .string(error.description)])
            return false
        }
    }

    /// What it demands of accounts holds at once; the evidence that is stored is judged by it within a minute.
    private func reloadEvidence() async -> Bool {
        do throws(PolicyFileError) {
            try evidence.reload()
            logger.notice("the evidence policy was read again")
        } catch {
            logger.error("the evidence policy before stays in use", metadata: ["mistake": .string(error.description)])
            return false
        }
        do {
            try await apply()
        } catch let error as SetupError {
            logger.error(
                "what the evidence policy demands of accounts is not in the database",
                metadata: ["mistake": .string(error.description)])
        } catch {
            logger.error(
                "the evidence policy is in use, and its minimums reach the database within a minute",
                metadata: ["error": .string("\(type(of: error))")])
        }
        return true
    }
}

extension UnlockPolicies {
    /// Logs which version is in use, and what apps may not follow.
    func tell(_ logger: Logger) {
        logger.notice("unlock policies are in use", metadata: ["version": .stringConvertible(version)])
        for warning in warnings { logger.warning("unlock policies", metadata: ["warning": .string(warning)]) }
    }
}
#endif
