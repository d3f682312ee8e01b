import Synchronization

/// A flag that is raised once.
final class Flag: Sendable {
    private let value = Atomic(false)

    /// Raises the flag; false where it was raised before.
    @discardableResult
    func raise() -> Bool { !value.exchange(true, ordering: .relaxed) }

    var isRaised: Bool { value.load(ordering: .relaxed) }
}
