#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// Runs the programs of docs/resource-servers.md with valid and invalid requests; all give the same answers.
@Suite struct ResourcePageTests {
    typealias Phone = PINKeyTests.PINDevice

    /// A language of the page, and what runs its program.
    struct Language: Sendable, CustomTestStringConvertible {
        let name: String
        let fence: String
        let files: (program: String, driver: String)
        let driver: String
        var build: (@Sendable (_ folder: String) -> (command: String, arguments: [String]))?
        let run: @Sendable (_ folder: String) -> (command: String, arguments: [String])
        let isHere: Bool
        var testDescription: String { name }
    }

    private static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static let python =
        ProcessInfo.processInfo.environment["THUMBTURN_PYTHON"] ?? repository.path + "/.build/judges/bin/python"

    static let languages = [
        Language(
            name: "Python", fence: "python", files: ("check.py", "driver.py"),
            driver: """
                import json, sys
                import jwt
                from check import check, Refused
                given, spent = json.load(sys.stdin), set()
                def spend(jti, exp):
                    new = jti not in spent
                    spent.add(jti)
                    return new
                keys = {key["kid"]: jwt.PyJWK(key, algorithm="ES256").key for key in given["keys"]}
                bank = {**given, "keys": keys, "seen": set(), "spend": spend}
                for call in given["calls"]:
                    try:
                        request = {**call, "body": call["body"].encode()}
                        amount = (call["currency"], call["minor"]) if "currency" in call else None
                        check(request, bank, call["action"], call["max_age"], given["acr"], amount)
                        print("ok")
                    except Refused as refused:
                        print(refused.challenge)
                """,
            run: { (python, [$0 + "/driver.py"]) },
            isHere: Requirement.python.isMet(FileManager.default.isExecutableFile(atPath: python))),
        Language(
            name: "Node", fence: "js", files: ("check.mjs", "driver.mjs"),
            driver: """
                import { readFileSync } from 'node:fs'
                import { check, Refused } from './check.mjs'
                const given = JSON.parse(readFileSync(0, 'utf8'))
                const spent = new Set()
                const spend = (jti) => !spent.has(jti) && !!spent.add(jti)
                const keys = Object.fromEntries(given.keys.map((key) => [key.kid, key]))
                const bank = { ...given, keys, seen: new Set(), spend }
                for (const call of given.calls) {
                  try {
                    check(call, bank, call.action, call.max_age, given.acr, call.currency && [call.currency, call.minor])
                    console.log('ok')
                  } catch (error) {
                    if (!(error instanceof Refused)) throw error
                    console.log(error.challenge)
                  }
                }
                """,
            run: { (find("node") ?? "node", [$0 + "/driver.mjs"]) }, isHere: Requirement.node.isMet(find("node") != nil)),
        Language(
            name: "Go", fence: "go", files: ("check.go", "driver.go"),
            driver: """
                package main

                import (
                	"encoding/json"
                	"fmt"
                	"os"
                )

                func main() {
                	var given struct {
                		Issuer, Audience string
                		Keys             []JWK
                		Nonces, Acr      []string
                		Calls            []struct {
                			Method, URL, Authorization, DPoP, Body, Action, Currency string
                			Minor                                                    int64
                			MaxAge                                                   int64 `json:"max_age"`
                		}
                	}
                	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
                		panic(err)
                	}
                	spent := map[string]bool{}
                	bank := &Bank{Issuer: given.Issuer, Audience: given.Audience, Keys: map[string]JWK{}, Nonces: map[string]bool{},
                		Seen: map[string]bool{}, Spend: func(jti string, _ int64) bool {
                			was := spent[jti]
                			spent[jti] = true
                			return !was
                		}}
                	for _, key := range given.Keys {
                		bank.Keys[key.Kid] = key
                	}
                	for _, nonce := range given.Nonces {
                		bank.Nonces[nonce] = true
                	}
                	for _, call := range given.Calls {
                		request := Request{call.Method, call.URL, call.Authorization, call.DPoP, call.Body}
                		var amount *Amount
                		if call.Currency != "" {
                			amount = &Amount{call.Currency, call.Minor}
                		}
                		if _, refused := Check(request, bank, call.Action, call.MaxAge, given.Acr, amount); refused != nil {
                			fmt.Println(refused.Challenge)
                		} else {
                			fmt.Println("ok")
                		}
                	}
                }
                """,
            build: { (find("go") ?? "go", ["build", "-o", $0 + "/check", $0 + "/check.go", $0 + "/driver.go"]) },
            run: { ($0 + "/check", []) },
            isHere: Requirement.go.isMet(find("go") != nil)),
    ]

    private struct Given: Encodable {
        var issuer: String
        var audience: String
        var keys: [JWK]
        var nonces = ["a live nonce"]
        var acr: [String]
        var calls: [Call] = []
    }

    private struct Call: Encodable {
        enum CodingKeys: String, CodingKey {
            case method, url, authorization, dpop, body, action, currency, minor
            case maximumAge = "max_age"
        }

        var method = "GET"
        var url = Self.bank + "/card"
        /// Nil: the header is absent.
        var authorization: String?
        var dpop: String
        var body = ""
        var action = "card-details"
        var maximumAge = 300
        var currency: String?
        var minor: Int64?

        static let bank = "https://api.example"
    }

    /// The expected answer: `ok`, or the rest of the challenge after the scheme.
    private typealias Story = (says: String, answer: String, call: Call)

    @Test(.enabled(if: Requirement.python.isMet(FileManager.default.isExecutableFile(atPath: python))))
    func aBackEndInPythonCallsTheServer() async throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/resource-servers.md"), encoding: .utf8)
        let example = try #require(
            page.components(separatedBy: "```python\n").last?.components(separatedBy: "\n```").first)
        #expect(example.contains("from back_end import BackEnd"))
        try await LiveServer.withBank { live, bank in
            let account = try await live.account(of: try await live.device())
            let program = """
                account = "\(account)"
                \(example.replacing("https://id.example.com", with: live.url))
                from back_end import Refused
                bank.nonce = "a nonce that has expired"
                print(bank.call("DELETE", "/v1/approvals/" + approval["id"])["state"])
                for path in ("/v1/approvals/" + approval["id"], "/v1/approvals/nothing"):
                    try:
                        print(bank.call("DELETE", path))
                    except Refused as refused:
                        print(refused)
                """
            try Data(program.utf8).write(to: URL(fileURLWithPath: live.folder + "/program.py"))
            try Data(bank.backEnd.key.pemRepresentation.utf8).write(to: URL(fileURLWithPath: live.folder + "/bank.pem"))
            // The program has the machine's clock, and on a busy machine the server's has fallen behind it.
            live.clock.advance(by: NodeClock.system.civil() - live.clock.now)
            let ran = try await Built.run(
                "/usr/bin/env", ["bash", "-c", "cd '\(live.folder)' && exec '\(Self.python)' program.py"],
                environment: ["PYTHONPATH": repository.path + "/docs", "PYTHONDONTWRITEBYTECODE": "1"])
            #expect(ran.status == 0, "\(ran.errors)")
            #expect(ran.output == "open\nwithdrawn\n409 withdrawn\n404 urn:thumbturn:problem:not-found\n")
        }
    }

    @Test("the page's programs agree", arguments: languages.filter(\.isHere))
    func agree(_ language: Language) async throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/resource-servers.md"), encoding: .utf8)
        let fenced = page.components(separatedBy: "```\(language.fence)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        // The second program in Python is a back end's.
        #expect(fenced.count == (language.fence == "python" ? 2 : 1))
        let program = try #require(fenced.first) + "\n"

        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try program.write(toFile: folder + "/" + language.files.program, atomically: true, encoding: .utf8)
        try language.driver.write(toFile: folder + "/" + language.files.driver, atomically: true, encoding: .utf8)
        if let (command, arguments) = language.build?(folder) {
            let built = try await Built.run(
                command, arguments, environment: ["GOCACHE": folder + "/cache", "GO111MODULE": "off"])
            #expect(built.status == 0, "\(built.errors)")
        }

        // The proofs are 20 s old, and nothing expires soon by the machine's own clock.
        let clock = TestClock(NodeClock.system.civil() + .seconds(-20))
        let configure: @Sendable (inout ServerSettings) -> Void = {
            $0.stepUp = StepUpPolicy(RequireStepUpTests.table)
            // The programs use the machine's clock, and a busy machine must not make their tokens expire.
            $0.oneUseTokenLifetime = $0.accessTokenLifetime
        }
        try await LiveServer.run(clock: clock, configure: configure) { live in
            let (given, stories) = try await Self.stories(live)
            let (command, arguments) = language.run(folder)
            let finished = try await Built.run(
                command, arguments, input: String(decoding: try JSONEncoder().encode(given), as: UTF8.self))
            #expect(finished.status == 0, "\(finished.errors)")
            let lines = finished.output.split(separator: "\n").map(String.init)
            #expect(lines.count == stories.count)
            for (line, story) in zip(lines, stories) {
                #expect(line == (story.answer == "ok" ? "ok" : "DPoP \(story.answer)"), "\(story.says)")
            }
        }
    }

    private static func stories(_ live: LiveServer) async throws -> (Given, [Story]) {
        let (ada, bob) = (try await Phone(live), try await Phone(live, of: "bob"))
        func token(_ act: String, _ answer: StepUpPolicyTests.Try = .init()) async throws -> String {
            try await StepUpPolicyTests.stepUp(ada, act, answer).read(StepUpAnswer.self).accessToken
        }
        let (card, export, pay) = (try await token("card-details"), try await token("export"), try await token("pay:EUR:1000"))
        let unlock = try await ada.device.signIn(over: ada.connection).accessToken
        func dpop(
            _ token: String, _ device: LoadDevice? = nil, path: String = "/card", body: String? = nil,
            nonce: String = "a live nonce"
        ) -> String {
            (device ?? ada.device).dpop(
                body == nil ? "GET" : "POST", path, body.map { Array($0.utf8) }, nonce: nonce, token: token, at: Call.bank)
        }
        func show(_ token: String, scheme: String = "DPoP", _ proof: String? = nil) -> Call {
            Call(authorization: "\(scheme) \(token)", dpop: proof ?? dpop(token))
        }
        func order(_ minor: Int64, _ currency: String = "EUR", covered: String? = nil) -> Call {
            let body = #"{"minor":\#(minor)}"#
            return Call(
                method: "POST", url: Call.bank + "/pay", authorization: "DPoP \(pay)",
                dpop: dpop(pay, path: "/pay", body: covered ?? body), body: body, action: "pay", maximumAge: 0,
                currency: currency,
                minor: minor)
        }
        func changed(_ call: Call, _ change: (inout Call) -> Void) -> Call {
            var call = call
            change(&call)
            return call
        }
        func stale(_ age: Int, _ action: String) -> String {
            #"error="insufficient_user_authentication", error_description="More recent authentication is required", "#
                + #"max_age="\#(age)", action="\#(action)", algs="ES256""#
        }
        let (badToken, badProof) = (#"error="invalid_token", algs="ES256""#, #"error="invalid_dpop_proof", algs="ES256""#)
        /// The token with other times, signed by the issuer.
        func dated(_ change: (inout AccessTokenClaims) -> Void) throws -> String {
            var claims = try claims(of: card)
            change(&claims)
            return try live.service.secrets.current.signer(at: live.clock.now).sign(claims)
        }
        let ahead = try dated { ($0.iat, $0.exp) = ($0.iat + .seconds(900), $0.exp + .seconds(900)) }
        let verifiedAhead = try dated { $0.authTime = $0.authTime + .seconds(900) }
        let long = try dated { $0.exp = $0.exp + .seconds(1) }
        let again = dpop(card)
        let stories: [Story] = [
            ("a fresh proof", "ok", show(card)),
            ("and once more within its age", "ok", show(card, again)),
            ("a DPoP proof that was seen", badProof, show(card, again)),
            ("no header", #"algs="ES256""#, Call(authorization: nil, dpop: "")),
            ("another scheme", #"algs="ES256""#, show(card, scheme: "Bearer")),
            ("a damaged token", badToken, show(String(card.dropLast(4)) + "AAAA", dpop(card))),
            (
                "a challenge as a token", badToken,
                show(try await ada.device.challenge(over: ada.connection).challenge)
            ),
            ("a token from the future", badToken, show(ahead)),
            ("a person who was verified in the future", badToken, show(verifiedAhead)),
            ("a longer life than the issuer gives", badToken, show(long)),
            ("a stolen token", badProof, show(card, dpop(card, bob.device))),
            ("another path", badProof, show(card, dpop(card, path: "/export"))),
            ("another token's proof", badProof, show(card, dpop(export))),
            ("an old nonce", #"error="use_dpop_nonce", algs="ES256""#, show(card, dpop(card, nonce: "an old nonce"))),
            ("a damaged DPoP proof", badProof, show(card, String(dpop(card).dropLast(4)) + "AAAA")),
            ("no DPoP proof", badProof, show(card, "")),
            ("a sign-in", stale(300, "card-details"), show(unlock)),
            ("another action's token", stale(300, "card-details"), show(export)),
            ("too old", stale(10, "card-details"), changed(show(card)) { $0.maximumAge = 10 }),
            ("an aged token where each use is signed", stale(0, "card-details"), changed(show(card)) { $0.maximumAge = 0 }),
            ("a larger amount", stale(0, "pay:EUR:1001"), order(1001)),
            ("a smaller amount", stale(0, "pay:EUR:999"), order(999)),
            ("another currency", stale(0, "pay:USD:1000"), order(1000, "USD")),
            ("a body that the proof does not cover", badProof, order(1000, covered: #"{"minor":1}"#)),
            ("a signature for one use", "ok", order(1000)),
            ("and a second use", stale(0, "pay:EUR:1000"), order(1000)),
        ]
        var given = Given(
            issuer: live.url, audience: live.url, keys: live.service.jwks.keys,
            acr: [try claims(of: card).acr])
        given.calls = stories.map(\.call)
        return (given, stories)
    }
}
#endif
