public import ThumbturnCore

/// The port to small secrets that need no prompt, such as tokens that are bound to the session key.
public protocol SecretStore: Sendable {
    /// Reads the secret of this name; nil where there is none. Throws `notYetReadable` where the device has to be
    /// unlocked first, and `keyInvalidated` with `reEnrol` where it can never be read again, for example because a
    /// backup brought it without its key.
    func read(_ name: String) async throws(Failure) -> [UInt8]?

    /// Stores a secret, replacing one of the same name. It is durable when this returns.
    func write(_ secret: [UInt8], as name: String) async throws(Failure)

    /// Deletes a secret; one that is not there is no failure.
    func delete(_ name: String) async throws(Failure)
}
