#if Server
import ThumbturnCore
package import ThumbturnTelemetry

extension PopulationFit {
    /// What a fit to a deployment's own report moves: one number for each figure that the report has.
    package static let movedByReport: [Parameter] = [
        .answerTime, .troubleTime, .trouble, .patience, .otherWayAtOnce, .mismatch,
    ]

    /// The figures of a row of a report, as far as it has them. A server counts each flow as an unlock.
    package static func targets(in row: TelemetryDocument.Row) -> [Target] {
        guard row.unlocks > 0 else { return [] }
        func part(_ count: Int) -> Double { Double(count) / Double(row.unlocks) }
        let ended = (row.mismatchesBeforeSuccess + row.mismatchesBeforeFallback).reduce(0, +)
        let mismatches = [row.mismatchesBeforeSuccess, row.mismatchesBeforeFallback].reduce(0) { sum, counts in
            sum + counts.enumerated().reduce(0) { $0 + $1.offset * $1.element }
        }
        let found: [(PolicyFigures.Figure, Double?)] = [
            (.firstP50, row.firstAttemptTime.p50.map { Double($0) / 1000 }),
            (.firstP95, row.firstAttemptTime.p95.map { Double($0) / 1000 }),
            (.flowTimeouts, part(row.fallbacksByCause["timeout"] ?? 0)),
            (.flowCancels, part(row.cancelsByCode[Failure.Code.cancelledByUser.name] ?? 0)),
            (.flowPIN, part(row.successesByRung[Rung.appPIN.rawValue] ?? 0)),
            (.flowMismatches, ended > 0 ? Double(mismatches) / Double(ended) : nil),
        ]
        // Of nothing there is no relative difference.
        return found.compactMap { figure, value in value.flatMap { $0 > 0 ? Target(figure, $0) : nil } }
    }
}
#endif
