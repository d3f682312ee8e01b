#if Server
package import ThumbturnCore

/// The part of the store that keeps the server's own secrets, encrypted.
package protocol SecretStore: Sendable {
    /// The server's secrets, newest first, and their edition.
    ///
    /// Secrets that are missing or due for renewal are made in the same transaction, so that nodes which start together
    /// agree. A key of access tokens from an earlier epoch does not count: every epoch has a key of its own.
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
        async throws -> (secrets: [SealedSecret], edition: SecretsEdition)

    /// The edition of the secrets that the database has now.
    func secretsEdition() async throws -> SecretsEdition

    /// Seals again, in one transaction, everything that the database keeps sealed. Running servers read their secrets
    /// again before they write. If `sealing` throws, nothing has changed.
    func sealAgain(_ sealing: @escaping Sealing) async throws
}

/// Names the secrets that a process has read: those of an epoch, after a number of changes by an operator.
package struct SecretsEdition: Hashable, Sendable {
    package var epoch: Int64
    package var changes: Int64
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
    /// The epoch in which a key of access tokens may sign; nil if it never signs again, and for the other uses.
    package var signsIn: Int64?
}
#endif
