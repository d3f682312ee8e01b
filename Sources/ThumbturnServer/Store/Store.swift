#if Server
package import ThumbturnCore

/// The port to durable state, in parts by subject.
///
/// Every method is one transaction, which is durable when the method returns. A challenge or a ticket is consumed in
/// the same transaction as the change that it authorises, so no failure separates the two.
package protocol Store: AccountStore, ApprovalStore, AuditStore, ClientStore, DeviceStore, EpochStore, EvidenceStore,
    IdentityStore, KeyStore, NoticeStore, PlainKeyStore, PolicyStore, RefreshStore, SecretStore, SessionStore, SpendStore,
    TelemetryStore, ThrottleStore, TokenKeyStore, Sendable
{
    /// The proofs of DPoP that several nodes share; nil where the database has one node.
    var sharedProofs: (any SharedProofs)? { get }

    /// What makes a commit durable, read back from the database.
    func durability() throws -> Durability

    /// Deletes expired rows: consumed ids (up to an expiry that is recorded), old notices and throttles, and sessions
    /// that began before a time.
    func purge(sessionsBefore: UnixTime) async throws
}
#endif
