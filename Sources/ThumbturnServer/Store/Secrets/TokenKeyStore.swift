#if Server
package import ThumbturnCore

/// The part of the store that keeps the keys of access tokens beyond their use.
package protocol TokenKeyStore {
    /// Adds a secret that is newer than all others for this use, by a second at least.
    func addSecret(for use: SecretUse, _ make: @escaping @Sendable (UnixTime) throws -> SealedSecret) async throws
    /// Forgets secrets for good, and remembers the public keys that they had.
    func retire(_ keys: [RetiredKey]) async throws
    /// The public keys that are remembered, newest first.
    func retiredKeys() async throws -> [RetiredKey]
}

/// A key of access tokens that signs no more. Its public half is kept: what it once signed may have to be judged in years.
package struct RetiredKey: Sendable {
    /// The secret's name.
    package var secret: String
    package var kid: String
    package var x963: [UInt8]
}
#endif
