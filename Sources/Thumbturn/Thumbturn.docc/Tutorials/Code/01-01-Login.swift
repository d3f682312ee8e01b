import LocalAuthentication

/// Gives the account's token out when the system says that the face matched.
struct Login {
    var token: String

    func signIn() async throws -> String? {
        let context = LAContext()
        let isOwner = try await context.evaluatePolicy(
            .deviceOwnerAuthenticationWithBiometrics, localizedReason: "Open your account")
        return isOwner ? token : nil
    }
}
