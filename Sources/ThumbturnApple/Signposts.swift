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
///     let grant = try await signposts.interval(.unlock) { try await auth.authenticate("Unlock Acme") }
///
/// The subsystem is `thumbturn`, and each kind of ceremony is a category. The log has a message at the level `notice` for the
/// end of each ceremony and for what a person has to know of, such as a lockout, and messages at `debug` for the rest. They
/// contain only names that this library defines: no account, no reason of a prompt, no token and no key.
///
/// One value may serve several authenticators and vaults. To hear the news as well, call both:
/// `observe: { signposts.hear($0); analytics.hear($0) }`.
public final class Signposts: Sendable {
    /// A kind of ceremony, which is the category in the log.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Ceremony: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// A sign-in by a key, or the opening of a vault.
        case unlock
        /// The registration of this device.
        case enrolment
        /// An approval of a transaction.
        case approval
        /// A fresh proof for one action.
        case stepUp = "step-up"
        /// A change of a key, such as a new biometric key or another PIN.
        case keyChange = "key-change"

        /// The category.
        public var description: String { rawValue }

        /// The name of the interval in Instruments.
        fileprivate var title: StaticString {
            switch self {
            case .unlock: "Unlock"
            case .enrolment: "Enrolment"
            case .approval: "Approval"
            case .stepUp: "Step-up"
            case .keyChange: "Key change"
            }
        }
    }

    /// The ceremony in which the current task works. The tasks that it starts have it, too, so that a prompt is shown in the
    /// category of the ceremony that asked for it.
    @TaskLocal private static var current = Ceremony.unlock

    private let subsystem: String
    /// The prompts that are up, at most one for a category.
    private let prompts = Mutex<[Ceremony: OSSignpostIntervalState]>([:])

    /// Makes the signposts of a subsystem.
    ///
    /// - Parameter subsystem: the name by which Instruments and Console filter.
    public init(subsystem: String = "thumbturn") { self.subsystem = subsystem }

    private func signposter(_ ceremony: Ceremony) -> OSSignposter {
        OSSignposter(subsystem: subsystem, category: ceremony.rawValue)
    }

    private func logger(_ ceremony: Ceremony) -> Logger { Logger(subsystem: subsystem, category: ceremony.rawValue) }
}

// MARK: - Ceremonies

extension Signposts {
    /// Does the work of a ceremony within an interval, which ends with the work: with `succeeded`, or with the name of the
    /// failure's code.
    ///
    /// In a function that throws only a `Failure`, the closure has to say so: `{ () async throws(Failure) in … }`.
    ///
    /// - Parameters:
    ///   - ceremony: the kind of the work, and so its category.
    ///   - work: calls an authenticator or a vault.
    /// - Returns: what the work returned.
    /// - Throws: what the work threw.
    @discardableResult
    public func interval<Value, Problem: Error>(
        _ ceremony: Ceremony, _ work: () async throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        let signposter = signposter(ceremony), log = logger(ceremony)
        let state = signposter.beginInterval(ceremony.title, id: signposter.makeSignpostID(), "began")
        log.debug("began")
        let result = await Self.$current.withValue(ceremony) { () async -> Result<Value, Problem> in
            do throws(Problem) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        let outcome = Self.name(of: result)
        signposter.endInterval(ceremony.title, state, "\(outcome, privacy: .public)")
        log.notice("ended: \(outcome, privacy: .public)")
        return try result.get()
    }

    /// The outcome as a name of this library's. What another error says of itself is not known, so it is not shown.
    private static func name<Value, Problem>(of result: Result<Value, Problem>) -> String {
        switch result {
        case .success: "succeeded"
        case .failure(let error): (error as? Failure)?.code.name ?? "failed"
        }
    }
}

// MARK: - What happens within

extension Signposts {
    /// Hears the news of an unlock: the observer of an `Authenticator` or a `Vault`.
    ///
    /// News outside of `interval` count as those of an unlock.
    public func hear(_ news: UnlockNews) {
        // The other news are for screens, and telemetry has what they tell.
        guard case .telemetry(let record) = news else { return }
        let ceremony = Self.current, event = record.event
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

    private func begin(promptOf rung: Rung, in ceremony: Ceremony) {
        let signposter = signposter(ceremony)
        let state = signposter.beginInterval("Prompt", id: signposter.makeSignpostID(), "\(rung.description, privacy: .public)")
        let earlier = prompts.withLock { $0.updateValue(state, forKey: ceremony) }
        if let earlier { signposter.endInterval("Prompt", earlier, "another prompt came") }
    }

    private func endPrompt(_ outcome: String, in ceremony: Ceremony) {
        guard let state = prompts.withLock({ $0.removeValue(forKey: ceremony) }) else { return }
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
        case .promptShown, .promptAppeared, .readPoorly, .retry, .hintShown, .abandoned: nil
        }
    }

    /// Whether operators look for it: an end, a lockout, a lost key.
    fileprivate var isNotable: Bool {
        switch self {
        case .cancelled, .lockedOut, .keyInvalidated, .authenticated, .abandoned: true
        case .promptShown, .promptAppeared, .sensorAnswered, .readPoorly, .retry, .hintShown, .fellBack: false
        }
    }
}
#endif
