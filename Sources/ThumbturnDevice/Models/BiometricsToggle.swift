public import Observation
public import ThumbturnCore

/// The switch in an app's settings. It is on where a key behind the sensor works: that is looked up, never stored, so it cannot say "on"
/// where nothing would happen.
@MainActor @Observable public final class BiometricsToggle {
    /// What the switch shows.
    public enum State: Hashable, Sendable {
        /// There is a key behind the sensor.
        case on
        /// There is no key behind the sensor, and one can be made.
        case off
        /// It cannot be switched on now; `message` says why.
        case unavailable
    }

    /// What the switch shows now.
    public private(set) var state = State.unavailable
    /// Why it is as it is, or why it did not change; nil where there is nothing to say.
    public private(set) var message: PersonMessage?
    /// Whether it is changing now.
    public private(set) var isBusy = false

    private let auth: Authenticator
    private let policy: UnlockPolicy
    private let setUp: @Sendable () async throws -> Void

    /// A switch for one account.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - policy: whose keys are meant.
    ///   - setUp: enrols anew with the person's full sign-in, which is the stronger rung that a new key needs.
    public init(
        for auth: Authenticator, policy: UnlockPolicy = .unlock, setUp: @escaping @Sendable () async throws -> Void
    ) {
        self.auth = auth
        self.policy = policy
        self.setUp = setUp
    }

    /// Looks again: when the screen appears, and when the app comes back to it.
    public func refresh() async {
        let readiness = await auth.readiness(for: policy)
        message = readiness.biometry.obstacle?.message
        if readiness.state(of: .biometric).isAlive {
            state = .on
        } else {
            state = readiness.biometry == .ready && readiness.isEnrolled ? .off : .unavailable
        }
    }

    /// The person moves the switch. It stays where it was unless the key says otherwise.
    public func set(_ isOn: Bool) async {
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        let failure: Failure?
        do throws(Failure) {
            if isOn { try await switchOn() } else { try await auth.declineBiometrics() }
            failure = nil
        } catch {
            failure = error
        }
        await refresh()
        if let failure { message = failure.message }
    }

    private func switchOn() async throws(Failure) {
        let wasDeclined = try await auth.biometricOffer().isDeclined
        try await auth.answerBiometricOffer(.setUp)
        do {
            try await setUp()
        } catch {
            if wasDeclined { try? await auth.answerBiometricOffer(.never) }
            throw Failure(thrownByApp: error)
        }
    }
}
