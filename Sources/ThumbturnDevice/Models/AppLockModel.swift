public import Observation
public import ThumbturnCore

/// The lock of an app, for its screens: an `AppLock` that follows the app's phases and the library's own prompts.
///
/// Run it as long as the app lives, show the lock screen while `isLocked`, and the privacy cover while `isCovered`:
///
///     .task { await lock.run() }
@MainActor @Observable public final class AppLockModel {
    /// Whether the contents are locked. A new process is locked.
    public private(set) var isLocked = true
    /// Whether the contents have to be hidden, also in the list of running apps.
    public private(set) var isCovered = true
    /// Whether the person is being asked.
    public private(set) var isAsking = false
    /// The message of the lock screen; nil where there is none.
    public private(set) var message: PersonMessage?

    @ObservationIgnored private var lock: AppLock
    private let platform: DevicePlatform
    private let unlock: @Sendable () async throws -> Void
    private let whenLocked: @MainActor () -> Void
    private let work: AsyncStream<AppLock.Effect>
    private let workbox: AsyncStream<AppLock.Effect>.Continuation

    /// Makes the lock of an app, which begins locked.
    ///
    /// - Parameters:
    ///   - rules: when the app locks.
    ///   - platform: the platform whose clock and app phases count.
    ///   - unlock: asks the person, for example with `Authenticator.authenticate`, and returns if that succeeded.
    ///   - whenLocked: forgets what was unlocked; where a policy has a `reuse`, it also calls
    ///     `Authenticator.forgetRecentAuthentication`.
    public init(
        rules: AppLock.Rules = .init(), platform: DevicePlatform, unlock: @escaping @Sendable () async throws -> Void,
        whenLocked: @escaping @MainActor () -> Void = {}
    ) {
        lock = AppLock(rules: rules)
        self.platform = platform
        self.unlock = unlock
        self.whenLocked = whenLocked
        (work, workbox) = AsyncStream.makeStream()
    }

    /// Follows the app until the task is cancelled. Call it once.
    public func run() async {
        let (phases, visibility) = (platform.phases.phases(), platform.prompts.promptVisibility())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await phase in phases { await self.handle(.phase(phase)) } }
            group.addTask { for await isUp in visibility { await self.handle(.prompt(isUp: isUp)) } }
            for await effect in work {
                switch effect {
                case .ask: group.addTask { await self.ask() }
                case .wake(let time):
                    group.addTask { [clock = platform.clock] in
                        guard (try? await clock.sleep(until: time)) != nil else { return }
                        await self.handle(.woke)
                    }
                case .cover, .uncover, .lock: break
                }
            }
            group.cancelAll()
        }
    }

    /// Asks the person, who tapped the lock screen.
    public func tap() { handle(.tapped) }

    /// Locks at once; the next unlock waits for a tap.
    public func lockNow() { handle(.lockNow) }

    /// Unlocks the app after another authentication, such as a full sign-in.
    public func unlocked() { handle(.unlocked) }

    private func ask() async {
        message = nil
        do {
            try await unlock()
            handle(.unlocked)
        } catch {
            let failure = Failure(thrownByApp: error)
            message = failure.message
            handle(failure.code == .cancelledByUser ? .cancelled : .notUnlocked)
        }
    }

    private func handle(_ event: AppLock.Event) {
        let now = platform.moment
        let effects = lock.handle(event, at: now)
        if lock.state == .unlocked { message = nil }
        isLocked = lock.state != .unlocked
        isAsking = lock.state == .asking
        isCovered = lock.isCovered
        for effect in effects {
            switch effect {
            case .lock: whenLocked()
            case .ask, .wake: workbox.yield(effect)
            // A cover is shown through `isCovered`.
            case .cover, .uncover: break
            }
        }
    }
}
