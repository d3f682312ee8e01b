import Synchronization

/// Passes on the signals in the lines it is given.
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
