public import ThumbturnCore

/// What a screen and a telemetry sink may want to know of a running unlock.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum UnlockNews: Sendable, Hashable {
    /// Offer another way beside the prompt, without covering it. `Authenticator.useAnotherWay()` takes it.
    case hint(Rung)
    /// The sensor saw too little and asks again: a screen may say “a little longer”. It is no mismatch.
    case readPoorly(PoorReading)
    /// Offer to set up what is missing, without standing in the way; its recovery leads to the settings.
    case offerSetUp(Failure)
    /// The ladder moved on.
    case moved(from: Rung, to: Rung, because: Trigger)
    /// Something to count; it carries no identifiers.
    case telemetry(Telemetry)
}
