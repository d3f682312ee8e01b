public import ThumbturnCore

/// The outcome of a successful authentication.
public struct Grant: UnlockSuccess, CustomStringConvertible {
    /// The ask that the person answered. Where an earlier unlock or step-up stands in for this one, it is that one's.
    public let answered: AnsweredAsk
    /// The tokens. After a step-up there is only an access token, and the session goes on beside it.
    public let session: DeviceSession

    /// The rung whose key answered.
    public var rung: Rung { answered.rung }

    /// The rung, without the tokens.
    public var description: String { "granted by \(rung.rawValue)" }
}
