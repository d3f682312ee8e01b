import SwiftASN1
import ThumbturnCore

/// The times in a certificate (RFC 5280 section 4.1.2.5): UTCTime and GeneralizedTime in UTC, in whole seconds.
enum CertificateTime {
    /// Reads one of the two forms: `YYMMDDHHMMSSZ`, or `YYYYMMDDHHMMSSZ`.
    static func read(_ node: ASN1Node, _ name: String) throws(EvidenceRefusal) -> UnixTime {
        let isShort = node.identifier == .utcTime
        let text = try node.bytes(isShort ? .utcTime : .generalizedTime, name)
        let digits = text.dropLast().map { Int($0) - 0x30 }
        guard text.last == UInt8(ascii: "Z"), digits.count == (isShort ? 12 : 14), digits.allSatisfy((0...9).contains) else {
            throw EvidenceRefusal(.malformed, "\(name) is not written as \(isShort ? "YYMMDDHHMMSSZ" : "YYYYMMDDHHMMSSZ")")
        }
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        // Two digits mean 1950 to 2049.
        let year = isShort ? pairs[0] + (pairs[0] < 50 ? 2000 : 1900) : pairs[0] * 100 + pairs[1]
        let rest = pairs.suffix(5)
        let (month, day, hour, minute, second) = (
            rest[rest.startIndex], rest[rest.startIndex + 1], rest[rest.startIndex + 2], rest[rest.startIndex + 3],
            rest[rest.startIndex + 4]
        )
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60, second < 60
        else { throw EvidenceRefusal(.malformed, "\(name) is no date and time of day") }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        return UnixTime(seconds: Int64(seconds))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// The days from 1970-01-01 to a date of the Gregorian calendar.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // The year begins in March, so that the leap day is its last. Then 153 days are each five months.
        let shifted = month > 2 ? year : year - 1
        let daysOfMonths = (153 * ((month + 9) % 12) + 2) / 5
        // The days from the year 0 to 1970, counted in the same way.
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + daysOfMonths + day - 1 - 719_468
    }
}
