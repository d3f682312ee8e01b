#if Server
import Crypto
package import ThumbturnCore
package import ThumbturnVerifier

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
