/// What a person can do on this device now: one answer that never prompts and never fails.
public struct Readiness: Hashable, Sendable {
    /// The name of the device's sensor, for texts such as `Rung.biometric.button.naming(sensor)`; nil where there is none,
    /// or it is not known.
    public package(set) var sensor: SensorName?
    /// The state of the sensor.
    public package(set) var biometry: BiometryState
    /// The state of each key. A kind that is not listed is missing.
    public package(set) var keys: [KeyKind: KeyState]
    /// The rungs that the policy would ask, in order.
    public package(set) var ladder: [Rung]
    /// How the enrolled faces and fingers changed since a person was last confirmed, as far as the system hints at it.
    /// Keys are invalidated by the hardware; this only helps to explain it.
    public package(set) var enrolment: EnrolmentMark.Change

    /// Whether the full sign-in can be asked as a rung: the app gave the authenticator one.
    public package(set) var canSignIn: Bool
    /// Whether no full sign-in helps: a vault, which no server opens.
    package var isLocal = false
    /// Whether the device passcode is asked first, only to end the system's lockout of the sensor.
    package var liftsLockout = false

    /// Creates a report of what a device can do.
    package init(
        sensor: SensorName? = nil, biometry: BiometryState, keys: [KeyKind: KeyState], ladder: [Rung],
        enrolment: EnrolmentMark.Change = .unknown, canSignIn: Bool = false
    ) {
        self.sensor = sensor
        self.biometry = biometry
        self.keys = keys
        self.ladder = ladder
        self.enrolment = enrolment
        self.canSignIn = canSignIn
    }

    /// Takes in how the enrolled faces and fingers changed: it may explain why a key is gone. After an upgrade of the system the
    /// sensor waits for a stronger rung to confirm the person, where there is one.
    package mutating func note(_ change: EnrolmentMark.Change, needsConfirmation: Bool = true) {
        enrolment = change
        keys[.biometric] = keys[.biometric]?.explained(by: biometry, change)
        if biometry == .ready, change == .afterUpgrade, needsConfirmation { biometry = .unconfirmed }
    }

    /// The rung that would be asked first; `fullCredentials` where the person has to sign in. Of a vault that nothing opens
    /// now, its first rung, or the passcode where that ends the lockout of the sensor.
    public var nextRung: Rung {
        if let usable = ladder.first(where: isUsable) { return usable }
        if liftsLockout { return .devicePasscode }
        return isLocal ? ladder.first ?? .biometric : .fullCredentials
    }

    /// The rungs that can be asked now, in order; `fullCredentials` is among them where the policy has it.
    public var usableRungs: [Rung] { ladder.filter(isUsable) }

    /// The state of one key.
    public func state(of kind: KeyKind) -> KeyState { keys[kind] ?? .missing }

    /// Whether a rung can be asked now. The full sign-in always can.
    public func isUsable(_ rung: Rung) -> Bool { obstacle(to: rung) == nil }

    /// Whether this device is enrolled. Derived from the keys at each call, never stored. A key that pauses is still a
    /// key.
    public var isEnrolled: Bool {
        state(of: .session) == .usable && [KeyKind.biometric, .passcode, .pin].contains { state(of: $0).isAlive }
    }

    /// Why a rung cannot be asked; nil where it can. Every proof is redeemed with the session key, so without it no
    /// other key is of use.
    public func obstacle(to rung: Rung) -> Failure? {
        guard let key = rung.key else { return nil }
        return state(of: .session).obstacle ?? state(of: key).obstacle ?? (rung == .biometric ? sensorObstacle : nil)
    }

    /// Why the sensor cannot be asked. A lockout names the rung of this ladder that can be asked instead.
    private var sensorObstacle: Failure? {
        guard var obstacle = biometry.obstacle else { return nil }
        if obstacle.code == .lockedOut, case .fallBack = obstacle.recovery, !ladder.isEmpty {
            let other = ladder.first { $0 != .biometric && isUsable($0) }
            obstacle.recovery = other.map(Recovery.fallBack) ?? recoveryFromLockout
        }
        return obstacle
    }

    /// The step out of a lockout that no rung of the ladder ends.
    private var recoveryFromLockout: Recovery {
        if liftsLockout { return .fallBack(.devicePasscode) }
        // The person unlocks the device with its passcode, and asks again.
        return isLocal ? .retry : .fallBack(.fullCredentials)
    }

    /// What the person could set up so that a rung can be asked; nil where there is nothing. Without a face, a finger or a
    /// passcode some systems end the key, which must not hide what is missing.
    func setUp(for rung: Rung) -> Failure? {
        let missing = rung == .biometric && state(of: .biometric).isDead ? biometry.obstacle : obstacle(to: rung)
        guard let missing, [.openSettings, .setPasscode].contains(missing.recovery) else { return nil }
        return missing
    }

    /// Why a rung's key is gone for good; nil where it is not.
    func loss(of rung: Rung) -> KeyLoss? {
        guard let key = rung.key else { return nil }
        return state(of: .session).loss ?? state(of: key).loss
    }
}

extension Readiness: CustomStringConvertible {
    /// For example `next: biometric; sensor: faceID ready; keys: biometric usable, session usable`.
    public var description: String {
        let listed = KeyKind.allCases.compactMap { kind in keys[kind].map { "\(kind.rawValue) \($0)" } }
        let sensor = sensor.map { "\($0) \(biometry)" } ?? "\(biometry)"
        return "next: \(nextRung); sensor: \(sensor); keys: \(listed.isEmpty ? "none" : listed.joined(separator: ", "))"
    }
}
