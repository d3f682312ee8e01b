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
    @ObservationIgnored private var sight = AppLock.Sight(.back, isPromptUp: false)
    @ObservationIgnored private var lastRun = 0
    /// The times that the current run wakes the lock at.
    @ObservationIgnored private var wakebox: AsyncStream<Instant>.Continuation?
    @ObservationIgnored private var asking: [AppLock.Ask: Task<Void, Never>] = [:]

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
    }

    /// Follows the app until the task is cancelled. An app that is not followed is locked and covered. A second call
    /// ends the first.
    public func run() async {
        lastRun += 1
        let run = lastRun
        let (wakes, wakebox) = AsyncStream.makeStream(of: Instant.self)
        self.wakebox?.finish()
        self.wakebox = wakebox
        sight = AppLock.Sight(.back, isPromptUp: false)
        handle(.began(run: run))
        defer { handle(.ended(run: run)) }
        let (phases, visibility) = (platform.phases.phases(), platform.prompts.promptVisibility())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await phase in phases { await self.see(run) { $0.phase = phase } }
                wakebox.finish()
            }
            group.addTask { for await isUp in visibility { await self.see(run) { $0.isPromptUp = isUp } } }
            for await time in wakes {
                group.addTask { [clock = platform.clock] in
                    guard (try? await clock.sleep(until: time)) != nil else { return }
                    await self.handle(.woke)
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
    public func unlocked() { handle(.proved(isLive: true)) }

    private func see(_ run: Int, _ change: @Sendable (inout AppLock.Sight) -> Void) {
        guard run == lastRun else { return }
        change(&sight)
        handle(.saw(sight, run: run))
    }

    private func ask(_ ask: AppLock.Ask) async {
        message = nil
        defer { asking[ask] = nil }
        do {
            try await unlock()
            handle(.answered(ask, .succeeded(isLive: true)))
        } catch {
            let failure = Failure(thrownByApp: error)
            if lock.state == .asking(ask) { message = failure.message }
            handle(.answered(ask, failure.code == .cancelledByUser ? .cancelled : .failed))
        }
    }

    private func handle(_ event: AppLock.Event) {
        let now = platform.moment
        let effects = lock.handle(event, at: now)
        if lock.state == .unlocked { message = nil }
        isLocked = lock.state != .unlocked
        isAsking = if case .asking = lock.state { true } else { false }
        isCovered = lock.isCovered
        for effect in effects {
            switch effect {
            case .lock: whenLocked()
            case .wake(let time): wakebox?.yield(time)
            case .ask(let ask): asking[ask] = Task(executorPreference: platform.clock.executor) { await self.ask(ask) }
            case .cancel(let ask): asking[ask]?.cancel()
            // A cover is shown through `isCovered`; an ask that was made worthless is known by its number.
            case .cover, .uncover, .void: break
            }
        }
    }
}
