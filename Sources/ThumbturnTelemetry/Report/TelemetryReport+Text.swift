#if Server
extension TelemetryReport {
    /// The report as aligned columns and sentences, for a terminal.
    package var text: String {
        var parts = [period]
        if !findings.isEmpty { parts.append(findings.map(\.sentence).joined(separator: "\n")) }
        if let total {
            parts.append(ReportTable(self).text)
            parts += ReportTable.details(total.tally).map {
                "\($0.title), all \(Figures.grouped(total.tally[.unlocks])) unlocks\n\($0.table.text)"
            }
        }
        parts.append(notes.joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The period and what is in it.
    var period: String {
        guard let total, let first = total.days.first?.day, let last = total.days.last?.day else {
            return withheldDays == 0
                ? "There are no unlocks in this period." : "Nothing is shown: no day has at least \(leastDevices) devices."
        }
        let days = first == last ? UTCDay.text(first) : "\(UTCDay.text(first)) to \(UTCDay.text(last))"
        return "Unlocks\(policy.map { " of policy \($0)" } ?? "") by \(dimension.heading), \(days), by the server's clock."
    }

    /// What a reader has to know about the numbers.
    var notes: [String] {
        var notes: [String] = []
        // Of days the sentence below tells.
        if withheldRows > 0, dimension != .day, total != nil {
            notes.append(
                "\(Self.counted(withheldRows, "row")) withheld: fewer than \(leastDevices) devices on each day, "
                    + "or needed so that the total does not reveal another row. The total includes them.")
        }
        if dimension != .day, rows.contains(where: { $0.daysWithheld > 0 }) {
            notes.append("Some rows lack days on which they have fewer than \(leastDevices) devices: \(partial).")
        }
        if withheldDays > 0 {
            notes.append(
                "\(Self.counted(withheldDays, "day")) withheld: fewer than \(leastDevices) devices in total. "
                    + "The total does not count them."
            )
        }
        guard total != nil else { return notes }
        notes += [
            "Devices: on the day with the most, because days cannot be united. Exact up to 255, above that an estimate within some 13 %.",
            "P50, P95, P99: time from the first prompt to success, of the unlocks that succeeded, within 1 %.",
            "P95 with cancels: as if the unlocks that were given up had gone on, no slower than others (Kaplan–Meier). "
                + "\(Figures.none) where so many were given up that it is not known.",
            "First attempt, fallback, timeout: of the unlocks in which the sensor was asked.",
            "Given up: cancelled by the person or abandoned.",
        ]
        return notes
    }

    /// The rows that lack days, at most five by name.
    private var partial: String {
        let lacking = rows.filter { $0.daysWithheld > 0 }
        let named = lacking.prefix(5).map { "\($0.value) (\($0.daysWithheld) of \($0.daysWithheld + $0.days.count))" }
        return named.joined(separator: "; ") + (lacking.count > 5 ? "; and \(lacking.count - 5) more" : "")
    }

    static func counted(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(Figures.grouped(number)) \(noun)s"
    }
}
#endif
