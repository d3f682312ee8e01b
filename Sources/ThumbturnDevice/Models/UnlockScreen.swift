public import Observation
public import ThumbturnCore

/// What the screen behind an unlock's prompts shows: why the person is asked, what helps, and the buttons.
///
/// Run it while the screen is there:
///
///     .task { await screen.appear() }
///
/// It asks by itself a moment after it appeared; not after the person cancelled, and never for a payment: there a tap comes first.
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
    private let delay: Duration
    private let clock: any DeviceClock
    private let unlock: @Sendable () async throws(Failure) -> Void
    private let useAnotherWay: @Sendable () async -> Void
    private let recover: @MainActor (Recovery) -> Void
    /// Leads to the settings where something could be set up; beside everything else, and in nobody's way.
    public private(set) var offer: Button?

    private let work: AsyncStream<Work>
    private let workbox: AsyncStream<Work>.Continuation
    /// After a cancel the screen waits for a tap, also when it appears again.
    @ObservationIgnored private var asksItself: Bool

    private enum Work: Sendable {
        case ask
        case anotherWay
    }

    /// A screen for one thing to unlock.
    ///
    /// - Parameters:
    ///   - news: what the authenticator or vault tells while it asks.
    ///   - rung: the rung that will be asked first: `Readiness.nextRung`.
    ///   - delay: from the appearance to the screen's own prompt.
    ///   - unlock: asks the person with the same reason; returns where that was a success.
    ///   - useAnotherWay: `Authenticator.useAnotherWay` or `Vault.useAnotherWay`.
    ///   - recover: the app's part of a recovery; called when its button is pressed.
    public init(
        reason: String, news: UnlockNewsRelay, purpose: Purpose = .unlock, rung: Rung = .biometric,
        delay: Duration = .milliseconds(400),
        clock: any DeviceClock = SystemClock(), unlock: @escaping @Sendable () async throws(Failure) -> Void,
        useAnotherWay: @escaping @Sendable () async -> Void = {}, recover: @escaping @MainActor (Recovery) -> Void = { _ in }
    ) {
        self.reason = reason
        self.news = news
        self.rung = rung
        self.delay = delay
        self.clock = clock
        self.unlock = unlock
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
            if asksItself, stage != .unlocked {
                group.addTask { [clock, delay] in
                    guard (try? await clock.sleep(until: clock.now.advanced(by: delay))) != nil else { return }
                    await self.press(.ask)
                }
            }
            for await work in work {
                switch work {
                case .ask: group.addTask { await self.ask() }
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
            stage = .asking
            (message, buttons, offer) = (nil, [], nil)
            workbox.yield(.ask)
        case .anotherWay:
            buttons = []
            workbox.yield(.anotherWay)
        case .recover(let recovery): recover(recovery)
        }
    }

    private func ask() async {
        do throws(Failure) {
            try await unlock()
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
