#if Server
package import ThumbturnCore

/// The part of the store that keeps sessions.
package protocol SessionStore: Sendable {
    /// The session of this id with its device and account, even if it has ended.
    func session(_ id: SessionID) async throws -> SessionView?
    /// Spends, and opens a session if the key's device is still enrolled and the key is not disabled; then its wrong PINs are
    /// forgotten. Where any of it does not hold the spend stands.
    func openSession(_ session: NewSession, spending: Spend) async throws -> Paid<SessionView>
    /// Ends a session if this is its session key, together with the step-ups of that key's device. With another key nothing
    /// happens.
    func end(_ session: SessionID, by jkt: String) async throws
}

package struct NewSession: Sendable {
    package var id: SessionID
    package var kid: String
    /// The second key that signed, where two did.
    package var also: [String] = []
    /// The session key that the proof was redeemed with: the key's device must still be its own.
    package var sessionJKT: String
    package var tokenHash: [UInt8]
    /// When the person was verified; nil for the time of the transaction.
    package var authTime: UnixTime? = nil
    /// The action that was granted: an `ActionGrant` in JSON.
    package var granted: String? = nil
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
    /// What stood behind the key when it was enrolled.
    package var keyOrigin = KeyOrigin.credentials
    /// The action that was granted: an `ActionGrant` in JSON.
    package var granted: String? = nil
}
#endif
