import Synchronization
import ThumbturnCore

/// The enrolment journals that a process of the place is working with, so that no task undoes what another one is doing.
/// A process that was killed holds none.
final class JournalLocks: Sendable {
    private let locks: any PlaceLocks
    private let held = Mutex<[String: PlaceLock]>([:])

    init(_ locks: any PlaceLocks) {
        self.locks = locks
    }

    /// Locks a journal; false where it is locked already, by this process or another one, or where it cannot be locked.
    /// The caller that locked it unlocks it.
    func tryLock(_ name: String) -> Bool {
        held.withLock { held in
            guard held[name] == nil, let lock = try? locks.tryLock(name) else { return false }
            held[name] = lock
            return true
        }
    }

    func unlock(_ name: String) {
        held.withLock { $0.removeValue(forKey: name) }?.release()
    }
}
