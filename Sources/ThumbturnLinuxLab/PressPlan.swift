/// Decides when the next scripted press is due.
///
/// A press must answer a request, never a clock: a scan that comes late is taken by the next verification, where it looks like a false
/// accept. fprintd says `VerifyFingerSelected` when a verification begins. After a retry it says `VerifyStatus` with `done` false, goes
/// back to its reader, and is ready again only when `finger-needed` turns true; a press before that is lost.
struct PressPlan: Sendable {
    enum State: Hashable, Sendable {
        /// Nobody asks, or nobody will answer.
        case quiet
        /// A press was given; its result is not known.
        case pressed
        /// The result was "again"; the reader is not ready yet.
        case again
    }

    private(set) var state: State = .quiet

    /// Whether this signal asks for a press. Ask `answered` afterwards.
    mutating func isAsking(_ signal: BusSignal) -> Bool {
        switch (state, signal) {
        case (_, .verifyFingerSelected):
            return true
        case (.again, .fingerNeeded(true)):
            return true
        case (.pressed, .verifyStatus(_, done: false)):
            state = .again
            return false
        case (_, .verifyStatus(_, done: true)):
            state = .quiet
            return false
        case (.quiet, .verifyStatus), (.again, .verifyStatus):
            // Somebody else's press, made by hand: it is theirs to repeat.
            return false
        case (_, .fingerNeeded), (_, .fingerPresent), (_, .verifyFingerMatched), (_, .enrollStatus), (_, .nameOwner),
            (_, .deviceRemoved), (_, .rulesChanged), (_, .listening):
            return false
        }
    }

    /// What came of the request: a press, or none.
    mutating func answered(_ press: Press?) {
        switch press {
        case nil, .nothing: state = .quiet
        case .finger, .image, .retry, .fail, .unplug: state = .pressed
        }
    }
}
