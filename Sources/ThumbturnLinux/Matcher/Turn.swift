#if LinuxDevice && os(Linux)
import Foundation

/// Who is at the reader: one person at a time, and nobody for long while somebody else waits.
///
/// A question that nobody answers costs its user nothing, so without this one user could keep all others away. After such a question that
/// user comes after everybody else who waits, and whoever is asked while another user waits has ten seconds, not sixty.
final class Turn: Sendable {
    private let changed = NSCondition()
    private nonisolated(unsafe) var holder: UInt32?
    private nonisolated(unsafe) var waiting: [UInt32] = []
    private nonisolated(unsafe) var unanswered: Set<UInt32> = []

    /// How long a person has, alone and while somebody else waits.
    static let patience = (alone: Duration.seconds(60), withOthers: Duration.seconds(10))

    /// Returns false when the turn did not come in time. Somebody who was asked a moment ago has to be let go first; another user's turn
    /// has to end.
    func take(by user: UInt32) -> Bool {
        changed.lock()
        defer { changed.unlock() }
        let isOwn = unsafe holder == user
        let deadline = Date(timeIntervalSinceNow: isOwn ? 2 : Self.patience.withOthers / .seconds(1) + 2)
        unsafe waiting.append(user)
        defer {
            if let place = unsafe waiting.firstIndex(of: user) { unsafe _ = waiting.remove(at: place) }
            changed.broadcast()
        }
        while unsafe holder != nil || isBehindOthers(user) {
            guard changed.wait(until: deadline) else { return false }
        }
        unsafe holder = user
        return true
    }

    func giveBack(by user: UInt32, answered: Bool) {
        changed.lock()
        defer { changed.unlock() }
        unsafe holder = nil
        if answered { unsafe _ = unanswered.remove(user) } else { unsafe _ = unanswered.insert(user) }
        changed.broadcast()
    }

    /// When a question that began then has to be over, as things stand.
    func deadline(of user: UInt32, since start: ContinuousClock.Instant) -> ContinuousClock.Instant {
        changed.lock()
        defer { changed.unlock() }
        let isAlone = unsafe waiting.allSatisfy { $0 == user }
        return start + (isAlone ? Self.patience.alone : Self.patience.withOthers)
    }

    private func isBehindOthers(_ user: UInt32) -> Bool {
        unsafe unanswered.contains(user) && waiting.contains { unsafe $0 != user && !unanswered.contains($0) }
    }
}
#endif
