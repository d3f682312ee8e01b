#if LinuxDevice && os(Linux)
import Foundation

/// Gives the reader to one user of the machine at a time.
///
/// A question that times out without a finger costs its user nothing, so without this queue one user could keep all
/// others away from the reader. A user whose last question stayed unanswered therefore comes after all other waiting
/// users, and while another user waits, a question lasts ten seconds instead of sixty.
final class ReaderQueue: Sendable {
    private let changed = NSCondition()
    private nonisolated(unsafe) var holder: UInt32?
    private nonisolated(unsafe) var waiting: [UInt32] = []
    private nonisolated(unsafe) var unanswered: Set<UInt32> = []

    /// How long a question may last while no other user waits, and while one does.
    static let timeLimit = (uncontended: Duration.seconds(60), contended: Duration.seconds(10))

    /// Waits until the reader is free for this user. Returns false after a time limit.
    ///
    /// A user who holds the reader already waits 2 s: a cancelled question needs that long to end. Another user's
    /// question needs its own time limit as well.
    func acquire(for user: UInt32) -> Bool {
        changed.lock()
        defer { changed.unlock() }
        let isOwn = unsafe holder == user
        let deadline = Date(timeIntervalSinceNow: isOwn ? 2 : Self.timeLimit.contended / .seconds(1) + 2)
        unsafe waiting.append(user)
        defer {
            if let place = unsafe waiting.firstIndex(of: user) { unsafe _ = waiting.remove(at: place) }
            changed.broadcast()
        }
        while unsafe holder != nil || comesAfterOthers(user) {
            guard changed.wait(until: deadline) else { return false }
        }
        unsafe holder = user
        return true
    }

    func release(by user: UInt32, answered: Bool) {
        changed.lock()
        defer { changed.unlock() }
        unsafe holder = nil
        if answered { unsafe _ = unanswered.remove(user) } else { unsafe _ = unanswered.insert(user) }
        changed.broadcast()
    }

    /// When the current question has to end. The deadline moves when another user begins or stops to wait.
    func deadline(of user: UInt32, since start: ContinuousClock.Instant) -> ContinuousClock.Instant {
        changed.lock()
        defer { changed.unlock() }
        let isUncontended = unsafe waiting.allSatisfy { $0 == user }
        return start + (isUncontended ? Self.timeLimit.uncontended : Self.timeLimit.contended)
    }

    private func comesAfterOthers(_ user: UInt32) -> Bool {
        unsafe unanswered.contains(user) && waiting.contains { unsafe $0 != user && !unanswered.contains($0) }
    }
}
#endif
