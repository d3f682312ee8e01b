public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// Sets the account's password. The person proves presence for it and does not need the former password.
    ///
    /// The sessions of the account's other devices end; this device's goes on. The server tells the owner.
    ///
    /// - Parameters:
    ///   - password: the new password. Servers of this package take 15 characters and more, and at most 1024 bytes of
    ///     UTF-8.
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked. By default a server takes the sensor's key only.
    /// - Throws: what `send(_:to:json:for:amount:reason:policy:liveness:)` throws; `unexpectedAnswer` for a password that
    ///   the server does not take, before a prompt; `coolingOff` during the device's cool-off.
    public func changePassword(
        to password: String, reason: String, policy: UnlockPolicy = .highRisk
    ) async throws(Failure) {
        let request = Signing.encode(PasswordChangeRequest(password: password))
        _ = try await send("POST", to: "/v1/password", json: request, for: .changePassword, reason: reason, policy: policy)
    }
}
