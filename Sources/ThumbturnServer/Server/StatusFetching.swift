#if Server
import Logging
import ServiceLifecycle
import ThumbturnCore

/// Fetches the list of revoked Android certificates twice a day, and has all evidence judged by it. A list that cannot be
/// fetched or read changes nothing; its age then counts as the policy says.
struct StatusFetching: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger
    let url: String

    var description: String { "StatusFetching" }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: await fetch() ? EvidenceDownload.interval : EvidenceDownload.intervalAfterFailure)
            }
        }
    }

    /// Fetches once. False if that failed.
    func fetch() async -> Bool {
        do {
            let text = try await EvidenceDownload(url).fetch()
            let outcome = try await service.adopt(statusList: text, fetchedAt: service.time.now)
            logger.info(
                "the status list was fetched",
                metadata: ["devices with less assurance": .stringConvertible(outcome?.lowered ?? 0)])
            return true
        } catch {
            logger.warning("the status list was not used", metadata: ["error": .string("\(error)")])
            return false
        }
    }
}
#endif
