#if Tools
import HTTPTypes
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer

/// A route that is closed during a cool-off reads the body, authenticates the caller, parses the body, and only then refuses the
/// device. So an answer names the cool-off only to the device that is in it.
@Suite struct CoolOffOrderTests {
    struct Guarded: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        /// A message that the route takes; nil for a route without a body.
        let body: String?
        /// Whether an access token opens the route, or the session key alone.
        let takesToken: Bool

        var testDescription: String { "\(method) \(path)" }
    }

    static let guarded = [
        Guarded(method: "POST", path: "v1/password", body: #"{"password":"another horse battery staple"}"#, takesToken: true),
        Guarded(method: "POST", path: "v1/tickets", body: #"{"jkt":"\#(String(repeating: "A", count: 43))"}"#, takesToken: true),
        Guarded(method: "PATCH", path: "v1/devices/{id}", body: #"{"name":"Mine"}"#, takesToken: true),
        Guarded(method: "DELETE", path: "v1/devices/{id}", body: nil, takesToken: true),
        Guarded(method: "GET", path: "v1/approvals", body: nil, takesToken: false),
        Guarded(method: "GET", path: "v1/approvals/{id}", body: nil, takesToken: false),
        Guarded(method: "POST", path: "v1/approvals/{id}/challenge", body: #"{"kids":["key"]}"#, takesToken: false),
        Guarded(method: "POST", path: "v1/approvals/{id}/decline", body: nil, takesToken: false),
    ]

    @Test func theTableHasEveryGuardedRoute() async throws {
        try await LiveServer.run(configure: { $0.allowsPlainClients = true }) { live in
            let routes = Routes(live.service).list.filter { [.refused, .itselfOnly].contains($0.access.coolOff) }
            expect(
                routes.map { "\($0.method.rawValue) \($0.path)" }.sorted(), is: Self.guarded.map(\.testDescription).sorted())
        }
    }

    @Test("an answer names the cool-off only to the device that is in it", arguments: guarded)
    func order(_ route: Guarded) async throws {
        try await LiveServer.withBank { live, bank in
            let owner = try await live.device()
            let cooling = try await live.device()
            let stranger = LoadDevice(server: live.url)
            let account = try await live.account(of: owner)
            let id = try await route.takesToken ? CoolOffTests.id(of: owner) : bank.ask(account).read(ApprovalRecord.self).id
            let path = "/" + route.path.replacing("{id}", with: id)
            let token = try await route.takesToken ? cooling.signIn().accessToken : nil

            func send(
                _ body: String?, by signer: LoadDevice?, token: String?, as type: String = "application/json"
            ) async throws -> LoadConnection.Answer {
                let bytes = Array((body ?? "").utf8)
                var headers = token.map { [("Authorization", "DPoP \($0)")] } ?? []
                if let signer {
                    let covered = route.method == "GET" ? nil : bytes
                    let nonce = try await cooling.nonce()
                    headers.append(("DPoP", signer.dpop(route.method, path, covered, nonce: nonce, token: token)))
                }
                return try await cooling.connection.send(
                    route.method, path, type: body == nil ? nil : type, headers: headers, body: bytes)
            }
            func isSilent(_ answer: LoadConnection.Answer) -> Bool {
                answer.problem != nil && answer.problem?.coolingOffUntil == nil && answer.problem?.retryAfter == nil
            }

            // Other callers learn nothing of the cool-off. Without a valid proof the answer does not depend on the body.
            let madeUp = token.map { String($0.dropLast(8)) + "AAAAAAAA" }
            let strangers: [(name: String, signer: LoadDevice?, token: String?, status: Int, kind: String)] =
                route.takesToken
                ? [
                    ("without anything", nil, nil, 401, "verification-failed"),
                    ("without a token", cooling.device, nil, 401, "verification-failed"),
                    ("with a token that is made up", cooling.device, madeUp, 401, "verification-failed"),
                    ("with a stolen token", stranger, token, 401, "verification-failed"),
                ]
                : [
                    ("without anything", nil, nil, 400, "verification-failed"),
                    ("with a key of no device", stranger, nil, 404, "not-found"),
                ]
            for one in strangers {
                let answer = try await send(route.body, by: one.signer, token: one.token)
                #expect(answer.status == one.status && answer.kind == one.kind, "\(one.name): \(answer.text)")
                #expect(isSilent(answer), "\(one.name): \(answer.text)")
                guard route.body != nil else { continue }
                let other = try await send("{", by: one.signer, token: one.token, as: "text/plain")
                #expect(other.status == 415 && other.kind == "malformed" && isSilent(other), "\(one.name): \(other.text)")
                let malformed = try await send("{", by: one.signer, token: one.token)
                #expect(isSilent(malformed), "\(one.name): \(malformed.text)")
                // A key of no device has signed the body, so the body is parsed before the device is looked up.
                let isParsed = one.status == 404
                #expect(malformed.status == (isParsed ? 400 : one.status), "\(one.name): \(malformed.text)")
                #expect((malformed.body == answer.body) == !isParsed, "\(one.name): \(malformed.text)")
            }

            // The device itself: what is wrong with its request comes first, and its cool-off is the last word.
            if route.body != nil {
                for body in ["", "{", "[]", "{}", #"{"unknown":1}"#] {
                    let answer = try await send(body, by: cooling.device, token: token)
                    #expect(answer.status == 400 && answer.kind == "malformed" && isSilent(answer), "\(body): \(answer.text)")
                }
            }
            let refused = try await send(route.body, by: cooling.device, token: token)
            #expect(refused.status == 401 && CoolOffTests.isRefused(refused, at: live.clock.now), "\(refused.text)")
            live.clock.advance(by: .seconds(24 * 3600))
            let fresh = try await route.takesToken ? cooling.signIn().accessToken : nil
            let settled = try await send(route.body, by: cooling.device, token: fresh)
            #expect(settled.problem?.coolingOffUntil == nil, "the handler answers, whatever it thinks of the request")
        }
    }
}
#endif
