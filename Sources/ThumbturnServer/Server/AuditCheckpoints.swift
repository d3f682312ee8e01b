#if Server
import Logging
import ServiceLifecycle

/// Signs the end of the audit log when it is due. The rows of the last minute before a shutdown are signed after the next
/// start.
///
/// It reaches the database every second, so it also tells the operator of faults of the database and of new epochs.
struct AuditCheckpoints: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // ServiceLifecycle logs the descriptions of services; the default one would contain the settings.
    var description: String { "AuditCheckpoints" }

    func run() async throws {
        if let fault = await fault(of: { try await service.recordPolicy() }) { tell(of: fault) }
        try? await cancelWhenGracefulShutdown {
            var (epoch, told, toldAt) = (service.secrets.current.epoch, String?.none, ContinuousClock.now)
            while true {
                try await Task.sleep(for: .seconds(1))
                let fault = await self.fault { _ = try await service.checkpointAudit() }
                // One that lasts is told once a minute.
                if fault != told || fault != nil && .now - toldAt > .seconds(60) {
                    (told, toldAt) = (fault, .now)
                    tell(of: fault)
                }
                if service.secrets.current.epoch != epoch {
                    epoch = service.secrets.current.epoch
                    logger.notice("a new epoch has begun: all users must sign in again")
                }
            }
        }
    }

    private func tell(of fault: String?) {
        guard let fault else { return logger.notice("the audit log is written again") }
        logger.error("the audit log could not be written; it is tried again", metadata: ["error": .string(fault)])
    }

    /// Why the work failed, without values of any row; nil if it did not.
    private func fault(of work: () async throws -> Void) async -> String? {
        do {
            try await work()
            return nil
        } catch StoreError.anotherEpoch {
            // An operator has changed the secrets or begun an epoch, and this node has had no request since.
            try? await service.secrets.reload(atMostOncePerSecond: true)
            return nil
        } catch let error as SQLError {
            return error.description
        } catch let error as StoreError {
            return error.description
        } catch let error as SetupError {
            return error.description
        } catch {
            return "\(type(of: error))"
        }
    }
}
#endif
