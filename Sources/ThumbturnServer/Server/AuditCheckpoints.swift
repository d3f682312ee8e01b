#if Server
import Logging
import ServiceLifecycle

/// Signs the end of the audit log when it is due. The rows of the last minute before a shutdown are signed after the next
/// start.
struct AuditCheckpoints: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // ServiceLifecycle logs the descriptions of services; the default one would contain the settings.
    var description: String { "AuditCheckpoints" }

    func run() async throws {
        await attempt { try await service.recordPolicy() }
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(1))
                await attempt { _ = try await service.checkpointAudit() }
            }
        }
    }

    private func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch StoreError.anotherEpoch {
            // An operator has changed the secrets or begun an epoch, and this node has had no request since.
            try? await service.secrets.reload(atMostOncePerSecond: true)
        } catch {
            // The code of a database's error has no values in it.
            let state = (error as? SQLError).map { " \($0.state)" } ?? ""
            logger.error(
                "the audit log could not be written; it is tried again", metadata: ["error": "\(type(of: error))\(state)"])
        }
    }
}
#endif
