public import Observation
public import ThumbturnCore

/// The offer of biometrics, for a card or a sheet after signing in. It names the device's sensor; where no face or finger
/// is enrolled yet, it says how to add one.
///
/// On a first start it comes after `signIn(with:)` and before the system's dialog:
///
///     try await auth.signIn(with: login)
///     let offer = BiometricOfferModel(for: auth) { try await auth.addBiometrics() }
///     await offer.refresh()
@MainActor @Observable public final class BiometricOfferModel {
    /// Whether to show the offer.
    public private(set) var isShown = false
    /// The offer's title.
    public let title = BiometricOffer.title
    /// The offer's text.
    public private(set) var text = BiometricOffer.text
    /// The buttons, in their order. `answer(_:)` takes the answer of the one that was pressed.
    public private(set) var buttons = BiometricOffer.buttons
    /// The message after the answer; nil where there is none.
    public private(set) var message: PersonMessage?

    private let subject: any Unlockable
    private let policy: UnlockPolicy
    private let rules: BiometricOffer.Rules
    private let setUp: @Sendable () async throws -> Void
    private let recover: @MainActor (Recovery) -> Void
    /// The device's sensor; nil until `refresh()`, and where there is none.
    public private(set) var sensor: SensorName?
    /// What the person has to do before biometrics can be set up; nil where there is nothing.
    private var missing: Failure?
    /// Counts refreshes and answers: what a refresh read is shown only where neither came after it.
    @ObservationIgnored private var lastChange = 0

    /// Makes the offer for one account.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - policy: the policy that the biometric key is for.
    ///   - rules: when an offer is due.
    ///   - setUp: makes the key, with the full sign-in that a new key needs: `addBiometrics()` just after `signIn(with:)`,
    ///     `replaceBiometricKey(with:)` on a device that is enrolled without biometrics.
    ///   - recover: opens the system's settings, where no face or finger is enrolled yet.
    public convenience init(
        for auth: Authenticator, policy: UnlockPolicy = .unlock, rules: BiometricOffer.Rules = .init(),
        setUp: @escaping @Sendable () async throws -> Void, recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        self.init(subject: auth, policy, rules, setUp: setUp, recover: recover)
    }

    /// Makes the offer for a vault. Setting up unlocks it: the first unlock makes the vault, and an unlock by the passcode lets
    /// the sensor open one that it did not open.
    ///
    /// - Parameters:
    ///   - vault: the vault that the sensor would open.
    ///   - reason: shown in the system's prompt when the person sets biometrics up.
    ///   - rules: when an offer is due.
    ///   - recover: opens the system's settings, where no face or finger is enrolled yet.
    public convenience init(
        for vault: Vault, reason: String, rules: BiometricOffer.Rules = .init(),
        recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        self.init(subject: vault, vault.policy, rules, setUp: { try await vault.unlocked(reason) { _ in } }, recover: recover)
    }

    private init(
        subject: any Unlockable, _ policy: UnlockPolicy, _ rules: BiometricOffer.Rules,
        setUp: @escaping @Sendable () async throws -> Void, recover: @escaping @MainActor (Recovery) -> Void
    ) {
        self.subject = subject
        self.policy = policy
        self.rules = rules
        self.setUp = setUp
        self.recover = recover
    }

    /// Checks whether the offer is due. Silent.
    public func refresh() async {
        lastChange += 1
        let change = lastChange
        let readiness = await subject.readiness(for: policy)
        let isDue = await subject.shouldOfferBiometrics(readiness, under: rules)
        guard change == lastChange else { return }
        sensor = readiness.sensor
        missing = readiness.biometry == .notEnrolled ? readiness.biometry.obstacle : nil
        text = (missing?.message ?? BiometricOffer.text).naming(sensor)
        buttons = BiometricOffer.buttons.map {
            ($0.answer, $0.answer == .setUp ? missing?.recovery.button ?? $0.words : $0.words)
        }
        isShown = isDue
    }

    /// Stores the person's answer, and sets biometrics up where that is the answer. Where no face or finger is enrolled the
    /// person is led to the settings, and the offer stays: call `refresh()` when the app comes back.
    public func answer(_ answer: BiometricOffer.Answer) async {
        if answer == .setUp, let missing { return recover(missing.recovery) }
        lastChange += 1
        isShown = false
        message = answer == .setUp ? nil : BiometricOffer.later
        do {
            try await subject.answerBiometricOffer(answer)
            // A refresh that began meanwhile may not have seen the answer.
            lastChange += 1
            if answer == .setUp { try await setUp() }
        } catch {
            message = Failure(thrownByApp: error).message.naming(sensor)
        }
    }
}
