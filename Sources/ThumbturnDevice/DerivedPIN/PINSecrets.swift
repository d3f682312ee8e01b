public import ThumbturnCore

/// The port to the device's half of a derived PIN key: for each key a random secret that computes an HMAC-SHA-256 and
/// never leaves the device. On Android it is a key of the Keystore.
public protocol PINSecrets: Sendable {
    /// Makes a new secret. One of the same name is replaced.
    func create(_ name: KeyName) async throws(Failure)

    /// Computes the HMAC-SHA-256 of the message, 32 bytes. Throws `notEnrolled` with `signInAgain` where there is no
    /// such secret.
    func authenticate(_ message: [UInt8], with name: KeyName) async throws(Failure) -> [UInt8]

    /// Whether the secret is there, without a prompt.
    func state(of name: KeyName) async -> KeyState

    /// Deletes a secret; one that is not there is no failure.
    func delete(_ name: KeyName) async throws(Failure)

    /// Deletes every secret of this server and account, whatever its number; none is no failure.
    func deleteAll(server: String, account: String) async throws(Failure)
}
