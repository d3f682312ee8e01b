#if Tools
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer
import ThumbturnURLSession

/// Bad input is answered with a problem document of a neutral type, stores nothing, and does not stop the server.
@Suite struct BadInputTests {
    /// The number of rows in each table.
    private func rows(_ live: LiveServer) throws -> [String: Int] {
        let queue = try DatabaseQueue(path: live.folder + "/thumbturn.sqlite")
        return try queue.read { db in
            var rows: [String: Int] = [:]
            for table in ["accounts", "devices", "keys", "sessions", "spent"] {
                rows[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
            }
            return rows
        }
    }

    private struct Bad: Sendable {
        var name: String
        var method = "POST"
        var path: String
        var type: String? = "application/json"
        var headers: [(String, String)] = []
        var body: [UInt8]
        var kind = "malformed"
        var status: Int? = 400

        init(_ name: String, _ path: String, bytes: [UInt8]) {
            self.name = name
            self.path = path
            body = bytes
        }

        init(
            _ name: String, _ path: String, _ body: String, type: String? = "application/json", kind: String = "malformed",
            status: Int? = 400, method: String = "POST", headers: [(String, String)] = []
        ) {
            self.name = name
            self.path = path
            self.body = Array(body.utf8)
            self.type = type
            self.kind = kind
            self.status = status
            self.method = method
            self.headers = headers
        }
    }

    @Test func unreadableRequests() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let good = #"{"purpose":"sign-in","kids":["\#(ada.device.kid)"],"jkt":"\#(ada.device.sessionKid)"}"#
            let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
            let form = "application/x-www-form-urlencoded"
            let marks = String(repeating: "\u{345}\u{301}\u{323}\u{327}", count: 8)
            let table: [Bad] = [
                Bad("empty", "/v1/challenges", ""),
                Bad("a run of marks", "/v1/challenges", good.replacing("sign-in", with: "a" + marks)),
                Bad("a run of marks in a form", "/v1/token", "grant_type=a" + marks, type: form),
                Bad("a run of marks as a field", "/v1/token", "a\(marks)=1", type: form),
                Bad("no JSON", "/v1/challenges", "hello"),
                Bad("half", "/v1/challenges", String(good.dropLast(5))),
                Bad("an array", "/v1/challenges", "[]"),
                Bad("deep", "/v1/challenges", deep),
                Bad("not UTF-8", "/v1/challenges", bytes: [0x7B, 0x22, 0xFF, 0x22, 0x7D]),
                Bad("unknown member", "/v1/challenges", good.replacing("}", with: #","admin":true}"#)),
                Bad("a member twice", "/v1/challenges", good.replacing("}", with: #","purpose":"enrol"}"#)),
                Bad("a mark in front", "/v1/challenges", "\u{FEFF}" + good),
                Bad("UTF-16", "/v1/challenges", bytes: good.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }),
                Bad("missing member", "/v1/challenges", #"{"purpose":"sign-in","kids":[]}"#),
                Bad("wrong type of member", "/v1/challenges", good.replacing(#""sign-in""#, with: "1")),
                Bad("unknown purpose", "/v1/challenges", good.replacing("sign-in", with: "approve")),
                Bad("no kids", "/v1/challenges", #"{"purpose":"sign-in","kids":[],"jkt":"\#(ada.device.sessionKid)"}"#),
                Bad(
                    "kids that are none", "/v1/challenges",
                    #"{"purpose":"sign-in","kids":["' OR 1=1"],"jkt":"\#(ada.device.sessionKid)"}"#),
                Bad("wrong content type", "/v1/challenges", good, type: "text/plain", status: 415),
                Bad("no content type", "/v1/challenges", good, type: nil, status: 415),
                Bad("form for JSON", "/v1/accounts/sign-in", "account=ada", type: form, status: 415),
                Bad("JSON for form", "/v1/token", "{}", status: 415),
                Bad("no grant", "/v1/token", "a=b", type: form, kind: "verification-failed"),
                Bad("broken form", "/v1/token", "grant_type=%G1", type: form),
                Bad("repeated field", "/v1/token", "grant_type=a&grant_type=b", type: form),
                Bad("too large", "/v1/challenges", String(repeating: " ", count: 65_537), kind: "too-large", status: 413),
                Bad("nowhere", "/v1/nothing", "", kind: "not-found", status: 404),
                Bad(
                    "no proof of the key", "/v1/accounts/sign-in", #"{"account":"ada","password":"x"}"#,
                    kind: "verification-failed"),
                Bad("GET of a POST", "/v1/token", "", type: nil, kind: "not-found", status: 404, method: "GET"),
                Bad(
                    "two tokens", "/v1/me", "", type: nil, kind: "verification-failed", status: 401, method: "GET",
                    headers: [("Authorization", "DPoP a"), ("Authorization", "DPoP b")]),
                Bad(
                    "basic", "/v1/me", "", type: nil, kind: "verification-failed", status: 401, method: "GET",
                    headers: [("Authorization", "Basic YTpi")]),
            ]
            let before = try rows(live)
            for bad in table {
                let connection = try await live.connect()
                let answer = try await connection.send(bad.method, bad.path, type: bad.type, headers: bad.headers, body: bad.body)
                #expect(answer.kind == bad.kind, "\(bad.name): \(answer.text)")
                if let status = bad.status { #expect(answer.status == status, "\(bad.name)") }
                #expect(answer.problem?.status == answer.status && answer.problem?.title.isEmpty == false, "\(bad.name)")
            }
            #expect(try rows(live) == before)
            #expect(try await ada.signIn().tokenType == "DPoP", "the server still works")
        }
    }

    @Test func unreadableProofsAndChallenges() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let kid = ada.device.kid
            let good = #"{"alg":"ES256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#
            let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(Array("{}".utf8)) + "."
            /// Makes a proof over a fresh challenge; the real key signs it, so only what is wrong is wrong.
            typealias Make = @Sendable (String) -> String
            let device = ada.device
            let spending: [(String, Make)] = [
                ("alg none", { device.sign(header: good.replacing("ES256", with: "none"), payload: $0) }),
                ("alg HS256", { device.sign(header: good.replacing("ES256", with: "HS256"), payload: $0) }),
                ("alg in lower case", { device.sign(header: good.replacing("ES256", with: "es256"), payload: $0) }),
                ("alg twice", { device.sign(header: good.replacing("}", with: #","alg":"none"}"#), payload: $0) }),
                ("typ", { device.sign(header: good.replacing("thumbturn-proof+jwt", with: "JWT"), payload: $0) }),
                ("no typ", { device.sign(header: #"{"alg":"ES256","kid":"\#(kid)"}"#, payload: $0) }),
                ("kid of the session key", { device.sign(header: good.replacing(kid, with: device.sessionKid), payload: $0) }),
                ("no kid", { device.sign(header: #"{"alg":"ES256","typ":"thumbturn-proof+jwt"}"#, payload: $0) }),
                ("a key inside", { device.sign(header: good.replacing("}", with: #","jwk":{}}"#), payload: $0) }),
                ("four parts", { device.proof($0) + ".AA" }),
                ("two parts", { device.proof($0).split(separator: ".").prefix(2).joined(separator: ".") }),
                ("truncated", { String(device.proof($0).dropLast(1)) }),
                ("padding", { device.proof($0) + "=" }),
                ("not canonical", { String(device.proof($0).dropLast()) + "_" }),
            ]
            let keeping: [(String, Make)] = [
                ("empty", { _ in "" }), ("dots", { _ in ".." }), ("long", { _ in String(repeating: "A", count: 20_000) }),
                ("no challenge", { _ in device.proof("hello") }), ("an unsigned challenge", { _ in device.proof(none) }),
                ("a proof of a proof", { device.proof(device.proof($0)) }),
                ("a challenge of another MAC", { device.proof(String($0.dropLast(4)) + "AAAA") }),
            ]
            for (isSpent, table) in [(1, spending), (0, keeping)] {
                for (name, make) in table {
                    let (challenge, nonce) = try await ada.challenge()
                    let before = try rows(live)
                    let answer = try await ada.redeem(make(challenge), nonce: nonce)
                    #expect(answer.status == 400 && answer.kind == "verification-failed", "\(name): \(answer.text)")
                    #expect(answer.problem?.error == "invalid_grant", "\(name)")
                    var after = try rows(live)
                    #expect((after["spent"] ?? 0) == (before["spent"] ?? 0) + isSpent, "\(name)")
                    after["spent"] = before["spent"]
                    #expect(after == before, "\(name)")
                }
            }
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    @Test func badDPoPProofs() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let token = try await ada.signIn().accessToken
            let old = try await ada.nonce()
            live.clock.advance(by: .seconds(90))
            let nonce = try await ada.nonce()
            #expect(old != nonce)
            func send(_ proofs: [String]) async throws -> LoadConnection.Answer {
                try await ada.connection.send(
                    "GET", "/v1/me", headers: [("Authorization", "DPoP \(token)")] + proofs.map { ("DPoP", $0) }
                )
            }
            let good = ada.device.dpop("GET", "/v1/me", nil, nonce: nonce, token: token)
            let table: [(String, [String], String)] = [
                ("none at all", [], "invalid_dpop_proof"),
                ("two", [good, good], "invalid_dpop_proof"),
                ("two in one", ["\(good), \(good)"], "invalid_dpop_proof"),
                ("another method", [ada.device.dpop("POST", "/v1/me", nil, nonce: nonce, token: token)], "invalid_dpop_proof"),
                (
                    "another address", [ada.device.dpop("GET", "/v1/devices", nil, nonce: nonce, token: token)],
                    "invalid_dpop_proof"
                ),
                ("without the token", [ada.device.dpop("GET", "/v1/me", nil, nonce: nonce)], "invalid_dpop_proof"),
                ("an old nonce", [ada.device.dpop("GET", "/v1/me", nil, nonce: old, token: token)], "use_dpop_nonce"),
                (
                    "a made-up nonce", [ada.device.dpop("GET", "/v1/me", nil, nonce: "AAAAAAAAAAAAAAAAAAAAAA", token: token)],
                    "use_dpop_nonce"
                ),
                ("truncated", [String(good.dropLast(4))], "invalid_dpop_proof"),
                ("nonsense", ["nonsense"], "invalid_dpop_proof"),
            ]
            for (name, proofs, error) in table {
                let answer = try await send(proofs)
                #expect(answer.status == 401 && answer.problem?.error == error, "\(name): \(answer.text)")
            }
            #expect(try await send([good]).kind == "ok")
            #expect(try await send([good]).problem?.error == "invalid_dpop_proof", "the same jti again")

            // At the token endpoint too: nothing is consumed, and the right proof is still accepted.
            let (challenge, fresh) = try await ada.challenge()
            let form = Array("grant_type=urn%3Athumbturn%3Agrant-type%3Aproof&proof=\(ada.device.proof(challenge))".utf8)
            let before = try rows(live)
            let right = ada.device.dpop("POST", "/v1/token", form, nonce: fresh)
            let wrong: [(String, String, String)] = [
                ("another body", ada.device.dpop("POST", "/v1/token", Array("other".utf8), nonce: fresh), "invalid_dpop_proof"),
                ("no body", ada.device.dpop("POST", "/v1/token", nil, nonce: fresh), "invalid_dpop_proof"),
                ("another method", ada.device.dpop("GET", "/v1/token", form, nonce: fresh), "invalid_dpop_proof"),
                ("another address", ada.device.dpop("POST", "/v1/devices", form, nonce: fresh), "invalid_dpop_proof"),
                ("an old nonce", ada.device.dpop("POST", "/v1/token", form, nonce: old), "use_dpop_nonce"),
            ]
            func post(_ proof: String) async throws -> LoadConnection.Answer {
                try await ada.connection.send(
                    "POST", "/v1/token", type: "application/x-www-form-urlencoded", headers: [("DPoP", proof)], body: form
                )
            }
            for (name, proof, error) in wrong {
                let answer = try await post(proof)
                #expect(answer.status == 400 && answer.problem?.error == error, "\(name): \(answer.text)")
            }
            #expect(try rows(live) == before)
            #expect(try await post(right).kind == "ok")
            #expect(try await post(right).problem?.error == "invalid_dpop_proof", "the same jti again")
        }
    }

    enum Answered: CaseIterable, Sendable { case signIn, enrolment, stepUp, keyChange, approval, plainSignIn }

    @Test("a challenge of any purpose is valid until the second it expires", arguments: Answered.allCases, [true, false])
    func anExpiredChallengeIsRefusedEverywhere(_ what: Answered, _ isInTime: Bool) async throws {
        try await LiveServer.plain { live in
            let (purpose, answer) = try await Self.challenge(for: what, live)
            live.clock.advance(by: purpose.lifetime - .seconds(isInTime ? 1 : 0))
            #expect(try await answer().kind == (isInTime ? "ok" : "verification-failed"))
        }
    }

    /// A challenge of this kind, whose lifetime is that of `purpose`, and its right answer.
    private static func challenge(
        for what: Answered, _ live: LiveServer
    ) async throws -> (purpose: Purpose, answer: () async throws -> LoadConnection.Answer) {
        let ada = try await live.device()
        switch what {
        case .signIn:
            let proof = ada.device.proof(try await ada.challenge().challenge)
            return (.signIn, { try await ada.redeem(proof, nonce: try await ada.nonce()) })
        case .enrolment:
            let attempt = try await EnrolmentTests.Attempt(live)
            let kids = [attempt.device.sessionKid, attempt.device.kid]
            let keys = attempt.device.registrations(
                try await attempt.device.challenge(.enrol, kids, over: attempt.connection).challenge)
            return (.enrol, { try await attempt.enrol { request, _ in request.keys = keys } })
        case .stepUp:
            let proof = try await StepUpTests.draft(ada).proof
            return (
                .stepUp,
                { try await StepUpTests.send(.init(proof: proof, nonce: try await ada.nonce()), ada, "&act=card-details") }
            )
        case .keyChange:
            // A first device of an account need not cool off.
            let phone = try await KeyChangeTests.Phone(live, of: "bob")
            let draft = try await phone.draft(.changePIN, paidBy: .biometric)
            return (
                .manage,
                {
                    var fresh = draft
                    fresh.nonce = try await phone.device.challenge(over: phone.connection).nonce
                    return try await phone.send(fresh)
                }
            )
        case .approval:
            let id = try await live.bank().ask(try await live.account(of: ada)).read(ApprovalRecord.self).id
            let proof = ada.device.proof(try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge)
            return (.approve, { try await ada.approve(id, proof) })
        case .plainSignIn:
            let app = try await PlainClient(live)
            let asked = try await app.ask()
            // It lives as long as one for a step-up.
            return (.stepUp, { try await app.answer(asked.id, try app.key.sign(for: asked.challenge)) })
        }
    }

    /// What text costs quadratic time to compare is refused before the router compares any.
    @Test func theHeadIsCheapToCompare() async throws {
        try await LiveServer.run { live in
            let port = try #require(URLComponents(string: live.url)?.port)
            func answer(_ head: String) async throws -> String {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                        }
                    }
                return try await channel.executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: head + "\r\n\r\n"))
                    for try await buffer in inbound { return String(buffer: buffer) }
                    return ""
                }
            }
            let marks = String(repeating: "\u{345}\u{301}\u{323}\u{327}", count: 8)
            #expect(try await answer("GET /health HTTP/1.1\r\nHost: a\(marks)").hasPrefix("HTTP/1.1 400"))
            for field in ["Authorization: a\(marks) x", "Content-Type: a\(marks)", "Connection: a\(marks)", "X-Any: a\(marks)"] {
                #expect(try await answer("GET /health HTTP/1.1\r\nHost: x\r\n" + field).hasPrefix("HTTP/1.1 400"), "\(field)")
            }
            #expect(try await answer("GET /\u{E9} HTTP/1.1\r\nHost: x").hasPrefix("HTTP/1.1 400"))
            let city = try await answer("GET /health HTTP/1.1\r\nHost: x\r\nX-City: S\u{E3}o Paulo")
            #expect(city.hasPrefix("HTTP/1.1 200"), "a proxy may say where a person is")
        }
    }

    /// A proof for such an address could never match: a URI is ASCII.
    @Test func thePublicAddressIsASCII() throws {
        #expect(throws: SetupError.self) { try ServerSettings(publicURL: "https://b\u{FC}cher.example", dataFolder: "x") }
        _ = try ServerSettings(publicURL: "https://xn--bcher-kva.example", dataFolder: "x")
    }

    @Test func theBodyIsCappedBeforeItIsRead() async throws {
        try await LiveServer.run { live in
            let announced = try await live.connect().send(
                "POST", "/v1/challenges", type: "application/json", headers: [("Content-Length", "99999999")]
            )
            #expect(announced.status == 413 && announced.kind == "too-large", "by its announced length, without waiting for it")
            let chunked = try await live.connect().send(
                "POST", "/v1/challenges", type: "application/json", headers: [("Transfer-Encoding", "chunked")],
                body: [UInt8](repeating: 32, count: 65_537)
            )
            #expect(chunked.status == 413 && chunked.kind == "too-large", "and by what comes")
            let exact = try await live.connect().send(
                "POST", "/v1/challenges", type: "application/json", body: [UInt8](repeating: 32, count: 65_536)
            )
            #expect(exact.kind == "malformed", "64 KiB are read")
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        try await LiveServer.run { live in
            let router = Router()
            router.get("away") { _, _ in Response(status: .temporaryRedirect, headers: [.location: live.url + "/health"]) }
            let (running, started) = AsyncStream.makeStream(of: Int.self)
            let application = Application(
                router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { started.yield($0.localAddress?.port ?? 0) }
            )
            let status = try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask {
                    defer { started.finish() }
                    try await application.run()
                    return nil
                }
                guard let port = await running.first(where: { _ in true }) else { return try await group.next() ?? nil }
                let answer = try await URLSessionTransport().send(
                    ThumbturnDevice.TransportRequest(method: "GET", url: "http://127.0.0.1:\(port)/away"))
                group.cancelAll()
                return answer.status
            }
            #expect(status == 307)
        }
    }
}
#endif
