#if Server
package import ThumbturnCore

/// The part of the store that keeps the public keys of access tokens after their last use.
package protocol TokenKeyStore: Sendable {
    /// Adds a secret that is newer than all others for this use, by a second at least.
    func addSecret(for use: SecretUse, _ make: @escaping @Sendable (UnixTime) throws -> SealedSecret) async throws
    /// Deletes secrets and keeps the public keys that belonged to them.
    func retire(_ keys: [RetiredKey]) async throws
    /// The public keys that were kept, newest first.
    func retiredKeys() async throws -> [RetiredKey]
}

/// A key of access tokens that no longer signs. Its public half is kept, because a token may have to be judged years later.
package struct RetiredKey: Sendable {
    /// The id of the secret that it belonged to.
    package var secret: String
    package var kid: String
    package var x963: [UInt8]
}
#endif
