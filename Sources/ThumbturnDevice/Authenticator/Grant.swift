public import ThumbturnCore

/// The outcome of a successful authentication.
public struct Grant: Sendable, CustomStringConvertible {
    /// The rung whose key answered.
    public let rung: Rung
    /// The tokens. After a step-up there is only an access token, and the session goes on beside it.
    public let session: DeviceSession

    /// The rung, without the tokens.
    public var description: String { "granted by \(rung.rawValue)" }
}
