import ThumbturnCore

// The spelling of ends and failures in scenario files.

extension UnlockFlow.End {
    package var spelled: JSON {
        switch self {
        case .granted(let rung, let output, let additional):
            .one(
                "granted",
                .object([
                    "rung": .text(rung.rawValue), "proof": .text(output.name), "also": .list(additional.map { .text($0.name) }),
                ]))
        case .failed(let failure): .one("failed", failure.spelled)
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("granted", let it?):
            let members = try it.members(["rung", "proof", "also"])
            self = .granted(
                try members["rung"]!.named(), UnlockFlow.Output(try members["proof"]!.text()),
                additional: try members["also"]!.list().map { UnlockFlow.Output(try $0.text()) }
            )
        case ("failed", let it?): self = .failed(try Failure(it))
        default: throw place.unknown
        }
    }
}

extension Failure {
    package var spelled: JSON {
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
    init(_ place: Place) throws { self = try place.decoded() }
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
