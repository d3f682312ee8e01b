#if Server
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
package import ServiceLifecycle
import ThumbturnCore
import ThumbturnVerifier

/// The server: its routes, its store and its regular maintenance.
///
///     let server = try await EmbeddedServer(ServerSettings(publicURL: url, dataFolder: folder))
///     try await server.application(host: "127.0.0.1", port: 8080, logger: logger).runService()
public struct EmbeddedServer: Sendable {
    package var service: AuthorizationServer

    /// Opens the data folder, or makes it if it does not exist. Throws `SetupError`, whose description has the next
    /// step.
    public init(_ settings: ServerSettings) async throws {
        service = try await AuthorizationServer(settings)
    }

    /// Opens the data folder for an operator's command.
    package init(_ settings: ServerSettings, for use: DataUse) async throws {
        service = try await AuthorizationServer(settings, for: use)
    }

    package init(_ service: AuthorizationServer) {
        self.service = service
    }

    /// The application to run. On a graceful shutdown it finishes its open requests.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - port: the TCP port to listen on; 0 lets the system choose one.
    ///   - logger: the log of the application and its services.
    ///   - onRunning: called with the port as soon as it is open.
    public func application(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        application(host: host, port: port, logger: logger, with: [], onRunning: onRunning)
    }

    /// The application to run, with further services that run as long as it does.
    package func application(
        host: String, port: Int, logger: Logger, with services: [any ServiceLifecycle.Service],
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let settings = service.settings
        let limits = settings.connections.lowered(toOpenFiles: ConnectionLimits.openFiles)
        let connections = Connections(limits, metrics: settings.metrics)
        let (idleLimit, requestLimit) = (TimeAmount(settings.connectionIdleLimit), TimeAmount(settings.requestLimit))
        if limits != settings.connections {
            logger.notice(
                "the limit of open files allows fewer connections than the settings do",
                metadata: ["connections": .stringConvertible(limits.inAll)])
        }
        var application = Application(
            router: Routes(service).router(),
            server: HTTPServerBuilder { responder in
                let guarded = SafeHead.required(
                    by: FairShare.required(by: responder, connections, behind: settings.trustedProxies))
                let configuration = HTTP1Channel.Configuration(
                    idleTimeout: idleLimit, httpDecoderConfiguration: .bounded)
                return OnEventLoop(
                    base: BoundedChannel(
                        base: HTTP1Channel(responder: guarded, configuration: configuration), connections: connections,
                        isBehindProxies: settings.trustedProxies > 0, limit: requestLimit))
            },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger
        )
        application.addServices(Tidying(service: service, logger: logger))
        application.addServices(NoticeDelivery(service: service, logger: logger))
        application.addServices(AuditCheckpoints(service: service, logger: logger))
        application.addServices(
            PolicyReloading(
                policy: service.settings.stepUp, evidence: service.settings.evidence,
                unlockPolicies: service.settings.unlockPolicies, logger: logger,
                record: service.recordPolicy, apply: service.applyEvidencePolicy,
                agree: service.agreeOnPolicies))
        if let url = service.settings.androidStatusURL {
            application.addServices(StatusFetching(service: service, logger: logger, url: url))
        }
        for service in services { application.addServices(service) }
        return application
    }
}

extension HTTP1Channel.Configuration.DecoderConfiguration {
    /// The bounds of a request's head. A larger one gets 400, and the connection is closed.
    fileprivate static var bounded: Self {
        Self(
            maxHeaderFieldSize: Limits.headerField, maxHeaderListSize: Limits.header, maxHeaderFieldCount: Limits.headerFields)
    }
}

/// Renews secrets and deletes what has expired, once a minute.
private struct Tidying: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // ServiceLifecycle logs the descriptions of services; the default one would contain the settings.
    var description: String { "Tidying" }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var told: [String] = []
            while true {
                // The providers of the start, and those that were read again.
                let warnings = service.providers.warnings
                if warnings != told {
                    for warning in warnings { logger.warning("providers", metadata: ["warning": .string(warning)]) }
                    told = warnings
                }
                try await Task.sleep(for: .seconds(60))
                do {
                    try await service.tidy()
                    let ahead = service.time.civil - service.time.now
                    if max(ahead, .zero - ahead) > TokenTimes.leeway {
                        logger.warning(
                            "the machine's clock and the server's time differ; see: thumbturn-server time",
                            metadata: ["clock is ahead by seconds": .stringConvertible(ahead.components.seconds)])
                    }
                } catch SetupError.providers(let path) {
                    logger.error(
                        "the providers of before stay in use, with their keys",
                        metadata: ["mistake": .string(SetupError.providers(path).description)])
                } catch StoreError.timeJumped {
                    logger.error(
                        "the database's time is far ahead, so all requests are refused; see: thumbturn-server time")
                } catch {
                    logger.error("tidying failed; it is tried again in a minute", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
#endif
