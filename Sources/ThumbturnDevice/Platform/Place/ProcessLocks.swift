import Synchronization
import ThumbturnCore

/// Locks in the memory of this process.
final class ProcessLocks: PlaceLocks {
    private let held = Mutex<Set<String>>([])

    func tryLock(_ name: String) -> PlaceLock? {
        guard held.withLock({ $0.insert(name).inserted }) else { return nil }
        return PlaceLock { self.held.withLock { _ = $0.remove(name) } }
    }
}
