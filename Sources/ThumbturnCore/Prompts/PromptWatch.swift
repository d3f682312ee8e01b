/// One prompt of the system, from the wish to show it to its end.
///
/// It is shown once the app is in front and the prompt before it is long enough gone, and only once. Systems lose prompts: an app that
/// was in the background and is back in front, and hears nothing of its prompt, has been cancelled by the system. And some do not
/// take a prompt away when they are asked to: after a while it counts as gone, and what it still answers is not taken.
package struct PromptWatch: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Not on the screen yet.
        case waiting(isInFront: Bool)
        /// On the screen.
        case up(Sight)
        /// The app takes it back, since then.
        case leaving(since: Instant)
        case over
    }

    /// What the app saw while the prompt was up. The system's own sheet makes an app inactive, and its end makes it active again;
    /// that says nothing.
    package enum Sight: Hashable, Sendable {
        case ordinary
        /// The app went to the background.
        case wasAway
        /// The app is back in front since then.
        case isBack(since: Instant)
    }

    package enum Event: Hashable, Sendable {
        case phase(AppPhase)
        /// The platform answered the prompt.
        case answered
        /// The caller no longer wants it.
        case cancelled
        case woke
    }

    package enum Effect: Hashable, Sendable {
        case show
        case wake(at: Instant)
        /// Takes the prompt off the screen, or tries to.
        case dismiss
        /// The caller may have the platform's answer.
        case deliver
        /// The caller has this instead.
        case fail(Failure)
    }

    /// So long after its return an app waits to hear of its prompt. An answer that exists comes within a few frames.
    package static let silence = Duration.seconds(2)
    /// So long a prompt may take to go away.
    package static let farewell = Duration.seconds(2)

    package private(set) var state = State.waiting(isInFront: false)
    private let earliest: Instant

    /// A prompt that is not shown before this time.
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
            return [.wake(at: now.advanced(by: Self.silence))]
        case (.up(.isBack(let since)), .woke):
            guard since.advanced(by: Self.silence) <= now else { return [] }
            state = .over
            return [.dismiss, .fail(Failure(.cancelledBySystem))]
        case (.up, .cancelled):
            state = .leaving(since: now)
            return [.dismiss, .wake(at: now.advanced(by: Self.farewell))]

        case (.leaving, .answered):
            state = .over
            return [.fail(Failure(.cancelledByApp))]
        case (.leaving(let since), .woke):
            guard since.advanced(by: Self.farewell) <= now else { return [] }
            state = .over
            return [.fail(Failure(.cancelledByApp))]

        // Nothing was shown that could answer.
        case (.waiting, .answered),
            // Phases that the prompt makes by itself, or that are known already; and wakes of other times.
            (.up(.ordinary), .phase(.inactive)), (.up(.ordinary), .phase(.front)), (.up(.ordinary), .woke),
            (.up(.wasAway), .phase(.inactive)), (.up(.wasAway), .woke), (.up(.isBack), .phase(.front)),
            // It goes, wherever the app is.
            (.leaving, .phase), (.leaving, .cancelled),
            // The end is reached once, and a late answer is not taken.
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
