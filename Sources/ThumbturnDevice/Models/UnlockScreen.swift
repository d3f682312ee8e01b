public import Observation
public import ThumbturnCore
import ThumbturnMessages

/// The contents of the screen behind an unlock's prompts: why the person is asked, a message, and the buttons.
///
/// Run it while the screen is there:
///
///     .task { await screen.appear() }
///
/// It asks by itself when the policy allows it, a moment after it appeared. It does not after the person cancelled, and
/// never for a payment: there a tap comes first. A success counts for one appearance, and ends with it: when the next one
/// begins, when the app is left or locked, and when the person is dismissed. The screen is `ready` again then.
@MainActor @Observable public final class UnlockScreen {
    /// The purposes of the screen.
    public enum Purpose: Hashable, Sendable {
        /// Something is unlocked; the screen may ask by itself.
        case unlock
        /// A payment is confirmed; a tap comes first.
        case payment
    }

    /// The stages of the screen.
    public enum Stage: Hashable, Sendable {
        /// The screen waits, for the moment of its own prompt or for a tap.
        case ready
        /// The person is being asked.
        case asking
        /// The unlock succeeded.
        case unlocked
        /// The unlock failed; `message` and `buttons` show how to go on.
        case stopped(Failure)
    }

    /// A button below the message.
    public struct Button: Hashable, Sendable {
        /// The actions of buttons.
        public enum Action: Hashable, Sendable {
            /// Asks the person.
            case ask
            /// Asks the person, beginning with this rung.
            case askAt(Rung)
            /// Moves the ladder to its next rung.
            case anotherWay
            /// Has the app help, such as by showing its full sign-in or the settings of the device.
            case recover(Recovery)
        }

        /// What pressing the button does.
        public let action: Action
        /// The text of the button.
        public let words: PersonMessage
    }

    /// Why the person is asked, in the app's words.
    public let reason: String
    /// The screen's stage.
    public private(set) var stage = Stage.ready
    /// The rung that is asked, or will be.
    public private(set) var rung: Rung
    /// The device's sensor; nil until the device said what it has, and where it has none.
    public var sensor: SensorName? { ways.readiness?.sensor }
    /// How long a view cross-fades when `rung` changes: the `UnlockPolicy.transition` of the policy that is asked.
    ///
    ///     .animation(.easeInOut(duration: screen.transition / .seconds(1)), value: screen.rung)
    public private(set) var transition = UnlockPolicy.unlock.transition
    /// The message beside the reason; nil where there is none. After a pause it counts the seconds down.
    public private(set) var message: PersonMessage?
    /// Why the ladder left the rung of before, such as a lockout; nil where there is nothing to say.
    public private(set) var cause: PersonMessage?
    /// The buttons below the message, the first one first; none until the device said what it can do. There is always another way among them, by name, where the
    /// device has one.
    public private(set) var buttons: [Button] = []
    /// The success of the unlock, for example for `AppLockModel.unlocked(by:)`; nil where `stage` is not `unlocked`.
    public private(set) var answered: AnsweredAsk?

    private let news: UnlockNewsRelay
    private let unlock: @Sendable (UnlockFlow.Start) async throws -> AnsweredAsk
    /// The question that is asked now or was asked last.
    @ObservationIgnored private var question = Question()
    private let recover: @MainActor (Recovery) -> Void
    /// A button that leads to the settings where something could be set up; nil where there is none. It is shown beside
    /// the others.
    public private(set) var offer: Button?

    private let firstRung: Rung
    private let readiness: @Sendable () async -> Readiness?
    /// The platform of the account or the vault that asks: its line of prompts and the app's phases end a success.
    private let platform: DevicePlatform
    private var ways: UnlockWays
    /// Whether the app was left after a success: the screen asks anew when it comes back.
    @ObservationIgnored private var wasLeft = false
    /// Whether the app is left now.
    @ObservationIgnored private var isAway = false
    /// When the app was left the last time.
    @ObservationIgnored private var leftAt: Moment?
    /// The current appearance: its number, and how its work is begun; nil while the screen is not shown.
    private var shown: (number: Int, work: AsyncStream<Work>.Continuation)?
    @ObservationIgnored private var lastAppearance = 0
    /// Whether the screen asks by itself. After a cancellation it waits for a tap, also when it appears again.
    @ObservationIgnored private var asksItself: Bool
    /// Whether an unlock has begun and has not ended; it may still wait for its moment.
    @ObservationIgnored private var isRunning = false

    private enum Work: Sendable {
        case ask(UnlockFlow.Start)
        /// Says how long a pause still is, each second until this time.
        case count(until: Instant)
    }

    /// Makes the screen of an account's unlock.
    ///
    ///     let screen = UnlockScreen(for: auth, reason: "Unlock Acme")
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - reason: why the person is asked.
    ///   - policy: which rungs are asked.
    ///   - purpose: whether the screen may ask without a tap.
    ///   - recover: helps the person to recover; called when the button of a recovery is pressed.
    public convenience init(
        for auth: Authenticator, reason: String, policy: UnlockPolicy = .unlock, purpose: Purpose = .unlock,
        recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        self.init(
            for: auth, reason: reason, policy: policy, purpose: purpose,
            unlock: { start in try await auth.authenticate(reason, policy: policy, by: start).answered }, recover: recover)
    }

    convenience init(
        for subject: any Unlockable, reason: String, policy: UnlockPolicy, purpose: Purpose,
        unlock: @escaping @Sendable (UnlockFlow.Start) async throws -> AnsweredAsk,
        recover: @escaping @MainActor (Recovery) -> Void
    ) {
        self.init(
            reason: reason, news: subject.news, platform: subject.platform, purpose: purpose,
            rung: policy.ladder.first ?? .fullCredentials, readiness: { await subject.readiness(for: policy) }, unlock: unlock,
            recover: recover)
        transition = policy.transition
    }

    /// Makes the screen of any unlock, such as a vault's.
    ///
    /// - Parameters:
    ///   - reason: why the person is asked.
    ///   - news: the relay of the authenticator or vault that asks.
    ///   - platform: the platform of the authenticator or vault that asks. A success on another one does not count, because
    ///     the screen would not hear of its end.
    ///   - purpose: whether the screen may ask without a tap.
    ///   - rung: the rung that will be asked first: `Readiness.nextRung`.
    ///   - unlock: asks the person with the same reason, by the start that it is given, and returns the success: a
    ///     `Grant`, or the `answered` of a `LocalUnlock`. What the person presses reaches the call that it makes.
    ///   - readiness: what the device can do now, for buttons that name the other ways and the sensor; nil for none of
    ///     them, and for neutral words.
    ///   - recover: helps the person to recover; called when the button of a recovery is pressed.
    public init<Success: UnlockSuccess>(
        reason: String, news: UnlockNewsRelay, platform: DevicePlatform, purpose: Purpose = .unlock, rung: Rung = .biometric,
        readiness: @escaping @Sendable () async -> Readiness? = { nil },
        unlock: @escaping @Sendable (UnlockFlow.Start) async throws -> Success,
        recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        self.reason = reason
        self.news = news
        self.rung = rung
        firstRung = rung
        self.unlock = { try await unlock($0).answered }
        self.recover = recover
        asksItself = purpose == .unlock
        self.readiness = readiness
        self.platform = platform
        ways = UnlockWays(rung: rung)
    }

    /// Runs the screen until the task is cancelled, which also ends the unlock. A second call ends the first.
    public func appear() async { await appear { _ in } }

    /// Whether the success of this appearance counts now. It does not once the screen is gone: nothing would end it then.
    package func isOpen(in appearance: Int?) -> Bool {
        guard let appearance, let shown else { return false }
        return stage == .unlocked && shown.number == appearance
    }

    /// Runs the screen as `appear()`.
    ///
    /// - Parameter began: is told the number of this appearance.
    package func appear(_ began: @MainActor (Int) -> Void) async {
        let (work, workbox) = AsyncStream.makeStream(of: Work.self)
        lastAppearance += 1
        let number = lastAppearance
        shown?.work.finish()
        shown = (number, workbox)
        began(number)
        (isRunning, wasLeft) = (false, false)
        switch stage {
        // The person still has to read why it stopped.
        case .stopped: break
        case .ready, .asking, .unlocked:
            (stage, answered, rung) = (.ready, nil, firstRung)
            ways.rung = firstRung
            (message, cause, buttons, offer) = (nil, nil, [], nil)
        }
        defer { if shown?.number == number { (shown, isRunning) = (nil, false) } }
        let news = news.stream()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await news in news { await self.show(news, in: number) } }
            let (phases, voids) = (platform.phases.phases(), platform.prompts.voids())
            group.addTask { for await phase in phases { await self.see(phase, in: number) } }
            group.addTask { for await _ in voids { await self.endDismissed(in: number) } }
            await look(in: number)
            if asksItself { begin(by: .screen) }
            for await work in work {
                switch work {
                case .ask(let start): group.addTask { await self.ask(by: start, in: number) }
                case .count(let end): group.addTask { await self.count(until: end, in: number) }
                }
            }
            group.cancelAll()
        }
    }

    /// Does what a button does, after the person pressed it. While the screen is not shown it asks nothing.
    public func press(_ action: Button.Action) {
        switch action {
        case .ask:
            guard shown != nil, stage != .asking, stage != .unlocked else { return }
            if isRunning { question.prompt() } else { begin(by: .tap) }
            ask(firstRung)
        case .askAt(let rung):
            guard shown != nil, !isRunning, stage != .unlocked else { return }
            begin(by: .rung(rung))
            ask(rung)
        case .anotherWay:
            guard shown != nil, stage != .unlocked else { return }
            guard isRunning else {
                // There is nothing yet that could move on: it begins with that way.
                guard let next = ways.nextRung else { return }
                begin(by: .rung(next))
                return ask(next)
            }
            stage = .asking
            buttons = []
            question.useAnotherWay()
        case .recover(let recovery): recover(recovery)
        }
    }

    private func ask(_ rung: Rung) {
        (stage, self.rung, ways.rung) = (.asking, rung, rung)
        (message, cause, buttons) = (nil, nil, ways.besideThePrompt)
    }

    /// Reads what the device can do, and names the ways that there are now.
    private func look(in appearance: Int) async {
        let readiness = await readiness()
        guard shown?.number == appearance else { return }
        ways.readiness = readiness
        switch stage {
        case .ready:
            if !isRunning, let first = readiness?.nextRung { (rung, ways.rung) = (first, first) }
            buttons = ways.beforeThePrompt
        case .asking: buttons = ways.besideThePrompt
        case .stopped(let failure): buttons = ways.after(failure)
        case .unlocked: break
        }
    }

    /// A success ends when the app is left, and the screen asks anew when it comes back.
    private func see(_ phase: AppPhase, in appearance: Int) async {
        guard shown?.number == appearance else { return }
        // A system's own prompt may be above the app, which is no absence.
        isAway = phase == .back && !platform.prompts.isPromptUp
        switch phase {
        case .back:
            if isAway { leftAt = platform.moment }
            guard stage == .unlocked else { return }
            wasLeft = true
            await end(in: appearance)
        case .inactive: break
        case .front:
            guard wasLeft, stage == .ready, !isRunning else { return }
            wasLeft = false
            await look(in: appearance)
            if asksItself, shown?.number == appearance, stage == .ready, !isRunning { begin(by: .screen) }
        }
    }

    /// A success ends when the person was dismissed, or the app locked.
    private func endDismissed(in appearance: Int) async {
        guard shown?.number == appearance, stage == .unlocked, answered?.isLive == false else { return }
        await end(in: appearance)
    }

    private func end(in appearance: Int) async {
        (stage, answered, rung) = (.ready, nil, firstRung)
        ways.rung = firstRung
        (message, cause, buttons) = (nil, nil, [])
        await look(in: appearance)
    }

    private func begin(by start: UnlockFlow.Start) {
        (isRunning, offer, question) = (true, nil, Question())
        shown?.work.yield(.ask(start))
    }

    private func ask(by start: UnlockFlow.Start, in appearance: Int) async {
        let outcome: Result<AnsweredAsk, Failure>
        do {
            let answered = try await question.asking { try await unlock(start) }
            try answered.checkOpensLocks()
            guard answered.prompts === platform.prompts else { throw Failure(.cancelledByApp, hint: Self.otherPlatform) }
            // A success from before a lock or a dismissal does not count, whichever process dismissed the person.
            guard await answered.act.counts(for: .samePerson), answered.isLive else { throw Failure(.cancelledByApp) }
            outcome = .success(answered)
        } catch {
            outcome = .failure(Failure(thrownByApp: error))
        }
        // A later appearance asks for itself.
        guard shown?.number == appearance else { return }
        isRunning = false
        switch outcome {
        // The person who comes back to the app need not be the one who answered.
        case .success(let success) where isAway || leftAt.map({ success.at.elapsed(until: $0) != nil }) == true:
            wasLeft = true
            await end(in: appearance)
            if !isAway { await see(.front, in: appearance) }
        case .success(let success):
            (stage, answered) = (.unlocked, success)
            (message, cause, buttons) = (nil, nil, [])
        case .failure(let failure):
            stage = .stopped(failure)
            (message, cause) = (ways.named(failure.message), nil)
            if failure.code == .cancelledByUser { asksItself = false }
            buttons = ways.after(failure)
            if case .wait(let time) = failure.recovery { shown?.work.yield(.count(until: platform.clock.now.advanced(by: time))) }
            await look(in: appearance)
        }
    }

    private static let otherPlatform = """
        The success is of another platform than the screen's: give the screen the platform of the authenticator or the vault \
        that asks.
        """

    /// Counts a pause down in the message.
    private func count(until end: Instant, in appearance: Int) async {
        let paused: () -> Failure? = {
            guard case .stopped(let failure) = self.stage, case .wait = failure.recovery, self.shown?.number == appearance else {
                return nil
            }
            return failure
        }
        let isOver = await platform.clock.countDown(until: end) { left in
            guard let failure = paused() else { return false }
            message = ways.named(Failure(failure.code, recovery: .wait(left)).message)
            return true
        }
        guard isOver, paused() != nil else { return }
        message = PersonMessage(.readyWhenYouAre)
        await look(in: appearance)
    }

    private func show(_ news: UnlockNews, in appearance: Int) async {
        guard shown?.number == appearance else { return }
        // The screen's own prompt has appeared.
        if isRunning, stage != .asking, case .telemetry(let record) = news, case .promptShown = record.event {
            stage = .asking
            (message, buttons) = (nil, ways.besideThePrompt)
        }
        // An unlock that still waits for its moment has seen already what is missing.
        if isRunning, case .offerSetUp(let failure) = news {
            offer = failure.recovery.button.map { Button(action: .recover(failure.recovery), words: $0) }
        }
        guard stage == .asking else { return }
        switch news {
        case .hint(let rung):
            message = ways.named(rung.hint)
            buttons = [Button(action: .anotherWay, words: ways.named(rung.button))]
        case .readPoorly(let reading): message = ways.named(reading.message)
        case .moved(let from, let rung, because: _, let time):
            transition = time
            (self.rung, ways.rung) = (rung, rung)
            message = ways.named(rung.announcement)
            buttons = ways.besideThePrompt
            await look(in: appearance)
            // It may have moved on meanwhile.
            if self.rung == rung, stage == .asking { cause = ways.cause(ofLeaving: from) }
        case .offerSetUp, .began, .ended, .telemetry: break
        }
    }
}

extension UnlockScreen.Purpose: CustomStringConvertible {
    /// The purpose in words.
    public var description: String {
        switch self {
        case .unlock: "unlock"
        case .payment: "payment"
        }
    }
}

extension UnlockScreen.Stage: CustomStringConvertible {
    /// The stage in words.
    public var description: String {
        switch self {
        case .ready: "ready"
        case .asking: "asking"
        case .unlocked: "unlocked"
        case .stopped(let failure): "stopped: \(failure.code)"
        }
    }
}

extension UnlockScreen.Button: CustomStringConvertible {
    /// The English text of the button.
    public var description: String { words.description }
}

extension UnlockScreen.Button.Action: CustomStringConvertible {
    /// The action in words.
    public var description: String {
        switch self {
        case .ask: "ask"
        case .askAt(let rung): "ask at \(rung)"
        case .anotherWay: "another way"
        case .recover(let recovery): recovery.description
        }
    }
}
