#if Server
import ThumbturnCore

/// The part of the store that keeps the accounts of identities at OpenID providers.
package protocol IdentityStore: Sendable {
    /// Consumes an ID token with what made its sign-in fresh, and returns the account of its identity, which is made
    /// the first time. Nil if one of them was consumed before, if the account is switched off, or if an account of that
    /// name exists already.
    ///
    /// - Parameter freshness: the freshness of the sign-in, for the audit log.
    func account(
        of identity: Identity, orMaking: Account, by freshness: SignInFreshness, spending: [Spend]
    ) async throws -> IdentityAccount?
}

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
