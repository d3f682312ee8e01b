#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The rest of a device's cool-off at one moment.
package struct CoolOff: Hashable, Sendable {
    /// When it ends.
    package let until: UnixTime
    /// How long it still lasts.
    package let rest: Duration

    package init(until end: UnixTime, rest: Duration) {
        (until, self.rest) = (end, rest)
    }

    /// Tells the device's session key about it.
    func tell(in problem: inout Problem) {
        problem.retryAfter = rest.components.seconds
        problem.coolingOffUntil = until
    }
}

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
    /// How far the key may be trusted: what its evidence proves, and no more of the person than the key's factor shows.
    /// So a biometric key that the passcode brought in has the passcode's, whatever its evidence says.
    package let assurance: Assurance
    /// Whether that is as much as the account's group demands. A key below it authorises nothing.
    package let isEnough: Bool
    /// Whether the key's signatures are accepted.
    package let state: State
    /// The rest of the cool-off of the key's device; nil if it does not cool off. A cool-off follows an enrolment with
    /// full credentials or a PIN, and a key change with full credentials, if the account has other devices; after a sign-in
    /// that is not fresh, also without them.
    ///
    /// During its cool-off a device neither changes nor shows what its account's other devices may lose. Each row of
    /// `CeremonyRules` and each line of the list of routes says what that means there.
    package let coolOff: CoolOff?

    /// Whether a key's signatures are accepted, and the reason if they are not.
    package enum State: Hashable, Sendable {
        /// The key is retired, its device is revoked, or its account is switched off.
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
            key.kind, broughtBy: key.enrolledBy, proven: key.proven, minimum: key.minimum,
            coolOff: Self.rest(until: key.coolsOffUntil, at: now),
            state: key.isRevoked
                ? .gone
                : now < key.pausedUntil
                    ? .paused(until: key.pausedUntil)
                    : key.wrongInARow >= Self.wrongSignatureLimit(of: key.kind)
                        ? .disabled : key.isActive ? .active : .unproven
        )
    }

    /// The standing of the key that opened a session, as the session recorded it; `gone` after the session has ended. Nil
    /// for a visit, which no key opened.
    package init?(of session: SessionView, at now: UnixTime) {
        guard case .key(let kind, let origin, let proven) = session.opener else { return nil }
        self.init(
            kind, broughtBy: origin, proven: proven, minimum: .withoutKey,
            coolOff: Self.rest(until: session.coolsOffUntil, at: now),
            state: session.isLive ? .active : .gone
        )
    }

    private init(
        _ kind: KeyKind, broughtBy origin: KeyOrigin, proven: Assurance, minimum: Assurance, coolOff: CoolOff?, state: State
    ) {
        self.kind = kind
        factor = origin.factor(of: kind)
        assurance = Self.assurance(of: kind, broughtBy: origin, proven: proven)
        isEnough = assurance.meets(minimum)
        self.coolOff = coolOff
        self.state = state
    }

    /// How far a key may be trusted by its evidence, its kind and its origin.
    static func assurance(of kind: KeyKind, broughtBy origin: KeyOrigin, proven: Assurance) -> Assurance {
        Assurance(
            protection: proven.protection,
            verification: min(proven.verification, origin.factor(of: kind).userVerification))
    }

    /// Whether the key's device is in its cool-off.
    package var coolsOff: Bool { coolOff != nil }

    private static func rest(until end: UnixTime, at now: UnixTime) -> CoolOff? {
        now < end ? CoolOff(until: end, rest: end - now) : nil
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
    /// The standing of the key that opened the session; nil for a visit. So whatever demands a key has to say what a
    /// visit may do there, and it is nothing where it does not.
    package func standing(at now: UnixTime) -> KeyStanding? { KeyStanding(of: self, at: now) }
}
#endif
