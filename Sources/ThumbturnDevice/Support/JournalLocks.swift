import Synchronization

/// The enrolment journals that this process is working with, so that no task undoes what another one is doing.
///
/// The locks live in memory: a process that was killed holds none.
final class JournalLocks: Sendable {
    private let held = Mutex<Set<String>>([])

    /// Locks a journal; false where it is locked already. The caller that locked it unlocks it.
    func tryLock(_ name: String) -> Bool { held.withLock { $0.insert(name).inserted } }

    func unlock(_ name: String) {
        held.withLock { _ = $0.remove(name) }
    }
}
