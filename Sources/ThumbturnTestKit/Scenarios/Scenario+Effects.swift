import ThumbturnCore

// The spelling of effects in scenario files.

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
            case .skipped(let code): .one("skipped", .text(code.name))
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
        case ("skipped", let code?): self = .skipped(try Failure.Code(code))
        default: throw place.unknown
        }
    }
}

extension Telemetry {
    var spelled: JSON {
        switch self {
        case .promptShown(let rung): .one("promptShown", .text(rung.rawValue))
        case .promptAppeared(let rung, let appearance):
            .one("promptAppeared", .object(["rung": .text(rung.rawValue), "as": .text(appearance.rawValue)]))
        case .sensorAnswered(let outcome, let after, let total):
            .one(
                "sensorAnswered",
                .object(["outcome": .text(outcome.description), "after": .time(after), "total": .time(total)]))
        case .readPoorly(let reading): .one("readPoorly", .text(reading.rawValue))
        case .retry(let count): .one("retry", .id(count))
        case .hintShown: .text("hintShown")
        case .fellBack(let from, let to, let trigger): .one("fellBack", trigger.spelled(from, to))
        case .cancelled(let by): .one("cancelled", .text(by.name))
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
            let members = try it.members(["outcome", "after", "total"])
            self = .sensorAnswered(
                try Outcome(members["outcome"]!), after: try members["after"]!.duration(),
                total: try members["total"]!.duration())
        case ("promptAppeared", let it?):
            let members = try it.members(["rung", "as"])
            self = .promptAppeared(try members["rung"]!.named(), try members["as"]!.named())
        case ("readPoorly", let it?): self = .readPoorly(try it.named())
        case ("retry", let it?): self = .retry(Int(try it.number(1...1000)))
        case ("hintShown", nil): self = .hintShown
        case ("fellBack", let it?):
            let (from, to, trigger) = try Trigger.move(it)
            self = .fellBack(from: from, to: to, because: trigger)
        case ("cancelled", let it?): self = .cancelled(try Failure.Code(it))
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
}

extension Telemetry.Outcome {
    fileprivate init(_ place: Place) throws {
        switch try place.text() {
        case "matched": self = .matched
        case "entered": self = .entered
        default: self = .failed(try Failure.Code(place))
        }
    }
}
