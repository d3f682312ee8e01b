#if STAND_INS

/// A difference between a real phone and a scenario file, which describes only the flow, with its reason.
struct Difference: Sendable {
    /// The reason for the difference.
    var why: String
    /// The lines of the file that the phone does not show.
    var not: [String] = []
    /// The lines that the phone shows instead.
    var but: [String] = []

    func applied(to expected: [String]) -> [String] {
        (expected.filter { !not.contains($0) } + but).sorted()
    }

    /// The files that no iPhone can play, each with the reason.
    static let unplayable: [String: String] = [
        "flattened-error":
            "The context shows the prompt, not the keychain, so a prompt never returns the keychain's general code.",
        "keystore-breaks": "The code is Android's. A key here is either usable or invalidated.",
        "late-answer": "The phone sleeps through its timers, and virtual time fires every timer on time.",
        "mismatch-in-the-prompt": "A mismatch ends the sheet.",
        "mismatches-in-the-prompt": "A mismatch ends the sheet.",
        "revoked": "The server is asked before the prompt, and reports nothing while the prompt is shown.",
        "slow-sheet": "Apple's systems do not tell when a sheet appears.",
        "weak-sensor": "Every sensor of Apple's is strong enough for keys.",
    ]

    /// The file whose status no simulated phone returns by itself: the stand-ins do.
    static let ofTheStandIns = "unknown-code"

    /// The differences of every iPhone.
    static let ofThePhone: [String: Difference] = [
        "cancel-superseded": Difference(
            why: "Apple has one code for every dismissal by the system, so the library waits until the app is in front again.",
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
        "lockout-temporary": Difference(
            why: "A lockout of Apple's lasts until the passcode.",
            not: ["3000 ms: emit lockedOut temporary"], but: ["3000 ms: emit lockedOut untilPasscode"]),
        "not-set-up": lostWithTheFaces(to: "devicePasscode", "biometryNotEnrolled"),
        "not-yet-readable": Difference(
            why: "The stored records are read first, so the failure comes before the prompt.",
            not: ["400 ms: failed with (code: notYetReadable, recovery: retry)"],
            but: ["0 ms: failed with (code: notYetReadable, recovery: retry)"]),
        "passcode-not-set": lostWithTheFaces(to: "appPIN", "passcodeNotSet"),
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

    /// The further differences through the adapter, caused by what Apple's systems report.
    static let ofTheAdapter: [String: Difference] = [
        "sensor-switched-off": Difference(
            why: "A sensor that is switched off for all apps has the same code as a denied permission.",
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
            why: "Apple's systems report no single readings.",
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

    private static func lostWithTheFaces(to rung: String, _ code: String) -> Difference {
        Difference(
            why: "Once no face is enrolled, the key is invalidated, and that is reported first.",
            not: [
                "400 ms: emit fellBack (because: skipped \(code), from: biometric, to: \(rung))",
                "400 ms: move (because: skipped \(code), from: biometric, to: \(rung))",
            ],
            but: [
                "400 ms: emit fellBack (because: skipped keyInvalidated, from: biometric, to: \(rung))",
                "400 ms: emit keyInvalidated unknown",
                "400 ms: move (because: skipped keyInvalidated, from: biometric, to: \(rung))",
            ])
    }
}
#endif
