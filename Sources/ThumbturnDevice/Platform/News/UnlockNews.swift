public import ThumbturnCore

/// An event of a running unlock or another ceremony, for screens and for telemetry.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum UnlockNews: Sendable, Hashable, CustomStringConvertible {
    /// The moment to offer another way beside the prompt, without covering it. `Question.useAnotherWay()` takes
    /// it.
    case hint(Rung)
    /// The sensor saw too little and asks again, which is no mismatch: a screen may say “a little longer”.
    case readPoorly(PoorReading)
    /// Something is missing that the person could set up: a screen may offer it beside the unlock. The failure's
    /// recovery leads to the settings.
    case offerSetUp(Failure)
    /// The ladder moved on to another rung. The screens cross-fade over this time: `UnlockPolicy.transition`.
    case moved(from: Rung, to: Rung, because: Trigger, over: Duration)
    /// A ceremony begins: a call that asks the person, or may ask. The number tells it from others that run beside it; its end
    /// has the same one.
    case began(AskKind, number: Int)
    /// A ceremony has ended, with the code of its failure; nil where it succeeded.
    case ended(AskKind, number: Int, Failure.Code?)
    /// An event to count, with the time and with what it is counted by. It carries no identifiers.
    case telemetry(TelemetryRecord)

    /// The event in words, without identifiers.
    public var description: String {
        switch self {
        case .hint(let rung): "hint: \(rung)"
        case .readPoorly(let reading): "poor reading: \(reading)"
        case .offerSetUp(let failure): "set-up offered: \(failure.code.name)"
        case .moved(let from, let to, let trigger, over: _): "moved from \(from) to \(to): \(trigger)"
        case .began(let ceremony, number: let number): "\(ceremony) \(number) began"
        case .ended(let ceremony, number: let number, let code): "\(ceremony) \(number) ended: \(code?.name ?? "succeeded")"
        case .telemetry(let record): "telemetry: \(record)"
        }
    }
}
