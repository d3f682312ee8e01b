import ThumbturnCore

/// An account or a vault, as screens and settings see it.
protocol Unlockable: Sendable {
    /// Its name in the line of prompts.
    nonisolated var asker: String { get }
    nonisolated var platform: DevicePlatform { get }
    nonisolated var news: UnlockNewsRelay { get }

    /// What can be done now. A vault has a policy of its own.
    func readiness(for policy: UnlockPolicy) async -> Readiness

    /// Whether to offer biometrics now.
    func shouldOfferBiometrics(_ readiness: Readiness, under rules: BiometricOffer.Rules) async -> Bool
    func biometricOffer() async throws(Failure) -> BiometricOffer
    func answerBiometricOffer(_ answer: BiometricOffer.Answer) async throws(Failure)
    func storeOfferAnswer(_ answer: BiometricOffer.Answer) async throws(Failure)
    func declineBiometrics() async throws(Failure)
    /// Whether a biometric key can be made on this device now.
    func canSetUpBiometrics(_ readiness: Readiness) async -> Bool
}

extension Authenticator: Unlockable {
    func canSetUpBiometrics(_ readiness: Readiness) -> Bool { readiness.isEnrolled }
}

extension Vault: Unlockable {
    func readiness(for policy: UnlockPolicy) async -> Readiness { await readiness() }
    /// The first unlock makes the vault, and the passcode lets the sensor open one. Where only the sensor opened it, a new face
    /// has ended it for good.
    func canSetUpBiometrics(_ readiness: Readiness) -> Bool {
        guard readiness.ladder.contains(.biometric) else { return false }
        return !readiness.state(of: .biometric).isDead || !readiness.usableRungs.isEmpty
    }
}
