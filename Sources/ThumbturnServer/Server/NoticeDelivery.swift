#if Server
package import Logging
import ServiceLifecycle
import ThumbturnCore

extension AuthorizationServer {
    /// `GET /v1/notices`.
    func notices(_ caller: Caller) async throws -> NoticeList {
        NoticeList(notices: try await store.notices(of: caller.session.account).map(\.record))
    }

    /// Hands on what is due: to the log, once, and to the port until it takes it, a day long.
    package func deliverNotices(_ logger: Logger) async throws {
        for due in try await store.takeDueNotices() {
            let notice = due.notice
            if due.tries == 0 {
                // Ids alone: whose they are is known to those who may know it.
                logger.notice(
                    "notice",
                    metadata: [
                        "kind": .string(notice.kind.rawValue), "account": .string(notice.account),
                        "device": .string(notice.device ?? "none"),
                    ]
                )
            }
            do {
                try await settings.notices?.deliver(notice)
            } catch {
                logger.warning(
                    "a notice was not taken",
                    metadata: [
                        "kind": .string(notice.kind.rawValue), "tries": .stringConvertible(due.tries + 1),
                        "error": .string("\(type(of: error))"),
                    ]
                )
                continue
            }
            try await store.settle(notice.id)
        }
    }
}

/// Hands notices on, every five seconds, beside the requests.
struct NoticeDelivery: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // The lifecycle logs its services' descriptions; the default one would spell out the settings.
    var description: String { "NoticeDelivery" }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(5))
                do {
                    try await service.deliverNotices(logger)
                } catch {
                    logger.error("notices wait; they are tried again", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
#endif
