import ThumbturnCore

/// The spelling of events, effects and ends in scenario files. A case is its name; a case with values is an object with
/// its name as the only member. Times are whole milliseconds since the beginning.
extension JSON {
    static func one(_ name: String, _ value: JSON) -> JSON { .object([name: value]) }
    static func time(_ duration: Duration) -> JSON { .number(duration.milliseconds) }
    static func id(_ number: Int) -> JSON { .number(Int64(number)) }
}

extension Place {
    func promptNumber() throws -> Int { Int(try number(1...1000)) }
}

extension UnlockFlow.Event {
    package var spelled: JSON {
        switch self {
        case .began(let readiness, let start): .one("began", .object(["by": start.spelled].merging(readiness.spelled) { $1 }))
        case .tapped: .text("tapped")
        case .appeared(let appearance, let prompt):
            .one("appeared", .object(["prompt": .id(prompt), "as": .text(appearance.rawValue)]))
        case .answered(let answer, let prompt): .one("answered", .object(["prompt": .id(prompt), "answer": answer.spelled]))
        case .readPoorly(let reading, let prompt):
            .one("readPoorly", .object(["prompt": .id(prompt), "reading": .text(reading.rawValue)]))
        case .mismatched(let prompt): .one("mismatched", .object(["prompt": .id(prompt)]))
        case .hintChosen: .text("hintChosen")
        case .signed(let output, let prompt): .one("signed", .object(["prompt": .id(prompt), "proof": .text(output.name)]))
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
        case ("appeared", let it?):
            let members = try it.members(["prompt", "as"])
            self = .appeared(try members["as"]!.named(), prompt: try members["prompt"]!.promptNumber())
        case ("answered", let it?):
            let members = try it.members(["prompt", "answer"])
            self = .answered(try SensorAnswer(members["answer"]!), prompt: try members["prompt"]!.promptNumber())
        case ("readPoorly", let it?):
            let members = try it.members(["prompt", "reading"])
            self = .readPoorly(try members["reading"]!.named(), prompt: try members["prompt"]!.promptNumber())
        case ("mismatched", let it?): self = .mismatched(prompt: try it.members(["prompt"])["prompt"]!.promptNumber())
        case ("hintChosen", nil): self = .hintChosen
        case ("signed", let it?):
            let members = try it.members(["prompt", "proof"])
            self = .signed(UnlockFlow.Output(try members["proof"]!.text()), prompt: try members["prompt"]!.promptNumber())
        case ("signingFailed", let it?):
            let members = try it.members(["prompt", "failure"])
            self = .signingFailed(try Failure(members["failure"]!), prompt: try members["prompt"]!.promptNumber())
        case ("changed", let it?):
            self = .changed(try Readiness(try it.members(["biometry", "keys"], optional: ["full_sign_in"]), ladder: ladder))
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
        case .rung(let rung): .text(rung.rawValue)
        }
    }

    init(_ place: Place) throws {
        switch try place.text() {
        case "tap": self = .tap
        case "screen": self = .screen
        case let name:
            guard let rung = Rung(rawValue: name) else { throw place.unknown }
            self = .rung(rung)
        }
    }
}

extension SensorAnswer {
    var spelled: JSON {
        switch self {
        case .matched: .text("matched")
        case .entered: .text("entered")
        case .notMatched: .text("notMatched")
        case .failed(let failure): .one(failure.followsMismatch ? "notMatched" : "failed", failure.spelled)
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("matched", nil): self = .matched
        case ("entered", nil): self = .entered
        case ("notMatched", nil): self = .notMatched
        // A mismatch with which a pause or a lockout of our own begins.
        case ("notMatched", let failure?): self = .failed(try Failure(failure).afterMismatch)
        case ("failed", let failure?): self = .failed(try Failure(failure))
        default: throw place.unknown
        }
    }
}
