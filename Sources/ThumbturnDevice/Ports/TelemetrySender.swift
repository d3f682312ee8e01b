/// The port to what takes batches of reports: a server of ours (`ServerTelemetry`), or an app's own back end.
public protocol TelemetrySender: Sendable {
    /// Whose reports it is given. `everyone` is for a sender whose server learns of no account; one that sends in an account's
    /// name takes that account's: `only(_:vaults:)`.
    var scope: TelemetryScope { get }

    /// Sends one batch: JSON in UTF-8 of at most 256 KiB.
    ///
    ///     {"batch": "hNn0…", "day": "pX3k…", "unlocks": [{"context": {…}, "began": 1790000000, "events": […]}]}
    ///
    /// `batch` names the batch; the same one may come again where its answer was lost, and counts once. `day` names the device
    /// for one day of UTC. `Telemetry` and `TelemetryContext` document the rest. The task is cancelled when telemetry is
    /// switched off; an answer that takes longer than a minute counts as `later`.
    func send(_ batch: [UInt8]) async -> TelemetryAnswer
}

/// What became of a batch of reports.
public enum TelemetryAnswer: Hashable, Sendable {
    /// It was taken.
    case taken
    /// It will never be taken, so it is dropped.
    case refused
    /// It was not taken now, or no answer came. It goes again after a growing delay, and no sooner than the server asked for.
    case later(after: Duration?)

    /// What an HTTP status says: a success is `taken`; 400, 413 and 422, which find fault with the batch itself, are `refused`;
    /// all others are `later`.
    ///
    /// - Parameters:
    ///   - status: the status of the answer.
    ///   - retryAfter: the value of `Retry-After` (RFC 9110 section 10.2.3). Only seconds count; a date depends on a clock that
    ///     the person can set.
    public init(status: Int, retryAfter: String? = nil) {
        self =
            switch status {
            case 200..<300: .taken
            case 400, 413, 422: .refused
            default: .later(after: retryAfter.flatMap(Self.seconds))
            }
    }

    private static func seconds(_ text: String) -> Duration? {
        // As many digits as a day has seconds, and some more.
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text).map { .seconds($0) }
    }
}

extension TelemetryAnswer: CustomStringConvertible {
    /// For example `later, after 30.0 seconds`.
    public var description: String {
        switch self {
        case .taken: "taken"
        case .refused: "refused"
        case .later(let delay): delay.map { "later, after \($0)" } ?? "later"
        }
    }
}
