#if Tools
import Crypto
import Foundation
import GRDB
import NIOCore
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// Wrong attempts slow down their sender, and no other.
@Suite struct ThrottleTests {
    typealias Attempt = EnrolmentTests.Attempt
    private static let wrong = "wrong horse battery staple"

    @Test func waitsGrowFromHalfAMinuteToAnHour() {
        let limits = ThrottleLimits.standard
        let waits = [0, 4, 5, 6, 7, 11, 12, 99].map { limits.wait(after: $0) }
        #expect(waits == [0, 0, 30, 60, 120, 1920, 3600, 3600].map { .seconds($0) })
        #expect(limits.wait(after: 100) == nil && limits.wait(after: 101) == nil)
    }

    // MARK: Keys

    @Test func aKeyPausesAfterFiveWrongSignaturesAndItsHolderIsTold() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            for _ in 1...5 { #expect(try await ada.signWrongly().problem?.retryAfter == nil) }
            let right = try await ada.challenge()
            let paused = try await ada.redeem(ada.device.proof(right.challenge), nonce: right.nonce)
            #expect(paused.problem?.error == "invalid_grant" && paused.problem?.retryAfter == 30, "not even the right one")
            live.clock.advance(by: .seconds(30))
            #expect(
                try await ada.redeem(ada.device.proof(right.challenge), nonce: try await ada.nonce()).kind
                    == "verification-failed", "the challenge was spent")
            #expect(try await ada.signWrongly().problem?.retryAfter == nil)
            #expect(try await ada.signWrongly().problem?.retryAfter == 60, "twice as long")
            live.clock.advance(by: .seconds(60))
            let token = try await ada.signIn().accessToken
            #expect(try live.wrongInARow(ada.device.kid) == 0, "a right one resets the count")
            #expect(try await ada.notices(token).map(\.kind).contains("wrong-signatures"))
        }
    }

    @Test func aHundredWrongSignaturesEndAKey() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            try live.execute("UPDATE keys SET wrong_in_a_row = 99")
            _ = try await ada.signWrongly()
            live.clock.advance(by: .seconds(100_000))
            let right = try await ada.challenge()
            let answer = try await ada.redeem(ada.device.proof(right.challenge), nonce: right.nonce)
            #expect(answer.kind == "verification-failed" && answer.problem?.triesLeft == 0)
            #expect(try live.wrongInARow(ada.device.kid) == 100)
        }
    }

    @Test func sixtyFourWrongSignaturesAtOnceCountAsFive() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask {
                        let own = LiveServer.Enrolled(device: ada.device, connection: try await live.connect())
                        return try await own.signWrongly().kind
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == "verification-failed" } && answers.count == 64)
            #expect(try live.wrongInARow(ada.device.kid) == 5, "exactly; the others were not judged")
        }
    }

    @Test func withoutTheSessionKeyAnAttackerLocksOutNoVictim() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let thief = try await live.device(of: "bob")
            for _ in 1...31 {
                let asked = try await thief.device.challenge(.signIn, [ada.device.kid], over: thief.connection)
                let forged = thief.device.sign(
                    header: #"{"alg":"ES256","kid":"\#(ada.device.kid)","typ":"thumbturn-proof+jwt"}"#, payload: asked.challenge)
                #expect(try await thief.redeem(forged, nonce: asked.nonce).problem?.retryAfter == nil)
            }
            #expect(try live.wrongInARow(ada.device.kid) == 0)
            #expect(try await ada.signIn().tokenType == "DPoP")
            #expect(
                try await Attempt(live).signIn("ada", LiveServer.password).kind == "verification-failed",
                "they count against the address")
            let own = Attempt(live, ada)
            #expect(try await own.signIn("ada", LiveServer.password).kind == "ok", "but an enrolled device is not affected")
        }
    }

    @Test func oneFloodOfForgeriesClosesAnAddressForHalfAMinuteAndNoLonger() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let thief = try await live.device(of: "bob")
            let ada = try await live.device()
            for _ in 1...100 {
                let asked = try await thief.device.challenge(.signIn, [ada.device.kid], over: thief.connection)
                _ = try await thief.redeem(thief.device.proof(asked.challenge), nonce: asked.nonce)
            }
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "verification-failed")
            live.clock.advance(by: .seconds(29))
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "verification-failed")
            live.clock.advance(by: .seconds(1))
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "ok")
        }
    }

    /// The routes that take a proof, beside the token endpoint.
    enum Route: CaseIterable, Sendable { case change, approve }

    @Test("a wrong signature counts against the key at every route", arguments: Route.allCases)
    func wrongSignatures(_ route: Route) async throws {
        try await LiveServer.withBank { live, bank in
            let phone = try await KeyChangeTests.Phone(live)
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let id = try await bank.ask(try await live.account(of: own)).read(ApprovalRecord.self).id
            func answer(by key: P256.Signing.PrivateKey?) async throws -> LoadConnection.Answer {
                func proof(_ challenge: String) -> String {
                    key.map { PINKeyTests.proof(challenge, by: $0, phone.device.kid) } ?? phone.device.proof(challenge)
                }
                guard route == .change else {
                    let challenge = try await own.askToApprove(id).read(ChallengeAnswer.self).challenge
                    return try await own.approve(id, proof(challenge))
                }
                var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                draft.request.proof = proof(draft.challenge)
                return try await phone.send(draft)
            }
            for count in 1...5 {
                #expect(try await answer(by: .init()).problem?.retryAfter == nil)
                #expect(try live.wrongInARow(phone.device.kid) == count)
            }
            let paused = try await answer(by: nil)
            #expect(paused.status == 401 && paused.problem?.retryAfter == 30, "not even the right one")
            #expect(try await answer(by: .init()).body == paused.body)
            #expect(try live.wrongInARow(phone.device.kid) == 5)
            live.clock.advance(by: .seconds(30))
            #expect(try await answer(by: nil).kind == "ok")
            #expect(try live.wrongInARow(phone.device.kid) == 0)
        }
    }

    @Test("without the session key a proof counts against the address at every route", arguments: Route.allCases)
    func strangersSignatures(_ route: Route) async throws {
        try await LiveServer.withBank { live, bank in
            let phone = try await KeyChangeTests.Phone(live)
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let thief = try await live.device(of: "bob")
            let id = try await bank.ask(try await live.account(of: own)).read(ApprovalRecord.self).id
            for _ in 1...30 {
                let stolen: LoadConnection.Answer
                switch route {
                case .change:
                    stolen = try await phone.send(
                        try await phone.draft(.changePIN, paidBy: .biometric), from: thief.device, over: thief.connection)
                case .approve:
                    let challenge = try await own.askToApprove(id).read(ChallengeAnswer.self).challenge
                    stolen = try await thief.approve(id, own.device.proof(challenge))
                }
                #expect(stolen.kind == "verification-failed" && stolen.problem?.retryAfter == nil)
            }
            #expect(try live.wrongInARow(phone.device.kid) == 0)
            #expect(try await bank.state(id) == .open, "nothing of hers was touched")
            #expect(
                try await Attempt(live).signIn("ada", Self.real).kind == "verification-failed", "they count against the address")
            #expect(try await Attempt(live, own).signIn("ada", Self.real).kind == "ok")
            #expect(try await phone.change(.changePIN, paidBy: .biometric).kind == "ok")
        }
    }

    // MARK: Accounts

    @Test func anAccountsPasswordPausesAndTheAnswerIsTheSame() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let unknown = try await attempt.signIn("nobody", Self.wrong)
            for _ in 1...5 { #expect(try await attempt.signIn("ada", Self.wrong).body == unknown.body) }
            let comparisons = live.service.passwords.comparisonCount
            let paused = try await attempt.signIn("ada", LiveServer.password)
            #expect(paused.body == unknown.body && paused.status == unknown.status && paused.headerNames == unknown.headerNames)
            #expect(live.service.passwords.comparisonCount == comparisons + 1, "and costs the same work")
            #expect(try await attempt.recover("ada", "x").body == unknown.body)
            #expect(try await attempt.signIn("bob", LiveServer.password).kind == "ok", "no other account waits")
            live.clock.advance(by: .seconds(29))
            #expect(try await attempt.signIn("ada", LiveServer.password).kind == "verification-failed")
            live.clock.advance(by: .seconds(1))
            #expect(try await attempt.signIn("ada", LiveServer.password).kind == "ok")
            for _ in 1...4 { _ = try await attempt.signIn("ada", Self.wrong) }
            #expect(try await attempt.signIn("ada", LiveServer.password).kind == "ok", "the right one resets the count")
        }
    }

    @Test func sixtyFourWrongPasswordsAtOnceCountAsFive() async throws {
        try await LiveServer.run(passwords: try Passwords(queueLimit: 1000, senderLimit: 1000, cost: .least)) { live in
            let answers = try await withThrowingTaskGroup { group in
                for index in 0..<64 {
                    // One of them is right, and comes too late to be told so unless it is among the first.
                    let password = index == 63 ? LiveServer.password : Self.wrong
                    group.addTask { try await Attempt(live).signIn("ada", password).kind }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 64)
            guard !answers.contains("ok") else { return }
            #expect(try live.throttle(.account(try await live.account("ada"))) == 5, "exactly")
        }
    }

    @Test func anEnrolledDeviceThatTriesOtherAccountsIsAStranger() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let bob = Attempt(live, try await live.device(of: "bob"))
            for number in 1...30 {
                _ = try await bob.signIn("nobody \(number)", Self.wrong)
                // A right sign-in for his own account resets no count.
                if number % 4 == 0 { #expect(try await bob.signIn("bob", Self.real).kind == "ok") }
            }
            #expect(try await bob.signIn("ada", Self.real).kind == "verification-failed", "the address is used up")
            #expect(try await bob.signIn("bob", Self.real).kind == "ok")
        }
    }

    @Test("a password that was not compared is not counted, even if the pause ends in the meantime")
    func thePauseEndsMeanwhile() async throws {
        let clock = TestClock()
        let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
        try await LiveServer.run(
            clock: clock, passwords: try Passwords(cost: .least), beforeSpending: { meanwhile.withLock { $0.take() }?() }
        ) { live in
            let attempt = try await Attempt(live)
            for _ in 1...5 { _ = try await attempt.signIn("ada", Self.wrong) }
            meanwhile.withLock { $0 = { clock.advance(by: .seconds(30)) } }
            #expect(try await attempt.signIn("ada", Self.real).kind == "verification-failed")
            #expect(try live.throttle(.account(try await live.account("ada"))) == 5)
            #expect(try await attempt.signIn("ada", Self.real).kind == "ok")
        }
    }

    @Test("a right password that was judged before the fifth wrong one was counted does not slip through")
    func thePauseBeginsMeanwhile() async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(
            passwords: try Passwords(cost: .least), beforeSpending: { await meanwhile.withLock { $0.take() }?() }
        ) { live in
            let (attempt, other) = (try await Attempt(live), try await Attempt(live))
            meanwhile.withLock { $0 = { for _ in 1...5 { _ = try? await other.signIn("ada", Self.wrong) } } }
            #expect(try await attempt.signIn("ada", Self.real).kind == "verification-failed")
            #expect(try live.throttle(.account(try await live.account("ada"))) == 5)
        }
    }

    @Test func theOwnerGetsOneNoticeAnHourAndAnUnknownNameWritesAsMuch() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let ada = try await live.device()
            let attempt = try await Attempt(live)
            func heard() async throws -> Int {
                try await ada.notices(try await ada.signIn().accessToken).filter { $0.kind == "wrong-sign-ins" }.count
            }
            for _ in 1...4 { for name in ["ada", "nobody"] { _ = try await attempt.signIn(name, Self.wrong) } }
            #expect(try await heard() == 0)
            for round in 1...2 {
                for _ in 1...3 {
                    for name in ["ada", "nobody"] { _ = try await attempt.signIn(name, Self.wrong) }
                    live.clock.advance(by: .seconds(round == 1 ? 30 : 600))
                }
                let hears = try await heard()
                #expect(hears == round, "round \(round)")
                live.clock.advance(by: .seconds(3600))
            }
            let database = try DatabaseQueue(path: live.folder + "/thumbturn.sqlite")
            func count(_ sql: String) async throws -> Int? { try await database.read { try Int.fetchOne($0, sql: sql) } }
            expect(try await count("SELECT count(*) FROM notices WHERE kind = 'wrong-sign-ins'"), is: 2)
            expect(try await count("SELECT count(*) FROM notices_to_nobody"), is: 2)
            try await live.service.tidy()
            expect(try await count("SELECT count(*) FROM notices_to_nobody"), is: 0, "nothing piles up")
        }
    }

    @Test func theCountSurvivesTheServer() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        try await LiveServer.run(folder: folder, clock: clock) { live in
            let attempt = try await Attempt(live)
            for _ in 1...5 { _ = try await attempt.signIn("ada", Self.wrong) }
        }
        try await LiveServer.run(folder: folder, clock: clock) { live in
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "verification-failed")
            clock.step(by: .seconds(-3600))
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "verification-failed", "a clock set back")
            try await live.server.unlock(accountNamed: "ada")
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "ok", "the operator lets them in")
        }
    }

    @Test func aHundredWrongPasswordsCloseItToStrangersAndTheOwnersDeviceStillGetsIn() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let ada = try await live.device()
            let stranger = try await Attempt(live)
            _ = try await stranger.signIn("ada", Self.wrong)
            try live.execute("UPDATE throttles SET wrong = 99 WHERE scope = 1")
            _ = try await stranger.signIn("ada", Self.wrong)
            live.clock.advance(by: .seconds(100_000))
            try await live.service.tidy()
            #expect(try await stranger.signIn("ada", Self.real).kind == "verification-failed", "for ever")
            let own = Attempt(live, ada)
            #expect(try await own.signIn("ada", Self.real).kind == "ok")
        }
    }

    private static let real = LiveServer.password

    @Test func anEnrolledDeviceCountsAtItself() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let own = Attempt(live, ada)
            for _ in 1...5 { _ = try await own.signIn("ada", Self.wrong) }
            #expect(try await own.signIn("ada", LiveServer.password).kind == "verification-failed", "the device waits")
            #expect(try await Attempt(live).signIn("ada", LiveServer.password).kind == "ok", "its account does not")
            #expect(try await ada.signIn().tokenType == "DPoP", "nor do its keys")
        }
    }

    // MARK: Recovery codes

    @Test("wrong passwords never pause a recovery code", arguments: [5, 100])
    func wrongPasswordsPauseNoRecoveryCode(_ wrong: Int) async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let codes = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            let (attempt, own) = (try await Attempt(live), Attempt(live, try await live.device()))
            for _ in 1...5 {
                for sender in [attempt, own] { _ = try await sender.signIn("ada", Self.wrong) }
            }
            if wrong == 100 { try live.execute("UPDATE throttles SET wrong = 100 WHERE scope = 1") }
            for (sender, code) in zip([attempt, own], codes) {
                #expect(try await sender.signIn("ada", Self.real).kind == "verification-failed", "the password is paused")
                #expect(try await sender.recover("ada", code).kind == "ok")
            }
        }
    }

    @Test func wrongRecoveryCodesAreCountedForTheAddressAlone() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let code = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
            let (attempt, ada) = (try await Attempt(live), try await live.device())
            let own = Attempt(live, ada)
            for number in 1...30 {
                _ = try await (number % 2 == 0 ? attempt : own).recover("ada", "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
            }
            #expect(try live.throttle(.account(try await live.account("ada"))) == nil)
            #expect(try await own.signIn("ada", Self.real).kind == "ok", "the device's password is not paused")
            let comparisons = live.service.passwords.comparisonCount
            for sender in [attempt, own] { #expect(try await sender.recover("ada", code).kind == "verification-failed") }
            #expect(live.service.passwords.comparisonCount == comparisons, "the address may know, so nothing is compared")
            live.clock.advance(by: .seconds(30))
            #expect(try await attempt.recover("ada", code).kind == "ok")
        }
    }

    // MARK: Names with an account, and without

    @Test func namesWithAndWithoutAnAccountAreCountedAlike() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let attempt = try await Attempt(live)
            func counts() throws -> [String] {
                try live.database().read { db in
                    try String.fetchAll(db, sql: "SELECT wrong || ' ' || until || ' ' || turn FROM throttles WHERE scope = 1")
                }
            }
            for name in ["ada", "nobody", "nobody else"] {
                for _ in 1...7 { _ = try await attempt.signIn(name, Self.wrong) }
            }
            let paused = "5 \(live.clock.now.seconds + 30) 6"
            #expect(try counts() == [paused, paused, paused])
            live.clock.advance(by: .seconds(100_000))
            try await live.service.tidy()
            #expect(try counts() == [paused, paused, paused], "and they are kept alike")
        }
    }

    /// Otherwise a right sign-in to one's own account, from the same address, would tell whether a name exists: the count
    /// of a name without an account is reset by no owner.
    @Test(
        "an address is counted whatever the standing of the account", arguments: ["ada", "nobody"], [false, true])
    func theAddressIsCounted(_ name: String, _ isClosed: Bool) async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let attempt = try await Attempt(live)
            _ = try await attempt.signIn(name, Self.wrong)
            if isClosed { try live.execute("UPDATE throttles SET wrong = 100 WHERE scope = 1") }
            for _ in 2...29 { _ = try await attempt.signIn(name, Self.wrong) }
            #expect(try await attempt.signIn("bob", Self.real).kind == "ok")
            _ = try await attempt.signIn(name, Self.wrong)
            #expect(try await attempt.signIn("bob", Self.real).kind == "verification-failed")
            live.clock.advance(by: .seconds(30))
            #expect(try await attempt.signIn("bob", Self.real).kind == "ok")
        }
    }

    // MARK: What a refusal costs

    @Test func nothingIsComparedOrWrittenForAnAddressThatIsClosed() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let attempt = try await Attempt(live)
            for number in 1...30 { _ = try await attempt.signIn("nobody \(number)", Self.wrong) }
            let store = live.service.store
            let (comparisons, commits) = (live.service.passwords.comparisonCount, store.commits)
            for name in ["ada", "nobody"] {
                #expect(try await attempt.signIn(name, Self.real).kind == "verification-failed")
                #expect(try await attempt.recover(name, "x").kind == "verification-failed")
            }
            #expect(live.service.passwords.comparisonCount == comparisons && store.commits == commits)
        }
    }

    @Test func nothingIsComparedForADeviceThatIsPaused() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let own = Attempt(live, try await live.device())
            for _ in 1...5 { _ = try await own.signIn("ada", Self.wrong) }
            let comparisons = live.service.passwords.comparisonCount
            #expect(try await own.signIn("ada", Self.real).kind == "verification-failed")
            #expect(live.service.passwords.comparisonCount == comparisons)
        }
    }

    // MARK: Addresses, and all together

    @Test func anAddressHasThirtyWrongTriesAndOneMoreEachHalfMinute() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let attempt = try await Attempt(live)
            for number in 1...29 { _ = try await attempt.signIn("nobody \(number)", Self.wrong) }
            let last = try await attempt.signIn("nobody 30", Self.wrong)
            try await live.server.addAccount(named: "eve", password: Self.real)
            let closed = try await attempt.signIn("eve", Self.real)
            #expect(closed.status == 401 && closed.body == last.body && closed.headerNames == last.headerNames)
            live.clock.advance(by: .seconds(31))
            #expect(try await attempt.signIn("eve", Self.real).kind == "ok")
        }
    }

    @Test func aFloodFromEverywhereClosesTheDoorOnlyForStrangers() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let ada = try await live.device()
            _ = try await Attempt(live).signIn("nobody", Self.wrong)
            try live.execute("UPDATE throttles SET until = until + 598 WHERE scope = 5")
            #expect(try await Attempt(live).signIn("nobody", Self.wrong).status == 401, "the last of six hundred")
            let stranger = try await Attempt(live).signIn("ada", Self.real)
            #expect(stranger.status == 503 && stranger.headerNames.contains("retry-after"))
            let own = Attempt(live, ada)
            #expect(try await own.signIn("ada", Self.real).kind == "ok")
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    @Test func behindAProxyTheClientsAddressCounts() async throws {
        try await LiveServer.run(configure: { $0.trustedProxies = 1 }, passwords: try Passwords(cost: .least)) { live in
            try await live.server.addAccount(named: "eve", password: Self.real)
            let attempt = try await Attempt(live)
            for number in 1...30 {
                _ = try await attempt.signIn("nobody \(number)", Self.wrong, via: "9.9.9.\(number), 192.0.2.1")
            }
            #expect(try await attempt.signIn("eve", Self.real, via: "203.0.113.9, 192.0.2.1").kind == "verification-failed")
            #expect(
                try await attempt.signIn("eve", Self.real, via: "192.0.2.1, 203.0.113.9").kind == "ok",
                "an address that the client adds is ignored")
        }
    }

    @Test(
        "an address that a proxy forwards with a port counts as the address",
        arguments: [
            ("192.0.2.1:4711", "192.0.2.1"), (" 192.0.2.1 ", "192.0.2.1"), ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"), ("[::ffff:192.0.2.1]:4711", "192.0.2.1"),
        ])
    func port(_ entry: String, _ address: String) throws {
        #expect(Network(forwarded: entry) == Network(try SocketAddress(ipAddress: address, port: 0)))
    }

    @Test(
        "an entry without an address is of an unknown network", arguments: ["", "unknown", ":4711", "[", "[]", "[]:1", "a:b:c"])
    func noAddress(_ entry: String) {
        #expect(Network(forwarded: entry) == .unknown)
    }

    @Test func behindAProxyThatAddsPortsClientsDoNotShareOneCount() async throws {
        try await LiveServer.run(configure: { $0.trustedProxies = 1 }, passwords: try Passwords(cost: .least)) { live in
            try await live.server.addAccount(named: "eve", password: Self.real)
            let attempt = try await Attempt(live)
            for number in 1...30 {
                _ = try await attempt.signIn("nobody \(number)", Self.wrong, via: "192.0.2.1:\(4000 + number)")
            }
            #expect(try await attempt.signIn("eve", Self.real, via: "192.0.2.1:5000").kind == "verification-failed")
            #expect(
                try await attempt.signIn("eve", Self.real, via: "203.0.113.9:5000").kind == "ok",
                "another client of the same proxy")
            #expect(try await attempt.signIn("eve", Self.real, via: "[2001:db8::1]:5000").kind == "ok")
        }
    }

    @Test func anAddressThatHoldsItsShareOfTheQueueWaitsAndOthersDoNot() async throws {
        let passwords = try Passwords(cost: .least)
        try await LiveServer.run(configure: { $0.trustedProxies = 1 }, passwords: passwords) { live in
            let attempt = try await Attempt(live)
            let busy = live.service.throttlePlaces.address(Network(try SocketAddress(ipAddress: "192.0.2.1", port: 1)))
            passwords.places.withLock { $0 = .init(taken: 6, bySender: [busy: 6]) }
            let known = try await attempt.signIn("ada", Self.real, via: "192.0.2.1")
            let unknown = try await attempt.signIn("nobody", Self.real, via: "192.0.2.1")
            #expect(known.status == 429 && known.kind == "unavailable" && known.headerNames.contains("retry-after"))
            #expect(unknown.status == 429 && unknown.body == known.body, "whether or not there is such an account")
            #expect(
                try await attempt.signIn("ada", Self.real, via: "192.0.2.2").kind == "ok",
                "another address has places of its own")
            passwords.places.withLock { $0 = .init() }
            #expect(try await attempt.signIn("ada", Self.real, via: "192.0.2.1").kind == "ok")
        }
    }

    // MARK: The rate of a device

    @Test func aDeviceThatProvesTooOftenWaitsAndWritesNothing() async throws {
        try await LiveServer.run(configure: { $0.proofsOfDevice = 3 }) { live in
            let (ada, other) = (try await live.device(), try await live.device())
            for _ in 1...3 { #expect(try await ada.signIn().tokenType == "DPoP") }
            let (challenge, nonce) = try await ada.challenge()
            let proof = ada.device.proof(challenge)
            let rows = try await live.service.store.auditState().head.number
            let refused = try await ada.redeem(proof, nonce: nonce)
            #expect(refused.status == 429 && refused.kind == "unavailable" && refused.headerNames.contains("retry-after"))
            #expect(try await ada.signWrongly().status == 429, "whatever it sends")
            #expect(try live.wrongInARow(ada.device.kid) == 0)
            expect(try await live.service.store.auditState().head.number, is: rows)
            #expect(try await other.signIn().tokenType == "DPoP", "another device of the account has a rate of its own")
            live.clock.advance(by: .seconds(20))
            #expect(try await ada.redeem(proof, nonce: try await ada.nonce()).status == 200, "nothing was consumed")
            #expect(try await ada.redeem(proof, nonce: try await ada.nonce()).status == 429)
        }
    }

    @Test func renamingADeviceCountsAsAProofOfIt() async throws {
        try await LiveServer.run(configure: { $0.proofsOfDevice = 3 }) { live in
            let ada = try await live.device()
            let token = try await ada.signIn().accessToken
            for name in ["one", "two"] { #expect(try await ada.rename("current", name, token: token).kind == "ok") }
            #expect(try await ada.rename("current", "three", token: token).status == 429)
            #expect(try await ada.get("/v1/me", token: token).status == 200, "what writes nothing is not counted")
        }
    }

    @Test func vouchingForADeviceCountsAsAProof() async throws {
        try await LiveServer.run(configure: { $0.proofsOfDevice = 3 }) { live in
            let ada = try await live.device()
            let new = LoadDevice(server: live.url)
            // The sign-in is the first of three.
            let token = try await ada.signIn().accessToken
            for _ in 1...2 { #expect(try await ada.vouch(for: new, token: token).status == 200) }
            let refused = try await ada.vouch(for: new, token: token)
            #expect(refused.status == 429 && refused.kind == "unavailable" && refused.headerNames.contains("retry-after"))
            live.clock.advance(by: .seconds(60))
            for _ in 1...3 { #expect(try await ada.vouch(for: new, token: token).status == 200) }
            #expect(try await ada.vouch(for: new, token: token).status == 429)
        }
    }

    @Test func aPlainClientHasTheRateOfADevice() async throws {
        try await LiveServer.plain({ $0.proofsOfDevice = 2 }) { live in
            let (app, other) = (try await PlainClient(live), try await PlainClient(live))
            for _ in 1...2 { #expect(try await app.signIn().status == 200) }
            let refused = try await app.signIn()
            #expect(refused.status == 429 && refused.headerNames.contains("retry-after"))
            #expect(try await other.signIn().status == 200)
            live.clock.advance(by: .seconds(30))
            #expect(try await app.signIn().status == 200)
        }
    }

    @Test func aNetworkHasTheAddressesOfOnePerson() throws {
        func network(_ address: String) throws -> Network { Network(try SocketAddress(ipAddress: address, port: 1)) }
        #expect(try network("192.0.2.1") != network("192.0.2.2"))
        #expect(try network("2001:db8::1") == network("2001:db8::ffff:1"))
        #expect(try network("2001:db8::1") != network("2001:db8:0:1::1"))
        #expect(try network("::ffff:192.0.2.1") == network("192.0.2.1"))
        #expect(Network(nil) == .unknown)
    }

    @Test func eachNameHasACountAndAddressesShareTheirs() {
        let places = ThrottlePlaces(key: SymmetricKey(size: .bits256))
        #expect(Set((0..<20_000).map { places.decoy(of: "name \($0)") }).count == 20_000)
        let addresses = Set(
            (0..<200_000).map { number in
                places.address(
                    Network(try? SocketAddress(ipAddress: "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)", port: 1)))
            })
        #expect(addresses.count <= 65_536 && addresses.count > 60_000)
    }

    @Test func expiredCountsAreDeleted() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let attempt = try await Attempt(live)
            for _ in 1...3 { _ = try await attempt.signIn("ada", Self.wrong) }
            live.clock.advance(by: .seconds(3600))
            try await live.service.tidy()
            let scopes = try await DatabaseQueue(path: live.folder + "/thumbturn.sqlite").read { db in
                try Int.fetchAll(db, sql: "SELECT scope FROM throttles")
            }
            #expect(scopes == [1], "wrong tries in a row stay, because they are in a row")
        }
    }
}

extension EnrolmentTests.Attempt {
    init(_ live: LiveServer, _ enrolled: LiveServer.Enrolled) {
        self.live = live
        device = enrolled.device
        connection = enrolled.connection
    }

    /// A sign-in that proxies forward, with their header `X-Forwarded-For`.
    func signIn(_ account: String, _ password: String, via hops: String) async throws -> LoadConnection.Answer {
        try await post(
            "/v1/accounts/sign-in", PasswordSignInRequest(account: account, password: password),
            headers: [("X-Forwarded-For", hops)])
    }
}

extension LiveServer {
    /// Sets a state that would take long to reach.
    func execute(_ sql: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        try DatabaseQueue(path: folder + "/thumbturn.sqlite", configuration: configuration).write { try $0.execute(sql: sql) }
    }

    func account(_ name: String) async throws -> AccountID {
        try #require(try await service.store.account(named: name)).id
    }

    func wrongInARow(_ kid: String) throws -> Int? {
        try DatabaseQueue(path: folder + "/thumbturn.sqlite").read { db in
            try Int.fetchOne(db, sql: "SELECT wrong_in_a_row FROM keys WHERE kid = ?", arguments: [kid])
        }
    }

    func throttle(_ id: ThrottleID) throws -> Int? {
        try DatabaseQueue(path: folder + "/thumbturn.sqlite").read { db in
            try Int.fetchOne(
                db, sql: "SELECT wrong FROM throttles WHERE scope = ? AND id = ?", arguments: [id.scope, Data(id.bytes)])
        }
    }
}

extension LiveServer.Enrolled {
    /// A proof by another key under this key's id.
    func signWrongly() async throws -> LoadConnection.Answer {
        let (challenge, nonce) = try await challenge()
        let right = device.proof(challenge).split(separator: ".")
        let wrong = LoadDevice(server: "http://localhost").proof(challenge).split(separator: ".")
        return try await redeem("\(right[0]).\(right[1]).\(wrong[2])", nonce: nonce)
    }
}
#endif
