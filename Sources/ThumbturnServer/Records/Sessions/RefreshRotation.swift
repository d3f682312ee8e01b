#if Server
import ThumbturnCore
import ThumbturnVerifier

/// The exchange of one generation of a session's refresh token for its successor.
package struct RefreshRotation: Sendable {
    package var session: SessionID
    /// The generation of the token that was presented.
    package var generation: UInt32
    /// The hash of the token that was presented.
    package var tokenHash: [UInt8]
    /// The hash of the next token.
    package var successorHash: [UInt8]
    /// The thumbprint of the session key whose DPoP proof came with the request.
    package var jkt: String
    /// How long a repeated exchange gets the same successor, if that was not used yet.
    package var grace: Duration
    /// How long after the sign-in a session ends.
    package var lifetime: Duration
    /// The same for a visit; zero if there are none.
    package var visitLifetime = Duration.zero
    /// How long a session lasts without an exchange.
    package var idleLimit: Duration

    /// The outcome of an exchange.
    package enum Outcome: Sendable {
        /// The token was exchanged, and the successor is the live token now.
        case rotated(SessionView)
        /// The exchange was repeated within the grace and before the successor was used. The successor is the same.
        case repeated(SessionView)
        /// The session's own key presented an older token, so a copy of it exists. The session has ended.
        case reused
        /// Another key presented the token. Nothing changed, because an attacker must not end a session with a leaked
        /// token.
        case foreign
        /// The session has ended.
        case over
    }
}

extension RefreshRotation {
    enum Judgement: Hashable {
        case successor
        case sameSuccessor
        case reused
        case foreign
        case over
    }

    /// Judges the exchange against the session as it is stored.
    func judge(_ session: SessionView, at now: UnixTime) -> Judgement {
        guard session.isLive else { return .over }
        guard session.sessionJKT == jkt else { return .foreign }
        guard let age = TokenTimes.age(of: session.authTime, at: now),
            age < (session.isVisit ? visitLifetime : lifetime),
            let idle = TokenTimes.age(of: session.rotatedAt, at: now), idle < idleLimit
        else { return .over }
        if generation == session.generation { return .successor }
        // The live token is the successor of the one that was presented, and it has not been used: otherwise it would
        // not be live.
        if generation &+ 1 == session.generation, idle <= grace { return .sameSuccessor }
        return .reused
    }
}
#endif
