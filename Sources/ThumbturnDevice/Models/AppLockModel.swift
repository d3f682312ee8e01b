public import Observation
public import ThumbturnCore

/// The lock of an app, for its screens: an `AppLock` that listens to the app's place on the screen and to our own prompts.
///
/// Run it as long as the app lives, show the lock screen while `isLocked`, and the privacy cover while `isCovered`:
///
///     .task { await lock.run() }
@MainActor @Observable public final class AppLockModel {
    /// Whether the contents are locked. A new process is locked.
    public private(set) var isLocked = true
    /// Whether the contents are to be hidden, also from the list of running apps.
    public private(set) var isCovered = true
    /// Whether the person is being asked.
    public private(set) var isAsking = false
    /// What the lock screen says; nil where there is nothing to say.
    public private(set) var message: PersonMessage?

    @ObservationIgnored private var lock: AppLock
    private let platform: DevicePlatform
    private let unlock: @Sendable () async throws -> Void
    private let whenLocked: @MainActor () -> Void
    private let work: AsyncStream<AppLock.Effect>
    private let workbox: AsyncStream<AppLock.Effect>.Continuation

    /// A locked app.
    ///
    /// - Parameters:
    ///   - rules: when it locks.
    ///   - platform: whose clock and phases of the app count.
    ///   - unlock: asks the person, for example with `Authenticator.authenticate`; it returns where that was a success.
    ///   - whenLocked: forgets what was unlocked; also `Authenticator.forgetRecentAuthentication` where a policy has a `reuse`.
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

    /// Listens until the task is cancelled. Call it once.
    public func run() async {
        let (phases, sights) = (platform.phases.phases(), platform.prompts.sights())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await phase in phases { await self.handle(.phase(phase)) } }
            group.addTask { for await isUp in sights { await self.handle(.prompt(isUp: isUp)) } }
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

    /// The person wants in.
    public func tap() { handle(.tapped) }

    /// Locks at once; the next unlock waits for a tap.
    public func lockNow() { handle(.lockNow) }

    /// The person was let in by another way, such as a full sign-in.
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
            // `isCovered` says so.
            case .cover, .uncover: break
            }
        }
    }
}
