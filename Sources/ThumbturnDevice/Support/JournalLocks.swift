import Synchronization

/// Which journals somebody works with, so that nobody undoes what is being done. A process that was killed has none open.
final class JournalLocks: Sendable {
    private let names = Mutex<Set<String>>([])

    /// False where it is open already. Who opened it closes it.
    func open(_ name: String) -> Bool { names.withLock { $0.insert(name).inserted } }

    func close(_ name: String) {
        names.withLock { _ = $0.remove(name) }
    }
}
