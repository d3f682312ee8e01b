/// Locks an app after a time in the background, covers it as soon as it is not in front, and asks the person to unlock
/// it.
///
/// A value like `UnlockFlow`: events go in with their time, effects come out. A process begins locked, so killing the
/// app or restarting the device unlocks nothing; and where the time in the background is unknown, the app locks.
///
/// The system's own sheets make an app inactive and active again. While one of the app's prompts is up this covers
/// nothing, locks nothing and asks nothing, so an unlock cannot start the next one.
public struct AppLock: Hashable, Sendable {
    /// The numbers.
    public struct Rules: Hashable, Sendable, Codable {
        /// How long the app may be in the background without locking; zero locks it at once.
        public var lockAfter: Duration
        /// How long the app may be in the background while its own prompt is up: some systems show the passcode prompt
        /// as another app.
        public var promptLimit: Duration

        /// Creates rules that lock at once by default.
        public init(lockAfter: Duration = .zero) {
            self.lockAfter = lockAfter
            promptLimit = .seconds(60)
        }
    }

    /// Whether the contents may be seen.
    package enum State: Hashable, Sendable {
        case unlocked
        /// The contents are locked. `asksItself` is whether the next appearance asks without a tap: not after a cancel,
        /// and not after "lock now", because a person who has just refused is not asked again at every return.
        case locked(asksItself: Bool)
        /// The person is being asked.
        case asking
    }

    /// Something that happened.
    package enum Event: Hashable, Sendable {
        case phase(AppPhase)
        /// A prompt of the app appeared or went away.
        case prompt(isUp: Bool)
        /// The person asked to unlock.
        case tapped
        /// The person or the app asked to lock now.
        case lockNow
        /// An unlock or a sign-in succeeded.
        case unlocked
        /// The person cancelled.
        case cancelled
        /// The unlock ended in another way, for example because the app left the screen.
        case notUnlocked
        /// A time that the lock asked to be woken at has come.
        case woke
    }

    /// Something to do. Effects are carried out in order.
    package enum Effect: Hashable, Sendable {
        /// Hide the contents, also in the list of running apps.
        case cover
        case uncover
        /// Forget what was unlocked, and show the lock screen.
        case lock
        /// Run an unlock, and send its outcome as an event.
        case ask
        /// Send `woke` at this time of this boot.
        case wake(at: Instant)
    }

    /// The current state.
    package private(set) var state = State.locked(asksItself: true)
    /// Whether the contents are covered. The lock screen itself needs no cover.
    package private(set) var isCovered = true
    /// The numbers.
    package let rules: Rules

    private var phase: AppPhase?
    private var leaving: Leaving?
    private var isPromptUp = false
    /// Whether the app has come to the screen and has not asked since. One appearance asks once by itself.
    private var isNewHere = true

    private struct Leaving: Hashable {
        var since: Moment
        var limit: Duration

        func isOver(at now: Moment) -> Bool {
            guard let elapsed = since.elapsed(until: now) else { return true }
            return elapsed >= limit
        }
    }

    /// Creates the lock of an app that is locked and not on the screen yet.
    package init(rules: Rules = Rules()) {
        self.rules = rules
    }

    /// Takes an event, and returns what to do about it.
    package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        switch event {
        case .phase(let new) where new == phase: return []
        case .phase(.front):
            phase = .front
            return appear(at: now)
        case .phase(.inactive):
            let wasInFront = phase == .front
            phase = .inactive
            // Under the app's own prompt nothing is covered, or every prompt would flash. The cover comes once the app
            // leaves the screen.
            return wasInFront && !isPromptUp ? cover() : []
        case .phase(.back):
            phase = .back
            return leave(at: now)

        case .prompt(let isUp):
            isPromptUp = isUp
            return []

        case .tapped:
            guard case .locked = state, phase == .front else { return [] }
            return ask()
        case .lockNow:
            guard state == .unlocked else { return [] }
            return lock(asksItself: false)

        case .unlocked:
            // The app was away for too long to count the person as present.
            if let leaving, leaving.isOver(at: now) {
                state = .locked(asksItself: true)
                return []
            }
            state = .unlocked
            return wake()
        case .cancelled:
            guard state == .asking else { return [] }
            state = .locked(asksItself: false)
            return []
        case .notUnlocked:
            guard state == .asking else { return [] }
            state = .locked(asksItself: true)
            return phase == .front && isNewHere ? ask() : []

        case .woke:
            guard state == .unlocked, let leaving, leaving.isOver(at: now) else { return [] }
            return lock(asksItself: true)
        }
    }

    /// Locks before the cover goes, so that the contents are not seen for a moment.
    private mutating func appear(at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        if let leaving, state == .unlocked, leaving.isOver(at: now) { effects += lock(asksItself: true) }
        leaving = nil
        if isCovered {
            isCovered = false
            effects.append(.uncover)
        }
        switch state {
        case .locked(asksItself: true) where isNewHere: effects += ask()
        // A running unlock is answered or asked again in this appearance; in the other states there is nothing to ask.
        case .asking, .locked, .unlocked: break
        }
        return effects
    }

    private mutating func leave(at now: Moment) -> [Effect] {
        isNewHere = true
        leaving = leaving ?? Leaving(since: now, limit: isPromptUp ? max(rules.lockAfter, rules.promptLimit) : rules.lockAfter)
        let covered = cover()
        if state == .unlocked, let leaving, leaving.isOver(at: now) { return covered + lock(asksItself: true) }
        return covered + wake()
    }

    private func wake() -> [Effect] {
        guard state == .unlocked, let leaving else { return [] }
        return [.wake(at: leaving.since.sinceBoot.advanced(by: leaving.limit))]
    }

    private mutating func cover() -> [Effect] {
        guard !isCovered else { return [] }
        isCovered = true
        return [.cover]
    }

    private mutating func lock(asksItself: Bool) -> [Effect] {
        state = .locked(asksItself: asksItself)
        return [.lock]
    }

    private mutating func ask() -> [Effect] {
        state = .asking
        isNewHere = false
        return [.ask]
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
    /// For example `locks after 0.0 seconds`.
    public var description: String { "locks after \(lockAfter)" }
}
