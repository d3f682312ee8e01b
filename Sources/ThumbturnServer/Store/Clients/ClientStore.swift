#if Server
import Crypto
package import ThumbturnCore
package import ThumbturnVerifier

/// The part of the store that keeps the back ends.
package protocol ClientStore: Sendable {
    /// Adds a back end. False if the name is taken.
    func addClient(_ client: NewClient) async throws -> Bool
    /// Removes a back end. False if there is none of this name.
    func removeClient(_ id: String) async throws -> Bool
    /// Changes a back end's limits, and whether it may use tokens without a key; nil leaves either as it is. False if
    /// there is none of this name.
    func changeClient(_ id: String, limits: ClientLimits?, allowsBearer: Bool?) async throws -> Bool
    /// The back end of this name; nil if there is none.
    func client(_ id: String) async throws -> Client?
    /// All back ends, sorted by name.
    func clients() async throws -> [Client]
}

/// A back end that is about to be registered.
package struct NewClient: Sendable {
    package var id: String
    package var scopes: Set<ClientScope>
    package var keys: [VerifyingKey]
    package var limits = ClientLimits()
    /// Whether it may use tokens that are not bound to a key.
    package var allowsBearer = false
}

/// A back end that the operator registered.
package struct Client: Sendable {
    /// The `client_id`: the name that the operator gave it.
    package var id: String
    package var scopes: Set<ClientScope>
    package var keys: [VerifyingKey]
    package var createdAt: UnixTime
    package var limits: ClientLimits
    /// Whether it may use tokens that are not bound to a key.
    package var allowsBearer: Bool

    /// Names this registration: base64url of the SHA-256 of its time and the thumbprints of its keys. A back end that has the name of a
    /// removed one has another, also where both were registered in one second.
    var registration: String {
        let parts = ["\(createdAt.seconds)"] + keys.map(\.thumbprint)
        return Base64URL.encode(SHA256.hash(data: Array(parts.joined(separator: " ").utf8)))
    }
}
#endif
