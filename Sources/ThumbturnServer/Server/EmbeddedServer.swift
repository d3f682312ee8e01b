#if Server
import Foundation
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
package import ServiceLifecycle
package import ThumbturnCore
public import ThumbturnMessages
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

    /// Adds an account whose password this server keeps. Throws `SetupError` if the name is taken, or if the name or
    /// the password is not acceptable.
    public func addAccount(named name: String, password: String) async throws {
        try await service.addAccount(named: name, password: password)
    }

    /// Registers a back end under a name that becomes its `client_id`.
    ///
    /// - Parameters:
    ///   - keys: one or two public P-256 keys, each a JWK or an SPKI in PEM.
    ///   - limits: what it may do within its scopes.
    ///   - allowsBearer: whether it may use tokens that are not bound to a key. A leaked token of that kind can be used
    ///     by anyone until it expires.
    /// - Throws: `SetupError` if the name is taken, or if the name, the scopes or the keys are not acceptable.
    public func addClient(
        named name: String, scopes: Set<ClientScope>, keys: [String], limits: ClientLimits = ClientLimits(),
        allowsBearer: Bool = false
    ) async throws {
        let keys = try keys.map { try ClientKeyFile.key($0) }
        try await service.addClient(named: name, scopes: scopes, keys: keys, limits: limits, allowsBearer: allowsBearer)
    }

    /// Changes what a back end may do from now on, for its open approvals too. Its keys, tokens and approvals stay.
    ///
    /// - Parameters:
    ///   - limits: the new limits; nil leaves them as they are.
    ///   - allowsBearer: whether it may use tokens that are not bound to a key; nil leaves it as it is.
    /// - Throws: `SetupError.clientUnknown` if there is no back end of this name.
    public func changeClient(named name: String, limits: ClientLimits?, allowsBearer: Bool?) async throws {
        guard try await service.store.changeClient(name, limits: limits, allowsBearer: allowsBearer) else {
            throw SetupError.clientUnknown(name)
        }
    }

    /// Reads a file with the limits of a back end: a JSON object with the members of `ClientLimits`, and with names of
    /// accounts in place of their ids.
    ///
    /// - Throws: `SetupError.unreadable` if there is no such file, `SetupError.clientLimits` if it has another format,
    ///   and `SetupError.accountUnknown` if it names an account that there is not.
    public func clientLimits(file path: String) async throws -> ClientLimits {
        try await service.clientLimits(file: path)
    }

    /// Removes a back end. Its tokens are refused from now on. Throws `SetupError.clientUnknown`.
    public func removeClient(named name: String) async throws {
        guard try await service.store.removeClient(name) else { throw SetupError.clientUnknown(name) }
    }

    /// The back ends by name, with their scopes, the thumbprints of their keys, and what they may do.
    public func clients() async throws -> [RegisteredClient] {
        try await service.store.clients().map { client in
            RegisteredClient(
                name: client.id, scopes: ClientScope.allCases.filter(client.scopes.contains),
                keys: client.keys.map(\.thumbprint), limits: client.limits, allowsBearer: client.allowsBearer)
        }
    }

    /// Makes a new secret for one-time codes (RFC 6238) and demands them at an account's sign-ins from now on.
    ///
    /// - Returns: the `otpauth` address that authenticator apps read. It cannot be shown again.
    /// - Throws: `SetupError.accountUnknown` if there is no account of this name.
    public func setOneTimeCodes(ofAccountNamed name: String) async throws -> String {
        try await service.setOneTimeCodes(ofAccountNamed: name)
    }

    /// Removes an account's one-time codes, so that its sign-ins demand none. Throws `SetupError.accountUnknown`.
    public func removeOneTimeCodes(ofAccountNamed name: String) async throws {
        try await service.removeOneTimeCodes(ofAccountNamed: name)
    }

    /// Makes ten new recovery codes, which replace all earlier ones. They cannot be shown again. Throws
    /// `SetupError.accountUnknown`.
    public func makeRecoveryCodes(ofAccountNamed name: String) async throws -> [String] {
        try await service.makeRecoveryCodes(ofAccountNamed: name)
    }

    /// Resets the count of an account's wrong sign-ins, so that its password can be tried again, and gives its enrolments
    /// and changes of keys of a day back. Throws `SetupError.accountUnknown`.
    public func unlock(accountNamed name: String) async throws {
        try await service.unlock(accountNamed: name)
    }

    /// Replaces an account's password. All its sessions end, tickets that were issued before are void, and its count of
    /// wrong sign-ins begins anew. Its devices stay enrolled.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.password` if the password is not acceptable.
    public func setPassword(_ password: String, ofAccountNamed name: String) async throws {
        try await service.setPassword(password, ofAccountNamed: name)
    }

    /// Switches an account off: no credential and no key of it is accepted, its sessions end, its tokens are not active
    /// (RFC 7662 section 2.2), and its signatures of approvals that are not redeemed yet do not count. Clients get the
    /// same answers as for an unknown account or a revoked device.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.accountDisabled` if it is off already.
    public func disable(accountNamed name: String) async throws {
        try await service.disable(accountNamed: name)
    }

    /// Switches an account on again. Its devices and its password are accepted as before; its former sessions and
    /// tickets are not.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.accountEnabled` if it is on already.
    public func enable(accountNamed name: String) async throws {
        try await service.enable(accountNamed: name)
    }

    /// Revokes all devices of an account, which ends all its sessions, and makes its tickets void. The account itself
    /// stays on. Throws `SetupError.accountUnknown`.
    ///
    /// - Returns: the number of devices that were revoked.
    @discardableResult
    public func end(accountNamed name: String) async throws -> Int {
        try await service.end(accountNamed: name)
    }

    /// The state of an account. Throws `SetupError.accountUnknown`.
    package func state(ofAccountNamed name: String) async throws -> AccountState {
        try await service.state(ofAccountNamed: name)
    }

    /// The accounts whose names come after a name, at most a thousand, in the order of their names; see
    /// `SQLStore.accounts(after:atMost:)`.
    package func accounts(after name: String) async throws -> [(name: String, disabledAt: UnixTime?)] {
        try await service.store.accounts(after: name, atMost: 1000)
    }

    /// The devices of an account that are not revoked. Throws `SetupError.accountUnknown`.
    public func devices(ofAccountNamed name: String) async throws -> [DeviceRecord] {
        try await service.devices(ofAccountNamed: name)
    }

    /// Revokes a device and ends its sessions. Throws `SetupError` if there is no such account or device.
    public func revoke(_ device: String, ofAccountNamed name: String) async throws {
        try await service.revoke(device, ofAccountNamed: name)
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

    /// Runs the server on a free port of this machine until the task is cancelled, with a log of errors alone.
    package func runOnLoopback(_ onRunning: @escaping @Sendable (Int) async -> Void) async throws {
        var logger = Logger(label: "thumbturn")
        logger.logLevel = .error
        try await application(host: "127.0.0.1", port: 0, logger: logger, onRunning: onRunning).run()
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
