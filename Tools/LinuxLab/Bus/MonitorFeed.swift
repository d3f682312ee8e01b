import Synchronization

/// Parses lines of `dbus-monitor` and passes their signals on.
final class MonitorFeed: Sendable {
    private let text = Mutex(MonitorText())
    private let pass: @Sendable (BusSignal) -> Void

    init(pass: @escaping @Sendable (BusSignal) -> Void) {
        self.pass = pass
    }

    func take(_ line: String) {
        for signal in text.withLock({ $0.take(line) }) { pass(signal) }
    }
}
