import ThumbturnCore

/// An account or a vault, as screens and settings see it.
protocol UnlockOwner: Sendable {
    /// Its name in the line of prompts.
    nonisolated var asker: String { get }
    nonisolated var platform: DevicePlatform { get }
    nonisolated var news: UnlockNewsRelay { get }

    /// What can be done now. A vault has a policy of its own.
    func readiness(for policy: UnlockPolicy) async -> Readiness
    func prompt(_ reason: String) async
    func useAnotherWay(_ reason: String) async

    /// Whether to offer biometrics now.
    func shouldOfferBiometrics(_ readiness: Readiness, under rules: BiometricOffer.Rules) async -> Bool
    func biometricOffer() async throws(Failure) -> BiometricOffer
    func answerBiometricOffer(_ answer: BiometricOffer.Answer) async throws(Failure)
    func declineBiometrics() async throws(Failure)
    /// Whether a biometric key can be made on this device now.
    func canSetUpBiometrics(_ readiness: Readiness) async -> Bool
}

extension Authenticator: UnlockOwner {
    func canSetUpBiometrics(_ readiness: Readiness) -> Bool { readiness.isEnrolled }
}

extension Vault: UnlockOwner {
    func readiness(for policy: UnlockPolicy) async -> Readiness { await readiness() }
    /// The first unlock makes the vault.
    func canSetUpBiometrics(_ readiness: Readiness) -> Bool { true }
}
