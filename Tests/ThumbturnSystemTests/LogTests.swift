#if Tools
import Foundation
import NIOPosix
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnTestKit

/// The log contains nothing that went over the wire, except the ids of accounts and devices that the server assigned.
@Suite struct LogTests {
    /// Texts that people typed. Each is sent to the server.
    enum Typed: String, CaseIterable {
        case password = "correct horse battery staple"
        case wrongPassword = "a password that is not hers"
        case account = "a-name-without-an-account"
        case oneTimeCode = "one-time code 493021"
        case device = "Ada's old phone"
        case payee = "Super Store"
        case path = "typed-into-the-path"
        case query = "typed-into-the-query"
        case header = "typed-into-a-header"
    }

    /// A log, searched for words that were sent.
    struct Log {
        private let pieces: Set<[UInt8]>
        private let text: String
        /// The shortest match that counts. Shorter words are our own.
        private static let length = 16
        /// Words that are public, from the page about HTTP, such as OAuth's error codes.
        private static let ours: Set<[UInt8]> = {
            let page = try? String(contentsOf: repository.appendingPathComponent("docs/http.md"), encoding: .utf8)
            return Set(words(Array((page ?? "").utf8)))
        }()

        init(_ text: String) {
            self.text = text
            pieces = Set(Set(Self.words(Array(text.utf8))).subtracting(Self.ours).flatMap(Self.pieces))
        }

        /// The sent words (tokens, nonces, signatures) of which at least 16 consecutive characters are in the log.
        func leaks(of streams: [[UInt8]]) -> Set<String> {
            var leaks: Set<String> = []
            for word in Set(streams.flatMap(Self.words)) where Self.pieces(word).contains(where: pieces.contains) {
                leaks.insert(String(decoding: word, as: UTF8.self))
            }
            return leaks
        }

        func leaks(of typed: [Typed]) -> [Typed] { typed.filter { text.contains($0.rawValue) } }

        private static func words(_ bytes: [UInt8]) -> [[UInt8]] {
            bytes.split { !($0 == 0x2D || $0 == 0x5F || (0x30...0x39) ~= $0 || (0x41...0x5A) ~= $0 || (0x61...0x7A) ~= $0) }
                .filter { $0.count >= length }.map(Array.init)
        }

        private static func pieces(_ word: [UInt8]) -> [[UInt8]] {
            (0...word.count - length).map { Array(word[$0..<$0 + length]) }
        }
    }

    /// A server that logs at the level `trace`, with the tap in front of it.
    private struct World {
        let url: String
        let tap: WireTap
        let backEnd: BenchBackEnd
        /// A recovery code of Bob's.
        let recoveryCode: String

        func connect() async throws -> LoadConnection {
            try await LoadConnection(host: "127.0.0.1", port: tap.port, on: .singleton)
        }
    }

    /// Runs requests against a server and returns its log.
    private func logged(_ work: (World) async throws -> Void) async throws -> String {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let backEnd = BenchBackEnd()
        try Data(backEnd.publicKey.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
        for account in ["ada", "bob"] { try await ServerProcess.addAccount(account, in: folder + "/data") }
        let registered = try await Built.run(
            Built.path("thumbturn-server"),
            ["clients", "add", backEnd.id, "--scope", "approvals", "--key", folder + "/key.pem", "--data", folder + "/data"])
        #expect(registered.status == 0, "\(registered.errors)")

        let codes = try await Built.run(
            Built.path("thumbturn-server"), ["accounts", "recovery-codes", "bob", "--data", folder + "/data"])
        let code = try #require(codes.output.split(whereSeparator: \.isWhitespace).first { $0.count >= 24 }, "\(codes.output)")

        let port = try await Built.freePort()
        let tap = try await WireTap.start(to: port)
        let url = "http://127.0.0.1:\(tap.port)"
        let server = try await ServerProcess.start(
            "thumbturn-server",
            ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)", "--public-url", url, "--log-level", "trace"],
            port: port, log: folder + "/log")
        do {
            try await work(World(url: url, tap: tap, backEnd: backEnd, recoveryCode: String(code)))
        } catch {
            server.kill()
            throw error
        }
        server.stop()
        try await tap.stop()
        return try String(contentsOfFile: folder + "/log", encoding: .utf8)
    }

    @Test func nothingThatWasSentIsInTheLog() async throws {
        var streams: [[UInt8]] = []
        var (token, code) = ("", "")
        let text = try await logged { world in
            code = world.recoveryCode
            let account = try await people(world)
            try await recover(world)
            try await approvals(world, account)
            token = try await attacks(world)
            streams = world.tap.streams
        }
        // The log contains the refusals, and the tap has recorded what was sent.
        let refusals = text.split(separator: "\n").filter { $0.contains("refused") && $0.contains("reason=") }
        #expect(refusals.count >= 15, "\(text.prefix(2000))")
        for reason in [
            "dpop nonceNeeded", "proof replayed", "proof wrongSignature", "refresh foreignKey", "request notFound",
            "request malformed", "account wrongCredentials",
        ] {
            #expect(refusals.contains { $0.contains(reason) }, "\(reason)")
        }
        let wire = streams.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        #expect(wire.contains(code))
        for typed in Typed.allCases { #expect(wire.contains(typed.rawValue), "\(typed)") }
        #expect(wire.contains(token))

        let log = Log(text)
        // Notices to owners are logged with their account and device.
        let names = Set(wire.matches(of: /"(?:account|device|id)":"([A-Za-z0-9_-]{22})"/).map { String($0.output.1) })
        #expect(log.leaks(of: streams + [Array(code.filter { $0 != "-" }.utf8)]).subtracting(names).isEmpty)
        #expect(log.leaks(of: Typed.allCases) == [])
        // The search finds leaks if there are any.
        let signature = try #require(token.split(separator: ".").last)
        #expect(!Log(text + "\nreason=\(signature.dropFirst(9).prefix(20))\n").leaks(of: streams).isEmpty)
        #expect(Log(text + Typed.password.rawValue).leaks(of: Typed.allCases) == [.password])
    }

    /// A phone that enrols after refused attempts, signs in, refreshes, steps up and approves.
    ///
    /// - Returns: the account's id.
    private func people(_ world: World) async throws -> String {
        let phone = SimulatedPhone()
        let auth = try Authenticator(server: URL(string: world.url)!, platform: phone.platform())
        for (account, password) in [("ada", Typed.wrongPassword), (Typed.account.rawValue, .password)] {
            await expectFailure(.refused) {
                try await auth.enrol(with: PasswordSignIn(account: account, password: password.rawValue))
            }
        }
        try await auth.enrol(
            with: PasswordSignIn(account: "ada", password: Typed.password.rawValue), deviceName: Typed.device.rawValue)
        phone.next(.noMatch, .match)
        _ = try await auth.authenticate("Unlock")
        _ = try await auth.refresh()
        _ = try await auth.stepUp(for: .cardDetails, reason: "Show your card")
        let account = try await auth.me().id
        try await approve(world, account, auth)
        try await auth.revoke()
        return account
    }

    /// Requests with a recovery code, and with a one-time code that the account does not require.
    private func recover(_ world: World) async throws {
        let device = LoadDevice(server: world.url)
        let connection = try await world.connect()
        let nonce = try await device.challenge(over: connection).nonce
        for (path, body, status) in [
            ("/v1/accounts/recover", #"{"account":"bob","code":"\#(world.recoveryCode)"}"#, 200),
            ("/v1/accounts/recover", #"{"account":"bob","code":"\#(world.recoveryCode)"}"#, 401),
            (
                "/v1/accounts/sign-in",
                #"{"account":"bob","password":"\#(Typed.wrongPassword.rawValue)","one_time_code":"\#(Typed.oneTimeCode.rawValue)"}"#,
                401
            ),
        ] {
            let bytes = Array(body.utf8)
            let answer = try await connection.send(
                "POST", path, type: "application/json", headers: [("DPoP", device.dpop("POST", path, bytes, nonce: nonce))],
                body: bytes)
            #expect(answer.status == status, "\(path)")
        }
    }

    private func ask(_ world: World, _ account: String, _ token: String, _ id: String) async throws -> LoadConnection.Answer {
        let transaction = transaction(id)
        return try await send(world, "/v1/approvals", token, #"{"account":"\#(account)","transaction":\#(transaction)}"#)
    }

    private func transaction(_ id: String, _ amount: String = "12.50") -> String {
        """
        {"type":"urn:eudi:sca:payment:1","payload":{"transaction_id":"\(id)","currency":"EUR","amount":"\(amount)",\
        "payee":{"name":"\(Typed.payee.rawValue)","id":"DE75512108001245126199"}}}
        """
    }

    private func send(
        _ world: World, _ path: String, _ token: String, _ json: String
    ) async throws -> LoadConnection.Answer {
        let connection = try await world.connect()
        defer { Task { try? await connection.close() } }
        let body = Array(json.utf8)
        let headers = try await world.backEnd.headers("POST", path, body, token: token, of: world.url, over: connection)
        return try await connection.send(
            "POST", path, type: "application/json",
            headers: headers + [("Idempotency-Key", "payment-attempt-number-one")], body: body)
    }

    /// A payment, from its creation by the back end to its redemption.
    private func approve(_ world: World, _ account: String, _ auth: Authenticator) async throws {
        let connection = try await world.connect()
        let token = try await world.backEnd.accessToken(of: world.url, over: connection).token
        let asked = try await ask(world, account, token, "t-1")
        let id = try JSONDecoder().decode(ApprovalRecord.self, from: Data(asked.body)).id
        let approval = try await auth.approve(try await auth.approval(id))
        #expect(approval.state == .approved)
        for (transaction, status) in [(transaction("t-1"), 200), (transaction("t-1", "13.50"), 409)] {
            let redeemed = try await send(world, "/v1/approvals/\(id)/redeem", token, #"{"transaction":\#(transaction)}"#)
            #expect(redeemed.status == status)
        }
    }

    /// Requests of a back end that the server refuses.
    private func approvals(_ world: World, _ account: String) async throws {
        let connection = try await world.connect()
        let token = try await world.backEnd.accessToken(of: world.url, over: connection).token
        let damaged = String(token.dropLast(8)) + "AAAAAAAA"
        #expect(try await ask(world, account, damaged, "t-2").status == 401)
        #expect(try await send(world, "/v1/approvals", token, #"{"account":"\#(account)","note":"\#(token)"}"#).status == 400)
        #expect(try await send(world, "/v1/approvals/\(token.suffix(22))/redeem", token, "{}").status == 400)
        let assertion = "grant_type=client_credentials&client_assertion_type=\(token.suffix(30))&client_assertion=\(damaged)"
        let answer = try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded", body: Array(assertion.utf8))
        #expect(answer.status == 400)
    }

    /// Stolen, replayed, damaged and misplaced proofs and tokens.
    ///
    /// - Returns: a valid access token.
    private func attacks(_ world: World) async throws -> String {
        let connection = try await world.connect()
        let (ada, bob) = (LoadDevice(server: world.url), LoadDevice(server: world.url))
        try await ada.enrol(account: "ada", password: Typed.password.rawValue, over: connection)
        try await bob.enrol(account: "bob", password: Typed.password.rawValue, over: connection)

        let asked = try await ada.challenge(over: connection)
        let proof = ada.proof(asked.challenge)
        let signedIn = try await ada.redeem(proof, nonce: asked.nonce, over: connection)
        let tokens = try JSONDecoder().decode(TokenAnswer.self, from: Data(signedIn.body))
        let nonce = try #require(signedIn.nonce)
        func refused(_ answer: LoadConnection.Answer, _ what: String) { #expect((400..<500).contains(answer.status), "\(what)") }

        refused(try await ada.redeem(proof, nonce: nonce, over: connection), "a proof again")
        refused(try await ada.redeem(proof, nonce: "no-nonce-of-this-server", over: connection), "a nonce of one's own")
        let again = try await ada.challenge(over: connection)
        refused(try await ada.redeem(bob.proof(again.challenge), nonce: nonce, over: connection), "another's key")
        let third = try await ada.challenge(over: connection)
        let damaged = String(ada.proof(third.challenge).dropLast(8)) + "AAAAAAAA"
        refused(try await ada.redeem(damaged, nonce: nonce, over: connection), "a damaged signature")
        refused(try await refresh(tokens.refreshToken, bob, nonce, connection), "a refresh token in wrong hands")
        #expect(try await refresh(tokens.refreshToken, ada, nonce, connection).status == 200)
        refused(try await bob.get("/v1/me", token: tokens.accessToken, nonce: nonce, over: connection), "a token in wrong hands")
        refused(try await ada.get("/v1/me", token: damaged, nonce: nonce, over: connection), "a proof as a token")
        #expect(try await ada.get("/v1/me", token: tokens.accessToken, nonce: nonce, over: connection).status == 200)

        for (method, path, type) in [
            ("POST", "/v1/challenges", "application/json"), ("POST", "/v1/accounts/sign-in", "application/json"),
            ("POST", "/v1/token", "application/x-www-form-urlencoded"), ("POST", "/v1/token", "text/\(Typed.header.rawValue)"),
            ("GET", "/v1/\(Typed.path.rawValue)/\(tokens.refreshToken)", "application/json"),
            ("GET", "/v1/me?access_token=\(tokens.accessToken)&\(Typed.query.rawValue)", "application/json"),
            ("DELETE", "/v1/devices/\(tokens.refreshToken.suffix(22))", "application/json"),
        ] {
            let other = try await world.connect()
            let body = #"{"account":"\#(Typed.account.rawValue)","password":"\#(Typed.wrongPassword.rawValue)","x":"\#(proof)"}"#
            let headers = [("DPoP", damaged), ("Authorization", "DPoP \(tokens.accessToken)"), ("X-Note", Typed.header.rawValue)]
            refused(try await other.send(method, path, type: type, headers: headers, body: Array(body.utf8)), path)
            try await other.close()
        }
        try await connection.close()
        return tokens.accessToken
    }

    private func refresh(
        _ token: String, _ device: LoadDevice, _ nonce: String, _ connection: LoadConnection
    ) async throws -> LoadConnection.Answer {
        let form = Array("grant_type=refresh_token&refresh_token=\(token)".utf8)
        return try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded",
            headers: [("DPoP", device.dpop("POST", "/v1/token", form, nonce: nonce))], body: form)
    }
}
#endif
