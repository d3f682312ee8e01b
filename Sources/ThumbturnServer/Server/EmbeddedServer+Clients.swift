#if Server
import ThumbturnCore
import ThumbturnVerifier

/// Back ends, for the operator.
extension EmbeddedServer {
    /// Registers a back end under a name that becomes its `client_id`.
    ///
    /// - Parameters:
    ///   - keys: one or two public P-256 keys, each a JWK or an SPKI in PEM. With a second key the back end can replace its
    ///     key without an interruption.
    ///   - limits: what it may do within its scopes.
    ///   - allowsBearer: whether it may use tokens that are not bound to a key. A leaked token of that kind can be used
    ///     by anyone until it expires.
    /// - Throws: `SetupError` if the name is taken, or if the name, the scopes or the keys are not acceptable.
    public func addClient(
        named name: String, scopes: Set<ClientScope>, keys: [String], limits: ClientLimits = ClientLimits(),
        allowsBearer: Bool = false
    ) async throws {
        let keys = try keys.map { try ClientKeyFile.key($0) }
        guard StepUpAction.isName(name) else { throw SetupError.clientName }
        guard !scopes.isEmpty, (1...2).contains(keys.count) else { throw SetupError.clientNeeds }
        let new = NewClient(id: name, scopes: scopes, keys: keys, limits: limits, allowsBearer: allowsBearer)
        guard try await service.store.addClient(new) else { throw SetupError.clientExists(name) }
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
        try await ClientLimitsFile.limits(path) { try await account(named: $0) }
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
}
#endif
