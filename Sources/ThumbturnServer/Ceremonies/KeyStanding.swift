#if Server
package import ThumbturnCore
import ThumbturnMessages

/// What an enrolled key stands for at one moment: the one answer for every judgement of a key.
///
/// The ceremony asks before it checks a signature, and the store asks again about the rows that it reads inside its transaction.
package struct KeyStanding: Hashable, Sendable {
    /// What the key is for.
    package let kind: KeyKind
    /// The factor that a signature of the key shows; see `KeyOrigin.factor(of:)`.
    package let factor: KeyKind
    /// How far the key may be trusted.
    package let assurance: Assurance
    package let state: State
    /// Whether the key's device came with the password alone, a short while ago, while the account had others.
    package let coolsOff: Bool

    package enum State: Hashable, Sendable {
        /// The key is retired, or its device is revoked.
        case gone
        /// No signature of the key is judged until then, after wrong ones.
        case paused(until: UnixTime)
        /// Too many wrong signatures in a row.
        case disabled
        /// The key came without a proof of its own, and becomes active with its first one.
        case unproven
        case active
    }

    /// The standing of a key.
    package init(of key: EnrolledKey, at now: UnixTime) {
        self.init(
            key.kind, broughtBy: key.enrolledBy, coolsOff: now < key.coolsOffUntil,
            state: key.isRevoked
                ? .gone
                : now < key.pausedUntil
                    ? .paused(until: key.pausedUntil)
                    : key.wrongInARow >= Self.wrongSignatureLimit(of: key.kind)
                        ? .disabled : key.isActive ? .active : .unproven
        )
    }

    /// The standing of the key that opened a session, as far as the session vouches for it: gone once the session has ended.
    package init(of session: SessionView, at now: UnixTime) {
        self.init(
            session.kind, broughtBy: session.keyOrigin, coolsOff: now < session.coolsOffUntil,
            state: session.isLive ? .active : .gone
        )
    }

    private init(_ kind: KeyKind, broughtBy origin: KeyOrigin, coolsOff: Bool, state: State) {
        self.kind = kind
        factor = origin.factor(of: kind)
        assurance = Self.assuranceWithoutEvidence
        self.coolsOff = coolsOff
        self.state = state
    }

    /// The origin of a key that is brought in by one of this standing.
    package var originOfNewKeys: KeyOrigin {
        switch factor {
        case .biometric: .biometric
        case .passcode: .passcode
        case .pin: .pin
        case .session: preconditionFailure("a session key brings in no other key")
        }
    }

    /// The assurance of every key so far: no evidence is verified yet, so what a key's kind demands of the person is the client's
    /// word and raises nothing.
    package static let assuranceWithoutEvidence = Assurance(protection: .software, verification: .none)

    /// Ten wrong PINs in a row disable a PIN key, as they do on the device (NIST SP 800-63B-4 section 3.2.10). A hundred wrong
    /// signatures disable every other one (section 3.2.2).
    private static func wrongSignatureLimit(of kind: KeyKind) -> Int {
        kind == .pin ? PINLedger.limit : ThrottleLimits.standard.mostInARow
    }
}

extension EnrolledKey {
    package func standing(at now: UnixTime) -> KeyStanding { KeyStanding(of: self, at: now) }
}

extension SessionView {
    package func standing(at now: UnixTime) -> KeyStanding { KeyStanding(of: self, at: now) }
}
#endif
