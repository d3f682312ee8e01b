#if Tools
import Crypto
import Foundation
import GRDB
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer

@Suite struct PINKeyTests {
    /// A device with a PIN key of its own making: whoever types a wrong PIN has another key.
    struct PINDevice: Sendable {
        let live: LiveServer
        let device: LoadDevice
        let connection: LoadConnection
        let key: P256.Signing.PrivateKey
        let handle: String
        let record: DeviceRecord

        init(_ live: LiveServer, of account: String = "ada") async throws {
            self.live = live
            key = P256.Signing.PrivateKey()
            let attempt = try await EnrolmentTests.Attempt(live)
            (device, connection) = (attempt.device, attempt.connection)
            let ticket = try await attempt.ticket(account: account).read(EnrolmentTicket.self).ticket
            let asked = try await device.challenge(.enrol, [device.sessionKid, device.kid, "pin"], over: connection)
            handle = try #require(PINKeyTests.kids(asked.challenge).last)
            let request = EnrolRequest(
                ticket: ticket, name: "Test",
                keys: device.registrations(asked.challenge) + [PINKeyTests.registration(key, asked.challenge, handle)]
            )
            let answer = try await PINKeyTests.post(request, from: device, nonce: asked.nonce, over: connection)
            record = try device.read(DeviceRecord.self, answer, expecting: 201)
        }

        /// Signs a fresh challenge and redeems the proof.
        func tryPIN(
            right: Bool, from sender: LoadDevice? = nil, over other: LoadConnection? = nil
        ) async throws -> LoadConnection.Answer {
            let connection = other ?? connection
            let sender = sender ?? device
            let asked = try await sender.challenge(.signIn, [handle], over: connection)
            let proof = PINKeyTests.proof(asked.challenge, by: right ? key : P256.Signing.PrivateKey(), handle)
            return try await sender.redeem(proof, nonce: asked.nonce, over: connection)
        }

        func count() throws -> Int? {
            try DatabaseQueue(path: live.folder + "/thumbturn.sqlite").read { db in
                try Int.fetchOne(db, sql: "SELECT wrong_in_a_row FROM keys WHERE kid = ?", arguments: [handle])
            }
        }
    }

    static func kids(_ challenge: String) -> [String] {
        let claims = CompactJWS(challenge).flatMap { try? JSONDecoder().decode(ChallengeClaims.self, from: Data($0.payload)) }
        return claims?.kids ?? []
    }

    static func proof(_ challenge: String, by key: P256.Signing.PrivateKey, _ kid: String) -> String {
        let input = Signing.proofInput(challenge: challenge, kid: kid)
        let signature = (try? key.signature(for: input)).map { Array($0.rawRepresentation) } ?? []
        return CompactJWS.compact(signingInput: input, signature: signature)
    }

    static func jwk(_ key: P256.Signing.PrivateKey) -> JWK {
        let point = Array(key.publicKey.x963Representation)
        return JWK(x: Array(point[1..<33]), y: Array(point[33...]))
    }

    static func registration(_ key: P256.Signing.PrivateKey, _ challenge: String, _ kid: String) -> KeyRegistration {
        KeyRegistration(kind: .pin, jwk: jwk(key), proof: proof(challenge, by: key, kid))
    }

    static func post(
        _ request: EnrolRequest, from device: LoadDevice, nonce: String, over connection: LoadConnection
    ) async throws -> LoadConnection.Answer {
        let body = Signing.encode(request)
        return try await connection.send(
            "POST", "/v1/devices", type: "application/json",
            headers: [("DPoP", device.dpop("POST", "/v1/devices", body, nonce: nonce))], body: body
        )
    }

    // MARK: Enrolment

    @Test func aPINKeyIsKnownByAHandleAlone() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await PINDevice(live), try await PINDevice(live, of: "bob"))
            #expect(ada.handle.hasPrefix("pin.") && ada.handle != bob.handle)
            #expect(ada.record.keys.first { $0.kind == .pin } == .init(kid: ada.handle, kind: .pin, active: true))
            let answer = try await ada.tryPIN(right: true)
            let token = try claims(of: answer.read(TokenAnswer.self).accessToken)
            #expect(token.acr == "urn:thumbturn:acr:software:none" && token.amr == ["swk", "pop"], "nothing proves the PIN yet")
            let devices = try await ada.device.get(
                "/v1/devices", token: answer.read(TokenAnswer.self).accessToken,
                nonce: ada.device.challenge(over: ada.connection).nonce, over: ada.connection
            )
            let jwk = Self.jwk(ada.key)
            for secret in [jwk.x, jwk.y, Signing.thumbprint(of: jwk)] { #expect(!devices.text.contains(secret)) }
        }
    }

    @Test func theServerMakesTheHandles() async throws {
        try await LiveServer.run { live in
            let attempt = try await EnrolmentTests.Attempt(live)
            func ask(_ purpose: Purpose, _ kids: [String]) async throws -> String {
                let request = ChallengeRequest(purpose: purpose, kids: kids, jkt: attempt.device.sessionKid)
                return try await attempt.connection.send(
                    "POST", "/v1/challenges", type: "application/json", body: Signing.encode(request)
                ).kind
            }
            let own = "pin." + Base64URL.encode([UInt8](repeating: 1, count: 16))
            #expect(try await ask(.enrol, [attempt.device.sessionKid, "pin"]) == "ok")
            #expect(try await ask(.enrol, [attempt.device.sessionKid, own]) == "malformed", "nobody brings a handle along")
            #expect(try await ask(.enrol, ["pin", "pin"]) == "malformed")
            #expect(try await ask(.signIn, ["pin"]) == "malformed")
            #expect(try await ask(.signIn, [own]) == "ok", "echoed without looking")
            #expect(try await ask(.signIn, [own + "A"]) == "malformed")
        }
    }

    @Test func whatIsNoPINKeyOfThisChallengeIsRefused() async throws {
        try await LiveServer.run { live in
            let enrolled = try await PINDevice(live, of: "bob")
            typealias Change = @Sendable (inout [KeyRegistration], String, LoadDevice) -> Void
            let key = P256.Signing.PrivateKey()
            let foreign = "pin." + Base64URL.encode([UInt8](repeating: 1, count: 16))
            let table: [(String, Change, String)] = [
                ("no proof", { keys, _, _ in keys[2].proof = nil }, "verification-failed"),
                ("no PIN key", { keys, _, _ in keys.removeLast() }, "verification-failed"),
                (
                    "a thumbprint",
                    { keys, challenge, _ in
                        keys[2] = Self.registration(key, challenge, Signing.thumbprint(of: Self.jwk(key)))
                    }, "verification-failed"
                ),
                (
                    "another handle", { keys, challenge, _ in keys[2] = Self.registration(key, challenge, foreign) },
                    "verification-failed"
                ),
                (
                    "somebody's handle", { keys, challenge, _ in keys[2] = Self.registration(key, challenge, enrolled.handle) },
                    "verification-failed"
                ),
                (
                    "a wrong signature",
                    { keys, challenge, _ in
                        keys[2].proof = Self.proof(challenge, by: P256.Signing.PrivateKey(), Self.kids(challenge)[2])
                    }, "verification-failed"
                ),
                (
                    "the handle for another kind",
                    { keys, _, _ in
                        keys[2].kind = .passcode
                    }, "verification-failed"
                ),
                (
                    "one key for two factors",
                    { keys, challenge, device in
                        let header = #"{"alg":"ES256","kid":"\#(Self.kids(challenge)[2])","typ":"thumbturn-proof+jwt"}"#
                        keys[2].jwk = keys[1].jwk
                        keys[2].proof = device.sign(header: header, payload: challenge)
                    }, "verification-failed"
                ),
                ("nothing wrong", { _, _, _ in }, "ok"),
            ]
            for (name, change, kind) in table {
                let attempt = try await EnrolmentTests.Attempt(live)
                let device = attempt.device
                let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
                let asked = try await device.challenge(.enrol, [device.sessionKid, device.kid, "pin"], over: attempt.connection)
                var keys =
                    device.registrations(asked.challenge) + [
                        Self.registration(key, asked.challenge, Self.kids(asked.challenge)[2])
                    ]
                change(&keys, asked.challenge, device)
                let answer = try await Self.post(
                    EnrolRequest(ticket: ticket, name: "Test", keys: keys), from: device, nonce: asked.nonce,
                    over: attempt.connection
                )
                #expect(answer.kind == kind, "\(name): \(answer.text)")
            }
        }
    }

    @Test func aPINKeyIsNotEnrolledUnderItsThumbprint() async throws {
        try await LiveServer.run { live in
            let attempt = try await EnrolmentTests.Attempt(live)
            let (device, pin) = (attempt.device, P256.Signing.PrivateKey())
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let thumbprint = Signing.thumbprint(of: Self.jwk(pin))
            let asked = try await device.challenge(.enrol, [device.sessionKid, device.kid, thumbprint], over: attempt.connection)
            let keys = device.registrations(asked.challenge) + [Self.registration(pin, asked.challenge, thumbprint)]
            let answer = try await Self.post(
                EnrolRequest(ticket: ticket, name: "Test", keys: keys), from: device, nonce: asked.nonce, over: attempt.connection
            )
            #expect(answer.kind == "verification-failed")
        }
    }

    @Test("a PIN alone enrols a device, and vouches for no passcode key", arguments: [false, true])
    func aPINVouchesForNothing(_ withPasscode: Bool) async throws {
        try await LiveServer.run { live in
            let attempt = try await EnrolmentTests.Attempt(live)
            let (device, pin, passcode) = (attempt.device, P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let unproven = withPasscode ? [Self.jwk(passcode)] : []
            let asked = try await device.challenge(
                .enrol, [device.sessionKid, "pin"] + unproven.map(Signing.thumbprint), over: attempt.connection)
            let keys =
                [
                    device.registrations(asked.challenge)[0],
                    Self.registration(pin, asked.challenge, Self.kids(asked.challenge)[1]),
                ]
                + unproven.map { KeyRegistration(kind: .passcode, jwk: $0, proof: nil) }
            let answer = try await Self.post(
                EnrolRequest(ticket: ticket, name: "Test", keys: keys), from: device, nonce: asked.nonce, over: attempt.connection
            )
            #expect(answer.kind == (withPasscode ? "verification-failed" : "ok"))
        }
    }

    // MARK: Counting

    @Test func countingIsExactUnder64ParallelWrongGuesses() async throws {
        try await LiveServer.run { live in
            let ada = try await PINDevice(live)
            var connections: [LoadConnection] = []
            for _ in 0..<64 { connections.append(try await live.connect()) }
            let kinds = try await withThrowingTaskGroup { group in
                for connection in connections { group.addTask { try await ada.tryPIN(right: false, over: connection).kind } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(kinds == ["verification-failed"])
            #expect(try ada.count() == 64)
            #expect(try await ada.tryPIN(right: true).kind == "verification-failed", "disabled")

            // One challenge is one guess, however often it is sent.
            let bob = try await PINDevice(live, of: "bob")
            let (challenge, nonce) = try await bob.device.challenge(.signIn, [bob.handle], over: bob.connection)
            try await withThrowingTaskGroup { group in
                for connection in connections {
                    group.addTask {
                        let proof = Self.proof(challenge, by: P256.Signing.PrivateKey(), bob.handle)
                        _ = try await bob.device.redeem(proof, nonce: nonce, over: connection)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try bob.count() == 1)
        }
    }

    @Test func theTenthWrongPINDisablesTheKeyAndARightOneResetsTheCount() async throws {
        try await LiveServer.run { live in
            let ada = try await PINDevice(live)
            for _ in 1...9 { _ = try await ada.tryPIN(right: false) }
            #expect(try ada.count() == 9)
            #expect(try await ada.tryPIN(right: true).kind == "ok")
            #expect(try ada.count() == 0)
            for _ in 1...10 { _ = try await ada.tryPIN(right: false) }
            #expect(try await ada.tryPIN(right: true).kind == "verification-failed")
            #expect(try ada.count() == 10, "a right PIN does not bring the key back")
            let biometric = try await ada.device.signIn(over: ada.connection)
            #expect(biometric.tokenType == "DPoP", "the other keys go on")
            #expect(try ada.count() == 10)
        }
    }

    @Test func aWrongSignatureOfAnotherKindIsNoWrongPIN() async throws {
        try await LiveServer.run { live in
            let ada = try await PINDevice(live)
            for _ in 1...4 {
                let (challenge, nonce) = try await ada.device.challenge(over: ada.connection)
                let proof = Self.proof(challenge, by: P256.Signing.PrivateKey(), ada.device.kid)
                #expect(try await ada.device.redeem(proof, nonce: nonce, over: ada.connection).kind == "verification-failed")
            }
            #expect(try await ada.device.signIn(over: ada.connection).tokenType == "DPoP")
            #expect(try ada.count() == 0)
        }
    }

    @Test func nobodyElseCountsAgainstAKey() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await PINDevice(live), try await PINDevice(live, of: "bob"))
            for _ in 1...12 {
                #expect(try await ada.tryPIN(right: false, from: bob.device).kind == "verification-failed", "another device")
                #expect(try await ada.tryPIN(right: false, from: LoadDevice(server: live.url)).kind == "verification-failed")
                // Ada's challenge, sent with another session key than it names.
                let asked = try await ada.device.challenge(.signIn, [ada.handle], over: bob.connection)
                let proof = Self.proof(asked.challenge, by: P256.Signing.PrivateKey(), ada.handle)
                _ = try await bob.device.redeem(proof, nonce: asked.nonce, over: bob.connection)
                // A challenge that was not made for the PIN key.
                let other = try await ada.device.challenge(over: ada.connection)
                let foreign = Self.proof(other.challenge, by: P256.Signing.PrivateKey(), ada.handle)
                _ = try await ada.device.redeem(foreign, nonce: other.nonce, over: ada.connection)
            }
            #expect(try ada.count() == 0)
            #expect(try await ada.tryPIN(right: true).kind == "ok")
        }
    }

    @Test func aRestartKeepsTheCount() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let url = "http://127.0.0.1:1"
        let enrolled = Mutex<PINDevice?>(nil)
        try await LiveServer.run(folder: folder, publicURL: url) { live in
            let ada = try await PINDevice(live.called(url))
            for _ in 1...6 { _ = try await ada.tryPIN(right: false) }
            enrolled.withLock { $0 = ada }
        }
        let ada = try #require(enrolled.withLock { $0 })
        try await LiveServer.run(folder: folder, publicURL: url) { live in
            #expect(try ada.count() == 6)
            let connection = try await live.connect()
            for _ in 1...4 { _ = try await ada.tryPIN(right: false, over: connection) }
            #expect(try await ada.tryPIN(right: true, over: connection).kind == "verification-failed")
        }
    }

    @Test("a right PIN that was judged before the tenth wrong one was counted does not slip through")
    func disabledInBetween() async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(beforeSpending: { await meanwhile.withLock { $0.take() }?() }) { live in
            let ada = try await PINDevice(live)
            let other = try await live.connect()
            meanwhile.withLock { $0 = { for _ in 1...10 { _ = try? await ada.tryPIN(right: false, over: other) } } }
            #expect(try await ada.tryPIN(right: true).kind == "verification-failed")
            #expect(try ada.count() == 10)
        }
    }

    @Test func onlyTheOwnSessionKeyHearsHowManyTriesAreLeft() async throws {
        try await LiveServer.run { live in
            let ada = try await PINDevice(live)
            for left in (0...9).reversed() {
                let wrong = try await ada.tryPIN(right: false)
                #expect(wrong.problem?.triesLeft == left && wrong.problem?.error == "invalid_grant" && wrong.status == 400)
            }
            let (right, wrong) = (try await ada.tryPIN(right: true), try await ada.tryPIN(right: false))
            #expect(right.body == wrong.body && right.headerNames == wrong.headerNames && right.status == 400)
            #expect(right.problem?.triesLeft == 0, "a disabled key no longer tells which PIN is right")
            let unknown = try await ada.tryPIN(right: true, from: LoadDevice(server: live.url))
            #expect(unknown.kind == "verification-failed" && unknown.problem?.triesLeft == nil && unknown.status == 400)
            let (challenge, nonce) = try await ada.device.challenge(over: ada.connection)
            let face = Self.proof(challenge, by: P256.Signing.PrivateKey(), ada.device.kid)
            let other = try await ada.device.redeem(face, nonce: nonce, over: ada.connection)
            #expect(other.body == unknown.body, "nor is there a number for other keys")
        }
    }
}

extension LiveServer {
    /// The same server under the address that it calls itself.
    fileprivate func called(_ url: String) -> LiveServer {
        LiveServer(url: url, port: port, folder: folder, clock: clock, service: service)
    }
}
#endif
