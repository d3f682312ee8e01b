public import Observation
public import ThumbturnCore

/// The switch for biometrics in an app's settings. It is on where there is a working biometric key: that is read from
/// the key and never stored, so it cannot show "on" where nothing would happen.
@MainActor @Observable public final class BiometricsToggleModel {
    /// The positions of the switch.
    public enum State: Hashable, Sendable {
        /// There is a working biometric key.
        case on
        /// There is none, and it can be switched on.
        case off
        /// It cannot be switched on now; `message` has the reason.
        case unavailable
    }

    /// The label of the switch: the sensor's name, as far as it is known.
    public private(set) var name = Rung.biometric.name
    /// The position of the switch.
    public private(set) var state = State.unavailable
    /// Whether the switch is on; `set(_:)` moves it.
    public var isOn: Bool { state == .on }
    /// The reason for the position, or for a change that failed; nil where there is none.
    public private(set) var message: PersonMessage?
    /// Whether a change is running.
    public private(set) var isBusy = false

    /// The device's sensor; nil until `refresh()`, and where there is none.
    public private(set) var sensor: SensorName?
    private let subject: any Unlockable
    private let policy: UnlockPolicy
    private let setUp: @Sendable () async throws -> Void
    @ObservationIgnored private var lastRefresh = 0

    /// Makes the switch for one account.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - policy: the policy that the biometric key is for.
    ///   - setUp: makes the key, with the full sign-in that a new key needs: `replaceBiometricKey(with:)`.
    public convenience init(
        for auth: Authenticator, policy: UnlockPolicy = .unlock, setUp: @escaping @Sendable () async throws -> Void
    ) {
        self.init(subject: auth, policy, setUp: setUp)
    }

    /// Makes the switch for a vault that the passcode opens too. Where only the sensor opens it, it cannot be switched off:
    /// nothing could open it any more.
    ///
    /// - Parameters:
    ///   - vault: the vault that the sensor opens or would open.
    ///   - reason: shown in the system's prompt when the person switches it on, which the passcode does.
    public convenience init(for vault: Vault, reason: String) {
        self.init(subject: vault, vault.policy) { try await vault.unlocked(reason) { _ in } }
    }

    private init(subject: any Unlockable, _ policy: UnlockPolicy, setUp: @escaping @Sendable () async throws -> Void) {
        self.subject = subject
        self.policy = policy
        self.setUp = setUp
    }

    /// Reads the state of the key again. Call it when the screen appears, and when the app comes back to it.
    public func refresh() async {
        lastRefresh += 1
        let refresh = lastRefresh
        let readiness = await subject.readiness(for: policy)
        let canSetUp = await subject.canSetUpBiometrics(readiness)
        guard refresh == lastRefresh else { return }
        sensor = readiness.sensor
        name = Rung.biometric.name.naming(sensor)
        message = readiness.biometry.message?.naming(sensor)
        if readiness.state(of: .biometric).isAlive {
            state = .on
        } else {
            state = readiness.biometry == .ready && canSetUp ? .off : .unavailable
        }
    }

    /// Turns biometrics on or off, after the person moved the switch. Its position is read from the key afterwards.
    public func set(_ isOn: Bool) async {
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        let failure: Failure?
        do throws(Failure) {
            if isOn { try await switchOn() } else { try await subject.declineBiometrics() }
            failure = nil
        } catch {
            failure = error
        }
        await refresh()
        if let failure { message = failure.message.naming(sensor) }
    }

    private func switchOn() async throws(Failure) {
        let wasDeclined = try await subject.biometricOffer().isDeclined
        try await subject.storeOfferAnswer(.setUp)
        do {
            try await setUp()
        } catch {
            if wasDeclined { try? await subject.storeOfferAnswer(.never) }
            throw Failure(thrownByApp: error)
        }
    }
}

extension BiometricsToggleModel.State: CustomStringConvertible {
    /// The position in words.
    public var description: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .unavailable: "unavailable"
        }
    }
}
