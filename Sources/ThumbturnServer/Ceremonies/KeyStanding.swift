#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The standing of an enrolled key at one moment: its factor, its assurance and its state. Every judgement of a key
/// uses it.
///
/// The ceremony computes it before it checks a signature, and the store computes it again from the rows that it reads
/// inside its transaction.
package struct KeyStanding: Hashable, Sendable {
    /// The kind of the key.
    package let kind: KeyKind
    /// The factor that a signature of the key shows; see `KeyOrigin.factor(of:)`.
    package let factor: KeyKind
    /// How far the key may be trusted.
    package let assurance: Assurance
    /// Whether the key's signatures are accepted.
    package let state: State
    /// Whether the key's device is in its cool-off. It follows an enrolment with full credentials or a PIN, and a key
    /// change with full credentials, if the account has other devices.
    package let coolsOff: Bool

    /// Whether a key's signatures are accepted, and the reason if they are not.
    package enum State: Hashable, Sendable {
        /// The key is retired, or its device is revoked.
        case gone
        /// After wrong signatures, no signature of the key is checked until this time.
        case paused(until: UnixTime)
        /// The key had too many consecutive wrong signatures, and accepts no more.
        case disabled
        /// The key was enrolled without a proof of its own. It becomes active with its first proof.
        case unproven
        /// The key's signatures are accepted.
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

    /// The standing of the key that opened a session, as the session recorded it; `gone` after the session has ended.
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

    /// The assurance of every key. The server verifies no key attestation, so a client's statement of how a key is
    /// protected does not raise it.
    package static let assuranceWithoutEvidence = Assurance(protection: .software, verification: .none)

    /// The consecutive wrong signatures after which a key is disabled: ten for a PIN key, as on the device (NIST SP
    /// 800-63B-4 section 3.2.10), and a hundred for every other key (section 3.2.2).
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
