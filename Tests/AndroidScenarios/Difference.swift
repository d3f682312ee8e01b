import ScenarioScript
package import ThumbturnTestKit

/// A difference between a real phone and a scenario file, which describes only the flow, with its reason.
package struct Difference: Sendable {
    /// The reason for the difference.
    package var why: String
    /// The lines of the file that the phone does not show.
    package var not: [String] = []
    /// The lines that the phone shows instead.
    package var but: [String] = []

    package func applied(to expected: [String]) -> [String] {
        (expected.filter { !not.contains($0) } + but).sorted()
    }

    /// The files that no Android can play, each with the reason.
    package static let unplayable: [String: String] = [
        "full-sign-in-cancelled": "Android tells a lockout only by a prompt, so none is known before the first one.",
        "full-sign-in-in-a-lockout": "Android tells a lockout only by a prompt, so none is known before the first one.",
        "lockout-before": "Android tells a lockout only by a prompt, so none is known before the first one.",
        "flattened-error": "The prompt's own errors are told, so none is flattened.",
        "late-answer": "The phone sleeps through its timers, and virtual time fires every timer on time.",
        "lid-closes": "No phone has a lid over its sensor.",
        "lid-opens": "No phone has a lid over its sensor.",
        "permission-denied": "Android asks the person for no permission to use the sensor.",
        "revoked": "The server is asked before the prompt, and reports nothing while the prompt is shown.",
        "slow-sheet": "Android does not tell when a prompt appears.",
        "upgraded-system": "Android gives no mark of the enrolled set that an upgrade could change.",
    ]

    /// The differences of every Android.
    package static let ofAndroid: [String: Difference] = [
        "cancel-superseded": Difference(
            why: "Android has one code for every dismissal by the system, so the library waits until the app is in front again.",
            not: [
                "1500 ms: emit cancelled superseded",
                "1500 ms: emit sensorAnswered (after: 1500, outcome: superseded, total: 1500)",
                "1500 ms: failed with (code: superseded, recovery: retry)",
            ],
            but: [
                "1500 ms: emit sensorAnswered (after: 1500, outcome: cancelledBySystem, total: 1500)",
                "2500 ms: emit cancelled cancelledBySystem",
                "2500 ms: failed with (code: cancelledBySystem, recovery: retry)",
            ]),
        "five-wrong-pins": Difference(
            why: "The ledger on the device pauses the PIN at the fifth guess by itself, and the pause starts with that guess.",
            not: [
                "20200 ms: failed with (code: paused, recovery: wait 30000)"
            ], but: ["20200 ms: failed with (code: paused, recovery: wait 29800)"]),
        "not-yet-readable": Difference(
            why: "The stored records are read first, so the failure comes before the prompt.",
            not: ["400 ms: failed with (code: notYetReadable, recovery: retry)"],
            but: ["0 ms: failed with (code: notYetReadable, recovery: retry)"]),
        "not-set-up": lostWithTheFaces(to: "devicePasscode", "biometryNotEnrolled"),
        "passcode-not-set": lostWithTheFaces(
            to: "appPIN", "passcodeNotSet",
            offer: (
                "400 ms: offerSetUp (code: passcodeNotSet, recovery: setPasscode)",
                "400 ms: offerSetUp (code: biometryNotEnrolled, recovery: openSettings)"
            )),
        "payment-three-mismatches": Difference(
            why: "Where the stakes are high, the ledger switches the sensor off after three mismatches.",
            not: [
                "900 ms: emit fellBack (because: mismatches, from: biometric, to: appPIN)",
                "900 ms: move (because: mismatches, from: biometric, to: appPIN)",
            ],
            but: [
                "900 ms: emit fellBack (because: lockedOut, from: biometric, to: appPIN)",
                "900 ms: emit lockedOut untilStrongerRung",
                "900 ms: move (because: lockedOut, from: biometric, to: appPIN)",
            ]),
        "restored": Difference(
            why: "No item moves to another phone, so no record shows an enrolment.",
            not: [
                "400 ms: emit keyInvalidated unknown", "400 ms: failed with (code: keyInvalidated, recovery: reEnrol)",
            ] + downTheLadder("keyInvalidated"),
            but: ["400 ms: failed with (code: notEnrolled, recovery: signInAgain)"] + downTheLadder("notEnrolled")),
    ]

    private static func downTheLadder(_ code: String) -> [String] {
        [("biometric", "devicePasscode"), ("devicePasscode", "appPIN"), ("appPIN", "fullCredentials")].flatMap { from, to in
            ["emit fellBack", "move"].map { "400 ms: \($0) (because: skipped \(code), from: \(from), to: \(to))" }
        }
    }

    private static func lostWithTheFaces(
        to rung: String, _ code: String, offer: (not: String, but: String)? = nil
    ) -> Difference {
        Difference(
            why: "Once no face is enrolled, the key is invalidated, and that is reported first.",
            not: [
                "400 ms: emit fellBack (because: skipped \(code), from: biometric, to: \(rung))",
                "400 ms: move (because: skipped \(code), from: biometric, to: \(rung))",
            ] + (offer.map { [$0.not] } ?? []),
            but: [
                "400 ms: emit fellBack (because: skipped keyInvalidated, from: biometric, to: \(rung))",
                "400 ms: emit keyInvalidated unknown",
                "400 ms: move (because: skipped keyInvalidated, from: biometric, to: \(rung))",
            ] + (offer.map { [$0.but] } ?? []))
    }
}

extension Difference {
    /// The differences, one line each.
    package static func found(_ seen: [String], _ scenario: Scenario, _ known: [Difference?] = []) -> [String] {
        let expected = known.compactMap(\.self).reduce(scenario.expected) { $1.applied(to: $0) }
        let denied = known.compactMap { $0?.not }.joined().filter { !scenario.expected.contains($0) }
        return denied.map { "a table denies a line that the file does not have: \($0)" }
            + seen.sorted().difference(from: expected.sorted()).map { change in
                switch change {
                case .insert(_, let line, _): "+ \(line)"
                case .remove(_, let line, _): "- \(line)"
                }
            }
    }
}
