/// Decides when the next scripted press is due.
///
/// A press must follow a request, not a clock: the next verification takes a scan that comes late, which then looks
/// like a false accept. fprintd sends `VerifyFingerSelected` when a verification begins. After a retry it sends
/// `VerifyStatus` with `done` false, returns to its reader, and is ready again only when `finger-needed` turns true; a
/// press before that is lost.
struct PressPlan: Sendable {
    /// The state of the current request.
    enum State: Hashable, Sendable {
        /// There is no request, or it will not be answered.
        case quiet
        /// A press was made, and its result is not known yet.
        case pressed
        /// fprintd asked for another try, and the reader is not ready yet.
        case again
    }

    private(set) var state: State = .quiet

    /// Whether this signal asks for a press. If so, call `answered` afterwards.
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
            // The status of a press that a test made directly, which the plan does not repeat.
            return false
        case (_, .fingerNeeded), (_, .fingerPresent), (_, .verifyFingerMatched), (_, .enrollStatus), (_, .nameOwner),
            (_, .deviceRemoved), (_, .rulesChanged), (_, .listening):
            return false
        }
    }

    /// Records the answer to a request: a press, or none.
    mutating func answered(_ press: Press?) {
        switch press {
        case nil, .nothing: state = .quiet
        case .finger, .image, .retry, .fail, .unplug: state = .pressed
        }
    }
}
