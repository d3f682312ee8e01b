#if Server

/// The part of the store that exchanges refresh tokens.
package protocol RefreshStore: Sendable {
    /// Exchanges one generation of a session's refresh token for the next.
    func rotate(_ rotation: Rotation) async throws -> Rotation.Outcome
}

package struct Rotation: Sendable {
    package var session: SessionID
    /// The generation of the token that was presented, and that token's hash.
    package var generation: UInt32
    package var tokenHash: [UInt8]
    package var successorHash: [UInt8]
    /// The key whose DPoP proof came with the request.
    package var jkt: String
    package var grace: Duration
    package var lifetime: Duration
    package var idleLimit: Duration

    package enum Outcome: Sendable {
        /// The successor is the live token now.
        case rotated(SessionView)
        /// The same exchange again, within the grace, before the successor was used: the same successor.
        case repeated(SessionView)
        /// An older token by its own key: somebody holds a copy. The session has ended.
        case reused
        /// Another key presented the token. Nothing changed, because a leaked old token must not be a kill switch.
        case foreign
        case over
    }
}
#endif
