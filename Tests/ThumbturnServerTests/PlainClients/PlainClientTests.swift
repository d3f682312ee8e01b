#if Tools
import Crypto
import CryptoExtras
import Foundation
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// Apps that sign in with keys of other libraries get less than others, and only where the operator allows them.
@Suite struct PlainClientTests {
    typealias Key = PlainClient.Key
    typealias Attempt = EnrolmentTests.Attempt

    // MARK: The switch

    @Test func withoutTheOperatorsConsentThereIsNoRoute() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let known = Mutex<PlainClient?>(nil)
        try await LiveServer.run(folder: folder, configure: { $0.allowsPlainClients = true }) { live in
            let app = try await PlainClient(live)
            #expect(try await app.signIn().status == 200)
            known.withLock { $0 = app }
        }
        let app = try #require(known.withLock { $0 })
        try await LiveServer.run(folder: folder) { live in
            let connection = try await live.connect()
            let unknown = try await connection.send("POST", "/v1/plain/nothing", type: "application/json", body: Array("{}".utf8))
            #expect(unknown.status == 404)
            for path in ["devices", "challenges", "sign-in"] {
                let body = try JSONSerialization.data(withJSONObject: ["user_id": app.userID])
                let answer = try await connection.send(
                    "POST", "/v1/plain/\(path)", type: "application/json", body: Array(body))
                #expect(answer.status == 404 && answer.body == unknown.body && answer.headerNames == unknown.headerNames)
            }
        }
    }

    // MARK: Signing in

    @Test("a signature is a short token of the lowest assurance", arguments: ["ES256", "RS256"])
    func signIn(_ algorithm: String) async throws {
        try await LiveServer.plain({ $0.accessTokenLifetime = .seconds(100_000) }) { live in
            let app = try await PlainClient(live, key: try Key.make(algorithm))
            let answer = try await app.signIn()
            #expect(answer.status == 200)
            #expect(Set(answer.fields.keys) == ["access_token", "token_type", "expires_in"], "no refresh token")
            #expect(answer.fields["token_type"] as? String == "Bearer" && answer.fields["expires_in"] as? Int == 300)
            let jws = try #require(CompactJWS(try answer.field("access_token")))
            let claims = try #require(try JSONSerialization.jsonObject(with: Data(jws.payload)) as? [String: Any])
            #expect(
                Set(claims.keys)
                    == [
                        "iss", "aud", "sub", "client_id", "iat", "exp", "jti", "did", "auth_time", "acr", "amr",
                        "credentials",
                    ],
                "neither a key nor a session")
            #expect(claims["sub"] as? String == app.userID && claims["did"] as? String == app.device)
            #expect(claims["acr"] as? String == "urn:thumbturn:acr:none:none")
            #expect(claims["amr"] as? [String] == ["pop"])
            let (issued, expiry) = (claims["iat"] as? Int ?? 0, claims["exp"] as? Int ?? 0)
            #expect(expiry - issued == 300, "whatever the settings say of bound tokens")
            #expect(claims["auth_time"] as? Int == issued)
        }
    }

    @Test func theTokenLivesNoLongerThanOthers() async throws {
        try await LiveServer.plain({ $0.accessTokenLifetime = .seconds(60) }) { live in
            let answer = try await PlainClient(live).signIn()
            #expect(answer.fields["expires_in"] as? Int == 60)
        }
    }

    @Test func manyAppsOfOneAccountSignInEachWithItsOwnKey() async throws {
        try await LiveServer.plain { live in
            let (first, second) = (try await PlainClient(live), try await PlainClient(live, key: try Key.make("RS256")))
            let bob = try await PlainClient(live, of: "bob")
            for app in [first, second, bob] {
                let token = try #require(CompactJWS(try await app.token()))
                let claims = try WireJSON.decodeClaims(PlainTokenClaims.self, from: token.payload)
                #expect(claims.did == app.device && claims.sub == app.userID)
            }
            #expect(first.userID == second.userID && first.userID != bob.userID)
        }
    }

    @Test func aChallengeIsAcceptedOnce() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            let asked = try await app.ask()
            let signature = try app.key.sign(for: asked.challenge)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<16 {
                    let connection = try await live.connect()
                    let body = try JSONSerialization.data(withJSONObject: [
                        "user_id": app.userID, "challenge_id": asked.id, "signature": signature,
                    ])
                    group.addTask {
                        try await connection.send("POST", "/v1/plain/sign-in", type: "application/json", body: Array(body)).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == [200] + Array(repeating: 401, count: 15))
        }
    }

    @Test func aWrongSignatureSpendsTheChallenge() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            let asked = try await app.ask()
            let wrong = try Key.make("ES256").sign(for: asked.challenge)
            #expect(try await app.answer(asked.id, wrong).kind == "verification-failed")
            #expect(try await app.answer(asked.id, try app.key.sign(for: asked.challenge)).kind == "verification-failed")
            #expect(try await app.signIn().status == 200, "another one may be asked for")
        }
    }

    @Test func aChallengeLivesTwoMinutes() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            let asked = try await app.ask()
            let signature = try app.key.sign(for: asked.challenge)
            live.clock.advance(by: .seconds(120))
            #expect(try await app.answer(asked.id, signature).kind == "verification-failed")
            let fresh = try await app.ask()
            live.clock.advance(by: .seconds(119))
            #expect(try await app.answer(fresh.id, try app.key.sign(for: fresh.challenge)).status == 200)
        }
    }

    @Test(
        "what is wrong is not told",
        arguments: [
            "another key", "another person's key", "an unknown user", "an account without such keys",
            "another account's challenge", "the bare challenge",
            "the bare words", "upper case", "DER", "PSS", "padded", "nothing", "the id", "a changed id", "a foreign id",
            "a ticket", "a challenge of a device", "revoked", "expired", "spent",
        ])
    func refused(_ what: String) async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live, key: what == "PSS" ? try Key.make("RS256") : nil)
            let neutral = try await app.answer(try await app.ask().id, "AAAA")
            #expect(neutral.status == 401 && neutral.kind == "verification-failed")
            let asked = try await app.ask()
            let right = try app.key.sign(for: asked.challenge)
            func answer() async throws -> LoadConnection.Answer {
                switch what {
                case "another key": return try await app.answer(asked.id, try Key.make("ES256").sign(for: asked.challenge))
                case "another person's key":
                    let bob = try await PlainClient(live, of: "bob")
                    #expect(try await bob.signIn().status == 200)
                    return try await app.answer(asked.id, try bob.key.sign(for: asked.challenge))
                case "an unknown user":
                    let unknown = AccountID.random().text
                    let asked = try await app.ask(unknown)
                    return try await app.answer(asked.id, try app.key.sign(for: asked.challenge), as: unknown)
                case "an account without such keys":
                    let bob = try await live.account("bob").text
                    let asked = try await app.ask(bob)
                    return try await app.answer(asked.id, try app.key.sign(for: asked.challenge), as: bob)
                case "another account's challenge":
                    return try await app.answer(asked.id, right, as: try await live.account("bob").text)
                case "the bare challenge": return try await app.answer(asked.id, try app.key.sign(Array(asked.challenge.utf8)))
                case "the bare words":
                    return try await app.answer(asked.id, try app.key.sign(Array("thumbturn-plain-v1\(asked.challenge)".utf8)))
                case "upper case":
                    let message = String(decoding: Key.message(asked.challenge), as: UTF8.self).uppercased()
                    return try await app.answer(asked.id, try app.key.sign(Array(message.utf8)))
                case "DER":
                    guard case .es256(let key) = app.key else { return neutral }
                    let der = try key.signature(for: Key.message(asked.challenge)).derRepresentation
                    return try await app.answer(asked.id, Base64URL.encode(der))
                case "PSS":
                    guard case .rs256(let key) = app.key else { return neutral }
                    let pss = try key.signature(for: Key.message(asked.challenge), padding: .PSS).rawRepresentation
                    return try await app.answer(asked.id, Base64URL.encode(pss))
                case "padded": return try await app.answer(asked.id, right + "==")
                case "nothing": return try await app.answer(asked.id, "")
                case "the id": return try await app.answer(asked.id, try app.key.sign(for: asked.id))
                case "a changed id":
                    let other = try await app.ask()
                    let parts = asked.id.split(separator: "."), others = other.id.split(separator: ".")
                    return try await app.answer("\(parts[0]).\(parts[1]).\(others[2])", right)
                case "a foreign id": return try await app.answer("AAAA.AAAA.AAAA", right)
                case "a ticket":
                    let ticket = try await Attempt(live).ticket().read(EnrolmentTicket.self).ticket
                    return try await app.answer(ticket, try app.key.sign(for: ticket))
                case "a challenge of a device":
                    let challenge = try await Attempt(live).device.challenge(over: app.connection).challenge
                    return try await app.answer(challenge, try app.key.sign(for: challenge))
                case "revoked":
                    try await live.server.revoke(app.device, ofAccountNamed: "ada")
                    return try await app.answer(asked.id, right)
                case "expired":
                    live.clock.advance(by: .seconds(120))
                    return try await app.answer(asked.id, right)
                default:
                    #expect(try await app.answer(asked.id, right).status == 200)
                    return try await app.answer(asked.id, right)
                }
            }
            let refused = try await answer()
            #expect(refused.status == 401 && refused.body == neutral.body && refused.headerNames == neutral.headerNames)
        }
    }

    @Test func aChallengeLooksUpNoAccount() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            let known = try await app.post("/v1/plain/challenges", ["user_id": app.userID])
            let unknown = try await app.post("/v1/plain/challenges", ["user_id": AccountID.random().text])
            #expect(known.status == 200 && unknown.status == 200)
            #expect(known.headerNames == unknown.headerNames && known.body.count == unknown.body.count)
            #expect(known.fields["expires_in"] as? Int == 120)
            #expect(try await app.post("/v1/plain/challenges", ["user_id": "ada"]).kind == "malformed", "an id, not a name")
            #expect(try await app.post("/v1/plain/challenges", ["user_id": app.userID, "kid": "x"]).kind == "malformed")
        }
    }

    @Test("as many keys are judged for every account", arguments: ["ES256", "RS256"])
    func equalWork(_ algorithm: String) async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live, key: try Key.make(algorithm))
            let other = try await PlainClient(live, of: "bob", key: try Key.make(algorithm == "ES256" ? "RS256" : "ES256"))
            let users = [app.userID, other.userID, AccountID.random().text]
            for (signature, judged) in [(try app.key.sign(for: "other words"), 8), ("", 0), ("AAAA", 0)] {
                for user in users {
                    let before = live.service.counters.verifications.total
                    let asked = try await app.ask(user)
                    #expect(try await app.answer(asked.id, signature, as: user).kind == "verification-failed")
                    #expect(live.service.counters.verifications.total - before == judged)
                }
            }
        }
    }

    @Test func asManyKeysAreReadForEveryAccount() async throws {
        try await LiveServer.plain { live in
            let attempt = try await Attempt(live)
            for name in ["ada", "ada", "ada", "bob", "bob"] {
                #expect(try await PlainClient.enrol(try Key.make("ES256"), attempt, name).status == 201)
            }
            let old = try await PlainClient(live, key: try Key.make("RS256"))
            func read(_ account: AccountID, _ kind: PlainKey.Kind = .es256) async throws -> [EnrolledPlainKey] {
                try await live.service.store.plainKeys(around: account, ofLength: kind.spkiLength)
            }
            let (ada, bob) = (try await live.account("ada"), try await live.account("bob"))
            let (first, last) = (AccountID([UInt8](repeating: 0, count: 16))!, AccountID([UInt8](repeating: 255, count: 16))!)
            for account in [ada, bob, first, last, .random()] {
                #expect(try await read(account).count == 5)
                #expect(try await read(account, .rs256With2048Bits).count == 1)
            }
            for _ in 1...5 { #expect(try await PlainClient.enrol(try Key.make("ES256"), attempt, "bob").status == 201) }
            for account in [ada, bob, first, last, .random()] { #expect(try await read(account).count == 8) }
            #expect(try await read(ada).filter { $0.account == ada }.count == 3, "its own are always among them")
            #expect(try await read(bob).filter { $0.account == bob }.count == 7)
            try await live.server.revoke(old.device, ofAccountNamed: "ada")
            #expect(try await read(ada, .rs256With2048Bits).isEmpty)
        }
    }

    @Test(arguments: PlainKey.Kind.allCases)
    func aDecoyIsAKeyOfItsKind(_ kind: PlainKey.Kind) throws {
        #expect(try PlainKey(spkiDER: kind.decoy).spki.count == kind.spkiLength)
        #expect(kind.decoy == kind.decoy && kind.decoy != kind.makeDecoy())
    }

    // MARK: Wrong attempts

    @Test func wrongSignaturesCountAgainstTheAddressAndLockOutNoAccount() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            let ada = try await live.device()
            let unknown = AccountID.random().text
            for number in 1...30 {
                let asked = try await app.ask(number % 2 == 0 ? nil : unknown)
                #expect(try await app.answer(asked.id, "AAAA", as: number % 2 == 0 ? nil : unknown).status == 401)
            }
            let asked = try await app.ask()
            let right = try app.key.sign(for: asked.challenge)
            #expect(try await app.answer(asked.id, right).kind == "verification-failed", "the address pauses")
            #expect(try await Attempt(live).ticket().kind == "verification-failed", "for every attempt of a stranger")
            #expect(try await ada.signIn().tokenType == "DPoP", "but a device is no stranger")
            live.clock.advance(by: .seconds(31))
            #expect(try await app.answer(asked.id, right).status == 200, "what was not judged is not spent")
        }
    }

    @Test func aForeignChallengeIsNotCounted() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            for _ in 1...40 { _ = try await app.answer("AAAA.AAAA.AAAA", "AAAA") }
            #expect(try await app.signIn().status == 200)
        }
    }

    @Test func aKeyThatIsRevokedBetweenJudgementAndSpendingOpensNothing() async throws {
        let revoke = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.plain(beforeSpending: { await revoke.withLock { $0 }?() }) { live in
            let app = try await PlainClient(live)
            let asked = try await app.ask()
            revoke.withLock { $0 = { try? await live.server.revoke(app.device, ofAccountNamed: "ada") } }
            #expect(try await app.answer(asked.id, try app.key.sign(for: asked.challenge)).kind == "verification-failed")
        }
    }

    // MARK: Enrolment

    @Test func aTicketEnrolsOneKeyAndTheOwnerIsNotified() async throws {
        try await LiveServer.plain { live in
            let ada = try await live.device()
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let key = try Key.make("ES256")
            let thief = try await Attempt(live)
            #expect(try await PlainClient.enrol(key, thief, ticket: ticket).kind == "verification-failed", "another session key")
            let answer = try await PlainClient.enrol(key, attempt, ticket: ticket)
            #expect(answer.status == 201 && Set(answer.fields.keys) == ["user_id", "device", "kid"])
            #expect(try await PlainClient.enrol(try Key.make("ES256"), attempt, ticket: ticket).status == 401, "spent")
            #expect(try await PlainClient.enrol(key, attempt).kind == "verification-failed", "known already")
            let token = try await ada.signIn().accessToken
            let device = try #require(try await ada.devices(token).first { !$0.current })
            #expect(device.use == .plain && device.keys.isEmpty && device.name == "Old app")
            #expect(try await ada.devices(token).filter { $0.use == .plain }.count == 1)
            let notice = try #require(try await ada.notices(token).first { $0.device == device.id })
            #expect(notice.kind == "new-device")
        }
    }

    @Test func aDeviceLetsInAPlainClientWithAFreshProof() async throws {
        try await LiveServer.plain { live in
            let phone = try await KeyChangeTests.Phone(live)
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let session = Attempt(live, own)
            let passcode = try await phone.signIn(by: .passcode).accessToken
            #expect(try await own.vouch(for: phone.device, token: passcode).kind == "step-up-required")
            let token = try await own.signIn().accessToken
            let ticket = try await own.vouch(for: phone.device, token: token).read(EnrolmentTicket.self).ticket
            let key = try Key.make("ES256")
            #expect(try await PlainClient.enrol(key, session, ticket: ticket).status == 201)

            let late = try await own.vouch(for: phone.device, token: token).read(EnrolmentTicket.self).ticket
            #expect(try await own.delete("/v1/devices/current", token: token).status == 204)
            let refused = try await PlainClient.enrol(try Key.make("ES256"), session, ticket: late)
            #expect(refused.kind == "verification-failed", "the vouching device has to be enrolled still")
        }
    }

    @Test func aKeyHasToSignTheTicketAndATicketAllowsOneTry() async throws {
        try await LiveServer.plain { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let key = try Key.make("ES256")
            let other = try Key.make("ES256").sign(for: ticket)
            #expect(try await PlainClient.enrol(key, attempt, ticket: ticket, signature: other).kind == "verification-failed")
            #expect(try await PlainClient.enrol(key, attempt, ticket: ticket).kind == "verification-failed", "spent")
            for use in ["", "all"] { #expect(try await PlainClient.enrol(key, attempt, use: use).kind == "malformed") }
            #expect(try await PlainClient.enrol(key, attempt, name: "").kind == "malformed")
            #expect(try await PlainClient.enrol(key, attempt).status == 201)
        }
    }

    @Test func anAccountHasAtMostEight() async throws {
        try await LiveServer.plain { live in
            let attempt = try await Attempt(live)
            var devices: [String] = []
            for _ in 1...8 {
                devices.append(try await PlainClient.enrol(try Key.make("ES256"), attempt).field("device"))
            }
            let key = try Key.make("ES256")
            #expect(try await PlainClient.enrol(key, attempt).kind == "verification-failed")
            #expect(try await PlainClient.enrol(key, attempt, "bob").status == 201, "another account has its own")
            try await live.server.revoke(devices[0], ofAccountNamed: "ada")
            #expect(
                try await PlainClient.enrol(try Key.make("ES256"), attempt).status == 201, "a revoked one makes room")
        }
    }

    @Test func aKeyOfARevokedDeviceIsNeverEnrolledAgain() async throws {
        try await LiveServer.plain { live in
            let ada = try await live.device()
            let app = try await PlainClient(live)
            let token = try await ada.signIn().accessToken
            #expect(try await ada.delete("/v1/devices/\(app.device)", token: token).status == 204)
            #expect(try await app.signIn().kind == "verification-failed")
            #expect(try await PlainClient.enrol(app.key, try await Attempt(live)).kind == "verification-failed")
        }
    }

    @Test func aSmallRSAKeyIsRefused() async throws {
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024))
        try await LiveServer.plain { live in
            let refused = try await PlainClient.enrol(.rs256(small), Attempt(live))
            #expect(refused.kind == "verification-failed")
            #expect(try await PlainClient.enrol(try Key.make("RS256"), try await Attempt(live)).status == 201)
        }
        for bits in [1024, 2040] {
            let key = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)).publicKey.derRepresentation
            #expect(Self.refuses { try PlainKey(spkiDER: Array(key)) }, "\(bits)")
        }
    }

    private static func refuses(_ make: () throws -> PlainKey) -> Bool {
        do {
            _ = try make()
            return false
        } catch {
            return error as? VerificationError == .unacceptableKey
        }
    }

    @Test func aKeyHasOneForm() throws {
        let rsa = try Key.rsa.get().publicKey
        let modulus = try rsa.getKeyPrimitives().modulus
        let exponent3 = try _RSA.Signing.PublicKey(n: modulus, e: Data([3]))
        let long = try _RSA.Signing.PublicKey(n: modulus + modulus + modulus, e: Data([1, 0, 1]))
        let between = try _RSA.Signing.PublicKey(n: modulus + [1], e: Data([1, 0, 1]))
        for key in [exponent3, long, between] {
            #expect(Self.refuses { try PlainKey(spkiDER: Array(key.derRepresentation)) })
        }
        #expect(Self.refuses { try PlainKey(spkiDER: Array(rsa.pkcs1DERRepresentation)) }, "PKCS #1")
        #expect(Self.refuses { try PlainKey(spkiDER: Array(rsa.derRepresentation) + [0]) })
        let other = P384.Signing.PrivateKey().publicKey.derRepresentation
        #expect(Self.refuses { try PlainKey(spkiDER: Array(other)) }, "another curve")
        #expect(Self.refuses { try PlainKey(spki: "not a key") })
        let pem = try PlainKey(spki: rsa.pemRepresentation)
        let der = try PlainKey(spkiDER: Array(rsa.derRepresentation))
        #expect(pem.kid == der.kid)
    }

    /// RFC 7638 section 3.1.
    @Test func anRSAKeyHasTheStandardsThumbprint() throws {
        let modulus = try #require(
            Base64URL.decode(
                """
                0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs\
                tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5ha\
                jrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
                """))
        let key = try _RSA.Signing.PublicKey(n: Data(modulus), e: Data([1, 0, 1]))
        let kid = try PlainKey(spkiDER: Array(key.derRepresentation)).kid
        #expect(kid == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    // MARK: Plain keys and device keys are apart

    @Test func aPlainKeyMakesNoProofs() async throws {
        try await LiveServer.plain { live in
            let ada = try await live.device()
            let key = P256.Signing.PrivateKey()
            let app = try await PlainClient(live, key: .es256(key))
            let kid = Signing.thumbprint(of: PINKeyTests.jwk(key))
            let asked = try await ada.device.challenge(.signIn, [kid], over: ada.connection)
            let proof = PINKeyTests.proof(asked.challenge, by: key, kid)
            #expect(try await ada.redeem(proof, nonce: asked.nonce).problem?.error == "invalid_grant")
            let plain = try await app.ask()
            let overPlain = PINKeyTests.proof(plain.id, by: key, kid)
            #expect(try await ada.redeem(overPlain, nonce: try await ada.nonce()).problem?.error == "invalid_grant")
            #expect(try await ada.redeem(ada.device.proof(plain.id), nonce: try await ada.nonce()).status == 400)
            #expect(
                try await app.answer(plain.id, try app.key.sign(for: plain.challenge)).status == 200, "nor was it spent there")

            func enrol(_ key: P256.Signing.PrivateKey) async throws -> LoadConnection.Answer {
                let attempt = try await Attempt(live)
                let kid = Signing.thumbprint(of: PINKeyTests.jwk(key))
                let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
                let asked = try await attempt.device.challenge(
                    .enrol, [attempt.device.sessionKid, kid], over: attempt.connection)
                let keys = [
                    attempt.device.registrations(asked.challenge)[0],
                    KeyRegistration(
                        kind: .biometric, jwk: PINKeyTests.jwk(key), proof: PINKeyTests.proof(asked.challenge, by: key, kid)),
                ]
                return try await PINKeyTests.post(
                    EnrolRequest(ticket: ticket, name: "Test", keys: keys), from: attempt.device, nonce: asked.nonce,
                    over: attempt.connection)
            }
            #expect(try await enrol(.init()).status == 201)
            #expect(try await enrol(key).kind == "verification-failed", "it is a plain key for ever")
        }
    }

    @Test func aDevicesKeyIsNotAPlainKey() async throws {
        try await LiveServer.plain { live in
            let phone = try await KeyChangeTests.Phone(live)
            _ = try await phone.signIn(by: .passcode)
            var app = try await PlainClient(live)
            #expect(try await PlainClient.enrol(.es256(phone.passcode), try await Attempt(live)).kind == "verification-failed")
            app.key = .es256(phone.passcode)
            #expect(try await app.signIn().kind == "verification-failed")
            let asked = try await app.ask()
            let proof = phone.proof(.passcode, asked.challenge) ?? ""
            for signature in [proof, String(proof.split(separator: ".")[2])] {
                #expect(try await app.answer(asked.id, signature).kind == "verification-failed")
            }
        }
    }

    @Test func aSessionKeyIsNotAPlainKey() async throws {
        try await LiveServer.plain { live in
            let key = P256.Signing.PrivateKey()
            let attempt = try await Attempt(live)
            let device = LoadDevice(server: live.url, session: key)
            let own = Attempt(live, LiveServer.Enrolled(device: device, connection: attempt.connection))
            #expect(try await PlainClient.enrol(.es256(key), own).kind == "verification-failed")
            #expect(try await PlainClient.enrol(.es256(key), attempt).status == 201, "unless it signs none")
        }
    }

    @Test func anUnprovenKeyReservesNothing() async throws {
        try await LiveServer.plain { live in
            let phone = try await KeyChangeTests.Phone(live)
            #expect(try await PlainClient.enrol(.es256(phone.passcode), try await Attempt(live), "bob").status == 201)
        }
    }

    // MARK: The token

    @Test func aBackEndReadsTheClaimsOfAnActiveToken() async throws {
        try await LiveServer.plain { live in
            let (bank, ada) = (try await live.backEnd([.introspect]), try await live.device())
            let app = try await PlainClient(live)
            let said = try await Self.introspect(try await app.token(), bank, live).fields
            #expect(said["active"] as? Bool == true && said["token_type"] as? String == "Bearer")
            #expect(
                Set(said.keys).subtracting(["active", "token_type"])
                    == [
                        "iss", "aud", "sub", "client_id", "iat", "exp", "jti", "did", "auth_time", "acr", "amr",
                        "credentials",
                    ],
                "neither a key nor a session, as in the token")
            #expect(said["sub"] as? String == app.userID && said["did"] as? String == app.device)
            #expect(said["acr"] as? String == "urn:thumbturn:acr:none:none" && said["amr"] as? [String] == ["pop"])
            #expect(said["exp"] as? Int64 == live.clock.now.seconds + 300)
            let bound = try await Self.introspect(try await ada.signIn().accessToken, bank, live).fields
            #expect(bound["token_type"] as? String == "DPoP", "bound tokens are described as before")
        }
    }

    private static func introspect(_ token: String, _ bank: BackEnd, _ live: LiveServer) async throws -> LoadConnection.Answer {
        try await bank.post("/v1/introspect", "token=\(token)", asserting: try bank.assertion(at: live.clock.now))
    }

    @Test(
        "a token whose key is gone is not active, nor is one that is not ours",
        arguments: ["revoked by the operator", "revoked by another device", "removed", "expired", "changed", "another issuer's"])
    func inactive(_ what: String) async throws {
        try await LiveServer.plain { live in
            let (bank, ada) = (try await live.backEnd([.introspect]), try await live.device())
            let app = try await PlainClient(live)
            var token = try await app.token()
            #expect(try await Self.introspect(token, bank, live).fields["active"] as? Bool == true)
            switch what {
            case "revoked by the operator": try await live.server.revoke(app.device, ofAccountNamed: "ada")
            case "revoked by another device":
                let own = try await ada.signIn().accessToken
                #expect(try await ada.delete("/v1/devices/\(app.device)", token: own).status == 204)
            case "removed": try live.execute("DELETE FROM plain_keys")
            case "expired": live.clock.advance(by: .seconds(300))
            case "changed": token = String(token.dropLast(8)) + String(token.suffix(8).reversed())
            default:
                let claims = PlainTokenClaims(
                    iss: live.url, aud: live.url, account: app.userID, clientID: "thumbturn-app", iat: live.clock.now,
                    exp: live.clock.now + .seconds(300), jti: "j", device: app.device)
                token = try TokenSigner(P256.Signing.PrivateKey()).sign(claims)
            }
            let said = try await Self.introspect(token, bank, live)
            #expect(said.status == 200 && said.text == #"{"active":false}"#)
        }
    }

    @Test func tokensOfPlainKeysAreInactiveOnceSuchKeysAreNotAllowed() async throws {
        try await LiveServer.plain { live in
            let token = try await PlainClient(live).token()
            let bank = try await live.backEnd([.introspect])
            let found = try await live.service.store.client(bank.id)
            let client = try #require(found)
            var settings = live.service.settings
            for allows in [true, false] {
                settings.allowsPlainClients = allows
                let said = try await AuthorizationServer(settings, clock: live.clock.node).introspect(token, by: client)
                #expect(String(decoding: WireJSON.encode(said), as: UTF8.self).contains(#""active":\#(allows)"#))
            }
        }
    }

    @Test func theTokenIsRefusedWhereMoreIsDemanded() async throws {
        try await RequireStepUpTests.run { bank in
            let app = try await PlainClient(bank.live)
            let token = try await app.token()
            for scheme in ["Bearer", "DPoP"] {
                let answer = try await bank.call("/card-details", token, scheme: scheme)
                #expect(answer.status == 401, "\(scheme)")
                let own = try await bank.phone.device.challenge(over: bank.phone.connection)
                for path in ["/v1/me", "/v1/devices", "/v1/notices"] {
                    let proof = bank.phone.device.dpop("GET", path, nil, nonce: own.nonce, token: token)
                    let answer = try await app.connection.send(
                        "GET", path, headers: [("Authorization", "\(scheme) \(token)"), ("DPoP", proof)])
                    #expect(answer.status == 401, "\(scheme) \(path)")
                }
                let approvals = try await app.connection.send(
                    "GET", "/v1/approvals/\(Identifier<Account>.random().text)",
                    headers: [("Authorization", "\(scheme) \(token)")])
                #expect(approvals.status == 401, "nor a back end's")
            }
            #expect(bank.calls.made == 0)
            let keys = bank.live.service.secrets.current.tokenKeys
            let bound = try? AccessToken(
                token, keys: keys, issuer: bank.live.url, audience: bank.live.url, at: bank.live.clock.now)
            #expect(bound?.claims == nil)
        }
    }
}
#endif
