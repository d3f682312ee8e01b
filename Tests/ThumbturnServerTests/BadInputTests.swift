#if Tools
import Foundation
import GRDB
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer

/// What bad input gets: a problem document of one of the few neutral types, nothing stored, and a server that goes on.
@Suite struct BadInputTests {
    /// How many rows each table has: what was stored.
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
            let table: [Bad] = [
                Bad("empty", "/v1/challenges", ""),
                Bad("no JSON", "/v1/challenges", "hello"),
                Bad("half", "/v1/challenges", String(good.dropLast(5))),
                Bad("an array", "/v1/challenges", "[]"),
                Bad("deep", "/v1/challenges", deep),
                Bad("not UTF-8", "/v1/challenges", "\u{FFFD}"),
                Bad("unknown member", "/v1/challenges", good.replacing("}", with: #","admin":true}"#)),
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
            #expect(try await ada.signIn().tokenType == "DPoP", "the server goes on")
        }
    }

    @Test func unreadableProofsAndChallenges() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let good = ada.device.proof(try await ada.challenge().challenge)
            let parts = good.split(separator: ".").map(String.init)
            func header(_ json: String) -> String { "\(Base64URL.encode(Array(json.utf8))).\(parts[1]).\(parts[2])" }
            let kid = ada.device.kid
            func payload(_ text: String) -> String { "\(parts[0]).\(Base64URL.encode(Array(text.utf8))).\(parts[2])" }
            let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(Array("{}".utf8)) + "."
            let table: [(String, String)] = [
                ("empty", ""), ("dots", ".."), ("two parts", parts[0] + "." + parts[1]), ("four parts", good + ".AA"),
                ("truncated", String(good.dropLast(1))), ("padding", good + "="),
                ("not canonical", String(good.dropLast()) + (good.last == "A" ? "B" : "A") + "A"),
                ("alg none", header(#"{"alg":"none","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#)),
                ("alg HS256", header(#"{"alg":"HS256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#)),
                ("typ", header(#"{"alg":"ES256","kid":"\#(kid)","typ":"JWT"}"#)),
                ("kid", header(#"{"alg":"ES256","kid":"\#(ada.device.sessionKid)","typ":"thumbturn-proof+jwt"}"#)),
                ("no kid", header(#"{"alg":"ES256","typ":"thumbturn-proof+jwt"}"#)),
                ("no challenge", payload("hello")), ("unsigned challenge", payload(none)), ("proof of a proof", payload(good)),
                ("long", String(repeating: "A", count: 20_000)),
            ]
            let before = try rows(live)
            for (name, proof) in table {
                let nonce = try await ada.nonce()
                let answer = try await ada.redeem(proof, nonce: nonce)
                #expect(answer.status == 400 && answer.kind == "verification-failed", "\(name): \(answer.text)")
                #expect(answer.problem?.error == "invalid_grant", "\(name)")
            }
            var after = try rows(live)
            // A wrong proof over a challenge of ours spends it, and does nothing else.
            #expect((after["spent"] ?? 0) <= (before["spent"] ?? 0) + 1, "all of them are about one challenge")
            after["spent"] = before["spent"]
            #expect(after == before)
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

            // A body that is not the one that was signed.
            let form = Array("grant_type=refresh_token&refresh_token=x".utf8)
            let proof = ada.device.dpop("POST", "/v1/token", Array("other".utf8), nonce: nonce)
            let answer = try await ada.connection.send(
                "POST", "/v1/token", type: "application/x-www-form-urlencoded", headers: [("DPoP", proof)], body: form
            )
            #expect(answer.status == 400 && answer.problem?.error == "invalid_dpop_proof")
        }
    }

    @Test func anExpiredChallengeIsRefusedEverywhere() async throws {
        try await LiveServer.run { live in
            let attempt = try await EnrolmentTests.Attempt(live)
            let (challenge, _) = try await attempt.device.challenge(
                .enrol, [attempt.device.sessionKid, attempt.device.kid], over: attempt.connection
            )
            live.clock.advance(by: .seconds(300))
            let answer = try await attempt.enrol { request, _ in request.keys = attempt.device.registrations(challenge) }
            #expect(answer.kind == "verification-failed")
        }
    }

    @Test func theBodyIsCappedBeforeItIsRead() async throws {
        try await LiveServer.run { live in
            let connection = try await live.connect()
            let answer = try await connection.send(
                "POST", "/v1/token", type: "application/json", headers: [("Content-Length", "99999999")])
            #expect(answer.kind != "ok")
            let other = try await live.connect()
            let exact = try await other.send(
                "POST", "/v1/challenges", type: "application/json", body: [UInt8](repeating: 32, count: 65_536))
            #expect(exact.kind == "malformed", "64 KiB are read")
        }
    }
}
#endif
