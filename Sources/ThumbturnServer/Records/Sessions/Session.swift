#if Server
package import ThumbturnCore
package import ThumbturnMessages

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

/// A visit that is about to be opened: a session of full credentials, without an enrolled device.
package struct NewVisit: Sendable {
    package var id: SessionID
    /// The hash of the first refresh token.
    package var tokenHash: [UInt8]
    /// The thumbprint of the session key that the ticket is bound to.
    package var jkt: String
    /// How long after the credentials were verified the visit ends.
    package var lifetime: Duration
}

/// What opened a session.
package enum SessionOpener: Hashable, Sendable {
    /// The signature of an enrolled key: the kind and the origin of the key that verified the person, and how far its
    /// evidence carries now.
    case key(KeyKind, KeyOrigin, proven: Assurance = .withoutEvidence)
    /// Full credentials opened a visit: how the person was verified (RFC 8176), and whether for this sign-in.
    case credentials([String], SignInFreshness)
}

/// A session with its device, its account and what opened it.
package struct SessionView: Sendable {
    package var id: SessionID
    /// The session's device. The device of a visit has the visit's own id, and is never enrolled.
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    package var opener: SessionOpener
    /// The thumbprint of the device's session key, or of the visit's.
    package var sessionJKT: String
    /// The number of exchanges of the refresh token so far.
    package var generation: UInt32
    package var authTime: UnixTime
    /// When the live refresh token was issued.
    package var rotatedAt: UnixTime
    /// False once the session has ended or its device is revoked, and while what opened it is less than the account's
    /// group demands.
    package var isLive: Bool
    package var coolsOffUntil: UnixTime
    /// The action that a step-up granted; nil after a sign-in.
    package var granted: ActionGrant? = nil
    /// The account's `credentialGeneration` when the session was read.
    package var credentialGeneration: Int64 = 0

    /// How the person was verified, in a visit; nil for a session that a key opened.
    package var credentials: [String]? {
        guard case .credentials(let methods, _) = opener else { return nil }
        return methods
    }

    /// Whether the person of a visit was verified for its sign-in; nil for a session that a key opened.
    package var freshness: SignInFreshness? {
        guard case .credentials(_, let freshness) = opener else { return nil }
        return freshness
    }

    /// When the person was verified, as tokens say it. For a visit of which that is not known it is the beginning of 1970:
    /// so every service that demands a recent sign-in asks for one.
    package var verifiedAt: UnixTime { freshness?.worth.datesTokens == false ? UnixTime(seconds: 0) : authTime }

    package var isVisit: Bool { credentials != nil }

    /// The enrolled device; nil for a visit.
    package var enrolledDevice: DeviceID? { isVisit ? nil : device }
}
#endif
