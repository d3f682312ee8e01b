#if Tools
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer

@Suite struct EnrolmentTests {
    /// One enrolment by hand, with a change somewhere.
    struct Attempt: Sendable {
        let live: LiveServer
        let device: LoadDevice
        let connection: LoadConnection

        init(_ live: LiveServer) async throws {
            self.live = live
            device = LoadDevice(server: live.url)
            connection = try await live.connect()
        }

        func ticket(account: String = "ada", password: String = LiveServer.password) async throws -> LoadConnection.Answer {
            let body = Signing.encode(PasswordSignInRequest(account: account, password: password))
            let nonce = try await device.challenge(over: connection).nonce
            return try await connection.send(
                "POST", "/v1/accounts/sign-in", type: "application/json",
                headers: [("DPoP", device.dpop("POST", "/v1/accounts/sign-in", body, nonce: nonce))], body: body
            )
        }

        func enrol(
            ticket: String? = nil, purpose: Purpose = .enrol, by sender: LoadDevice? = nil,
            _ change: (inout EnrolRequest, String) -> Void = { _, _ in }
        ) async throws -> LoadConnection.Answer {
            let ticket = if let ticket { ticket } else { try await self.ticket().read(EnrolmentTicket.self).ticket }
            let (challenge, nonce) = try await device.challenge(purpose, [device.sessionKid, device.kid], over: connection)
            var request = EnrolRequest(ticket: ticket, name: "Test", keys: device.registrations(challenge))
            change(&request, challenge)
            let body = Signing.encode(request)
            return try await connection.send(
                "POST", "/v1/devices", type: "application/json",
                headers: [("DPoP", (sender ?? device).dpop("POST", "/v1/devices", body, nonce: nonce))], body: body
            )
        }
    }

    @Test func aTicketEnrolsOneDeviceWithTheKeyThatAskedForIt() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let thief = try await Attempt(live)
            #expect(try await thief.enrol(ticket: ticket).kind == "verification-failed", "another session key")
            let answer = try await attempt.enrol(ticket: ticket)
            #expect(answer.status == 201)
            let record = try answer.read(DeviceRecord.self)
            #expect(record.name == "Test" && record.current && record.keys.count == 2)
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed", "spent")
            #expect(try await attempt.enrol().kind == "verification-failed", "the keys are known already")
        }
    }

    @Test func aTicketLivesFiveMinutes() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            live.clock.advance(by: .seconds(300))
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
            let inTime = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            live.clock.advance(by: .seconds(299))
            #expect(try await attempt.enrol(ticket: inTime).status == 201)
        }
    }

    @Test func oneWrongProofEnrolsNothingAndSpendsTheTicket() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let other = LoadDevice(server: live.url)
            let wrong = try await attempt.enrol(ticket: ticket) { request, challenge in
                let foreign = other.proof(challenge).split(separator: ".")[2]
                let parts = request.keys[1].proof?.split(separator: ".") ?? []
                request.keys[1].proof = "\(parts[0]).\(parts[1]).\(foreign)"
            }
            #expect(wrong.kind == "verification-failed")
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
            #expect(try await attempt.enrol().status == 201, "with a new ticket the device can still be enrolled")
        }
    }

    @Test("a broken attempt is an attempt", arguments: [0, 1, 2])
    func brokenProofs(_ damage: Int) async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let broken = try await attempt.enrol(ticket: ticket) { request, challenge in
                switch damage {
                case 0: request.keys[1].proof?.removeLast(3)
                case 1: request.keys[1].proof = attempt.device.sign(header: #"{"alg":"none"}"#, payload: challenge)
                default: request.keys[1].jwk = JWK(x: [1], y: [2])
                }
            }
            #expect(broken.kind == "verification-failed")
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed", "the ticket is spent")
        }
    }

    @Test func anotherSessionKeyThanTheChallengeNames() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let other = LoadDevice(server: live.url)
            #expect(try await attempt.enrol(by: other).kind == "verification-failed")
        }
    }

    @Test func everyProofMustHold() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let other = LoadDevice(server: live.url)
            typealias Change = @Sendable (inout EnrolRequest, String) -> Void
            let table: [(String, Change, String)] = [
                ("no session proof", { request, _ in request.keys[0].proof = nil }, "verification-failed"),
                ("no biometric proof", { request, _ in request.keys[1].proof = nil }, "verification-failed"),
                ("only a session key", { request, _ in request.keys.removeLast() }, "malformed"),
                ("no session key", { request, _ in request.keys.removeFirst() }, "malformed"),
                ("no key at all", { request, _ in request.keys = [] }, "malformed"),
                ("the same kind twice", { request, _ in request.keys[0].kind = .biometric }, "verification-failed"),
                ("a PIN key", { request, _ in request.keys[1].kind = .pin }, "verification-failed"),
                (
                    "another key than the challenge names",
                    { request, challenge in
                        request.keys[1] = other.registrations(challenge)[1]
                    }, "verification-failed"
                ),
                (
                    "a proof over another challenge",
                    { request, _ in
                        request.keys[1].proof = other.proof("x.y.z")
                    }, "verification-failed"
                ),
                ("no name", { request, _ in request.name = "" }, "malformed"),
                ("a long name", { request, _ in request.name = String(repeating: "n", count: 65) }, "malformed"),
                (
                    "a name of many marks", { request, _ in request.name = "a" + String(repeating: "\u{301}", count: 200) },
                    "malformed"
                ),
                ("a name that turns", { request, _ in request.name = "enohp\u{202E}phone" }, "malformed"),
                ("a name of two lines", { request, _ in request.name = "a\u{2028}b" }, "malformed"),
                ("a name with control characters", { request, _ in request.name = "a\u{7}b" }, "malformed"),
                ("no ticket", { request, _ in request.ticket = "" }, "verification-failed"),
            ]
            for (name, change, kind) in table {
                #expect(try await attempt.enrol(change).kind == kind, "\(name)")
            }
            #expect(try await attempt.enrol(purpose: .signIn).kind == "verification-failed", "a challenge of another purpose")
            #expect(try await attempt.enrol().status == 201)
        }
    }

    @Test("a key may come as JWK, SPKI or point", arguments: ["jwk", "pem", "der", "x963", "two", "none"])
    func encodings(_ encoding: String) async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let answer = try await attempt.enrol { request, _ in
                let point = request.keys[1].jwk?.x963 ?? []
                let der = Self.p256Prefix + point
                switch encoding {
                case "pem":
                    request.keys[1].spki =
                        "-----BEGIN PUBLIC KEY-----\n\(Data(der).base64EncodedString())\n-----END PUBLIC KEY-----\n"
                case "der": request.keys[1].spki = Data(der).base64EncodedString()
                case "x963", "two": request.keys[1].x963 = Base64URL.encode(point)
                default: break
                }
                if !["jwk", "two"].contains(encoding) { request.keys[1].jwk = nil }
            }
            #expect(answer.kind == (["two", "none"].contains(encoding) ? "verification-failed" : "ok"), "\(answer.text)")
        }
    }

    /// The DER of a P-256 SubjectPublicKeyInfo up to its point.
    static let p256Prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    @Test func unknownAccountAndWrongPasswordGetTheSameAnswer() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let wrong = try await attempt.ticket(password: "wrong horse battery staple")
            let unknown = try await attempt.ticket(account: "nobody")
            #expect(wrong.status == 401 && unknown.status == 401 && wrong.body == unknown.body)
            #expect(wrong.headerNames == unknown.headerNames)
            #expect(live.service.passwords.comparisonCount == 2, "an unknown account costs the same work")
        }
    }

    @Test func aFloodOfSignInsIsTurnedAwayAndCostsNothingElse() async throws {
        try await LiveServer.run(passwords: try Passwords(queueLimit: 1)) { live in
            var attempts: [Attempt] = []
            for _ in 0..<12 { attempts.append(try await Attempt(live)) }
            let answers = try await withThrowingTaskGroup { group in
                for attempt in attempts { group.addTask { try await attempt.ticket(account: "nobody") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let turnedAway = answers.filter { $0.status == 503 }
            #expect(!turnedAway.isEmpty && answers.allSatisfy { [401, 503].contains($0.status) })
            #expect(turnedAway.allSatisfy { $0.kind == "unavailable" && $0.headerNames.contains("retry-after") })
            #expect(try await attempts[0].enrol().status == 201, "and then it goes on")
        }
    }

    @Test func anotherDeviceIsChangedOnlyWithFreshPresenceAndAfterTheCoolOff() async throws {
        try await LiveServer.run(configure: {
            $0.sessionLifetime = .seconds(500_000); $0.sessionIdleLimit = .seconds(500_000)
        }) { live in
            let first = try await live.device()
            let second = try await live.device()
            var token = try await first.signIn()
            let devices = try await first.get("/v1/devices", token: token.accessToken).read(DeviceList.self).devices
            #expect(devices.count == 2)
            let mine = try #require(devices.first { $0.current }).id
            let other = try #require(devices.first { !$0.current }).id

            let fromNew = try await second.signIn().accessToken
            #expect(try await second.delete("/v1/devices/\(mine)", token: fromNew).kind == "verification-failed", "cool-off")
            live.clock.advance(by: .seconds(301))
            token = try await first.refresh(token.refreshToken).read(TokenAnswer.self)
            let stale = try await first.delete("/v1/devices/\(other)", token: token.accessToken)
            #expect(stale.status == 401 && stale.problem?.error == "insufficient_user_authentication")
            let fresh = try await first.signIn().accessToken
            #expect(try await first.delete("/v1/devices/\(other)", token: fresh).status == 204)
            #expect(try await first.delete("/v1/devices/\(other)", token: fresh).kind == "not-found")
            #expect(try await first.delete("/v1/devices/nonsense", token: fresh).kind == "not-found")

            let third = try await live.device()
            live.clock.advance(by: .seconds(24 * 3600))
            let later = try await third.signIn().accessToken
            #expect(try await third.delete("/v1/devices/\(mine)", token: later).status == 204, "after the cool-off")
        }
    }

    @Test func nobodyDeletesADeviceOfSomebodyElse() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let adas = try claims(of: try await ada.signIn().accessToken).did
            #expect(try await bob.delete("/v1/devices/\(adas)", token: try await bob.signIn().accessToken).kind == "not-found")
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }
}
#endif
