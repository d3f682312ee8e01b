#if Tools
import Foundation
import Hummingbird
import Logging
import ThumbturnServer

/// The server with a stall between the judgement of a proof and the spending of its challenge, so that a check that is not
/// atomic would be caught. Only tests build and start it.
///
///     StalledServer DATA PORT PUBLIC-URL STALL-MILLISECONDS
@main
struct StalledServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let port = Int(arguments[2]), let stall = Int(arguments[4]) else { exit(64) }
        var settings = try ServerSettings(publicURL: arguments[3], dataFolder: arguments[1])
        // A machine on which much else runs may leave a connection alone for long.
        settings.connectionIdleLimit = .seconds(600)
        // Each round sends one proof of one device many times.
        settings.proofsOfDevice = nil
        var service = try await AuthorizationServer(settings)
        service.beforeSpending = { try? await Task.sleep(for: .milliseconds(stall)) }
        var logger = Logger(label: "stalled")
        logger.logLevel = .error
        try await EmbeddedServer(service).application(host: "127.0.0.1", port: port, logger: logger).runService()
    }
}
#else
@main
struct StalledServer {
    static func main() {}
}
#endif
