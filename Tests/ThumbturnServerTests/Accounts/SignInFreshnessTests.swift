#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer
import ThumbturnVerifier

/// A provider may answer by its session in the browser. What a sign-in is worth depends on whether it asked the person.
@Suite struct SignInFreshnessTests {
    typealias Attempt = EnrolmentTests.Attempt
    typealias Provider = TokenExchangeTests.Provider

    /// A server, and a person of a provider who has signed in there before.
    struct World: Sendable {
        let live: LiveServer
        let provider: Provider

        static func run(
            staleSignIn: String? = nil, configure: @escaping @Sendable (inout ServerSettings) -> Void = { _ in },
            _ body: @escaping @Sendable (World) async throws -> Void
        ) async throws {
            let provider = try Provider(staleSignIn: staleSignIn)
            defer { try? FileManager.default.removeItem(atPath: provider.folder) }
            try await LiveServer.run(configure: {
                $0.identityProviders = provider.file
                configure(&$0)
            }) { live in
                let world = World(live: live, provider: provider)
                // The first exchange makes the account.
                _ = try await world.exchange(for: LoadDevice(server: live.url)).field("access_token")
                live.clock.advance(by: .seconds(1))
                try await body(world)
            }
        }

        func device(session: P256.Signing.PrivateKey = .init()) -> LoadDevice { LoadDevice(server: live.url, session: session) }

        func challenge(_ purpose: Purpose = .enrol, for device: LoadDevice) async throws -> String {
            try await device.challenge(purpose, [device.sessionKid], over: try await live.connect()).challenge
        }

        /// An ID token for a device, with a claim `auth_time` unless that is nil.
        func idToken(for device: LoadDevice, authTime: (any Sendable)?) throws -> String {
            var claims: [String: any Sendable] = ["jti": UUID().uuidString]
            claims["auth_time"] = authTime
            return try provider.idToken(for: device.sessionKid, at: live.clock.now, claims: claims)
        }

        /// Exchanges an ID token, a second later than the one before. The person was asked at this time, counted from the challenge;
        /// nil for a provider that does not say it.
        func exchange(for device: LoadDevice, askedAfter asked: Duration? = .zero) async throws -> LoadConnection.Answer {
            live.clock.advance(by: .seconds(1))
            let challenge = try await challenge(for: device)
            let token = try idToken(for: device, authTime: asked.map { (live.clock.now + $0).seconds })
            return try await TokenExchangeTests.exchange(token, device, live, begunBy: challenge)
        }

        func ticket(_ isFresh: Bool, for device: LoadDevice) async throws -> String {
            try await exchange(for: device, askedAfter: isFresh ? .zero : .seconds(-31_536_000)).field("access_token")
        }

        /// The freshness that a ticket says.
        func freshness(of answer: LoadConnection.Answer, for device: LoadDevice) throws -> SignInFreshness {
            try live.service.tickets.verify(answer.field("access_token"), jkt: device.sessionKid, at: live.clock.now).freshness
        }

        func attempt(_ device: LoadDevice) async throws -> Attempt { Attempt(live, device, try await live.connect()) }

        func visit(_ isFresh: Bool) async throws -> (guest: LiveServer.Enrolled, tokens: TokenAnswer) {
            let attempt = try await attempt(device())
            let ticket = try await ticket(isFresh, for: attempt.device)
            let tokens = try await attempt.visit(by: ticket).read(TokenAnswer.self)
            return (LiveServer.Enrolled(device: attempt.device, connection: attempt.connection), tokens)
        }

        /// Changes a key of a device with a ticket.
        func change(_ change: KeyChange, by ticket: String, on device: LoadDevice) async throws -> LoadConnection.Answer {
            let (new, connection) = (P256.Signing.PrivateKey(), try await live.connect())
            let kid = change.kind == .pin ? "pin" : Signing.thumbprint(of: PINKeyTests.jwk(new))
            let asked = try await device.challenge(.manage, [kid], act: change.rawValue, over: connection)
            var key = PINKeyTests.registration(new, asked.challenge, PINKeyTests.kids(asked.challenge)[0])
            key.kind = change.kind
            let (path, body) = ("/v1/devices/current/keys", Signing.encode(KeyChangeRequest(key: key, ticket: ticket)))
            let proof = device.dpop("POST", path, body, nonce: asked.nonce)
            return try await connection.send("POST", path, type: "application/json", headers: [("DPoP", proof)], body: body)
        }

        func coolsOff(_ device: LoadDevice) async throws -> Bool {
            let until = try #require(try await live.service.store.key(device.kid)).coolsOffUntil
            #expect(until <= live.clock.now || until == live.clock.now + .seconds(86_400))
            return until > live.clock.now
        }
    }

    // MARK: What is fresh

    enum AuthTime: Sendable {
        case absent
        case seconds(Double)
        case text(String)
    }

    @Test(
        "a sign-in is fresh if the provider asked the person after the challenge, by clocks that differ a little",
        arguments: [
            (.seconds(0), true), (.seconds(5), true), (.seconds(-10), true), (.seconds(-11), false),
            // A fraction is rounded down.
            (.seconds(-9.5), true), (.seconds(-10.5), false), (.seconds(-3600), false), (.seconds(60), true),
            // Nothing from the future counts, and what is no time does not cost the sign-in.
            (.seconds(61), false), (.seconds(1e300), false), (.text("now"), false), (.absent, false),
        ] as [(AuthTime, Bool)]) func fresh(_ authTime: AuthTime, _ isFresh: Bool) async throws
    {
        try await World.run { world in
            let device = world.device()
            let challenge = try await world.challenge(for: device)
            let now = Double(world.live.clock.now.seconds)
            let claim: (any Sendable)? =
                switch authTime {
                case .absent: nil
                case .seconds(let seconds): now + seconds
                case .text(let text): text
                }
            for begun in [challenge, nil] {
                let token = try world.idToken(for: device, authTime: claim)
                let answer = try await TokenExchangeTests.exchange(token, device, world.live, begunBy: begun)
                let expected: SignInFreshness = isFresh && begun != nil ? .fresh : .stale
                #expect(try world.freshness(of: answer, for: device) == expected, "\(begun == nil ? "no challenge" : "")")
            }
        }
    }

    @Test func aPersonMayTakeLongerThanAChallengeLives() async throws {
        try await World.run { world in
            let device = world.device()
            for (seconds, status) in [(659, 200), (660, 400)] as [(Int64, Int)] {
                let challenge = try await world.challenge(for: device)
                let began = world.live.clock.now
                world.live.clock.advance(by: .seconds(seconds))
                let token = try world.idToken(for: device, authTime: began.seconds)
                let answer = try await TokenExchangeTests.exchange(token, device, world.live, begunBy: challenge)
                #expect(answer.status == status, "\(seconds) s")
                if status == 200 { #expect(try world.freshness(of: answer, for: device) == .fresh) }
            }
        }
    }

    @Test(
        "a challenge that this session key did not get for it is refused, and the ID token stays unused",
        arguments: ["another key's", "of another purpose", "forged", "no challenge"])
    func refused(_ what: String) async throws {
        try await World.run { world in
            let device = world.device()
            let challenge =
                switch what {
                case "another key's": try await world.challenge(for: world.device())
                case "of another purpose": try await world.challenge(.signIn, for: device)
                case "forged": try await String(world.challenge(for: device).dropLast(8)) + "AAAAAAAA"
                default: "challenge"
                }
            let token = try world.idToken(for: device, authTime: world.live.clock.now.seconds)
            let refused = try await TokenExchangeTests.exchange(token, device, world.live, begunBy: challenge)
            #expect(refused.status == 400 && refused.problem?.error == "invalid_grant")
            let own = try await world.challenge(for: device)
            let answer = try await TokenExchangeTests.exchange(token, device, world.live, begunBy: own)
            #expect(try world.freshness(of: answer, for: device) == .fresh)
        }
    }

    /// Otherwise each token that the provider gives out by its session later would be as fresh as the one sign-in.
    @Test func aChallengeBeginsOneSignIn() async throws {
        try await World.run { world in
            let device = world.device()
            let challenge = try await world.challenge(for: device)
            for status in [200, 400] {
                world.live.clock.advance(by: .seconds(1))
                let token = try world.idToken(for: device, authTime: world.live.clock.now.seconds)
                let answer = try await TokenExchangeTests.exchange(token, device, world.live, begunBy: challenge)
                #expect(answer.status == status)
            }
        }
    }

    /// Otherwise challenges that a thief keeps in stock would make one sign-in of the person the fresh one of many ID tokens.
    @Test func anAuthenticationIsFreshOnce() async throws {
        try await World.run { world in
            let (thief, owner) = (world.device(), world.device())
            var stock: [String] = []
            for _ in 1...2 { stock.append(try await world.challenge(for: thief)) }
            let own = try await world.challenge(for: owner)
            world.live.clock.advance(by: .seconds(60))
            let asked = world.live.clock.now.seconds
            let first = try await TokenExchangeTests.exchange(
                world.idToken(for: owner, authTime: asked), owner, world.live, begunBy: own)
            #expect(try world.freshness(of: first, for: owner) == .fresh)
            for challenge in stock {
                let answer = try await TokenExchangeTests.exchange(
                    world.idToken(for: thief, authTime: asked), thief, world.live, begunBy: challenge)
                #expect(answer.status == 400 && answer.problem?.error == "invalid_grant")
            }
            // Without a challenge the token is what it is: a stale one.
            let stale = try await TokenExchangeTests.exchange(
                world.idToken(for: thief, authTime: asked), thief, world.live)
            #expect(try world.freshness(of: stale, for: thief) == .stale)
        }
    }

    @Test func aChallengeThatBeganASignInIsStillSignedOnce() async throws {
        try await World.run { world in
            let attempt = try await world.attempt(world.device())
            let kids = [attempt.device.sessionKid, attempt.device.kid]
            let asked = try await attempt.device.challenge(.enrol, kids, over: attempt.connection)
            let token = try world.idToken(for: attempt.device, authTime: world.live.clock.now.seconds)
            let answer = try await TokenExchangeTests.exchange(token, attempt.device, world.live, begunBy: asked.challenge)
            let ticket = try answer.field("access_token")
            let request = EnrolRequest(
                ticket: ticket, name: "Phone", keys: attempt.device.registrations(asked.challenge))
            #expect(
                try await PINKeyTests.post(request, from: attempt.device, nonce: asked.nonce, over: attempt.connection).status
                    == 201)
        }
    }

    /// An account that is new here may be an old one at the provider.
    @Test func theFirstSignInOfAPersonIsJudgedLikeAnyOther() async throws {
        let provider = try Provider()
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        try await LiveServer.run(configure: { $0.identityProviders = provider.file }) { live in
            let world = World(live: live, provider: provider)
            for (asked, expected) in [(nil, SignInFreshness.stale), (.zero, .fresh)] as [(Duration?, SignInFreshness)] {
                let device = world.device()
                let answer = try await world.exchange(for: device, askedAfter: asked)
                #expect(try world.freshness(of: answer, for: device) == expected)
                #expect(answer.fields["fresh"] as? Bool == (expected == .fresh))
            }
        }
    }

    @Test func aPasswordAndARecoveryCodeAreFresh() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let (jkt, now) = (attempt.device.sessionKid, live.clock.now)
            #expect(try live.service.tickets.verify(ticket, jkt: jkt, at: now).freshness == .fresh)
        }
    }

    @Test func aTicketThatDoesNotSayItIsRefused() throws {
        let claims = #"{"cnf":{"jkt":"a"},"exp":1,"gen":0,"iss":"a","jti":"a","sub":"a"}"#
        #expect(throws: VerificationError.malformed) {
            _ = try WireJSON.decode(Tickets.Claims.self, from: Array(claims.utf8))
        }
        let complete = claims.replacing(#""gen":0"#, with: #""freshness":"fresh","gen":0"#)
        #expect(try WireJSON.decode(Tickets.Claims.self, from: Array(complete.utf8)).freshness == .fresh)
    }

    // MARK: What it is worth

    @Test("the account's only device cools off if a sign-in that is not fresh enrolled it", arguments: [true, false])
    func enrols(_ isFresh: Bool) async throws {
        try await World.run { world in
            let attempt = try await world.attempt(world.device())
            let ticket = try await world.ticket(isFresh, for: attempt.device)
            #expect(try await attempt.enrol(ticket: ticket).status == 201)
            #expect(try await world.coolsOff(attempt.device) == !isFresh)
            let signedIn = try await attempt.device.signIn(over: attempt.connection)
            #expect(signedIn.tokenType == "DPoP", "and it signs in")
        }
    }

    @Test("full credentials change a key only if they are fresh", arguments: [KeyChange.resetPIN, .replaceBiometric])
    func changesKeys(_ change: KeyChange) async throws {
        try await World.run { world in
            let attempt = try await world.attempt(world.device())
            #expect(try await attempt.enrol(ticket: world.ticket(true, for: attempt.device)).status == 201)
            let stale = try await world.ticket(false, for: attempt.device)
            #expect(try await world.change(change, by: stale, on: attempt.device).kind == "verification-failed")
            #expect(try await attempt.visit(by: stale).problem?.error == "invalid_grant", "the ticket is used up")
            #expect(try await attempt.device.signIn(over: attempt.connection).tokenType == "DPoP", "the keys are those of before")
            let fresh = try await world.ticket(true, for: attempt.device)
            #expect(try await world.change(change, by: fresh, on: attempt.device).kind == "ok")
            let device = try #require(try await world.live.service.store.device(withSessionKey: attempt.device.sessionKid))
            #expect(device.coolsOffUntil <= world.live.clock.now, "the account has no other device")
        }
    }

    @Test func aDeviceThatEnrolsAgainBringsOtherKeysOnlyWithAFreshSignIn() async throws {
        try await World.run { world in
            let session = P256.Signing.PrivateKey()
            let (first, second) = (world.device(session: session), world.device(session: session))
            func enrolAgain(_ device: LoadDevice, _ isFresh: Bool) async throws -> LoadConnection.Answer {
                try await world.attempt(device).enrol(ticket: world.ticket(isFresh, for: device)) { request, _ in
                    request.ifEnrolled = .replace
                    request.name = isFresh ? "Fresh" : "Stale"
                }
            }
            #expect(try await world.attempt(first).enrol(ticket: world.ticket(true, for: first)).status == 201)
            #expect(try await enrolAgain(second, false).kind == "verification-failed")
            let same = try await enrolAgain(first, false)
            #expect(try same.read(DeviceRecord.self).name == "Test", "a lost answer is asked for again, and renames nothing")
            #expect(try await world.coolsOff(first) == false)
            #expect(try await enrolAgain(second, true).read(DeviceRecord.self).name == "Fresh")
        }
    }

    @Test("a visit is opened by each sign-in, and gives a ticket only after a fresh one", arguments: [true, false])
    func vouches(_ isFresh: Bool) async throws {
        try await World.run { world in
            let (guest, tokens) = try await world.visit(isFresh)
            #expect(try await guest.get("/v1/me", token: tokens.accessToken).status == 200)
            let new = try await world.attempt(world.device())
            let answer = try await guest.vouch(for: new.device, token: tokens.accessToken)
            guard isFresh else {
                #expect(answer.kind == "step-up-required", "\(answer.text)")
                #expect(answer.challenge.flatMap(StepUpChallenge.init)?.maximumAge == .seconds(300))
                return
            }
            #expect(try await new.enrol(ticket: answer.read(EnrolmentTicket.self).ticket).status == 201)
            #expect(try await world.coolsOff(new.device) == false)
        }
    }

    @Test("a policy that takes full credentials for an action takes fresh ones", arguments: [true, false])
    func actions(_ isFresh: Bool) async throws {
        try await World.run { world in
            let (guest, tokens) = try await world.visit(isFresh)
            let renewed = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self)
            var table = StepUpTable.standard
            table.actions["history"] = ActionRule(maximumAge: .seconds(120))
            table.actions["history"]?.takesCredentials = true
            let ask = try #require(ActionAsk("history"))
            for token in [tokens, renewed] {
                let claims = try claims(of: token.accessToken)
                #expect(claims.authTime == (isFresh ? world.live.clock.now : UnixTime(seconds: 0)))
                let me = try await guest.get("/v1/me", token: token.accessToken).read(Me.self)
                #expect(me.authTime == claims.authTime)
                var isTaken = true
                do {
                    try await claims.judge(for: ask, by: table, at: world.live.clock.now) { _ in true }
                } catch is RequestError {
                    isTaken = false
                }
                #expect(isTaken == isFresh)
            }
        }
    }

    /// It has no cool-off, and its tokens say that the person was verified now.
    @Test func aPlainKeyIsEnrolledByAFreshSignIn() async throws {
        try await World.run(configure: { $0.allowsPlainClients = true }) { world in
            for (isFresh, kind) in [(true, "ok"), (false, "verification-failed")] {
                let attempt = try await world.attempt(world.device())
                let ticket = try await world.ticket(isFresh, for: attempt.device)
                let key = try PlainClient.Key.make("ES256")
                #expect(try await PlainClient.enrol(key, attempt, ticket: ticket).kind == kind)
            }
        }
    }

    @Test func theAuditLogSaysThatASignInWasNotFresh() async throws {
        for (word, detail) in [
            (nil, "stale-id-token"), ("a_browser_cookie_may_reset_keys", "accepted-stale-id-token"),
        ] as [(String?, String)] {
            try await World.run(staleSignIn: word) { world in
                let device = world.device()
                func details() async throws -> [String] {
                    try await world.live.service.store.auditRows(after: 0, limit: .max).compactMap {
                        try JSONDecoder().decode(AuditEvent.self, from: Data($0.event.utf8))
                    }.filter { $0.kind == .credentials }.compactMap(\.detail)
                }
                _ = try await world.ticket(true, for: device)
                #expect(try await details() == ["id-token"])
                _ = try await world.ticket(false, for: device)
                #expect(try await details() == ["id-token", detail])
            }
        }
    }

    // MARK: The operator's choice

    @Test("where the operator lets a browser's cookie reset keys, a cool-off follows each time")
    func accepted() async throws {
        try await World.run(staleSignIn: "a_browser_cookie_may_reset_keys") { world in
            let attempt = try await world.attempt(world.device())
            #expect(try await attempt.enrol(ticket: world.ticket(true, for: attempt.device)).status == 201)
            #expect(try await world.coolsOff(attempt.device) == false)
            let stale = try await world.ticket(false, for: attempt.device)
            #expect(try await world.change(.resetPIN, by: stale, on: attempt.device).kind == "ok")
            #expect(try await world.coolsOff(attempt.device))

            let (guest, tokens) = try await world.visit(false)
            #expect(try claims(of: tokens.accessToken).authTime == world.live.clock.now)
            let new = try await world.attempt(world.device())
            let ticket = try await guest.vouch(for: new.device, token: tokens.accessToken).read(EnrolmentTicket.self).ticket
            #expect(try await new.enrol(ticket: ticket).status == 201)
            #expect(try await world.coolsOff(new.device))
        }
    }

    @Test("a device that such a visit brings in cools off although the account has no other") func acceptedVisit() async throws {
        try await World.run(staleSignIn: "a_browser_cookie_may_reset_keys") { world in
            let (guest, tokens) = try await world.visit(false)
            let new = try await world.attempt(world.device())
            let ticket = try await guest.vouch(for: new.device, token: tokens.accessToken).read(EnrolmentTicket.self).ticket
            #expect(try await new.enrol(ticket: ticket).status == 201)
            #expect(try await world.coolsOff(new.device))
        }
    }

    @Test(
        "the providers file says it in words that name the weakness, and no others are read",
        arguments: [
            (nil, .enrolsWithCoolOffOnly), ("enrols_with_cool_off_only", .enrolsWithCoolOffOnly),
            ("a_browser_cookie_may_reset_keys", .aBrowserCookieMayResetKeys), ("allow", nil), ("", nil),
        ] as [(String?, IdentityProvider.StaleSignIn?)])
    func words(_ word: String?, _ expected: IdentityProvider.StaleSignIn?) throws {
        let provider = try Provider(staleSignIn: word)
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        let read = try? IdentityProviders(file: provider.file)
        #expect(read?.current.map(\.staleSignIn) == expected.map { [$0] })
        let warnings = read?.warnings ?? []
        #expect(warnings.count == (expected == .aBrowserCookieMayResetKeys ? 1 : 0))
        #expect(warnings.allSatisfy { $0.contains(Provider.issuer) && $0.contains("a_browser_cookie_may_reset_keys") })
    }

    @Test func theMistakeInTheFileIsNamed() {
        let message = SetupError.providers("file").description
        for word in IdentityProvider.StaleSignIn.allCases { #expect(message.contains(word.rawValue)) }
    }
}
#endif
