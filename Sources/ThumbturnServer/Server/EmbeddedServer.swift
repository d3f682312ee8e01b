#if Server
import Foundation
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle
import ThumbturnCore
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
    /// - Parameter keys: one or two public P-256 keys, each a JWK or an SPKI in PEM.
    /// - Throws: `SetupError` if the name is taken, or if the name, the scopes or the keys are not acceptable.
    public func addClient(named name: String, scopes: Set<ClientScope>, keys: [String]) async throws {
        try await service.addClient(named: name, scopes: scopes, keys: try keys.map { try ClientKeyFile.key($0) })
    }

    /// Removes a back end. Its tokens are refused from now on. Throws `SetupError.clientUnknown`.
    public func removeClient(named name: String) async throws {
        guard try await service.store.removeClient(name) else { throw SetupError.clientUnknown(name) }
    }

    /// The back ends by name, with their scopes and the thumbprints of their keys.
    public func clients() async throws -> [(name: String, scopes: [ClientScope], keys: [String])] {
        try await service.store.clients().map { client in
            (client.id, ClientScope.allCases.filter(client.scopes.contains), client.keys.map(\.thumbprint))
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

    /// Resets the count of an account's wrong sign-ins, so that its password can be tried again. Throws
    /// `SetupError.accountUnknown`.
    public func unlock(accountNamed name: String) async throws {
        try await service.unlock(accountNamed: name)
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
        let idleLimit = TimeAmount(service.settings.connectionIdleLimit)
        var application = Application(
            router: Routes(service).router(),
            server: HTTPServerBuilder { responder in
                OnEventLoop(
                    base: HTTP1Channel(responder: SafeHead.required(by: responder), configuration: .init(idleTimeout: idleLimit))
                )
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

/// Renews secrets and deletes what has expired, once a minute.
private struct Tidying: ServiceLifecycle.Service, CustomStringConvertible {
    let service: AuthorizationServer
    let logger: Logger

    // ServiceLifecycle logs the descriptions of services; the default one would contain the settings.
    var description: String { "Tidying" }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(60))
                do {
                    try await service.tidy()
                } catch {
                    logger.error("tidying failed; it is tried again in a minute", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
#endif
