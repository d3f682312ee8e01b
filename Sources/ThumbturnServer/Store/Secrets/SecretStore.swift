#if Server
package import ThumbturnCore

/// The part of the store that keeps the server's own secrets, encrypted.
package protocol SecretStore: Sendable {
    /// The sealed secrets of the server, newest first. Those that are missing or older than their use allows are made by `make`,
    /// in the same transaction, so that nodes which start together agree. `check` sees every stored one first; if it throws,
    /// nothing is made: a node with the wrong master key must not add to what others have to read. With them comes their epoch.
    func secrets(
        checking check: @escaping @Sendable (SealedSecret) throws -> Void,
        renewing isDue: @escaping @Sendable (SealedSecret) -> Bool,
        make: @escaping @Sendable (SecretUse, UnixTime) throws -> SealedSecret
    )
        async throws -> (secrets: [SealedSecret], epoch: Int64)
}

package enum SecretUse: String, Sendable, CaseIterable {
    /// HS256 of challenges: 32 bytes.
    case challenge
    /// From which the keys of refresh tokens and of tickets are derived: 32 bytes.
    case refresh
    /// ES256 of access tokens: a P-256 private key, 32 bytes.
    case token
}

/// A secret as it lies on disk: encrypted, with its name and use authenticated.
package struct SealedSecret: Sendable {
    package var id: String
    package var use: SecretUse
    package var createdAt: UnixTime
    package var sealed: [UInt8]
}
#endif
