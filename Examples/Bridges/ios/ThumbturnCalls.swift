import Foundation
import Thumbturn

/// What a bridge carries: calls by name, with JSON in and JSON out.
@MainActor final class ThumbturnCalls {
    private let auth: Authenticator

    /// The approvals that were shown, by their ids: what is approved is what was shown.
    private var shown: [String: Approval] = [:]

    init(_ auth: Authenticator) { self.auth = auth }

    /// A failure as a bridge carries it.
    struct Refusal: Error {
        var code = "arguments"
        var text: String
        var details = "{}"
    }

    /// Makes a call. Cancelling the task dismisses what it shows.
    func answer(to name: String, _ json: String) async throws(Refusal) -> String {
        do {
            return try await result(of: name, JSONDecoder().decode([String: String].self, from: Data(json.utf8)))
        } catch let failure as Failure {
            let (step, button) = (Self.step(failure.recovery), failure.recovery.button?.localized)
            let details = Self.json(["step": step, "button": button, "status": failure.status?.description])
            throw Refusal(code: failure.code.name, text: failure.message.localized, details: details)
        } catch {
            throw (error as? Refusal) ?? Refusal(text: "\(error)")
        }
    }

    private func result(of name: String, _ given: [String: String]) async throws -> String {
        func argument(_ name: String) throws -> String {
            guard let value = given[name] else { throw Refusal(text: "there is no \(name)") }
            return value
        }
        switch name {
        case "readiness":
            let ready = await auth.readiness()
            return Self.json(["enrolled": ready.isEnrolled, "next": ready.nextRung.rawValue, "sensor": ready.sensor?.rawValue])
        case "enrol":
            let login = try PasswordSignIn(account: argument("account"), password: argument("password"))
            let device = try await auth.enrol(with: login, reason: argument("reason"))
            return Self.json(["device": device.id, "name": device.name])
        case "authenticate":
            return try await Self.json(["rung": auth.authenticate(argument("reason")).rung.rawValue])
        case "approval":
            let approval = try await auth.approval(argument("id"))
            shown[approval.id] = approval
            let details = approval.details(in: .best(of: Locale.preferredLanguages))
            return Self.json([
                "id": approval.id, "from": approval.from, "title": details.title,
                "lines": details.lines.map { ["label": $0.label, "value": $0.value] }, "caution": details.caution?.localized,
            ])
        case "approve":
            guard let approval = try shown[argument("id")] else { throw Refusal(text: "it was not shown") }
            let isSigned = try await auth.approve(approval).isSigned
            // A prompt that was cancelled leaves it.
            shown[approval.id] = nil
            return Self.json(["id": approval.id, "signed": isSigned])
        case "revoke":
            try await auth.revoke()
            return "{}"
        default: throw Refusal(text: "there is no call \(name)")
        }
    }

    private static func step(_ recovery: Recovery) -> String {
        switch recovery {
        case .retry: "retry"
        case .wait: "wait"
        case .fallBack: "fallBack"
        case .reEnrol: "reEnrol"
        case .openSettings: "openSettings"
        case .setPasscode: "setPasscode"
        case .signInAgain: "signInAgain"
        default: "report"
        }
    }

    private static func json(_ members: [String: Any?]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: members.mapValues { $0 ?? NSNull() })
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
