/// Locks an app after a time away, covers it as soon as it is not in front, and asks the person to unlock it.
///
/// A value like `UnlockFlow`: events go in with their time, effects come out. A process begins locked. While no run
/// follows the app, nothing opens or uncovers it; where the time away is unknown, it locks.
///
/// Only the answer to the current ask opens the app, or a success that the app shows to the lock. Locking makes every
/// earlier ask worthless, and so does leaving while the app is locked or the person is being asked, even where
/// `Rules.lockAfter` would keep an open app open: the person was not let in yet, and another one may come back.
///
/// The system's own sheets make an app inactive and active again. While one of the app's prompts is over the app this
/// covers nothing, locks nothing and asks nothing, so an unlock cannot start the next one, and a person may take any
/// time for it. A platform that shows its passcode prompt as another app has to answer the prompt once the app is in
/// front again: otherwise an app with `Rules.lockAfter` zero locks between the two.
public struct AppLock: Hashable, Sendable {
    /// The numbers.
    public struct Rules: Hashable, Sendable, Codable {
        /// How long the app may be in the background without locking; zero locks it at once.
        public var lockAfter: Duration
        /// How long the app may be visible without input, for example beside another window. A shorter time than
        /// `lockAfter` or one second counts as that one, because the app's own prompts end with a moment without input.
        public var lockAfterInactive: Duration = .seconds(60)
        /// How long the app may be in the background while its own prompt is up: some systems show the passcode prompt
        /// as another app.
        public var promptLimit: Duration = .seconds(60)
        /// Whether the lock asks without a tap when the app comes to the screen. Without it every unlock begins with a tap.
        public var asksItself = true

        /// Creates rules that lock at once by default.
        public init(lockAfter: Duration = .zero) {
            self.lockAfter = lockAfter
        }

        /// Decodes rules; an absent number has its default.
        public init(from decoder: any Decoder) throws {
            let numbers = try decoder.container(keyedBy: CodingKeys.self)
            self.init()
            lockAfter = try numbers.decodeIfPresent(Duration.self, forKey: .lockAfter) ?? lockAfter
            lockAfterInactive = try numbers.decodeIfPresent(Duration.self, forKey: .lockAfterInactive) ?? lockAfterInactive
            promptLimit = try numbers.decodeIfPresent(Duration.self, forKey: .promptLimit) ?? promptLimit
            asksItself = try numbers.decodeIfPresent(Bool.self, forKey: .asksItself) ?? asksItself
        }
    }

    /// One question of the lock to the person. Its number is used once.
    package struct Ask: Hashable, Sendable {
        package let number: Int

        package init(number: Int) { self.number = number }
    }

    /// Whether the contents may be seen.
    package enum State: Hashable, Sendable {
        /// The contents are locked. `asksItself` is whether the next appearance asks without a tap: not after a cancel,
        /// and not after "lock now", because a person who has just refused is not asked again at every return.
        case locked(asksItself: Bool)
        /// The person is being asked.
        case asking(Ask)
        case unlocked
    }

    /// What is known of the screen. Both facts come at one time, because two streams keep no order between them.
    package struct Sight: Hashable, Sendable {
        package var phase: AppPhase
        /// Whether a prompt of this app is up.
        package var isPromptUp: Bool

        package init(_ phase: AppPhase, isPromptUp: Bool) {
            self.phase = phase
            self.isPromptUp = isPromptUp
        }
    }

    /// Something that happened.
    package enum Event: Hashable, Sendable {
        /// A run follows the app from now on; an earlier run ends with that. Its number is used once.
        case began(run: Int)
        /// The run follows the app no more: its view is gone, its task was cancelled, or the phases ended.
        case ended(run: Int)
        /// A run saw the screen. One sight comes as soon as the run has begun.
        case saw(Sight, run: Int)
        /// The person asked to unlock.
        case tapped
        /// The person or the app asked to lock now.
        case lockNow
        /// The person whose success opened the app was dismissed: by forgetting, revoking, or requiring a stronger rung.
        case dismissed
        case answered(Ask, Answer)
        /// The app showed a success that the lock did not ask for.
        case proved(isLive: Bool)
        /// A time that the lock asked to be woken at has come.
        case woke
    }

    /// The end of an ask.
    package enum Answer: Hashable, Sendable {
        /// The unlock succeeded. It is live if nothing has made it worthless since its ask began.
        case succeeded(isLive: Bool)
        /// The person cancelled.
        case cancelled
        /// The unlock ended in another way, for example because the app left the screen.
        case failed
    }

    /// Something to do. Effects are carried out in order.
    package enum Effect: Hashable, Sendable {
        /// Hide the contents, also in the list of running apps.
        case cover
        case uncover
        /// Make every ask of the process until now worthless.
        case void
        /// Forget what was unlocked, and show the lock screen.
        case lock
        /// Run an unlock, and send its outcome as `answered`.
        case ask(Ask)
        /// Stop an unlock, whose answer counts no more.
        case cancel(Ask)
        /// Send `woke` at this time of this boot.
        case wake(at: Instant)
    }

    /// The current state.
    package private(set) var state = State.locked(asksItself: true)
    /// Whether the contents are covered. The lock screen itself needs no cover.
    package private(set) var isCovered = true
    /// The numbers.
    package let rules: Rules

    private var run: Int?
    /// What the run saw last; nil where no run follows the app.
    private var sight: Sight?
    /// Since when the app is neither in front nor under its own prompt.
    private var awaySince: Moment?
    /// When the app was in the back first since it was in front.
    private var backSince: Moment?
    /// Whether the app has come to the screen and has not asked since. One appearance asks once by itself.
    private var isNewHere = true
    private var lastAsk = 0

    /// How long the app stays inactive after its own prompt has gone. Covering it before that would make every prompt
    /// flash.
    private static let promptEnd = Duration.seconds(1)

    /// Creates the lock of an app that is locked and not on the screen yet.
    package init(rules: Rules = Rules()) {
        self.rules = rules
    }

    /// Takes an event, and returns what to do about it.
    package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        let due = nextDue
        // The time decides before the event does, because a device that sleeps wakes the lock late; and after it,
        // because an event may bring a shorter limit.
        var effects = catchUp(at: now)
        effects += take(event, at: now)
        effects += catchUp(at: now)
        if let next = nextDue, next != due || event == .woke { effects.append(.wake(at: next)) }
        return effects
    }

    private mutating func take(_ event: Event, at now: Moment) -> [Effect] {
        switch event {
        case .began(let new):
            run = new
            return loseSight()
        case .ended(let old):
            guard run == old else { return [] }
            run = nil
            return loseSight()
        case .saw(let new, let seer):
            // A run that has ended may still have had a sight on its way.
            guard run == seer, new != sight else { return [] }
            return see(new, at: now)

        case .tapped:
            guard case .locked = state, sight?.phase == .front else { return [] }
            return ask()
        case .lockNow, .dismissed:
            return close(asksItself: false)

        case .answered(let ask, let answer):
            // The answer to an earlier ask, which was made worthless, says nothing.
            guard state == .asking(ask) else { return [] }
            switch answer {
            case .succeeded(isLive: true):
                state = .unlocked
                return []
            case .succeeded(isLive: false), .cancelled:
                state = .locked(asksItself: false)
                return []
            case .failed:
                state = .locked(asksItself: true)
                return askItself()
            }
        case .proved(let isLive):
            guard isLive, state != .unlocked, let sight, sight.phase != .back, !isOverdue(at: now) else { return [] }
            let asked = state
            state = .unlocked
            if case .asking(let ask) = asked { return [.cancel(ask)] }
            return []

        // What has become due was done before.
        case .woke: return []
        }
    }

    /// Locks before the cover goes, so that the contents are not seen for a moment.
    private mutating func see(_ new: Sight, at now: Moment) -> [Effect] {
        let wasInFront = sight?.phase == .front
        sight = new
        awaySince = new.phase == .front || new.isPromptUp ? nil : awaySince ?? now
        switch new.phase {
        case .front:
            backSince = nil
            return uncover() + askItself()
        case .inactive:
            return wasInFront && !new.isPromptUp ? cover() : []
        case .back:
            isNewHere = true
            backSince = backSince ?? now
            // Another person may come back, and the ask was for the one who left.
            return cover() + (new.isPromptUp || state == .unlocked ? [] : close(asksItself: true))
        }
    }

    /// Locks and covers the app, which no run has seen.
    private mutating func loseSight() -> [Effect] {
        (sight, awaySince, backSince, isNewHere) = (nil, nil, nil, true)
        return cover() + close(asksItself: true)
    }

    // MARK: - Time

    private struct Limit {
        var since: Moment
        var lasts: Duration

        /// A time that is not known is over.
        func isOver(at now: Moment) -> Bool { since.elapsed(until: now).map { $0 >= lasts } ?? true }
        var end: Instant { since.sinceBoot.advanced(by: lasts) }
    }

    /// What ends an unlocked app, and an ask. It follows from what is seen now: once a prompt is gone, its own limit
    /// is gone too.
    private var limits: [Limit] {
        var limits: [Limit] = []
        if let awaySince {
            limits.append(Limit(since: awaySince, lasts: max(rules.lockAfter, rules.lockAfterInactive, Self.promptEnd)))
        }
        if let sight, sight.phase == .back, let backSince {
            let lasts = sight.isPromptUp ? max(rules.lockAfter, rules.promptLimit) : rules.lockAfter
            limits.append(Limit(since: backSince, lasts: lasts))
        }
        return limits
    }

    private var coverLimit: Limit? { awaySince.map { Limit(since: $0, lasts: Self.promptEnd) } }

    private func isOverdue(at now: Moment) -> Bool { limits.contains { $0.isOver(at: now) } }

    private var isLocked: Bool { if case .locked = state { true } else { false } }

    private var nextDue: Instant? {
        ((isLocked ? [] : limits) + (isCovered ? [] : [coverLimit].compactMap(\.self))).map(\.end).min()
    }

    private mutating func catchUp(at now: Moment) -> [Effect] {
        let covered = coverLimit?.isOver(at: now) == true ? cover() : []
        guard !isLocked, isOverdue(at: now) else { return covered }
        isNewHere = true
        return covered + close(asksItself: true)
    }

    // MARK: - What the lock does

    private mutating func cover() -> [Effect] {
        guard !isCovered else { return [] }
        isCovered = true
        return [.cover]
    }

    private mutating func uncover() -> [Effect] {
        guard isCovered else { return [] }
        isCovered = false
        return [.uncover]
    }

    /// Locks, and makes what is under way worthless. A lock that waits for a tap goes on waiting for it.
    private mutating func close(asksItself: Bool) -> [Effect] {
        switch state {
        case .locked(let didAskItself):
            state = .locked(asksItself: asksItself && didAskItself)
            return [.void]
        case .asking(let ask):
            state = .locked(asksItself: asksItself)
            return [.void, .cancel(ask)]
        case .unlocked:
            state = .locked(asksItself: asksItself)
            return [.void, .lock]
        }
    }

    private mutating func askItself() -> [Effect] {
        rules.asksItself && state == .locked(asksItself: true) && isNewHere && sight?.phase == .front ? ask() : []
    }

    private mutating func ask() -> [Effect] {
        lastAsk += 1
        isNewHere = false
        let ask = Ask(number: lastAsk)
        state = .asking(ask)
        return [.ask(ask)]
    }
}

extension AppLock: CustomStringConvertible {
    /// For example `locked, covered`.
    public var description: String {
        let name =
            switch state {
            case .unlocked: "unlocked"
            case .locked: "locked"
            case .asking: "asking"
            }
        return isCovered ? "\(name), covered" : name
    }
}

extension AppLock.Rules: CustomStringConvertible {
    /// For example `locks after 0.0 seconds, and after 60.0 seconds without input`.
    public var description: String { "locks after \(lockAfter), and after \(lockAfterInactive) without input" }
}
