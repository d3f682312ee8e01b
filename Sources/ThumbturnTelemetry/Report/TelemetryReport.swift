#if Server
package import ThumbturnCore

/// Numbers of many unlocks by one dimension, as text, JSON, CSV and a page.
///
/// Groups of fewer than `leastDevices` distinct devices are withheld: `ReportGroups` has the rule. The devices of a row are
/// those of the day on which it has the most, because devices of two days cannot be recognised as the same: a lower bound.
package struct TelemetryReport: Sendable {
    /// By what the rows are made.
    package let dimension: TelemetryDimension
    /// The only policy whose unlocks are told; nil for all.
    package let policy: String?
    /// How many distinct devices a group must have to be shown.
    package let leastDevices: Int
    /// One row for each value that is shown, most unlocks first; days in their order.
    package let rows: [Row]
    /// All unlocks of the days that have enough devices, also those of withheld rows; nil where no day has.
    package let total: Row?
    /// How many values have no row, because on each day they have too few devices or hide another value that has.
    package let withheldRows: Int
    /// How many days are not in the report at all, because they have too few devices in total.
    package let withheldDays: Int
    /// The rows that differ clearly from all others, the worst first.
    package let findings: [Finding]

    /// The unlocks of one value.
    package struct Row: Sendable {
        /// The value of the dimension.
        package var value: String
        /// The numbers of the days that are shown.
        package var tally: UnlockTally
        /// About how many distinct devices it has on the day with the most: above 255 an estimate.
        package var devices: Int
        /// The days that are shown, ascending.
        package var days: [DayPoint]
        /// On how many days the value is withheld.
        package var daysWithheld: Int
    }

    /// Quantiles of one day. It has no counts.
    package struct DayPoint: Hashable, Sendable {
        /// Days of UTC since 1970.
        package var day: Int
        /// The median time to authenticate of the unlocks that succeeded, in seconds; nil of none.
        package var median: Double?
        /// The P95 of it.
        package var p95: Double?
        /// The median time to a match of the sensor, from the appearance of its prompt, in seconds; nil of none.
        package var sensorMedian: Double?
    }

    /// Makes a report of entries in any order. Cells that occur twice are merged.
    ///
    /// - Parameters:
    ///   - policy: the only policy whose unlocks are told; nil for all. The entries have those of all policies nevertheless: what is
    ///     withheld depends on them.
    ///   - leastDevices: how many distinct devices a group must have to be shown.
    package init(
        _ entries: some Sequence<TelemetryEntry>, by dimension: TelemetryDimension, of policy: TelemetryLabel? = nil,
        leastDevices: Int = 20
    ) {
        let groups = ReportGroups(entries, by: dimension, of: policy, leastDevices: leastDevices)
        self.dimension = dimension
        self.policy = policy?.text
        self.leastDevices = leastDevices
        var rows: [String: Row] = [:]
        var total = Row(
            value: "total", tally: UnlockTally(), devices: 0, days: [], daysWithheld: groups.daysWithheldWhole)
        for day in groups.days {
            for (value, group) in day.shown {
                rows[
                    value,
                    default: Row(
                        value: value, tally: UnlockTally(), devices: 0, days: [], daysWithheld: groups.withheldDays[value] ?? 0)
                ].add(group, on: day.day)
            }
            total.add(day.total, on: day.day)
        }
        self.rows = rows.values.sorted {
            let isEarlier = ($0.days.first?.day ?? 0) < ($1.days.first?.day ?? 0)
            if dimension == .day { return isEarlier }
            let (own, other) = ($0.tally[.unlocks], $1.tally[.unlocks])
            return own == other ? $0.value < $1.value : own > other
        }
        self.total = total.days.isEmpty ? nil : total
        withheldRows = groups.withheldDays.keys.count { rows[$0] == nil }
        withheldDays = groups.daysWithheldWhole
        findings = dimension == .day ? [] : Finding.all(in: groups, leastDevices: leastDevices)
    }
}

extension TelemetryReport.Row {
    fileprivate mutating func add(_ group: ReportGroups.Group, on day: Int) {
        tally.merge(group.tally)
        devices = max(devices, group.devices.estimate)
        let quantiles = group.tally.timesToAuthenticate.quantiles([0.5, 0.95])
        days.append(
            .init(
                day: day, median: quantiles[0]?.inSeconds, p95: quantiles[1]?.inSeconds,
                sensorMedian: group.tally[UnlockTally.Times.sensorMatched].quantile(0.5)?.inSeconds))
    }
}
#endif
