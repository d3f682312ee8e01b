import Synchronization
public import ThumbturnCore

/// The port to locks that all processes of a place respect.
public protocol PlaceLocks: Sendable {
    /// Locks a name without waiting; nil where it is locked, by this process or another one. The lock ends with its last
    /// reference, and with its process however that ends.
    func tryLock(_ name: String) throws(Failure) -> PlaceLock?
}

/// A lock that is held until it is released or its last reference is gone.
public final class PlaceLock: Sendable {
    private let onRelease: Mutex<(@Sendable () -> Void)?>

    /// Makes a lock.
    ///
    /// - Parameter onRelease: frees the lock. It is called once.
    public init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = Mutex(onRelease)
    }

    deinit { release() }

    /// Frees the lock. Calling it again has no effect.
    public func release() {
        let free = onRelease.withLock { free in
            defer { free = nil }
            return free
        }
        free?()
    }
}
