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

    /// Replaces a secret if it still has the expected bytes, in one step for all processes that share the store. Nil
    /// stands for no secret, before and after. Throws as `read` and `write` do; then the secret has its old bytes or
    /// the new ones.
    ///
    /// - Returns: false where the store has other bytes; then nothing was changed.
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool
}
