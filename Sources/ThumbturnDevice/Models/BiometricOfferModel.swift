public import Observation
public import ThumbturnCore

/// The offer of biometrics, for a card or a sheet after signing in. Its texts are in `BiometricOffer`.
@MainActor @Observable public final class BiometricOfferModel {
    /// Whether to show the offer.
    public private(set) var isShown = false
    /// The message after the answer; nil where there is none.
    public private(set) var message: PersonMessage?

    private let auth: Authenticator
    private let policy: UnlockPolicy
    private let rules: BiometricOffer.Rules
    private let setUp: @Sendable () async throws -> Void

    /// Makes the offer for one account.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - policy: the policy that the biometric key is for.
    ///   - rules: when an offer is due.
    ///   - setUp: enrols anew with the person's full sign-in, which is the stronger rung that a new key needs.
    public init(
        for auth: Authenticator, policy: UnlockPolicy = .unlock, rules: BiometricOffer.Rules = .init(),
        setUp: @escaping @Sendable () async throws -> Void
    ) {
        self.auth = auth
        self.policy = policy
        self.rules = rules
        self.setUp = setUp
    }

    /// Checks whether the offer is due. Silent.
    public func refresh() async {
        isShown = await auth.shouldOfferBiometrics(for: policy, under: rules)
    }

    /// Stores the person's answer, and sets biometrics up where that is the answer.
    public func answer(_ answer: BiometricOffer.Answer) async {
        isShown = false
        message = answer == .setUp ? nil : BiometricOffer.later
        do {
            try await auth.answerBiometricOffer(answer)
            if answer == .setUp { try await setUp() }
        } catch {
            message = Failure(thrownByApp: error).message
        }
    }
}
