#if Server
import Foundation
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle
public import ThumbturnCore
import ThumbturnVerifier

/// The server, ready to run: routes, store and the work that is due from time to time.
///
///     let server = try await Server(ServerSettings(publicURL: url, dataFolder: folder))
///     try await server.application(host: "127.0.0.1", port: 8080, logger: logger).runService()
public struct Server: Sendable {
    package var service: AuthorizationServer

    /// Opens the data folder, making it where it does not exist. Throws `SetupError` with the next step.
    public init(_ settings: ServerSettings) async throws {
        service = try await AuthorizationServer(settings)
    }

    package init(_ service: AuthorizationServer) {
        self.service = service
    }

    /// Makes an embedded account. Throws `SetupError` where name or password will not do.
    public func addAccount(named name: String, password: String) async throws {
        try await service.addAccount(named: name, password: password)
    }

    /// Registers a back end under a name that becomes its `client_id`.
    ///
    /// - Parameter keys: one or two public P-256 keys, each a JWK or an SPKI in PEM.
    /// - Throws: `SetupError` where the name is taken, or something about it will not do.
    public func addClient(named name: String, scopes: Set<ClientScope>, keys: [String]) async throws {
        try await service.addClient(named: name, scopes: scopes, keys: try keys.map { try ClientKeyFile.key($0) })
    }

    /// Forgets a back end. Its tokens are refused from now on. Throws `SetupError.clientUnknown`.
    public func removeClient(named name: String) async throws {
        guard try await service.store.removeClient(name) else { throw SetupError.clientUnknown(name) }
    }

    /// The back ends by name, with their scopes and the thumbprints of their keys.
    public func clients() async throws -> [(name: String, scopes: [ClientScope], keys: [String])] {
        try await service.store.clients().map { client in
            (client.id, ClientScope.allCases.filter(client.scopes.contains), client.keys.map(\.thumbprint))
        }
    }

    /// Asks for one-time codes (RFC 6238) at an account's sign-ins from now on, under a new secret.
    ///
    /// - Returns: the `otpauth` address that authenticator apps read; it is shown nowhere else.
    public func setOneTimeCodes(ofAccountNamed name: String) async throws -> String {
        try await service.setOneTimeCodes(ofAccountNamed: name)
    }

    /// Asks for no one-time codes from now on.
    public func removeOneTimeCodes(ofAccountNamed name: String) async throws {
        try await service.removeOneTimeCodes(ofAccountNamed: name)
    }

    /// Makes new recovery codes; all earlier ones are void. They are shown nowhere else.
    public func makeRecoveryCodes(ofAccountNamed name: String) async throws -> [String] {
        try await service.makeRecoveryCodes(ofAccountNamed: name)
    }

    /// Lets an account's password be tried again after too many wrong sign-ins.
    public func unlock(accountNamed name: String) async throws {
        try await service.unlock(accountNamed: name)
    }

    /// The devices of an account that are not revoked. Throws `SetupError.accountUnknown`.
    public func devices(ofAccountNamed name: String) async throws -> [DeviceRecord] {
        try await service.devices(ofAccountNamed: name)
    }

    /// Ends a device and its sessions. Throws `SetupError` where there is none.
    public func revoke(_ device: String, ofAccountNamed name: String) async throws {
        try await service.revoke(device, ofAccountNamed: name)
    }

    /// The application to run. It drains its connections when it is told to stop.
    ///
    /// - Parameter onRunning: called once the port is open, with the port.
    public func application(
        host: String, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let idleLimit = TimeAmount(service.settings.connectionIdleLimit)
        var application = Application(
            router: Routes(service).router(),
            server: HTTPServerBuilder { responder in
                OnItsLoop(base: HTTP1Channel(responder: responder, configuration: .init(idleTimeout: idleLimit)))
            },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger
        )
        application.addServices(Tidying(service: service, logger: logger))
        application.addServices(NoticeDelivery(service: service, logger: logger))
        if service.settings.stepUp.isFromFile {
            application.addServices(PolicyReloading(policy: service.settings.stepUp, logger: logger))
        }
        return application
    }
}

/// Renews secrets and forgets what expired, once a minute.
private struct Tidying: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // The lifecycle logs its services' descriptions; the default one would spell out the settings.
    var description: String { "Tidying" }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(60))
                do {
                    try await service.tidy()
                } catch {
                    logger.error("tidying did not work; it is tried again in a minute", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
#endif
