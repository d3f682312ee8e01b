#if Server
package import ThumbturnCore

/// The part of the store that keeps the public keys of access tokens after their last use.
package protocol TokenKeyStore: Sendable {
    /// Adds a secret that is at least one second newer than all others for this use.
    func addSecret(for use: SecretUse, _ make: @escaping @Sendable (UnixTime) throws -> SealedSecret) async throws
    /// Deletes secrets and keeps the public keys that belonged to them.
    func retire(_ keys: [RetiredKey]) async throws
    /// Revokes a key: deletes its private half, and records when it was revoked. Running servers read the keys again
    /// before they write or judge a token.
    ///
    /// - Parameters:
    ///   - live: the key, if its private half is still kept.
    ///   - endsSigning: whether no other key that is there signs any more, so that a new one is made.
    /// - Returns: false if there is no such key.
    func revoke(_ kid: String, live: RetiredKey?, endsSigning: Bool) async throws -> Bool
    /// The public keys that were kept, newest first.
    func retiredKeys() async throws -> [RetiredKey]
}

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
