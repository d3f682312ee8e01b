#if Server
/// Days of UTC as text.
package enum UTCDay {
    /// The day as `2026-11-20` (RFC 3339 section 5.6). A day before year 1 or after 9999 has no such form and is written as its
    /// number.
    package static func text(_ day: Int) -> String {
        guard (-719_162...2_932_896).contains(day) else { return "day \(day)" }
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: years begin on 1 March.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    }

    /// The day on which a time of UTC falls.
    package static func number(ofSecond second: Int64) -> Int {
        let (day, rest) = second.quotientAndRemainder(dividingBy: 86_400)
        return Int(rest < 0 ? day - 1 : day)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}
#endif
