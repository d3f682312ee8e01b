#if Server
package import ThumbturnCore
import ThumbturnMessages

/// The part of the store that keeps sessions.
package protocol SessionStore: Sendable {
    /// The session of this id with its device and account, even if it has ended.
    func session(_ id: SessionID) async throws -> SessionView?
    /// Opens a session if the authorisation still holds.
    func openSession(_ session: NewSession, by authorisation: Authorisation) async throws -> CommitOutcome<SessionView>
    /// Ends a session if this is its session key, together with the step-ups of that key's device. With another key nothing
    /// happens.
    func end(_ session: SessionID, by jkt: String) async throws
}

package struct NewSession: Sendable {
    package var id: SessionID
    package var tokenHash: [UInt8]
    /// When the person was verified; nil for the time of the transaction.
    package var authTime: UnixTime? = nil
    /// The action that a step-up granted; nil after a sign-in.
    package var granted: ActionGrant? = nil
}

package struct SessionView: Sendable {
    package var id: SessionID
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    /// The kind of the key that verified the person.
    package var kind: KeyKind
    package var sessionJKT: String
    package var generation: UInt32
    package var authTime: UnixTime
    /// False once the session has ended or its device is revoked.
    package var isLive: Bool
    package var coolsOffUntil: UnixTime
    /// What brought that key in.
    package var keyOrigin = KeyOrigin.credentials
    /// The action that a step-up granted; nil after a sign-in.
    package var granted: ActionGrant? = nil
}
#endif
