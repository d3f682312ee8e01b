import ThumbturnCore

/// How scenario files spell events, effects and ends. A case is its name; one that carries something is an object with its name as
/// the only member. Times are whole milliseconds since the beginning.
extension JSON {
    static func one(_ name: String, _ value: JSON) -> JSON { .object([name: value]) }
    static func time(_ duration: Duration) -> JSON { .number(duration.milliseconds) }
    static func id(_ number: Int) -> JSON { .number(Int64(number)) }
}

extension Place {
    var unknown: ScenarioProblem { problem("\(value) has no meaning here") }

    func promptNumber() throws -> Int { Int(try number(1...1000)) }
}

// MARK: - Events

extension UnlockFlow.Event {
    package var spelled: JSON {
        switch self {
        case .began(let readiness, let start): .one("began", .object(["by": start.spelled].merging(readiness.spelled) { $1 }))
        case .tapped: .text("tapped")
        case .answered(let answer, let prompt): .one("answered", .object(["prompt": .id(prompt), "answer": answer.spelled]))
        case .readPoorly(let reading, let prompt):
            .one("readPoorly", .object(["prompt": .id(prompt), "reading": .text(reading.rawValue)]))
        case .hintChosen: .text("hintChosen")
        case .signed(let proof, let prompt): .one("signed", .object(["prompt": .id(prompt), "proof": .text(proof.jws)]))
        case .signingFailed(let failure, let prompt):
            .one("signingFailed", .object(["prompt": .id(prompt), "failure": failure.spelled]))
        case .changed(let readiness): .one("changed", .object(readiness.spelled))
        case .wentBack: .text("wentBack")
        case .cameFront: .text("cameFront")
        case .stopped(let failure): .one("stopped", failure.spelled)
        case .woke: .text("woke")
        }
    }

    init(_ place: Place, ladder: [Rung]) throws {
        let (name, carries) = try place.choice()
        switch (name, carries) {
        case ("tapped", nil): self = .tapped
        case ("answered", let it?):
            let members = try it.members(["prompt", "answer"])
            self = .answered(try SensorAnswer(members["answer"]!), prompt: try members["prompt"]!.promptNumber())
        case ("readPoorly", let it?):
            let members = try it.members(["prompt", "reading"])
            self = .readPoorly(try members["reading"]!.named(), prompt: try members["prompt"]!.promptNumber())
        case ("hintChosen", nil): self = .hintChosen
        case ("signed", let it?):
            let members = try it.members(["prompt", "proof"])
            self = .signed(Proof(jws: try members["proof"]!.text()), prompt: try members["prompt"]!.promptNumber())
        case ("signingFailed", let it?):
            let members = try it.members(["prompt", "failure"])
            self = .signingFailed(try Failure(members["failure"]!), prompt: try members["prompt"]!.promptNumber())
        case ("changed", let it?): self = .changed(try Readiness(try it.members(["biometry", "keys"]), ladder: ladder))
        case ("wentBack", nil): self = .wentBack
        case ("cameFront", nil): self = .cameFront
        case ("stopped", let it?): self = .stopped(try Failure(it))
        case ("woke", nil): self = .woke
        default: throw place.unknown
        }
    }
}

extension UnlockFlow.Start {
    var spelled: JSON {
        switch self {
        case .tap: .text("tap")
        case .screen: .text("screen")
        }
    }

    init(_ place: Place) throws {
        switch try place.text() {
        case "tap": self = .tap
        case "screen": self = .screen
        default: throw place.unknown
        }
    }
}

extension SensorAnswer {
    var spelled: JSON {
        switch self {
        case .matched: .text("matched")
        case .entered: .text("entered")
        case .notMatched: .text("notMatched")
        case .failed(let failure): .one("failed", failure.spelled)
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("matched", nil): self = .matched
        case ("entered", nil): self = .entered
        case ("notMatched", nil): self = .notMatched
        case ("failed", let failure?): self = .failed(try Failure(failure))
        default: throw place.unknown
        }
    }
}

// MARK: - Effects

extension UnlockFlow.Effect {
    package var spelled: JSON {
        switch self {
        case .show(let prompt): .one("show", prompt.spelled)
        case .dismiss(let prompt): .one("dismiss", prompt.spelled)
        case .sign(let prompt): .one("sign", prompt.spelled)
        case .wake(let time): .one("wake", .time(time.sinceOrigin))
        case .showHint(let rung): .one("showHint", .text(rung.rawValue))
        case .offerSetUp(let failure): .one("offerSetUp", failure.spelled)
        case .move(let from, let to, let trigger): .one("move", trigger.spelled(from, to))
        case .emit(let telemetry): .one("emit", telemetry.spelled)
        case .finish(let end): .one("finish", end.spelled)
        }
    }

    init(_ place: Place) throws {
        let (name, carries) = try place.choice()
        guard let it = carries else { throw place.unknown }
        switch name {
        case "show": self = .show(try UnlockFlow.Prompt(it))
        case "dismiss": self = .dismiss(try UnlockFlow.Prompt(it))
        case "sign": self = .sign(try UnlockFlow.Prompt(it))
        case "wake": self = .wake(at: Instant(sinceOrigin: try it.duration()))
        case "showHint": self = .showHint(try it.named())
        case "offerSetUp": self = .offerSetUp(try Failure(it))
        case "move":
            let (from, to, trigger) = try Trigger.move(it)
            self = .move(from: from, to: to, because: trigger)
        case "emit": self = .emit(try Telemetry(it))
        case "finish": self = .finish(try UnlockFlow.End(it))
        default: throw place.unknown
        }
    }
}

extension UnlockFlow.Prompt {
    var spelled: JSON {
        let button: JSON =
            switch cancelButton {
            case .cancel: .text("cancel")
            case .use(let rung): .one("use", .text(rung.rawValue))
            }
        return .object(["prompt": .id(id), "rung": .text(rung.rawValue), "button": button])
    }

    init(_ place: Place) throws {
        let members = try place.members(["prompt", "rung", "button"])
        let button: UnlockFlow.CancelButton
        switch try members["button"]!.choice() {
        case ("cancel", nil): button = .cancel
        case ("use", let rung?): button = .use(try rung.named())
        default: throw members["button"]!.unknown
        }
        self.init(id: try members["prompt"]!.promptNumber(), rung: try members["rung"]!.named(), cancelButton: button)
    }
}

extension Trigger {
    func spelled(_ from: Rung, _ to: Rung) -> JSON {
        let because: JSON =
            switch self {
            case .timeout: .text("timeout")
            case .mismatches: .text("mismatches")
            case .lockedOut: .text("lockedOut")
            case .keyInvalidated: .text("keyInvalidated")
            case .choice: .text("choice")
            case .skipped(let code): .one("skipped", .text(code))
            }
        return .object(["from": .text(from.rawValue), "to": .text(to.rawValue), "because": because])
    }

    static func move(_ place: Place) throws -> (from: Rung, to: Rung, Trigger) {
        let members = try place.members(["from", "to", "because"])
        return (try members["from"]!.named(), try members["to"]!.named(), try Trigger(members["because"]!))
    }

    private init(_ place: Place) throws {
        switch try place.choice() {
        case ("timeout", nil): self = .timeout
        case ("mismatches", nil): self = .mismatches
        case ("lockedOut", nil): self = .lockedOut
        case ("keyInvalidated", nil): self = .keyInvalidated
        case ("choice", nil): self = .choice
        case ("skipped", let code?): self = .skipped(try Failure.Code(code).name)
        default: throw place.unknown
        }
    }
}

extension Telemetry {
    var spelled: JSON {
        switch self {
        case .promptShown(let rung): .one("promptShown", .text(rung.rawValue))
        case .sensorAnswered(let outcome, let after):
            .one("sensorAnswered", .object(["outcome": .text(outcome), "after": .time(after)]))
        case .readPoorly(let reading): .one("readPoorly", .text(reading.rawValue))
        case .retry(let count): .one("retry", .id(count))
        case .hintShown: .text("hintShown")
        case .fellBack(let from, let to, let trigger): .one("fellBack", trigger.spelled(from, to))
        case .cancelled(let by): .one("cancelled", .text(by))
        case .lockedOut(let lockout): .one("lockedOut", .text(lockout.rawValue))
        case .keyInvalidated(let loss): .one("keyInvalidated", .text(loss.rawValue))
        case .authenticated(let rung, let after, let attempts):
            .one("authenticated", .object(["rung": .text(rung.rawValue), "after": .time(after), "attempts": .id(attempts)]))
        // Reported by the next flow's driver, never by a flow itself.
        case .abandoned(_, let after): .one("abandoned", .time(after))
        }
    }

    init(_ place: Place) throws {
        let (name, carries) = try place.choice()
        switch (name, carries) {
        case ("promptShown", let it?): self = .promptShown(try it.named())
        case ("sensorAnswered", let it?):
            let members = try it.members(["outcome", "after"])
            self = .sensorAnswered(try Self.outcome(members["outcome"]!), after: try members["after"]!.duration())
        case ("readPoorly", let it?): self = .readPoorly(try it.named())
        case ("retry", let it?): self = .retry(Int(try it.number(1...1000)))
        case ("hintShown", nil): self = .hintShown
        case ("fellBack", let it?):
            let (from, to, trigger) = try Trigger.move(it)
            self = .fellBack(from: from, to: to, trigger)
        case ("cancelled", let it?): self = .cancelled(try Failure.Code(it).name)
        case ("lockedOut", let it?): self = .lockedOut(try it.named())
        case ("keyInvalidated", let it?): self = .keyInvalidated(try it.named())
        case ("authenticated", let it?):
            let members = try it.members(["rung", "after", "attempts"])
            self = .authenticated(
                try members["rung"]!.named(), after: try members["after"]!.duration(),
                attempts: Int(try members["attempts"]!.number(1...1000))
            )
        default: throw place.unknown
        }
    }

    private static func outcome(_ place: Place) throws -> String {
        let text = try place.text()
        return ["matched", "entered"].contains(text) ? text : try Failure.Code(place).name
    }
}

// MARK: - Ends and failures

extension UnlockFlow.End {
    package var spelled: JSON {
        switch self {
        case .granted(let rung, let proof, let also):
            .one(
                "granted",
                .object([
                    "rung": .text(rung.rawValue), "proof": .text(proof.jws), "also": .list(also.map { .text($0.jws) }),
                ]))
        case .failed(let failure): .one("failed", failure.spelled)
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("granted", let it?):
            let members = try it.members(["rung", "proof", "also"])
            self = .granted(
                try members["rung"]!.named(), Proof(jws: try members["proof"]!.text()),
                also: try members["also"]!.list().map { Proof(jws: try $0.text()) }
            )
        case ("failed", let it?): self = .failed(try Failure(it))
        default: throw place.unknown
        }
    }
}

extension Failure {
    var spelled: JSON {
        var members: [String: JSON] = ["code": .text(code.name), "recovery": recovery.spelled]
        if let status { members["status"] = .object(["domain": .text(status.domain), "code": .id(status.code)]) }
        return .object(members)
    }

    init(_ place: Place) throws {
        let members = try place.members(["code", "recovery"], optional: ["status"])
        let status = try members["status"].map { place in
            let parts = try place.members(["domain", "code"])
            let code = Int(try parts["code"]!.number(Int64(Int32.min)...Int64(UInt32.max)))
            return PlatformStatus(domain: try parts["domain"]!.text(), code: code)
        }
        self.init(try Code(members["code"]!), recovery: try Recovery(members["recovery"]!), status: status)
    }
}

extension Failure.Code {
    /// Every code that a flow may meet.
    static let named: [String: Failure.Code] = Dictionary(
        uniqueKeysWithValues: [
            cancelledByUser, cancelledBySystem, cancelledByApp, superseded, notMatched, timedOut, lockedOut, paused,
            pinEasilyGuessed, biometryNotEnrolled, biometryUnavailable, biometryTooWeak, biometryUnconfirmed, passcodeNotSet,
            permissionDenied, keyInvalidated, notEnrolled, notYetReadable, alreadyEnrolled, refused, sessionOver, unreachable,
            unexpectedAnswer, policyDenies, reasonMissing, insecureServer, platform, noVault, vaultClosed, notAuthentic, tooLarge,
        ].map { ($0.name, $0) })

    init(_ place: Place) throws {
        guard let code = Self.named[try place.text()] else { throw place.unknown }
        self = code
    }
}

extension Recovery {
    var spelled: JSON {
        switch self {
        case .retry: .text("retry")
        case .wait(let duration): .one("wait", .time(duration))
        case .fallBack(let rung): .one("fallBack", .text(rung.rawValue))
        case .reEnrol: .text("reEnrol")
        case .openSettings: .text("openSettings")
        case .setPasscode: .text("setPasscode")
        case .signInAgain: .text("signInAgain")
        case .report: .text("report")
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("retry", nil): self = .retry
        case ("wait", let it?): self = .wait(try it.duration())
        case ("fallBack", let it?): self = .fallBack(try it.named())
        case ("reEnrol", nil): self = .reEnrol
        case ("openSettings", nil): self = .openSettings
        case ("setPasscode", nil): self = .setPasscode
        case ("signInAgain", nil): self = .signInAgain
        case ("report", nil): self = .report
        default: throw place.unknown
        }
    }
}

// MARK: - What a device can do

extension Readiness {
    var spelled: [String: JSON] {
        ["biometry": biometry.spelled, "keys": .object(Dictionary(uniqueKeysWithValues: keys.map { ($0.rawValue, $1.spelled) }))]
    }

    /// From the members `biometry` and `keys`; kinds of keys that are not listed are missing.
    init(_ members: [String: Place], ladder: [Rung]) throws {
        let states = try members["keys"]!.members([], optional: KeyKind.allCases.map(\.rawValue))
        var keys: [KeyKind: KeyState] = [:]
        for kind in KeyKind.allCases { keys[kind] = try states[kind.rawValue].map(KeyState.init) }
        self.init(biometry: try BiometryState(members["biometry"]!), keys: keys, ladder: ladder)
    }
}

extension BiometryState {
    /// The states that carry nothing.
    private static let plain: [String: BiometryState] = [
        "ready": .ready, "notEnrolled": .notEnrolled, "permissionDenied": .permissionDenied, "weak": .weak,
        "unconfirmed": .unconfirmed, "passcodeNotSet": .passcodeNotSet, "lidClosed": .lidClosed, "switchedOff": .switchedOff,
        "unavailable": .unavailable,
    ]

    var spelled: JSON {
        switch self {
        case .lockedOut(let lockout): .one("lockedOut", .text(lockout.rawValue))
        case .paused(let duration): .one("paused", .time(duration))
        default: .text(Self.plain.first { $0.value == self }?.key ?? "\(self)")
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("lockedOut", let it?): self = .lockedOut(try it.named())
        case ("paused", let it?): self = .paused(for: try it.duration())
        case (let name, nil):
            guard let state = Self.plain[name] else { throw place.unknown }
            self = state
        default: throw place.unknown
        }
    }
}

extension KeyState {
    var spelled: JSON {
        switch self {
        case .usable: .text("usable")
        case .missing: .text("missing")
        case .invalidated(let loss): .one("invalidated", .text(loss.rawValue))
        case .paused(let duration): .one("paused", .time(duration))
        case .notYetReadable: .text("notYetReadable")
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("usable", nil): self = .usable
        case ("missing", nil): self = .missing
        case ("invalidated", let it?): self = .invalidated(try it.named())
        case ("paused", let it?): self = .paused(for: try it.duration())
        case ("notYetReadable", nil): self = .notYetReadable
        default: throw place.unknown
        }
    }
}
