public import ThumbturnCore

/// The port to telemetry: takes the events of each unlock when it has ended.
///
/// A sink is one of the library's (`TelemetryQueue`, on Apple's systems `TelemetryLog`), an app's own, or several of them:
/// `TelemetrySinks`. Without one nothing is collected; see `DevicePlatform.telemetry`.
public protocol TelemetrySink: Sendable {
    /// Takes the report of an unlock that has ended, however it ended, of an earlier one that never came to its end, or of an
    /// answer to the offer of biometrics.
    ///
    /// It is called in the task of the unlock or the answer, whose caller waits for it: hand the report over and return. Several unlocks may
    /// call it at once.
    func take(_ report: UnlockReport)
}

/// Several sinks as one: each of them takes every report, in their order.
public struct TelemetrySinks: TelemetrySink {
    private let sinks: [any TelemetrySink]

    /// Makes one sink of several.
    public init(_ sinks: [any TelemetrySink]) { self.sinks = sinks }

    public func take(_ report: UnlockReport) { for sink in sinks { sink.take(report) } }
}
