public import Observation
public import ThumbturnCore
import ThumbturnMessages

/// What the screen behind an unlock's prompts shows: why the person is asked, what helps, and the buttons.
///
/// Run it while the screen is there:
///
///     .task { await screen.appear() }
///
/// It asks by itself when the policy says so, a moment after it appeared; not after the person cancelled, and never for a payment: there
/// a tap comes first.
@MainActor @Observable public final class UnlockScreen {
    /// What is unlocked.
    public enum Purpose: Hashable, Sendable {
        case unlock
        case payment
    }

    /// Where the screen stands.
    public enum Stage: Hashable, Sendable {
        /// It waits, for the moment of its own prompt or for a tap.
        case ready
        case asking
        case unlocked
        /// It did not work; `message` and `buttons` say how to go on.
        case stopped(Failure)
    }

    /// A button below the message.
    public struct Button: Hashable, Sendable {
        /// What pressing it does.
        public enum Action: Hashable, Sendable {
            case ask
            /// The ladder moves to its next rung.
            case anotherWay
            /// The app's part, such as showing its full sign-in or the settings of the device.
            case recover(Recovery)
        }

        /// What pressing it does.
        public let action: Action
        /// What it says.
        public let words: PersonMessage
    }

    /// The app's words: why the person is asked.
    public let reason: String
    /// Where the screen stands.
    public private(set) var stage = Stage.ready
    /// The rung that is asked, or will be.
    public private(set) var rung: Rung
    /// What is said beside the reason; nil where there is nothing to say.
    public private(set) var message: PersonMessage?
    /// The buttons below the message, the first one first.
    public private(set) var buttons: [Button] = []

    private let news: UnlockNewsRelay
    private let unlock: @Sendable (UnlockFlow.Start) async throws(Failure) -> Void
    private let prompt: @Sendable () async -> Void
    private let useAnotherWay: @Sendable () async -> Void
    private let recover: @MainActor (Recovery) -> Void
    /// Leads to the settings where something could be set up; beside everything else, and in nobody's way.
    public private(set) var offer: Button?

    private let work: AsyncStream<Work>
    private let workbox: AsyncStream<Work>.Continuation
    /// After a cancel the screen waits for a tap, also when it appears again.
    @ObservationIgnored private var asksItself: Bool
    /// An unlock has begun and has not ended; it may still wait for its moment.
    @ObservationIgnored private var isRunning = false

    private enum Work: Sendable {
        case ask(UnlockFlow.Start)
        case prompt
        case anotherWay
    }

    /// A screen for one thing to unlock.
    ///
    /// - Parameters:
    ///   - reason: what the person is told.
    ///   - news: what the authenticator or vault tells while it asks.
    ///   - purpose: what it is for; some are never asked without a tap.
    ///   - rung: the rung that will be asked first: `Readiness.nextRung`.
    ///   - unlock: asks the person with the same reason, by the start that it is given; returns where that was a success.
    ///   - prompt: `Authenticator.prompt` or `Vault.prompt`.
    ///   - useAnotherWay: `Authenticator.useAnotherWay` or `Vault.useAnotherWay`.
    ///   - recover: the app's part of a recovery; called when its button is pressed.
    public init(
        reason: String, news: UnlockNewsRelay, purpose: Purpose = .unlock, rung: Rung = .biometric,
        unlock: @escaping @Sendable (UnlockFlow.Start) async throws(Failure) -> Void,
        prompt: @escaping @Sendable () async -> Void = {},
        useAnotherWay: @escaping @Sendable () async -> Void = {}, recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        self.reason = reason
        self.news = news
        self.rung = rung
        self.unlock = unlock
        self.prompt = prompt
        self.useAnotherWay = useAnotherWay
        self.recover = recover
        asksItself = purpose == .unlock
        (work, workbox) = AsyncStream.makeStream()
        buttons = [Button(action: .ask, words: rung.button)]
    }

    /// Runs the screen until the task is cancelled, which also ends the unlock.
    public func appear() async {
        let news = news.stream()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await news in news { await self.show(news) } }
            if asksItself, stage != .asking, stage != .unlocked { begin(by: .screen) }
            for await work in work {
                switch work {
                case .ask(let start): group.addTask { await self.ask(by: start) }
                case .prompt: group.addTask { [prompt] in await prompt() }
                case .anotherWay: group.addTask { [useAnotherWay] in await useAnotherWay() }
                }
            }
            group.cancelAll()
        }
    }

    /// The person presses a button.
    public func press(_ action: Button.Action) {
        switch action {
        case .ask:
            guard stage != .asking, stage != .unlocked else { return }
            if isRunning { workbox.yield(.prompt) } else { begin(by: .tap) }
            stage = .asking
            (message, buttons, offer) = (nil, [], nil)
        case .anotherWay:
            buttons = []
            workbox.yield(.anotherWay)
        case .recover(let recovery): recover(recovery)
        }
    }

    private func begin(by start: UnlockFlow.Start) {
        isRunning = true
        workbox.yield(.ask(start))
    }

    private func ask(by start: UnlockFlow.Start) async {
        defer { isRunning = false }
        do throws(Failure) {
            try await unlock(start)
            stage = .unlocked
            (message, buttons) = (nil, [])
        } catch {
            stage = .stopped(error)
            message = error.message
            if error.code == .cancelledByUser { asksItself = false }
            buttons = buttons(after: error)
        }
    }

    private func show(_ news: UnlockNews) {
        // The moment of the screen's own prompt has come.
        if isRunning, stage != .asking, case .telemetry(.promptShown) = news {
            stage = .asking
            (message, buttons) = (nil, [])
        }
        guard stage == .asking else { return }
        switch news {
        case .hint(let rung):
            message = rung.hint
            buttons = [Button(action: .anotherWay, words: rung.button)]
        case .readPoorly(let reading): message = reading.message
        case .moved(from: _, let rung, because: _):
            self.rung = rung
            message = rung.announcement
            buttons = []
        case .offerSetUp(let failure):
            offer = failure.recovery.button.map { Button(action: .recover(failure.recovery), words: $0) }
        case .telemetry: break
        }
    }

    private func buttons(after failure: Failure) -> [Button] {
        switch failure.recovery {
        // A pause ends by itself, and then the same button works.
        case .retry, .wait: [Button(action: .ask, words: PersonMessage(.tryAgain))]
        case .fallBack, .reEnrol, .openSettings, .setPasscode, .signInAgain, .report:
            failure.recovery.button.map { [Button(action: .recover(failure.recovery), words: $0)] } ?? []
        }
    }
}
