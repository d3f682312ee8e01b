#if Tools
import ArgumentParser
import Foundation
import Hummingbird
import Logging
import ThumbturnServer

/// The server in a process of its own, with what only a measurement or a test may have. It links no more than thumbturn-server does, so
/// that its memory and its start are that program's.
@main
struct TrialServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server for a measurement or a test.",
        discussion: """
            Each device may prove as often as it can. After SIGTERM the counts of the server's work are printed as one JSON object. \
            The environment has the address of a PostgreSQL in THUMBTURN_DATABASE and the master key in THUMBTURN_MASTER_KEY, as for \
            thumbturn-server serve.
            """
    )

    @Option(help: "The folder of the database and the keys.")
    var data: String

    @Option(help: "The address and port to listen on. Port 0 picks a free one, which the first line of the output has.")
    var listen = "127.0.0.1:0"

    @Option(name: .customLong("public-url"), help: "The address that clients use.")
    var publicURL: String

    @Option(help: "How commits reach the replicas of the PostgreSQL: synchronous or asynchronous.")
    var replication = "asynchronous"

    @Option(help: "The number of proxies before the server.")
    var trustedProxies = 0

    @Option(
        help: """
            A stall between the judgment of a proof and the spending of its challenge, so that a check that is not atomic would be \
            caught.
            """)
    var stallMilliseconds = 0

    func run() async throws {
        let address = listen.split(separator: ":")
        guard address.count == 2, let port = Int(address[1]), let replication = PostgresAddress.Replication(rawValue: replication)
        else { throw ValidationError("--listen is ADDRESS:PORT, and --replication is synchronous or asynchronous.") }
        var settings = try ServerSettings(
            publicURL: publicURL, dataFolder: data, masterKey: MasterKey(environment: "THUMBTURN_MASTER_KEY"))
        if let database = PostgresAddress.given(nil) {
            settings.database = try PostgresAddress(database, replication: replication)
        }
        settings.trustedProxies = trustedProxies
        (settings.proofsOfDevice, settings.telemetryRates) = (nil, nil)
        // A stall keeps other connections waiting for long.
        if stallMilliseconds > 0 { settings.connectionIdleLimit = .seconds(600) }
        var service = try await AuthorizationServer(settings)
        if stallMilliseconds > 0 {
            service.beforeSpending = { [stallMilliseconds] in try? await Task.sleep(for: .milliseconds(stallMilliseconds)) }
        }
        LoggingSystem.bootstrap(StandardErrorLog.init)
        var logger = Logger(label: "trial")
        logger.logLevel = .warning
        let host = String(address[0])
        try await EmbeddedServer(service).application(host: host, port: port, logger: logger) { port in
            print("listening on \(host):\(port)")
            fflush(nil)
        }.runService()
        let counts = try Counts(service)
        print(String(decoding: try JSONEncoder().encode(counts), as: UTF8.self))
    }

    /// The counts of the server's work since it started.
    private struct Counts: Encodable {
        var verifications, tokens, spends, sessions, refreshes, redemptions, unlocks: Int
        /// Whether a commit that was answered outlasts a failure of power.
        var isDurable: Bool

        init(_ service: AuthorizationServer) throws {
            let counters = service.counters
            (verifications, tokens, spends) = (counters.verifications.total, counters.tokens.total, counters.spends.total)
            (sessions, refreshes) = (counters.sessions.total, counters.refreshes.total)
            (redemptions, unlocks) = (counters.redemptions.total, counters.unlocks.total)
            isDurable = try service.store.durability().isFull
        }
    }
}
#else
@main
struct TrialServer {
    static func main() {}
}
#endif
