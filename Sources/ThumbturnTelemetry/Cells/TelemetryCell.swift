#if Server
package import ThumbturnCore

/// The smallest group by which unlocks are counted: one day, one kind of device, one policy.
package struct TelemetryCell: Hashable, Sendable, Codable {
    /// Days of UTC since 1970-01-01, by the server's clock: a device's clock can be set to any day.
    package var day: Int
    /// The kind of device, the versions, the policy and the arm.
    package var context: TelemetryContext

    /// Makes a cell.
    package init(day: Int, context: TelemetryContext) {
        self.day = day
        self.context = context
    }
}

/// One cell with its numbers.
package struct TelemetryEntry: Equatable, Sendable {
    /// What is counted here.
    package var cell: TelemetryCell
    /// The numbers.
    package var tally: UnlockTally
    /// How many distinct devices they come from.
    package var devices: DistinctDevices

    /// Makes an entry.
    package init(cell: TelemetryCell, tally: UnlockTally, devices: DistinctDevices) {
        self.cell = cell
        self.tally = tally
        self.devices = devices
    }
}
#endif
