public import Observation
public import ThumbturnCore

/// The lock of an app, for its screens: an `AppLock` that follows the app's phases and the library's own prompts.
///
/// Make one for the app, run it as long as the app lives, show the lock screen while `isLocked`, and the privacy cover
/// while `isCovered`:
///
///     .task { await lock.run() }
///
/// Only the success of an ask that began after the last lock, absence and dismissal opens it. Locking makes all earlier
/// successes on the platform worthless, so no unlock is reused across it. Dismissing the person who opened the
/// app locks it: `Authenticator.forgetRecentAuthentication()`, `requireStrongerRungNextTime()`, `revoke()` and, where a
/// vault opened it, `Vault.delete()`.
///
/// Processes that share a place tell each other nothing at once. What another one has revoked, deleted, enrolled or
/// switched off locks the app when it comes to the front, before the contents show, and when a prompt comes or goes. Its
/// `forgetRecentAuthentication()` is written nowhere, and locks only its own process.
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
    private let unlock: @Sendable () async throws -> AnsweredAsk
    /// The account or the vault whose successes open the app; nil where any on this platform does.
    private let asker: String?
    private let whenLocked: @MainActor () -> Void
    /// The app's phase, as far as the current run knows it.
    @ObservationIgnored private var phase: AppPhase?
    @ObservationIgnored private var lastRun = 0
    /// The times that the current run wakes the lock at.
    @ObservationIgnored private var wakebox: AsyncStream<Instant>.Continuation?
    @ObservationIgnored private var asking: [AppLock.Ask: Task<Void, Never>] = [:]
    /// What opened the app; nil while it is locked.
    @ObservationIgnored private var openedBy: AnsweredAsk?

    /// Makes the lock of an app, which begins locked.
    ///
    ///     let lock = AppLockModel(platform: platform) { try await auth.authenticate("Unlock Acme") }
    ///
    /// Any account and any vault on the platform can open it with `unlocked(by:)`; see `init(for:reason:)` for a lock that
    /// one account opens.
    ///
    /// - Parameters:
    ///   - rules: when the app locks.
    ///   - platform: the platform of the accounts and vaults that open the app.
    ///   - unlock: asks the person, and returns the success: a `Grant`, or the `answered` of a `LocalUnlock`. It is
    ///     cancelled when the app locks or is left meanwhile.
    ///   - whenLocked: forgets what the app shows. Earlier successes are worthless already.
    public convenience init<Success: UnlockSuccess>(
        rules: AppLock.Rules = .init(), platform: DevicePlatform, unlock: @escaping @Sendable () async throws -> Success,
        whenLocked: @escaping @MainActor () -> Void = {}
    ) {
        self.init(rules, platform, openedBy: nil, unlock: { try await unlock().answered }, whenLocked: whenLocked)
    }

    /// Makes the lock of an app that only one account opens.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - reason: shown in the system's prompt.
    ///   - policy: which rungs are asked.
    ///   - rules: when the app locks.
    ///   - whenLocked: forgets what the app shows. Earlier successes are worthless already.
    public convenience init(
        for auth: Authenticator, reason: String, policy: UnlockPolicy = .unlock, rules: AppLock.Rules = .init(),
        whenLocked: @escaping @MainActor () -> Void = {}
    ) {
        let unlock = { @Sendable () async throws in try await auth.authenticate(reason, policy: policy).answered }
        self.init(rules, auth.platform, openedBy: auth.asker, unlock: unlock, whenLocked: whenLocked)
    }

    private init(
        _ rules: AppLock.Rules, _ platform: DevicePlatform, openedBy asker: String?,
        unlock: @escaping @Sendable () async throws -> AnsweredAsk, whenLocked: @escaping @MainActor () -> Void
    ) {
        lock = AppLock(rules: rules)
        self.platform = platform
        self.asker = asker
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
        phase = nil
        let (phases, prompts) = (platform.phases.phases(), platform.prompts)
        let (visibility, voids) = (prompts.promptVisibility(), prompts.voids())
        handle(.began(run: run))
        defer { handle(.ended(run: run)) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await phase in phases { await self.see(phase, run) }
                wakebox.finish()
            }
            group.addTask { for await _ in visibility { await self.see(nil, run) } }
            group.addTask { for await _ in voids { await self.lockIfDismissed() } }
            for await time in wakes {
                group.addTask { [clock = platform.clock] in
                    guard (try? await clock.sleep(until: time)) != nil else { return }
                    await self.wake()
                }
            }
            group.cancelAll()
        }
    }

    /// Asks the person, who tapped the lock screen.
    public func tap() { handle(.tapped) }

    /// Locks at once; the next unlock waits for a tap.
    public func lockNow() { handle(.lockNow) }

    /// Unlocks the app after an authentication that it did not ask for itself, such as one by an `UnlockScreen`. A success
    /// that is worth nothing any more changes nothing; `isLocked` tells.
    public func unlocked(by success: some UnlockSuccess) {
        let answered = success.answered
        take(answered, isLive: opens(answered)) { .proved(isLive: $0) }
        Task(executorPreference: platform.clock.executor) { await self.lockIfDismissed() }
    }

    // MARK: - Successes

    /// Passes a success to the lock, which opens or does not.
    private func take(_ answered: AnsweredAsk, isLive: Bool, as event: (_ isLive: Bool) -> AppLock.Event) {
        if isLive, isLocked { openedBy = answered }
        handle(event(isLive))
    }

    private func opens(_ answered: AnsweredAsk) -> Bool {
        answered.prompts === platform.prompts && (asker ?? answered.asker) == answered.asker && answered.isLive
    }

    /// Locks where what opened the app is worth nothing any more: at once where this process has dismissed the person, and
    /// once the place was read where another one has.
    private func lockIfDismissed() async {
        guard let success = openedBy else { return }
        if success.isLive {
            // The app may have been locked, and opened by another success, while the place was read.
            guard await success.wasDismissedElsewhere(), openedBy?.tick == success.tick else { return }
        }
        handle(.dismissed)
    }

    // MARK: - The lock

    /// - Parameter phase: nil where only the prompts changed.
    private func see(_ phase: AppPhase?, _ run: Int) async {
        guard run == lastRun else { return }
        self.phase = phase ?? self.phase
        // Another process may have dismissed the person: that is known before the contents show again.
        if self.phase == .front { await self.lockIfDismissed() }
        // Both facts are read at one time: their streams keep no order between them.
        guard run == lastRun, let phase = self.phase else { return }
        handle(.saw(AppLock.Sight(phase, isPromptUp: platform.prompts.isPromptUp), run: run))
    }

    private func wake() async {
        handle(.woke)
        await lockIfDismissed()
    }

    private func ask(_ ask: AppLock.Ask) async {
        defer { asking[ask] = nil }
        // It may have been cancelled before it began.
        guard lock.state == .asking(ask) else { return }
        message = nil
        do {
            let answered = try await unlock()
            let isDismissed = await answered.wasDismissedElsewhere()
            let isLive = !isDismissed && opens(answered)
            if lock.state == .asking(ask), !isLive { message = Failure(.cancelledByApp).message }
            take(answered, isLive: isLive) { .answered(ask, .succeeded(isLive: $0)) }
        } catch {
            let failure = Failure(thrownByApp: error)
            let sensor = await platform.sensor.name()
            if lock.state == .asking(ask) { message = failure.message.naming(sensor) }
            handle(.answered(ask, failure.code == .cancelledByUser ? .cancelled : .failed))
        }
    }

    private func handle(_ event: AppLock.Event) {
        let now = platform.moment
        let effects = lock.handle(event, at: now)
        if lock.state == .unlocked { message = nil } else { openedBy = nil }
        isLocked = lock.state != .unlocked
        isAsking = if case .asking = lock.state { true } else { false }
        isCovered = lock.isCovered
        for effect in effects {
            switch effect {
            case .void: platform.prompts.voidEverything()
            case .lock: whenLocked()
            case .wake(let time): wakebox?.yield(time)
            case .ask(let ask): asking[ask] = Task(executorPreference: platform.clock.executor) { await self.ask(ask) }
            case .cancel(let ask): asking[ask]?.cancel()
            // A cover is shown through `isCovered`.
            case .cover, .uncover: break
            }
        }
    }
}
