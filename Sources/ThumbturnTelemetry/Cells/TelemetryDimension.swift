#if Server
internal import ThumbturnCore

/// A member of a cell by which a report makes its rows.
package enum TelemetryDimension: String, CaseIterable, Sendable {
    /// The day of UTC, as `2026-11-20`.
    case day
    /// The system, such as `iOS`.
    case system
    /// The model of the device.
    case model
    /// The version of the system.
    case os
    /// The device's sensor.
    case sensor
    /// The version of the app.
    case app
    /// The policy of the unlock.
    case policy
    /// The arm of an experiment.
    case arm

    /// What a cell has here. A cell without it is `unknown`.
    package func value(of cell: TelemetryCell) -> String {
        let context = cell.context
        let value: String? =
            switch self {
            case .day: UTCDay.text(cell.day)
            case .system: context.system?.text
            case .model: context.model?.text
            case .os: context.systemVersion?.text
            case .sensor: context.sensor?.rawValue
            case .app: context.appVersion?.text
            case .policy: context.policy?.text
            case .arm: context.arm?.text
            }
        return value ?? Self.unknown
    }

    /// The value of cells that do not tell.
    package static let unknown = "unknown"

    /// The heading of the column.
    package var heading: String {
        switch self {
        case .day: "day"
        case .system: "system"
        case .model: "model"
        case .os: "system version"
        case .sensor: "sensor"
        case .app: "app version"
        case .policy: "policy"
        case .arm: "arm"
        }
    }
}
#endif
