import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// The phone's own clocks on top of a shared clock: they restart with the phone, and its date can be set without
/// changing the server's.
final class PhoneClock: DeviceClock {
    private let base: any DeviceClock
    private let shift = Mutex(Shift())

    private struct Shift {
        var restarts = 0
        var start = Duration.zero
        var civil = Duration.zero
    }

    init(_ base: any DeviceClock) { self.base = base }

    var now: Instant { base.now.advanced(by: .zero - shift.withLock { $0.start }) }
    var civilTime: UnixTime { base.civilTime + shift.withLock { $0.civil } }
    var boot: String {
        let restarts = shift.withLock { $0.restarts }
        return restarts == 0 ? base.boot : "\(base.boot), restart \(restarts)"
    }

    var executor: (any TaskExecutor)? { base.executor }

    func sleep(until instant: Instant) async throws {
        try await base.sleep(until: instant.advanced(by: shift.withLock { $0.start }))
    }

    func restart() {
        let now = base.now
        shift.withLock { shift in
            shift.restarts += 1
            shift.start = now.sinceOrigin
        }
    }

    func moveCivilTime(by duration: Duration) {
        shift.withLock { $0.civil += duration }
    }
}
