/// The life of one system prompt, from the request to show it to its end.
///
/// The prompt is shown once, when the app is in front and the earlier prompt has been gone for long enough. Systems
/// lose prompts: where an app was in the background, is in front again and receives no answer, the system has cancelled
/// its prompt. And some systems do not dismiss a prompt when they are asked to: after a while it counts as gone, and
/// its later answer is ignored.
package struct PromptWatch: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Not on the screen yet.
        case waiting(isInFront: Bool)
        /// On the screen.
        case up(Sight)
        /// The app dismissed the prompt at this time, and the prompt has not ended yet.
        case dismissed(since: Instant)
        case over
    }

    /// The phases of the app while the prompt was up. The system's own sheet makes an app inactive, and its end makes
    /// it active again, so these changes carry no information.
    package enum Sight: Hashable, Sendable {
        case ordinary
        /// The app went to the background.
        case wasAway
        /// The app came back to the front at this time.
        case isBack(since: Instant)
    }

    package enum Event: Hashable, Sendable {
        case phase(AppPhase)
        /// The platform answered the prompt.
        case answered
        /// The caller withdrew the request.
        case cancelled
        case woke
    }

    package enum Effect: Hashable, Sendable {
        case show
        case wake(at: Instant)
        /// Takes the prompt off the screen, or tries to.
        case dismiss
        /// Hands the platform's answer to the caller.
        case deliver
        /// Hands this failure to the caller instead.
        case fail(Failure)
    }

    /// How long after its return to the front an app waits for the prompt's answer. An existing answer arrives within a
    /// few frames.
    package static let answerLimit = Duration.seconds(2)
    /// How long to wait for a prompt to be dismissed.
    package static let dismissalLimit = Duration.seconds(2)

    package private(set) var state = State.waiting(isInFront: false)
    private let earliest: Instant

    /// Creates a prompt that is not shown before this time.
    package init(notBefore earliest: Instant) {
        self.earliest = earliest
    }

    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch (state, event) {
        case (.waiting, .phase(let phase)): return wait(inFront: phase == .front, now)
        case (.waiting(let isInFront), .woke): return wait(inFront: isInFront, now)
        case (.waiting, .cancelled):
            state = .over
            return [.fail(Failure(.cancelledByApp))]

        case (.up, .answered):
            state = .over
            return [.deliver]
        case (.up, .phase(.back)), (.up(.isBack), .phase(.inactive)):
            state = .up(.wasAway)
            return []
        case (.up(.wasAway), .phase(.front)):
            state = .up(.isBack(since: now))
            return [.wake(at: now.advanced(by: Self.answerLimit))]
        case (.up(.isBack(let since)), .woke):
            guard since.advanced(by: Self.answerLimit) <= now else { return [] }
            state = .over
            return [.dismiss, .fail(Failure(.cancelledBySystem))]
        case (.up, .cancelled):
            state = .dismissed(since: now)
            return [.dismiss, .wake(at: now.advanced(by: Self.dismissalLimit))]

        case (.dismissed, .answered):
            state = .over
            return [.fail(Failure(.cancelledByApp))]
        case (.dismissed(let since), .woke):
            guard since.advanced(by: Self.dismissalLimit) <= now else { return [] }
            state = .over
            return [.fail(Failure(.cancelledByApp))]

        // No prompt was shown that could answer.
        case (.waiting, .answered),
            // Phases that the prompt itself causes, or that are known already; and wakes for other times.
            (.up(.ordinary), .phase(.inactive)), (.up(.ordinary), .phase(.front)), (.up(.ordinary), .woke),
            (.up(.wasAway), .phase(.inactive)), (.up(.wasAway), .woke), (.up(.isBack), .phase(.front)),
            // The prompt goes, whatever the app's phase.
            (.dismissed, .phase), (.dismissed, .cancelled),
            // The end is reached once, and a late answer is ignored.
            (.over, _):
            return []
        }
    }

    private mutating func wait(inFront: Bool, _ now: Instant) -> [Effect] {
        guard inFront, earliest <= now else {
            state = .waiting(isInFront: inFront)
            return inFront ? [.wake(at: earliest)] : []
        }
        state = .up(.ordinary)
        return [.show]
    }
}
