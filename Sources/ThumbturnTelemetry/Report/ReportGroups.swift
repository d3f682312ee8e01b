#if Server
internal import ThumbturnCore

/// The entries of a report, summed by day and by the values of one dimension, without the groups that must not be shown.
///
/// **What is withheld.** A group, which is one value on one day, is shown where it has at least `leastDevices` distinct devices
/// on that day. Where a group is withheld, the day's total minus the groups that are shown would be that group. So a day's
/// withheld groups are at least two and together have at least `leastDevices` devices; where they are fewer, the smallest group
/// that is shown is withheld, too, and so on. A day with fewer devices in total is withheld whole. Rows and the total are sums
/// over days of what is shown of each day. So the difference of two reports of one dimension, with other days or between the
/// total and its rows, is a sum of groups of at least `leastDevices` devices each.
///
/// Reports of single policies are subtracted from one of all. So the same rule is applied to the policies of a day, and to those of
/// each of its values, and a report of one policy shows only where the rule does not withhold that policy.
///
/// It does not protect against comparing reports by two dimensions whose groups happen to be almost the same, nor two reports of a
/// day that is not over.
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

    /// One value of one day.
    private struct Parts {
        /// What is summed.
        var group = Group()
        /// The devices with unlocks, by the policies of these.
        var policies: [String: DistinctDevices] = [:]

        mutating func add(_ entry: TelemetryEntry, isSummed: Bool) {
            // Answers to offers are no unlocks: their devices make no group larger, nor one that would have to be hidden.
            let hasUnlocks = entry.tally[.unlocks] > 0
            if isSummed { group.merge(entry.tally, hasUnlocks ? entry.devices : DistinctDevices()) }
            guard hasUnlocks else { return }
            policies[entry.cell.context.policy?.text ?? "", default: DistinctDevices()].merge(entry.devices)
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
        var parts: [Int: [String: Parts]] = [:]
        for entry in entries {
            parts[entry.cell.day, default: [:]][dimension.value(of: entry.cell), default: Parts()]
                .add(entry, isSummed: policy == nil || entry.cell.context.policy == policy)
        }
        var days: [Day] = []
        var withheldDays: [String: Int] = [:]
        var whole = 0
        for (day, parts) in parts.sorted(by: { $0.key < $1.key }) {
            let groups = parts.mapValues(\.group).filter { $0.value.tally[.unlocks] > 0 }
            guard !groups.isEmpty else { continue }
            for value in groups.keys { withheldDays[value, default: 0] += 0 }
            var total = groups.values.reduce(into: Group()) { $0.merge($1.tally, $1.devices) }
            let policies = parts.values.reduce(into: [String: DistinctDevices]()) { sum, part in
                sum.merge(part.policies) { $0.merged($1) }
            }
            guard total.devices.estimate >= leastDevices, Self.tells(policy, among: policies, leastDevices) else {
                for value in groups.keys { withheldDays[value, default: 0] += 1 }
                whole += 1
                continue
            }
            let untold = Set(parts.filter { !Self.tells(policy, among: $0.value.policies, leastDevices) }.keys)
            let withheld = Self.withheld(of: groups.mapValues(\.devices), untold, leastDevices)
            for value in withheld { withheldDays[value, default: 0] += 1 }
            let shown = groups.filter { !withheld.contains($0.key) }.mapValues { $0.withOffers(ofAtLeast: leastDevices) }
            // Of answers to offers the total has those of the groups that show them, so that nothing is left by subtraction. A value
            // that has nothing else is no row.
            let offersAlone = parts.filter { groups[$0.key] == nil }.map { $0.value.group.withOffers(ofAtLeast: leastDevices) }
            total.tally.setOffers(of: shown.values.map(\.tally) + offersAlone.map(\.tally))
            days.append(Day(day: day, shown: shown, total: total))
        }
        self.days = days
        self.withheldDays = withheldDays
        daysWithheldWhole = whole
    }

    /// Whether one policy may be told alone, beside what is told of all policies and of each other one.
    private static func tells(
        _ policy: TelemetryLabel?, among policies: [String: DistinctDevices], _ leastDevices: Int
    ) -> Bool {
        guard let policy else { return true }
        return !withheld(of: policies, [], leastDevices).contains(policy.text)
    }

    /// The names whose groups are withheld: those of few devices and those that must be, and where they are fewer than two or have few
    /// devices together, the smallest others with them.
    private static func withheld(
        of groups: [String: DistinctDevices], _ mustBe: Set<String>, _ leastDevices: Int
    ) -> Set<String> {
        var withheld = Set(groups.filter { $0.value.estimate < leastDevices || mustBe.contains($0.key) }.keys)
        guard !withheld.isEmpty else { return [] }
        var devices = withheld.reduce(into: DistinctDevices()) { $0.merge(groups[$1] ?? DistinctDevices()) }
        // Ascending, so that they are the same groups for the same entries in any order.
        let others = groups.filter { !withheld.contains($0.key) }
            .sorted { ($0.value.estimate, $0.key) < ($1.value.estimate, $1.key) }
        for (name, group) in others where withheld.count < 2 || devices.estimate < leastDevices {
            withheld.insert(name)
            devices.merge(group)
        }
        return withheld
    }
}

extension ReportGroups.Group {
    /// The group with its answers to offers, where there are so many of them.
    fileprivate func withOffers(ofAtLeast least: Int) -> Self {
        guard tally.offers < least else { return self }
        var group = self
        group.tally.setOffers(of: [])
        return group
    }
}

extension DistinctDevices {
    fileprivate func merged(_ other: DistinctDevices) -> DistinctDevices {
        var devices = self
        devices.merge(other)
        return devices
    }
}
#endif
