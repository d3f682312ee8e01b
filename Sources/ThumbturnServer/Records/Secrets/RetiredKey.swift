#if Server
import ThumbturnCore

/// A retired key of access tokens. Its public half is kept, because a receipt may have to be verified years later.
package struct RetiredKey: Sendable {
    /// The id of the secret that held the private half.
    package var secret: String
    package var kid: String
    /// The public key as an uncompressed point, 65 bytes.
    package var x963: [UInt8]
    /// Whether an operator revoked it, so that what it signed is not believed.
    package var isRevoked = false
}
#endif
