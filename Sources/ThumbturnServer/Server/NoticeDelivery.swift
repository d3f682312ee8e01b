#if Server
package import Logging
import ServiceLifecycle
import ThumbturnCore
import ThumbturnMessages

extension AuthorizationServer {
    /// Delivers the notices that are due: once to the log, and to the port until it accepts them, for at most a day.
    ///
    /// Accounts do not wait for each other: each one's notices are delivered in order, and those of others meanwhile.
    package func deliverNotices(_ logger: Logger) async throws {
        let due = try await store.takeDueNotices()
        for (notice, tries) in due where tries == 0 {
            // The log has only ids, so that it names no person.
            logger.notice(
                "notice",
                metadata: [
                    "kind": .string(notice.kind.rawValue), "account": .string(notice.account),
                    "device": .string(notice.device ?? "none"),
                ]
            )
        }
        try await withThrowingTaskGroup { tasks in
            for ofAccount in Dictionary(grouping: due, by: { $0.notice.account }).values {
                tasks.addTask { try await deliver(ofAccount, logger) }
            }
            try await tasks.waitForAll()
        }
    }

    private func deliver(_ notices: [(notice: Notice, tries: Int)], _ logger: Logger) async throws {
        for due in notices {
            let notice = due.notice
            do {
                try await settings.notices?.deliver(notice)
            } catch {
                logger.warning(
                    "a notice was not accepted",
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

/// Delivers notices every five seconds, in a task of its own.
struct NoticeDelivery: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // ServiceLifecycle logs the descriptions of services; the default one would contain the settings.
    var description: String { "NoticeDelivery" }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(5))
                do {
                    try await service.deliverNotices(logger)
                } catch {
                    logger.error("notices could not be read; it is tried again", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
#endif
