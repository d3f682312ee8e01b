import Synchronization
import ThumbturnCore

/// What each server told last of its time, as long as the app and the device run. None of them is believed about another's ledgers.
final class ServerTimes: Sendable {
    private struct Told: Sendable {
        var time: UnixTime
        var boot: String
        var asked: Instant
        var answered: Instant
    }

    private let told = Mutex<[String: Told]>([:])

    fileprivate func hear(_ time: UnixTime, from server: String, asked: Instant, on clock: any DeviceClock) {
        let news = Told(time: time, boot: clock.boot, asked: asked, answered: clock.now)
        told.withLock { $0[server] = news }
    }

    fileprivate func time(of server: String, at now: Instant, boot: String) -> ServerTime? {
        guard let last = told.withLock({ $0[server] }), last.boot == boot, last.asked <= last.answered, last.answered <= now
        else {
            return nil
        }
        return ServerTime(
            told: last.time, sinceAsked: last.asked.duration(to: now), sinceAnswered: last.answered.duration(to: now))
    }
}

extension Platform {
    /// A server has told its time in the answer to a request that left at `asked`.
    func hear(_ time: UnixTime, from server: String, asked: Instant) {
        serverTimes.hear(time, from: server, asked: asked, on: clock)
    }

    /// Now, with what is known of that server's time.
    func moment(for server: String) -> Moment {
        let (now, boot) = (clock.now, clock.boot)
        return Moment(boot: boot, sinceBoot: now, server: serverTimes.time(of: server, at: now, boot: boot))
    }
}
