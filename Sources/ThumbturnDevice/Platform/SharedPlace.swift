import Synchronization
import ThumbturnCore

/// What all platforms of this process over one place share.
final class SharedPlace: Sendable {
    /// Allows one prompt at a time, and none while the app is not in front.
    let prompts: PromptCoordinator
    /// The locks of all processes of the place.
    let locks: any PlaceLocks
    /// The gates of its ledgers and vaults, each of which lets one task of this process through at a time.
    let gates = SerialGates()
    /// The advice that the app's developers were given.
    let advice = DeveloperAdvice()

    private init(_ locks: any PlaceLocks, clock: any DeviceClock) {
        self.locks = locks
        prompts = PromptCoordinator(clock: clock)
    }

    private struct Weak: Sendable {
        weak let value: SharedPlace?
    }

    private static let all = Mutex<[String: Weak]>([:])

    /// The one of this place in this process, while a platform uses it. Its clock is that of the first platform.
    static func of(_ place: DevicePlace, clock: any DeviceClock) -> SharedPlace {
        all.withLock { all in
            if let shared = all[place.name]?.value { return shared }
            let shared = SharedPlace(place.locks, clock: clock)
            all = all.filter { $0.value.value != nil }
            all[place.name] = Weak(value: shared)
            return shared
        }
    }
}

extension DevicePlatform {
    /// Locks a name for every process of the place without waiting; nil where a task of this process or another one has
    /// locked it. Throws where no lock can be made.
    func tryLock(_ name: String) throws(Failure) -> PlaceLock? { try shared.locks.tryLock(name) }

    /// Locks a name for every process of the place.
    ///
    /// - Returns: nil where it could not be locked in that time or at all, or the task was cancelled.
    func lock(_ name: String, waitingAtMost patience: Duration) async -> PlaceLock? {
        let end = clock.now.advanced(by: patience)
        while true {
            do throws(Failure) { if let lock = try tryLock(name) { return lock } } catch { return nil }
            let now = clock.now
            guard now < end else { return nil }
            do { try await clock.sleep(until: now.advanced(by: .milliseconds(50))) } catch { return nil }
        }
    }
}
