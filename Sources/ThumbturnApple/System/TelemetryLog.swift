#if canImport(os)
public import ThumbturnCore
public import ThumbturnDevice
import os

/// Writes the report of each unlock to the system's log: one message at the level `notice`, with how it ended, and one at `debug`
/// for each of its events.
///
///     platform.telemetry = TelemetrySinks([TelemetryLog(), telemetry])
///
/// The subsystem is `thumbturn`, and the category `telemetry`. `Signposts` writes events at the moment when they happen, by
/// ceremony; this writes what a server is told.
public struct TelemetryLog: TelemetrySink {
    private let logger: Logger

    /// Makes a log.
    ///
    /// - Parameter subsystem: the name by which Console filters.
    public init(subsystem: String = "thumbturn") { logger = Logger(subsystem: subsystem, category: "telemetry") }

    public func take(_ report: UnlockReport) {
        // Labels name many devices alike, and events have no place for free text.
        for event in report.events { logger.debug("\(event.description, privacy: .public)") }
        let end = report.events.last?.description ?? "no events"
        logger.notice("\(end, privacy: .public): \(report.description, privacy: .public)")
    }
}
#endif
