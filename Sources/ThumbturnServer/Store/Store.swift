#if Server
package import ThumbturnCore

/// The port to durable state. Every method is one transaction, durable when it returns, and what is spent is spent in the same
/// transaction as what it pays for.
package protocol Store: AccountStore, ApprovalStore, ClientStore, DeviceStore, EpochStore, IdentityStore, KeyStore, NoticeStore,
    PlainKeyStore, RefreshStore, SecretStore, SessionStore, SpendStore, ThrottleStore, TokenKeyStore, Sendable
{
    /// The writer's settings, read back: `synchronous` (2 is FULL) and `journal_mode`.
    func durability() throws -> (synchronous: Int?, journal: String?)

    /// Forgets what expired, and remembers up to when: spent things, and sessions that began before a time.
    func purge(sessionsBefore: UnixTime) async throws
}
#endif
