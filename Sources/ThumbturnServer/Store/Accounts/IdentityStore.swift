#if Server
/// The part of the store that knows who a provider's people are.
package protocol IdentityStore {
    /// Spends, and returns the account of an identity; the first time this one is made. Nil if it was spent before.
    func account(of identity: Identity, orMaking: Account, spending: Spend) async throws -> AccountID?
}

/// A person in the word of a provider (OpenID Connect Core section 5.7).
package struct Identity: Hashable, Sendable {
    package var issuer: String
    package var subject: String
}
#endif
