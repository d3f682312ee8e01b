import Synchronization
import ThumbturnCore

/// What all platforms of this process over one place share.
final class SharedPlace: Sendable {
    /// Allows one prompt at a time, and none while the app is not in front.
    let prompts = PromptCoordinator()
    /// The enrolment journals that a process of the place is working with.
    let journals: JournalLocks
    /// The locks of all processes of the place.
    let locks: any PlaceLocks
    /// The gates of its ledgers and vaults, each of which lets one task of this process through at a time.
    let gates = SerialGates()

    private init(_ locks: any PlaceLocks) {
        self.locks = locks
        journals = JournalLocks(locks)
    }

    private struct Weak: Sendable {
        weak let value: SharedPlace?
    }

    private static let all = Mutex<[String: Weak]>([:])

    /// The one of this place in this process, while a platform uses it.
    static func of(_ place: DevicePlace) -> SharedPlace {
        all.withLock { all in
            if let shared = all[place.name]?.value { return shared }
            let shared = SharedPlace(place.locks)
            all = all.filter { $0.value.value != nil }
            all[place.name] = Weak(value: shared)
            return shared
        }
    }
}
