#if Server
package import ThumbturnCore

/// The part of the store that keeps the server's own secrets, encrypted.
package protocol SecretStore: Sendable {
    /// The server's secrets, newest first, and their epoch.
    ///
    /// Secrets that are missing or due for renewal are made in the same transaction, so that nodes which start together
    /// agree.
    ///
    /// - Parameters:
    ///   - check: called first, with every stored secret. If it throws, no secret is made: a node with the wrong master
    ///     key must not add secrets that the others cannot read.
    ///   - isDue: whether the newest secret for a use has to be replaced.
    ///   - make: makes a secret.
    func secrets(
        checking check: @escaping @Sendable (SealedSecret) throws -> Void,
        renewing isDue: @escaping @Sendable (SealedSecret) -> Bool,
        make: @escaping @Sendable (SecretUse, UnixTime) throws -> SealedSecret
    )
        async throws -> (secrets: [SealedSecret], epoch: Int64)
}

/// The uses of a secret.
package enum SecretUse: String, Sendable, CaseIterable {
    /// The HS256 key of challenges: 32 bytes.
    case challenge
    /// The root from which the keys of refresh tokens and of tickets are derived: 32 bytes.
    case refresh
    /// The ES256 key of access tokens: a P-256 private key, 32 bytes.
    case token
}

/// A secret as it is stored: encrypted, with its name and use authenticated.
package struct SealedSecret: Sendable {
    package var id: String
    package var use: SecretUse
    package var createdAt: UnixTime
    /// The encrypted secret: nonce (12 bytes), ciphertext and tag (16 bytes) of AES-256-GCM.
    package var sealed: [UInt8]
}
#endif
