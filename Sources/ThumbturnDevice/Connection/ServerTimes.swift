import Synchronization
import ThumbturnCore

/// What each server told last of its time, as long as the app and the device run. None of them is believed about another's ledgers.
final class ServerTimes: Sendable {
    private struct Told: Sendable {
        var time: UnixTime
        var asked: Moment
        var answered: Moment
    }

    private let told = Mutex<[String: Told]>([:])

    /// Two clocks may drift apart by seconds in a day.
    private static let longestUse = Duration.seconds(3600)

    fileprivate func hear(_ time: UnixTime, from server: String, asked: Moment, answered: Moment) {
        told.withLock { $0[server] = Told(time: time, asked: asked, answered: answered) }
    }

    fileprivate func time(of server: String, at now: Moment) -> ServerTime? {
        guard let last = told.withLock({ $0[server] }), last.asked.elapsed(until: last.answered) != nil,
            let sinceAsked = last.asked.elapsed(until: now), let sinceAnswered = last.answered.elapsed(until: now),
            sinceAsked < Self.longestUse
        else { return nil }
        return ServerTime(told: last.time, sinceAsked: sinceAsked, sinceAnswered: sinceAnswered)
    }
}

extension DevicePlatform {
    /// Now, by the device's own clock alone.
    var moment: Moment { Moment(boot: clock.boot, sinceBoot: clock.now) }

    /// A server has told its time in the answer to a request that left at `asked`.
    func hear(_ time: UnixTime, from server: String, asked: Moment) {
        serverTimes.hear(time, from: server, asked: asked, answered: moment)
    }

    /// Now, with what is known of that server's time.
    func moment(for server: String) -> Moment {
        let now = moment
        return Moment(boot: now.boot, sinceBoot: now.sinceBoot, server: serverTimes.time(of: server, at: now))
    }
}
