#if Server
import ThumbturnCore

/// The account of an identity, as the transaction found it.
package struct IdentityAccount: Hashable, Sendable {
    package var id: AccountID
    /// See `Account.credentialGeneration`.
    package var credentialGeneration: Int64
}

/// A person's identity at a provider (OpenID Connect Core section 5.7).
package struct Identity: Hashable, Sendable {
    package var issuer: String
    package var subject: String
}
#endif
