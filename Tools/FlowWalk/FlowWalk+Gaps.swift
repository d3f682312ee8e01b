import ThumbturnCore

extension FlowWalk.Report {
    /// The differences between a walk of all policies and what it should reach: ends, and branches of `handle`, named
    /// by state and event.
    package var gaps: [String] {
        let acting = Set(FlowWalk.acting.flatMap { state, events in events.map { "\(state) \($0)" } })
        let all = Set(FlowWalk.acting.keys.flatMap { state in FlowWalk.events.map { "\(state) \($0)" } })
        return FlowWalk.ends.subtracting(ends).sorted().map { "the end is not reached: \($0)" }
            + ends.subtracting(FlowWalk.ends).sorted().map { "an unexpected end: \($0)" }
            + all.subtracting(tried).sorted().map { "never tried: \($0)" }
            + acting.subtracting(acted).sorted().map { "something should happen: \($0)" }
            + acted.subtracting(acting).sorted().map { "nothing should happen: \($0)" }
    }
}

extension FlowWalk {
    static let ends: Set<String> = [
        "granted by biometric", "granted by devicePasscode", "granted by appPIN", "granted by fullCredentials",
        "granted by biometric and more",
        "policyDenies", "paused", "notEnrolled", "notYetReadable", "keyInvalidated", "lockedOut", "biometryNotEnrolled",
        "biometryAbsent", "biometryForbidden", "biometryUnavailable", "biometryTooWeak", "biometryUnconfirmed", "passcodeNotSet",
        "permissionDenied", "notMatched", "refused", "timedOut", "cancelledByUser", "cancelledBySystem", "cancelledByApp",
        "superseded", "platform",
    ]

    static let events = [
        "began", "tapped", "appeared", "answered", "readPoorly", "mismatched", "hintChosen", "signed", "signingFailed", "changed",
        "wentBack",
        "cameFront",
        "stopped", "woke",
    ]

    /// The events that do something in each state. All others are ignored: they are late, doubled, or of a prompt that
    /// is gone.
    static let acting: [String: [String]] = [
        "idle": ["began", "stopped"],
        "waiting": ["tapped", "hintChosen", "woke", "changed", "wentBack", "stopped"],
        "awayBeforePrompt": ["hintChosen", "changed", "cameFront", "stopped"],
        "prompting": [
            "appeared", "answered", "readPoorly", "mismatched", "hintChosen", "woke", "changed", "wentBack", "stopped",
        ],
        "signing": ["signed", "signingFailed", "changed", "stopped"],
        "away": ["hintChosen", "changed", "cameFront", "stopped"],
        "interrupted": ["tapped", "hintChosen", "changed", "wentBack", "cameFront", "woke", "stopped"],
        "finished": [],
    ]
}
