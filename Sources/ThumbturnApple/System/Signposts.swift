#if canImport(os)
import Synchronization
import ThumbturnCore
public import ThumbturnDevice
import os

/// Shows ceremonies in Instruments and in the system's log: an interval for each one, with an interval for each of its prompts,
/// and what happens in between.
///
///     let signposts = Signposts()
///     let auth = try Authenticator(server: url, platform: .apple(), observe: signposts.hear)
///
/// The subsystem is `thumbturn`, and each `AskKind` is a category. The log has a message at the level `notice` for the end of
/// each ceremony and for what a person has to know of, such as a lockout, and messages at `debug` for the rest. They contain
/// only names that this library defines: no account, no reason of a prompt, no token and no key.
///
/// One value may serve several authenticators and vaults. To hear the news as well, call both:
/// `observe: { signposts.hear($0); analytics.hear($0) }`.
public final class Signposts: Sendable {
    /// What is an interval: a ceremony by its number, or the prompt of a kind of ceremonies, of which one is up at a time.
    private enum Interval: Hashable {
        case ceremony(Int)
        case prompt(AskKind)
    }

    private let subsystem: String
    /// The intervals that have not ended.
    private let running = Mutex<[Interval: OSSignpostIntervalState]>([:])

    /// Makes the signposts of a subsystem.
    ///
    /// - Parameter subsystem: the name by which Instruments and Console filter.
    public init(subsystem: String = "thumbturn") { self.subsystem = subsystem }

    /// Hears the news: the observer of an `Authenticator` or a `Vault`, which calls it in the task of the ceremony. News that
    /// are passed on from another task count as those of an unlock.
    public func hear(_ news: UnlockNews) {
        switch news {
        case .began(let ceremony, number: let number): begin(ceremony, number)
        case .ended(let ceremony, number: let number, let code): end(ceremony, number, code)
        case .telemetry(let record): note(record.event, in: AskKind.current ?? .unlock)
        // They are for screens, and telemetry has what they tell.
        case .hint, .readPoorly, .offerSetUp, .moved: break
        }
    }

    private func signposter(_ ceremony: AskKind) -> OSSignposter {
        OSSignposter(subsystem: subsystem, category: ceremony.rawValue)
    }

    private func logger(_ ceremony: AskKind) -> Logger { Logger(subsystem: subsystem, category: ceremony.rawValue) }
}

// MARK: - Ceremonies

extension Signposts {
    private func begin(_ ceremony: AskKind, _ number: Int) {
        let signposter = signposter(ceremony)
        let state = signposter.beginInterval(ceremony.title, id: signposter.makeSignpostID(), "began")
        running.withLock { $0[.ceremony(number)] = state }
        logger(ceremony).debug("began")
    }

    private func end(_ ceremony: AskKind, _ number: Int, _ code: Failure.Code?) {
        guard let state = running.withLock({ $0.removeValue(forKey: .ceremony(number)) }) else { return }
        let outcome = code?.name ?? "succeeded"
        signposter(ceremony).endInterval(ceremony.title, state, "\(outcome, privacy: .public)")
        logger(ceremony).notice("ended: \(outcome, privacy: .public)")
    }
}

extension AskKind {
    /// The name of the interval in Instruments.
    fileprivate var title: StaticString {
        switch self {
        case .unlock: "Unlock"
        case .vault: "Vault"
        case .signIn: "Sign-in"
        case .stepUp: "Step-up"
        case .approval: "Approval"
        case .enrolment: "Enrolment"
        case .keyChange: "Key change"
        }
    }
}

// MARK: - What happens within

extension Signposts {
    private func note(_ event: Telemetry, in ceremony: AskKind) {
        if case .promptShown(let rung) = event {
            begin(promptOf: rung, in: ceremony)
        } else {
            signposter(ceremony).emitEvent("Step", "\(event.description, privacy: .public)")
            if let outcome = event.endOfPrompt { endPrompt(outcome, in: ceremony) }
        }
        if event.isNotable {
            logger(ceremony).notice("\(event.description, privacy: .public)")
        } else {
            logger(ceremony).debug("\(event.description, privacy: .public)")
        }
    }

    private func begin(promptOf rung: Rung, in ceremony: AskKind) {
        let signposter = signposter(ceremony)
        let state = signposter.beginInterval("Prompt", id: signposter.makeSignpostID(), "\(rung.description, privacy: .public)")
        let earlier = running.withLock { $0.updateValue(state, forKey: .prompt(ceremony)) }
        if let earlier { signposter.endInterval("Prompt", earlier, "another prompt came") }
    }

    private func endPrompt(_ outcome: String, in ceremony: AskKind) {
        guard let state = running.withLock({ $0.removeValue(forKey: .prompt(ceremony)) }) else { return }
        signposter(ceremony).endInterval("Prompt", state, "\(outcome, privacy: .public)")
    }
}

extension Telemetry {
    /// How the prompt ended with this event; nil where it did not. One that the flow leaves is dismissed.
    fileprivate var endOfPrompt: String? {
        switch self {
        case .sensorAnswered(let outcome, after: _, total: _): outcome.description
        case .fellBack, .lockedOut, .keyInvalidated, .authenticated: "dismissed"
        case .cancelled(let code): code.name
        case .promptShown, .promptAppeared, .readPoorly, .retry, .hintShown, .abandoned, .offerAnswered: nil
        }
    }

    /// Whether operators look for it: an end, a lockout, a lost key.
    fileprivate var isNotable: Bool {
        switch self {
        case .cancelled, .lockedOut, .keyInvalidated, .authenticated, .abandoned: true
        case .promptShown, .promptAppeared, .sensorAnswered, .readPoorly, .retry, .hintShown, .fellBack, .offerAnswered: false
        }
    }
}
#endif
