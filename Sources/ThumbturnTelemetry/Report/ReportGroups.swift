#if Server
internal import ThumbturnCore

/// The entries of a report, summed by day and by the values of one dimension, without the groups that must not be shown.
///
/// **What is withheld.** A group, which is one value on one day, is shown where it has at least `leastDevices` distinct devices
/// on that day. Where a group is withheld, the day's total minus the groups that are shown would be that group. So a day's
/// withheld groups are at least two and together have at least `leastDevices` devices; where they are fewer, the smallest group
/// that is shown is withheld, too, and so on. A day with fewer devices in total is withheld whole. Rows and the total are sums
/// over days of what is shown of each day. So the difference of two reports of one dimension, with other days or between the
/// total and its rows, is a sum of groups of at least `leastDevices` devices each. A report of one policy alone is subtracted from
/// one of all: so a group is withheld, too, where what the other policies have of it is of fewer than `leastDevices` devices. It does
/// not protect against comparing reports by two dimensions whose groups happen to be almost the same, nor two reports of a day
/// that is not over.
struct ReportGroups {
    /// What belongs together on one day.
    struct Group {
        var tally = UnlockTally()
        var devices = DistinctDevices()

        mutating func merge(_ tally: UnlockTally, _ devices: DistinctDevices) {
            self.tally.merge(tally)
            self.devices.merge(devices)
        }
    }

    /// What may be shown of one day.
    struct Day {
        let day: Int
        /// By the value of the dimension.
        let shown: [String: Group]
        /// All groups of the day, also those that are withheld.
        let total: Group
    }

    /// The days of which something is shown, ascending.
    let days: [Day]
    /// Every value, and on how many days its group is withheld.
    let withheldDays: [String: Int]
    /// How many days are withheld whole.
    let daysWithheldWhole: Int

    /// - Parameter policy: the only policy whose unlocks are summed; nil for all.
    init(
        _ entries: some Sequence<TelemetryEntry>, by dimension: TelemetryDimension, of policy: TelemetryLabel?, leastDevices: Int
    ) {
        var groups: [Int: [String: Group]] = [:]
        // The devices of the policies that are left out.
        var others: [Int: [String: DistinctDevices]] = [:]
        for entry in entries {
            let (day, value) = (entry.cell.day, dimension.value(of: entry.cell))
            if policy == nil || entry.cell.context.policy == policy {
                groups[day, default: [:]][value, default: Group()].merge(entry.tally, entry.devices)
            } else {
                others[day, default: [:]][value, default: DistinctDevices()].merge(entry.devices)
            }
        }
        var days: [Day] = []
        var withheldDays: [String: Int] = [:]
        var whole = 0
        for (day, groups) in groups.sorted(by: { $0.key < $1.key }) {
            for value in groups.keys { withheldDays[value, default: 0] += 0 }
            let total = groups.values.reduce(into: Group()) { $0.merge($1.tally, $1.devices) }
            let left = others[day] ?? [:]
            let leftInAll = left.values.reduce(into: DistinctDevices()) { $0.merge($1) }
            guard total.devices.estimate >= leastDevices, left.isEmpty || leftInAll.estimate >= leastDevices else {
                for value in groups.keys { withheldDays[value, default: 0] += 1 }
                whole += 1
                continue
            }
            let withheld = Self.withheld(of: groups, leaving: left, leastDevices)
            for value in withheld { withheldDays[value, default: 0] += 1 }
            days.append(Day(day: day, shown: groups.filter { !withheld.contains($0.key) }, total: total))
        }
        self.days = days
        self.withheldDays = withheldDays
        daysWithheldWhole = whole
    }

    /// The values whose groups of a day are withheld.
    ///
    /// - Parameter left: the devices of the policies that are left out, by the same values.
    private static func withheld(
        of groups: [String: Group], leaving left: [String: DistinctDevices], _ leastDevices: Int
    ) -> Set<String> {
        let mustBe = groups.filter { value, group in
            group.devices.estimate < leastDevices || left[value].map { $0.estimate < leastDevices } ?? false
        }
        guard !mustBe.isEmpty else { return [] }
        var withheld = Set(mustBe.keys)
        var devices = mustBe.values.reduce(into: DistinctDevices()) { $0.merge($1.devices) }
        // Ascending, so that they are the same groups for the same entries in any order.
        let others = groups.filter { !withheld.contains($0.key) }
            .sorted { ($0.value.devices.estimate, $0.key) < ($1.value.devices.estimate, $1.key) }
        for (value, group) in others where withheld.count < 2 || devices.estimate < leastDevices {
            withheld.insert(value)
            devices.merge(group.devices)
        }
        return withheld
    }
}
#endif
