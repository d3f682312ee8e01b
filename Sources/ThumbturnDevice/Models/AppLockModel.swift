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
/// app locks it: `Authenticator.forgetRecentAuthentication()`, `requireStrongerRungNextTime()`, `signOut(forgetDevice:)`,
/// `revoke()` and, where a vault opened it, `Vault.delete()`.
///
/// Processes that share a place tell each other nothing at once. What another one has revoked, deleted, signed out or
/// switched off, and another person's sign-in there, locks the app when it comes to the front, before the contents show,
/// and when a prompt comes or goes. Its `forgetRecentAuthentication()` is written nowhere, and locks only its own process.
@MainActor @Observable public final class AppLockModel {
    /// Whether the contents are locked. A new process is locked.
    public private(set) var isLocked = true
    /// Whether the contents have to be hidden, also in the list of running apps.
    public private(set) var isCovered = true
    /// Whether the person is being asked.
    public private(set) var isAsking = false
    /// Why the person is asked, in the app's words; empty for a lock that any account opens.
    public var reason: String { opener?.reason ?? "" }
    /// The rung that is asked, or will be.
    public var rung: Rung { ways.rung }
    /// The device's sensor; nil until the device said what it has, where it has none, and for a lock that any account opens.
    public var sensor: SensorName? { ways.readiness?.sensor }
    /// How long a view cross-fades when `message` or `buttons` change: the `UnlockPolicy.transition` of the policy that is asked.
    public private(set) var transition: Duration
    /// The message of the lock screen; nil where there is none. After a pause it counts the seconds down.
    public private(set) var message: PersonMessage?
    /// Why the ladder left the rung of before, such as a lockout; nil where there is nothing to say.
    public private(set) var cause: PersonMessage?
    /// The buttons of the lock screen, the first one first; none while the app is open. Those of a lock that one account
    /// opens name every way that the device has.
    public private(set) var buttons: [UnlockScreen.Button] = []
    /// What the person could set up for the next time, such as a face or a passcode, while the app asks; nil where there is
    /// nothing. It blocks nothing.
    public private(set) var offer: UnlockScreen.Button?

    @ObservationIgnored private var lock: AppLock
    private let platform: DevicePlatform
    private let unlock: @Sendable (UnlockFlow.Start) async throws -> AnsweredAsk
    /// The account or vault that opens the app, and how it is asked; nil where any account or vault opens it.
    private let opener: Opener?
    private let recover: @MainActor (Recovery) -> Void
    private var ways = UnlockWays(rung: .biometric)
    /// The number of the last ask, which ends the count of an earlier one's pause.
    @ObservationIgnored private var lastAsk = 0
    /// What the person has pressed for the next ask; nil where the lock asks by itself.
    @ObservationIgnored private var chosen: UnlockFlow.Start?
    /// The question that is asked now or was asked last.
    @ObservationIgnored private var question = Question()
    private let whenLocked: @MainActor () -> Void
    /// The app's phase, as far as the current run knows it.
    @ObservationIgnored private var phase: AppPhase?
    @ObservationIgnored private var lastRun = 0
    /// How many runs have not ended.
    @ObservationIgnored private var runs = 0
    /// The windows that wait for the end of the last run.
    @ObservationIgnored private var waiting: [AsyncStream<Void>.Continuation] = []
    /// The times that the current run wakes the lock at.
    @ObservationIgnored private var wakebox: AsyncStream<Instant>.Continuation?
    @ObservationIgnored private var asking: [AppLock.Ask: Task<Void, Never>] = [:]
    /// What opened the app; nil while it is locked.
    @ObservationIgnored private var openedBy: AnsweredAsk?

    struct Opener: Sendable {
        var subject: any Unlockable
        var reason: String
        var policy: UnlockPolicy
    }

    /// Makes the lock of an app, which begins locked.
    ///
    ///     let lock = AppLockModel(platform: platform) { try await auth.authenticate("Unlock Acme") }
    ///
    /// Any account and any vault on the platform can open it with `unlocked(by:)`; see `init(for:reason:)` for a lock that
    /// one account or one vault opens.
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
        self.init(rules, platform, nil, unlock: { _ in try await unlock().answered }, whenLocked: whenLocked) { _ in }
    }

    /// Makes the lock of an app that only one account opens, with the contents of its lock screen: messages, and buttons
    /// that name the ways in.
    ///
    ///     let lock = AppLockModel(for: auth, reason: "Unlock Acme", rules: .init(lockAfter: .seconds(30)))
    ///
    /// It asks by itself a moment after the app came to the screen, as the policy says.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - reason: shown in the system's prompt.
    ///   - policy: which rungs are asked.
    ///   - rules: when the app locks.
    ///   - whenLocked: forgets what the app shows. Earlier successes are worthless already.
    ///   - recover: helps the person to recover, such as by the app's own full sign-in; called when the button of a recovery
    ///     is pressed.
    public convenience init(
        for auth: Authenticator, reason: String, policy: UnlockPolicy = .unlock, rules: AppLock.Rules = .init(),
        whenLocked: @escaping @MainActor () -> Void = {}, recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        let unlock = { @Sendable (start: UnlockFlow.Start) async throws in
            try await auth.authenticate(reason, policy: policy, by: start).answered
        }
        let opener = Opener(subject: auth, reason: reason, policy: policy)
        self.init(rules, auth.platform, opener, unlock: unlock, whenLocked: whenLocked, recover: recover)
    }

    init(
        _ rules: AppLock.Rules, _ platform: DevicePlatform, _ opener: Opener?,
        unlock: @escaping @Sendable (UnlockFlow.Start) async throws -> AnsweredAsk,
        whenLocked: @escaping @MainActor () -> Void, recover: @escaping @MainActor (Recovery) -> Void
    ) {
        lock = AppLock(rules: rules)
        self.platform = platform
        self.opener = opener
        self.unlock = unlock
        self.whenLocked = whenLocked
        self.recover = recover
        transition = (opener?.policy ?? .unlock).transition
        ways.rung = opener?.policy.ladder.first ?? .biometric
        // A lock screen names no sensor that the device was not asked for.
        if opener == nil { buttons = ways.beforeThePrompt }
    }

    /// Follows the app until the task is cancelled. An app that is not followed is locked and covered. A second call
    /// ends the first.
    public func run() async {
        lastRun += 1
        let run = lastRun
        runs += 1
        defer {
            runs -= 1
            noteLock()
            if runs == 0 {
                for window in waiting { window.yield() }
                waiting = []
            }
        }
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
            group.addTask { await self.look(isFirst: true) }
            group.addTask { for await _ in visibility { await self.see(nil, run) } }
            group.addTask { for await _ in voids { await self.lockIfDismissed() } }
            if let news = opener?.subject.news.stream() { group.addTask { for await news in news { await self.hear(news) } } }
            for await time in wakes {
                group.addTask { [clock = platform.clock] in
                    guard (try? await clock.sleep(until: time)) != nil else { return }
                    await self.wake()
                }
            }
            group.cancelAll()
        }
    }

    /// Follows the app as `run()` once no other window does, until the task is cancelled.
    package func runInTurn() async {
        while !Task.isCancelled {
            guard runs > 0 else {
                await run()
                continue
            }
            let (ends, ended) = AsyncStream.makeStream(of: Void.self)
            waiting.append(ended)
            for await _ in ends { break }
        }
    }

    /// Asks the person, who tapped the lock screen.
    public func tap() { press(.ask) }

    /// Does what a button of the lock screen does, after the person pressed it.
    public func press(_ action: UnlockScreen.Button.Action) {
        switch action {
        case .ask: isAsking ? question.prompt() : ask(by: .tap)
        case .askAt(let rung): ask(by: .rung(rung))
        case .anotherWay:
            if isAsking {
                question.useAnotherWay()
            } else if let next = ways.nextRung {
                ask(by: .rung(next))
            }
        case .recover(let recovery): recover(recovery)
        }
    }

    private func ask(by start: UnlockFlow.Start) {
        guard !isAsking else { return }
        if case .rung(let rung) = start { ways.rung = rung }
        chosen = start
        handle(.tapped)
        chosen = nil
    }

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
        // The success may itself have dismissed the person of before, which the lock has not heard yet.
        lockIfDismissedHere()
        let earlier = openedBy.flatMap { $0.asker == answered.asker && $0.tick < answered.tick ? $0 : nil }
        // Another owner has come since, in another process: what the earlier one was shown is forgotten first.
        if isLive, let earlier, earlier.act.mark.person != answered.act.mark.person { handle(.dismissed, before: earlier.tick) }
        // A later success of the same person goes on where another process has dismissed the earlier one.
        if isLive, isLocked || earlier != nil { openedBy = answered }
        handle(event(isLive))
    }

    private func opens(_ answered: AnsweredAsk) -> Bool {
        answered.prompts === platform.prompts && (opener?.subject.asker ?? answered.asker) == answered.asker && answered.isLive
            && answered.lockProblem == nil
    }

    /// Locks where what opened the app is worth nothing any more: at once where this process has dismissed the person, and
    /// once the place was read where another one has.
    private func lockIfDismissed() async {
        lockIfDismissedHere()
        guard let success = openedBy, await !success.act.counts(for: .samePerson) else { return }
        // The app may have been locked, and opened by another success, while the place was read.
        if openedBy?.tick == success.tick { handle(.dismissed) }
    }

    private func lockIfDismissedHere() {
        if openedBy?.isLive == false { handle(.dismissed) }
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

    private func ask(_ ask: AppLock.Ask, by start: UnlockFlow.Start) async {
        defer { asking[ask] = nil }
        // It may have been cancelled before it began.
        guard lock.state == .asking(ask) else { return }
        (message, cause, offer) = (nil, nil, nil)
        lastAsk += 1
        let number = lastAsk
        await look()
        do {
            let question = Question()
            self.question = question
            let answered = try await question.asking { try await unlock(start) }
            try answered.checkOpensLocks()
            let counts = await answered.act.counts(for: .samePerson)
            let isLive = counts && opens(answered)
            if lock.state == .asking(ask), !isLive { message = Failure(.cancelledByApp).message }
            take(answered, isLive: isLive) { .answered(ask, .succeeded(isLive: $0)) }
            forgetIfLocked(number)
        } catch {
            let failure = Failure(thrownByApp: error)
            let sensor = await platform.sensor.name()
            let counts = lock.state == .asking(ask)
            if counts { (message, cause) = (failure.message.naming(sensor), nil) }
            handle(.answered(ask, failure.code == .cancelledByUser ? .cancelled : .failed))
            forgetIfLocked(number)
            await look()
            guard counts, isLocked, !isAsking else { return }
            buttons = ways.after(failure)
            guard case .wait(let time) = failure.recovery else { return }
            let end = platform.clock.now.advanced(by: time)
            Task(executorPreference: platform.clock.executor) { await self.count(failure, until: end, after: number) }
        }
    }

    /// Has the app forget what the unlock has shown it meanwhile, where that did not open the app.
    private func forgetIfLocked(_ ask: Int) {
        if isLocked, ask == lastAsk { whenLocked() }
    }

    /// Counts a pause down in the message.
    private func count(_ failure: Failure, until end: Instant, after number: Int) async {
        let isCurrent = { self.isLocked && !self.isAsking && self.lastAsk == number }
        let isOver = await platform.clock.countDown(until: end) { left in
            guard isCurrent() else { return false }
            message = ways.named(Failure(failure.code, recovery: .wait(left)).message)
            return true
        }
        guard isOver, isCurrent() else { return }
        message = PersonMessage(.readyWhenYouAre)
        await look()
    }

    // MARK: - The lock screen

    /// Reads what the device can do, and names the ways that there are now.
    private func look(isFirst: Bool = false) async {
        guard let opener, isLocked else { return }
        let readiness = await opener.subject.readiness(for: opener.policy)
        // An ask has looked, and said more, meanwhile.
        if isFirst, !buttons.isEmpty { return }
        ways.readiness = readiness
        if !isAsking, ways.rung == opener.policy.ladder.first { ways.rung = readiness.nextRung }
        showWays()
    }

    private func showWays() {
        buttons = !isLocked ? [] : isAsking ? ways.besideThePrompt : ways.beforeThePrompt
    }

    private func hear(_ news: UnlockNews) async {
        guard isAsking else { return }
        switch news {
        case .hint(let rung): message = ways.named(rung.hint)
        case .readPoorly(let reading): message = ways.named(reading.message)
        case .moved(let from, let rung, because: _, let time):
            transition = time
            ways.rung = rung
            message = ways.named(rung.announcement)
            await look()
            // It may have moved on, or ended, meanwhile.
            if ways.rung == rung, isAsking { cause = ways.cause(ofLeaving: from) }
        case .offerSetUp(let failure):
            offer = failure.recovery.button.map { UnlockScreen.Button(action: .recover(failure.recovery), words: ways.named($0)) }
        case .began, .ended, .telemetry: break
        }
    }

    /// Behind the lock nothing is offered. A lock that follows no app keeps nothing closed.
    private func noteLock() { platform.prompts.note(ObjectIdentifier(self), isClosed: isLocked && runs > 0) }

    /// - Parameter tick: for a dismissal, until when asks are worthless; nil for all, or until what this process knows of it.
    private func handle(_ event: AppLock.Event, before tick: Tick? = nil) {
        let now = platform.moment
        let effects = lock.handle(event, at: now)
        // What began after the dismissal goes on: it may be the next person's sign-in that ended the visit of before.
        let dismissed = event == .dismissed && openedBy?.isLive == false ? openedBy : nil
        let dismissal = tick ?? dismissed.flatMap { platform.prompts.dismissal(of: $0.asker) }
        if lock.state == .unlocked { message = nil } else { openedBy = nil }
        let (wasAsking, wasLocked) = (isAsking, isLocked)
        isLocked = lock.state != .unlocked
        isAsking = if case .asking = lock.state { true } else { false }
        if !isLocked { (cause, offer, ways.rung) = (nil, nil, opener?.policy.ladder.first ?? .biometric) }
        if !isLocked || wasAsking != isAsking || wasLocked != isLocked { showWays() }
        isCovered = lock.isCovered
        noteLock()
        for effect in effects {
            switch effect {
            case .void: platform.prompts.voidEverything(before: dismissal)
            case .lock: whenLocked()
            case .wake(let time): wakebox?.yield(time)
            case .ask(let ask):
                let start = chosen ?? .screen
                asking[ask] = Task(executorPreference: platform.clock.executor) { await self.ask(ask, by: start) }
            case .cancel(let ask): asking[ask]?.cancel()
            // A cover is shown through `isCovered`.
            case .cover, .uncover: break
            }
        }
    }
}
