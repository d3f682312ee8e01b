#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The part of the store that keeps sessions.
package protocol SessionStore: Sendable {
    /// The session of this id with its device and account, even if it has ended.
    func session(_ id: SessionID) async throws -> SessionView?
    /// Opens a session if the authorisation still holds.
    func openSession(_ session: NewSession, by authorisation: Authorisation) async throws -> CommitOutcome<SessionView>
    /// Ends the step-ups of a session key's device, and the session if it belongs to that device. With an unknown key
    /// nothing happens.
    func end(_ session: SessionID, by jkt: String) async throws
}

/// A session that is about to be opened.
package struct NewSession: Sendable {
    package var id: SessionID
    /// The hash of the first refresh token; empty for a step-up, which has none.
    package var tokenHash: [UInt8]
    /// The time when the person was verified; nil for the time of the transaction.
    package var authTime: UnixTime? = nil
    /// The action that a step-up granted; nil after a sign-in.
    package var granted: ActionGrant? = nil
}

/// A session with its device, its account and the key that opened it.
package struct SessionView: Sendable {
    package var id: SessionID
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    /// The kind of the key that verified the person.
    package var kind: KeyKind
    /// The thumbprint of the device's session key.
    package var sessionJKT: String
    /// The number of exchanges of the refresh token so far.
    package var generation: UInt32
    package var authTime: UnixTime
    /// False once the session has ended or its device is revoked.
    package var isLive: Bool
    package var coolsOffUntil: UnixTime
    /// The origin of that key.
    package var keyOrigin = KeyOrigin.credentials
    /// The action that a step-up granted; nil after a sign-in.
    package var granted: ActionGrant? = nil
    /// The account's `credentialGeneration` when the session was read.
    package var credentialGeneration: Int64 = 0
}
#endif
