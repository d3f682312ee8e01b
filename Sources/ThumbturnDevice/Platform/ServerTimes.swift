import Synchronization
import ThumbturnCore

/// The last time that each server reported, as long as the app and the device run. The time of one server counts only
/// for its own ledgers.
final class ServerTimes: Sendable {
    private struct Report: Sendable {
        var time: UnixTime
        var asked: Moment
        var answered: Moment
    }

    private let reports = Mutex<[String: Report]>([:])

    /// How long a report is used. Two clocks may drift apart by seconds in a day.
    private static let longestUse = Duration.seconds(3600)

    fileprivate func record(_ time: UnixTime, from server: String, asked: Moment, answered: Moment) {
        reports.withLock { $0[server] = Report(time: time, asked: asked, answered: answered) }
    }

    fileprivate func time(of server: String, at now: Moment) -> ServerTime? {
        guard let last = reports.withLock({ $0[server] }), last.asked.elapsed(until: last.answered) != nil,
            let sinceAsked = last.asked.elapsed(until: now), let sinceAnswered = last.answered.elapsed(until: now),
            sinceAsked < Self.longestUse
        else { return nil }
        return ServerTime(told: last.time, sinceAsked: sinceAsked, sinceAnswered: sinceAnswered)
    }
}

extension DevicePlatform {
    /// Now, by only the device's own clock.
    var moment: Moment { Moment(boot: clock.boot, sinceBoot: clock.now) }

    /// Records the time that a server reported in its answer to a request that was sent at `asked`.
    func record(_ time: UnixTime, from server: String, asked: Moment) {
        serverTimes.record(time, from: server, asked: asked, answered: moment)
    }

    /// Now, with that server's time where it is known.
    func moment(for server: String) -> Moment {
        let now = moment
        return Moment(boot: now.boot, sinceBoot: now.sinceBoot, server: serverTimes.time(of: server, at: now))
    }
}
