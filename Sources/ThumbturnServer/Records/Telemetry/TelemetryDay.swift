#if Server
package import ThumbturnCore
import ThumbturnTelemetry

/// A day of UTC by the server's clock.
package struct TelemetryDay: Hashable, Sendable {
    /// The days since 1970-01-01.
    package var number: Int

    package init(number: Int) { self.number = number }

    /// The day of a moment.
    package init(of time: UnixTime) { number = UTCDay.number(ofSecond: time.seconds) }

    /// Reads a day such as `2026-01-31` (RFC 3339 section 5.6); nil for a text of another form, and for a day that the calendar does
    /// not have.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // Years that begin on 1 March have the leap day at their end.
        let (years, months) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        number = 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 719_469
        // So 31 April would be read as 1 May, and `+1` as a number.
        guard UTCDay.text(number) == text else { return nil }
    }
}
#endif
