#if Tools
public import ArgumentParser
import CoreMetrics
import Foundation
import Hummingbird
public import Logging
import NIOCore
import ServiceLifecycle
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            The master key that encrypts the server's secrets on disk comes from the environment variable \
            THUMBTURN_MASTER_KEY (32 bytes in base64url), or from a file in the data folder that is created at the first start.
            """
    )

    @OptionGroup var data: DataOptions

    @Option(help: "The address and port to listen on. Port 0 picks a free one.")
    var listen = "127.0.0.1:8080"

    @Option(
        name: .customLong("public-url"),
        help: "The address that clients use. Required behind a proxy and for clients on other machines.")
    var publicURL: String?

    @Option(
        help: """
            How commits reach the replicas of --database: synchronous if a replica that is promoted has all of them. With \
            asynchronous all users have to sign in again after a promotion.
            """
    )
    var replication = PostgresAddress.Replication.asynchronous

    @Flag(
        help: """
            Let a device's passcode authorise a new biometric key after a face or finger has changed. A person who knows the \
            passcode can enrol a face. Without this flag the account's password is required.
            """
    )
    var allowPasscodeToReplaceBiometrics = false

    @Option(
        help: """
            How many minutes a session without an enrolled device lasts, which a password, a recovery code or an ID token opens \
            alone; 0 for none, so that they only enrol a device.
            """
    )
    var visitMinutes = 30

    @Flag(
        help: """
            Let apps sign in with keys of other libraries, for short-lived tokens that are bound to no key and have the lowest \
            assurance; see docs/plain-clients.md.
            """
    )
    var allowPlainClients = false

    @Option(
        help: """
            The URL to which notices for account owners are posted, for example of a new device, as Standard Webhooks. The \
            secret that signs them is read from the environment variable THUMBTURN_NOTICE_SECRET.
            """
    )
    var noticeWebhook: String?

    @Option(
        help: """
            The JSON file of trusted liveness vendors and the level of each; see docs/approvals.md. Without it no approval can \
            demand liveness evidence.
            """
    )
    var livenessVendors: String?

    @Option(
        help: """
            The level of a liveness check that each enrolment of a device demands: substantial or high. A vendor of \
            --liveness-vendors has to be certified for it.
            """
    )
    var enrolmentLiveness: String?

    @Option(
        help: """
            The policy file, which sets the requirements of each action for a step-up. It is read again on SIGHUP; check it \
            first with: thumbturn-server config check FILE. Without a file the preset standard applies, and the signal \
            changes nothing.
            """
    )
    var policy: String?

    @Option(
        help: """
            The evidence policy: which apps and roots are trusted to show where keys live, and what the keys of groups of \
            accounts have to show; see docs/evidence.md. It is read again on SIGHUP. Without it no evidence is judged, and \
            every key counts as software. Check it first with: thumbturn-server config check FILE
            """
    )
    var evidence: String?

    @Option(
        help: """
            The file of unlock policies and experiments that devices get in place of their apps' own policies, within their \
            apps' bounds; see docs/telemetry.md. It is read again on SIGHUP. Check it first with: thumbturn-server config \
            check FILE
            """
    )
    var unlockPolicies: String?

    @Flag(
        help: """
            Fetch Google's list of revoked Android certificates twice a day. Without it an operator brings the list with: \
            thumbturn-server evidence status update
            """
    )
    var fetchAndroidStatus = false

    @Option(
        help: "The number of proxies before the server that add to X-Forwarded-For. Wrong attempts are counted by that address."
    )
    var trustedProxies = 0

    @Option(help: "How many days a row of the audit log is kept.")
    var auditDays = 400

    @Option(help: "How many days the counts of unlocks are kept. With 0 the server takes no reports of unlocks.")
    var telemetryDays = 400

    @Option(
        help: """
            The address and port of a listener of its own for GET /metrics in the text format of Prometheus, for example \
            127.0.0.1:9464. On an address that other machines reach, THUMBTURN_METRICS_KEY has to hold a key, which is then \
            demanded as a bearer token.
            """
    )
    var metrics: String?

    @Option(
        help: """
            The most open connections. The limit of open files (ulimit -n) may lower it. A further connection is answered \
            with 503.
            """
    )
    var maxConnections = ConnectionLimits().inAll

    @Option(
        help: """
            The most connections of one address; with trusted proxies, the most requests in progress of one client's \
            address. A further one is answered with 429.
            """
    )
    var maxConnectionsByAddress = ConnectionLimits().byAddress

    @Option(
        help: """
            The JSON file of the app's own OpenID providers, whose ID tokens authorise an enrolment: \
            {"providers": [{"issuer": …, "audience": …, "jwks": FILE}]}. The file and the key sets are read again \
            every minute.
            """)
    var providers: String?

    @Option(help: "The log level on standard error: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.notice

    func validate() throws {
        guard maxConnections > 0, maxConnectionsByAddress > 0 else {
            throw ValidationError("--max-connections and --max-connections-by-address must be more than 0.")
        }
        guard (0...720).contains(visitMinutes) else { throw ValidationError("--visit-minutes must be 0 to 720.") }
    }

    func run() async throws {
        let address = try ListenAddress(listen)
        let port = address.port == 0 ? try FreePort.find(on: address.host) : address.port
        var settings = try data.settings(
            publicURL: publicURL ?? "http://\(address.urlHost):\(port)", replication: replication)
        if let policy { settings.stepUp = try StepUpPolicy(file: policy) }
        if let evidence { settings.evidence = try EvidenceRules(file: evidence) }
        if let unlockPolicies { settings.unlockPolicies = try UnlockPolicies(file: unlockPolicies) }
        if fetchAndroidStatus { settings.androidStatusURL = EvidenceDownload.googleStatus }
        settings.identityProviders = providers
        settings.letsPasscodeReplaceBiometricKey = allowPasscodeToReplaceBiometrics
        settings.allowsPlainClients = allowPlainClients
        settings.visitLifetime = visitMinutes == 0 ? nil : .seconds(Int64(visitMinutes) * 60)
        settings.trustedProxies = trustedProxies
        guard telemetryDays >= 0 else { throw ValidationError("--telemetry-days must not be less than 0.") }
        settings.telemetryRetention = telemetryDays == 0 ? nil : .seconds(Int64(telemetryDays) * 24 * 3600)
        let metricsServer = try metrics.map { try MetricsAddress($0) }
        if let metricsServer {
            MetricsSystem.bootstrap(metricsServer.metrics)
            settings.metrics = metricsServer.metrics
        }
        guard auditDays > 0 else { throw ValidationError("--audit-days must be more than 0.") }
        settings.auditRetention = .seconds(Int64(auditDays) * 24 * 3600)
        (settings.connections.inAll, settings.connections.byAddress) = (maxConnections, maxConnectionsByAddress)
        if let noticeWebhook {
            let secret = ProcessInfo.processInfo.environment["THUMBTURN_NOTICE_SECRET"] ?? ""
            settings.notices = try NoticeWebhook(url: noticeWebhook, secret: secret)
        }
        if let livenessVendors { try settings.approvals.readLivenessVendors(livenessVendors) }
        if let enrolmentLiveness {
            guard let level = LivenessLevel(rawValue: enrolmentLiveness),
                settings.approvals.canJudge(level)
            else {
                throw ValidationError(
                    "--enrolment-liveness is substantial or high, and a vendor of --liveness-vendors is certified for it.")
            }
            settings.enrolmentLiveness = level
        }
        let (server, publicURL) = (try await EmbeddedServer(settings), settings.publicURL)

        LoggingSystem.bootstrap(StandardErrorLog.init)
        var logger = Logger(label: "thumbturn")
        logger.logLevel = logLevel
        if server.wasRestored {
            logger.notice("the database was restored or copied, so a new epoch has begun: all users must sign in again")
        }
        if replication == .synchronous, try server.service.store.durability().waitsForNoReplica {
            logger.warning(
                """
                --replication synchronous says that a promoted replica has every confirmed commit, but PostgreSQL waits for no \
                replica: its synchronous_standby_names is empty, so a failover now could let a challenge be accepted twice; set \
                it (with Patroni: synchronous_mode), or run without --replication synchronous
                """)
        }
        if publicURL.hasPrefix("https:"), trustedProxies == 0 {
            logger.warning(
                """
                the public address is https, so a proxy is in front of this server, and --trusted-proxies is 0: all clients \
                count as one address, and 30 wrong sign-ins lock all of them out; run with --trusted-proxies 1 if one proxy \
                adds to X-Forwarded-For
                """)
        }
        if !fetchAndroidStatus, try await server.lacksStatusList() {
            logger.warning(
                """
                the evidence policy refuses Android keys without a status list, and there is none: no Android device enrols; \
                run with --fetch-android-status, or bring a list with: thumbturn-server evidence status update
                """)
        }
        let services = metricsServer.map { [$0.service(logger)] } ?? []
        let application = server.application(host: address.host, port: port, logger: logger, with: services) { port in
            print("Thumbturn is listening on \(address.urlHost):\(port), for clients at \(publicURL)")
            fflush(nil)
        }
        do {
            try await application.runService()
        } catch let error as IOError
            where error.errnoCode == EADDRINUSE || error.errnoCode == EADDRNOTAVAIL || error.errnoCode == EACCES
        {
            throw ListenError(
                address: [listen, metrics].compactMap(\.self).joined(separator: " or "),
                option: metrics == nil ? "--listen" : "--listen or --metrics")
        }
    }
}

/// The address to listen on is in use or not allowed.
struct ListenError: Error, CustomStringConvertible {
    var address: String
    /// The option that sets it.
    var option: String
    var description: String {
        "Cannot listen on \(address): it is in use or not allowed. Choose another address with \(option), such as 127.0.0.1:0."
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// The listener for metrics: where it listens, and the key that it demands.
struct MetricsAddress {
    let metrics = PrometheusMetrics(
        help: Dictionary(uniqueKeysWithValues: ServerMetrics.Name.allCases.map { ($0.rawValue, $0.help) }))
    private let address: ListenAddress
    private let key: String?

    init(_ text: String) throws {
        address = try ListenAddress(text, option: "--metrics")
        key = ProcessInfo.processInfo.environment["THUMBTURN_METRICS_KEY"]
        guard key.map({ $0.utf8.count >= 16 }) ?? Loopback.contains(host: address.host) else {
            throw ValidationError(
                """
                --metrics on an address that other machines reach needs a key of 16 characters or more in \
                THUMBTURN_METRICS_KEY. Make one with: openssl rand -base64 32
                """)
        }
    }

    func service(_ logger: Logger) -> any ServiceLifecycle.Service {
        MetricsListener.application(metrics, host: address.host, port: address.port, key: key, logger: logger) { port in
            logger.notice("metrics are answered", metadata: ["port": .stringConvertible(port)])
        }
    }
}

/// A host and a port, written as `127.0.0.1:8080` or `[::1]:8080`.
struct ListenAddress {
    var host: String
    var port: Int

    init(_ text: String, option: String = "--listen") throws {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            colon > text.startIndex
        else { throw ValidationError("\(option) must be an address and a port, for example 127.0.0.1:8080.") }
        host = text[..<colon].trimmingCharacters(in: ["[", "]"])
        self.port = Int(port)
    }

    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}
#endif
