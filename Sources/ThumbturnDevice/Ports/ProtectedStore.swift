public import ThumbturnCore

/// The port to secrets that the platform releases only after a prompt, such as the key of a vault.
///
/// Names have the server `Vault.realm`, which is no address, so no name here is the name of a key in `DeviceKeys`. Only
/// the kinds `biometric` and `passcode` occur.
public protocol ProtectedStore: Sendable {
    /// Stores a secret, replacing one of the same name as a whole: after a crash there is the old one or the new one.
    /// It is durable when this returns. Never prompts. Throws the obstacle where the rung cannot be used on this
    /// device.
    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure)

    /// Releases a secret for the presence that a prompt for this name gave. Throws `notMatched` for any other presence,
    /// `keyInvalidated` with `reEnrol` where the secret is gone for good, and `notEnrolled` where it never existed.
    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes

    /// The state of a secret, without a prompt: `invalidated` where the access demands that the enrolled faces and
    /// fingers do not change, and they did, or where the passcode was removed; `missing` where the system deletes such
    /// secrets.
    func state(of name: KeyName) async -> KeyState

    /// Deletes a secret; one that is not there is no failure. Never prompts.
    func delete(_ name: KeyName) async throws(Failure)
}
