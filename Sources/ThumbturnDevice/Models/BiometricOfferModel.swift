public import Observation
public import ThumbturnCore

/// The offer of biometrics, for a card or a sheet after signing in. Its words are in `BiometricOffer`.
@MainActor @Observable public final class BiometricOfferModel {
    /// Whether to show the offer.
    public private(set) var isShown = false
    /// What is said after the answer; nil where there is nothing to say.
    public private(set) var message: PersonMessage?

    private let auth: Authenticator
    private let policy: UnlockPolicy
    private let rules: BiometricOffer.Rules
    private let setUp: @Sendable () async throws -> Void

    /// An offer for one account.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - policy: whose keys are meant.
    ///   - rules: when an offer is made.
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

    /// Finds out whether the offer is due. Silent.
    public func refresh() async {
        isShown = await auth.shouldOfferBiometrics(for: policy, under: rules)
    }

    /// Takes the person's answer, and keeps it.
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
