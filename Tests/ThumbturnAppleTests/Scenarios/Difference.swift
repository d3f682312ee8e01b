#if STAND_INS

/// Where a real phone shows something else than a scenario file, which is of the flow alone: exactly what, and why.
struct Difference: Sendable {
    /// Why.
    var why: String
    /// What the file has and the phone does not.
    var not: [String] = []
    /// What the phone has instead.
    var but: [String] = []

    func applied(to expected: [String]) -> [String] {
        (expected.filter { !not.contains($0) } + but).sorted()
    }

    /// Files that no iPhone plays.
    static let unplayable: [String: String] = [
        "flattened-error":
            "The context is asked before the keychain, so the system's one number for everything is never the answer of a prompt.",
        "keystore-breaks": "The number is Android's. What is left of a key here is dead or alive.",
        "late-answer": "A phone that sleeps through its timers: virtual time wakes everybody in time.",
        "revoked": "The server is asked before the prompt, and says nothing while it is up.",
        "weak-sensor": "Every sensor of Apple's may unlock keys.",
    ]

    /// A number that no simulated phone says by itself: the stand-ins do.
    static let ofTheStandIns = "unknown-code"

    /// What every iPhone shows otherwise.
    static let ofThePhone: [String: Difference] = [
        "cancel-superseded": Difference(
            why: "Apple has one number for everything that takes a prompt away, so the app waits for its return first.",
            not: [
                "1500 ms: emit cancelled superseded", "1500 ms: emit sensorAnswered (after: 1500, outcome: superseded)",
                "1500 ms: failed with (code: superseded, recovery: retry)",
            ],
            but: [
                "1500 ms: emit sensorAnswered (after: 1500, outcome: cancelledBySystem)",
                "2500 ms: emit cancelled cancelledBySystem",
                "2500 ms: failed with (code: cancelledBySystem, recovery: retry)",
            ]),
        "five-wrong-pins": Difference(
            why: "The ledger on the device pauses the PIN at the fifth guess by itself, and counts from when the guess was made.",
            not: [
                "20200 ms: emit sensorAnswered (after: 20200, outcome: notMatched)",
                "20200 ms: failed with (code: paused, recovery: wait 30000)",
            ], but: ["20200 ms: failed with (code: paused, recovery: wait 29800)"]),
        "lockout-temporary": Difference(
            why: "A lockout of Apple's lasts until the passcode.",
            not: ["3000 ms: emit lockedOut temporary"], but: ["3000 ms: emit lockedOut untilPasscode"]),
        "not-set-up": lostWithTheFaces(
            to: "devicePasscode", "biometryNotEnrolled", "offerSetUp (code: biometryNotEnrolled, recovery: openSettings)"),
        "not-yet-readable": Difference(
            why: "What is written down is read first, so nobody waits for a prompt.",
            not: ["400 ms: failed with (code: notYetReadable, recovery: retry)"],
            but: ["0 ms: failed with (code: notYetReadable, recovery: retry)"]),
        "passcode-not-set": lostWithTheFaces(
            to: "appPIN", "passcodeNotSet", "offerSetUp (code: passcodeNotSet, recovery: setPasscode)"),
        "payment-three-mismatches": Difference(
            why: "Where the stakes are high, the ledger switches the sensor off after three mismatches.",
            not: [
                "900 ms: emit fellBack (because: mismatches, from: biometric, to: appPIN)",
                "900 ms: emit sensorAnswered (after: 900, outcome: notMatched)",
                "900 ms: move (because: mismatches, from: biometric, to: appPIN)",
            ],
            but: [
                "900 ms: emit fellBack (because: lockedOut, from: biometric, to: appPIN)",
                "900 ms: emit lockedOut untilPasscode",
                "900 ms: emit sensorAnswered (after: 900, outcome: lockedOut)",
                "900 ms: move (because: lockedOut, from: biometric, to: appPIN)",
            ]),
        "restored": Difference(
            why: "Nothing travels to another phone, so nothing says that anybody was enrolled.",
            not: [
                "400 ms: emit keyInvalidated unknown", "400 ms: failed with (code: keyInvalidated, recovery: reEnrol)",
            ] + downTheLadder("keyInvalidated"),
            but: ["400 ms: failed with (code: notEnrolled, recovery: signInAgain)"] + downTheLadder("notEnrolled")),
        "three-mismatches": Difference(
            why: "The ledger tells the third mismatch of a burst as the pause that it makes.",
            not: ["3000 ms: emit sensorAnswered (after: 3000, outcome: notMatched)"],
            but: ["3000 ms: emit sensorAnswered (after: 3000, outcome: paused)"]),
    ]

    /// What is different again through the adapter, because of what Apple's systems tell.
    static let ofTheAdapter: [String: Difference] = [
        "sensor-switched-off": Difference(
            why: "A sensor that is switched off for all apps has the number of one that this app was denied.",
            not: [
                "400 ms: emit fellBack (because: skipped biometryUnavailable, from: biometric, to: devicePasscode)",
                "400 ms: move (because: skipped biometryUnavailable, from: biometric, to: devicePasscode)",
                "400 ms: offerSetUp (code: biometryUnavailable, recovery: openSettings)",
            ],
            but: [
                "400 ms: emit fellBack (because: skipped permissionDenied, from: biometric, to: devicePasscode)",
                "400 ms: move (because: skipped permissionDenied, from: biometric, to: devicePasscode)",
                "400 ms: offerSetUp (code: permissionDenied, recovery: openSettings)",
            ]),
        "wet-finger": Difference(
            why: "Apple's systems tell nothing of single readings.",
            not: [
                "1000 ms: emit readPoorly tooPoor", "2000 ms: emit readPoorly removeAndRetry", "3000 ms: emit readPoorly tooPoor",
                "4000 ms: emit hintShown", "4000 ms: showHint devicePasscode",
            ]),
    ]

    private static func downTheLadder(_ code: String) -> [String] {
        [("biometric", "devicePasscode"), ("devicePasscode", "appPIN"), ("appPIN", "fullCredentials")].flatMap { from, to in
            ["emit fellBack", "move"].map { "400 ms: \($0) (because: skipped \(code), from: \(from), to: \(to))" }
        }
    }

    private static func lostWithTheFaces(to rung: String, _ code: String, _ offer: String) -> Difference {
        Difference(
            why: "Where no face is enrolled any more, the key is dead, and that comes first.",
            not: [
                "400 ms: emit fellBack (because: skipped \(code), from: biometric, to: \(rung))",
                "400 ms: move (because: skipped \(code), from: biometric, to: \(rung))", "400 ms: \(offer)",
            ],
            but: [
                "400 ms: emit fellBack (because: skipped keyInvalidated, from: biometric, to: \(rung))",
                "400 ms: emit keyInvalidated unknown",
                "400 ms: move (because: skipped keyInvalidated, from: biometric, to: \(rung))",
            ])
    }
}
#endif
