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
        case .emit(let telemetry): .one("emit", JSON(encoding: telemetry))
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
        case "emit": self = .emit(try it.decoded())
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
        .object(["from": .text(from.rawValue), "to": .text(to.rawValue), "because": JSON(encoding: self)])
    }

    static func move(_ place: Place) throws -> (from: Rung, to: Rung, Trigger) {
        let members = try place.members(["from", "to", "because"])
        return (try members["from"]!.named(), try members["to"]!.named(), try members["because"]!.decoded())
    }
}
