#if Server
package import ThumbturnCore

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
