#if Tools
import Foundation
import GRDB
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// A server's clock is set while it runs. That may make a person sign in again, and it never makes anything valid again.
@Suite struct ClockTests {
    /// A proof that was used and a session that ended before the clock was set.
    private struct Dead {
        var proof: String
        var refreshToken: String
        var accessToken: String
    }

    private func kill(_ ada: LiveServer.Enrolled) async throws -> Dead {
        let (challenge, nonce) = try await ada.challenge()
        let proof = ada.device.proof(challenge)
        let tokens = try await ada.redeem(proof, nonce: nonce).read(TokenAnswer.self)
        #expect(try await OAuthTests.revoke(tokens.refreshToken, ada).status == 200)
        return Dead(proof: proof, refreshToken: tokens.refreshToken, accessToken: tokens.accessToken)
    }

    private func stays(_ dead: Dead, _ ada: LiveServer.Enrolled, _ moves: [Int]) async throws {
        #expect(try await ada.redeem(dead.proof, nonce: try await ada.nonce()).status == 400, "\(moves)")
        #expect(try await ada.refresh(dead.refreshToken).status == 400, "\(moves)")
        #expect(try await ada.get("/v1/me", token: dead.accessToken).status == 401, "\(moves)")
    }

    @Test(
        "a clock that is moved by minutes or an hour each way revives nothing, over a purge as well",
        arguments: [[600], [-600], [600, -600], [3600], [-3600], [3600, -3600], [-3600, 3600], [3600, -7200, 3600]],
        [true, false])
    func moved(_ moves: [Int], _ purging: Bool) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let dead = try await kill(ada)
            let expired = ada.device.proof(try await ada.challenge().challenge)
            live.clock.advance(by: .seconds(301))
            #expect(try await ada.redeem(expired, nonce: try await ada.nonce()).status == 400)
            for move in moves {
                live.clock.step(by: .seconds(move))
                if purging { try await live.service.tidy() }
                try await stays(dead, ada, moves)
                #expect(try await ada.redeem(expired, nonce: try await ada.nonce()).status == 400, "what expired stays so")
            }
            #expect(try await ada.signIn().tokenType == "DPoP", "an honest device gets in")
        }
    }

    @Test func aServerThatStartsWithItsClockSetBackMakesNothingValidAgain() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        let port = try await LiveServer.freePort()
        let url = "http://127.0.0.1:\(port)"
        let device = LoadDevice(server: url)
        let held = Box<Dead>()
        try await LiveServer.run(folder: folder, publicURL: url, clock: clock) { live in
            let ada = LiveServer.Enrolled(device: device, connection: try await live.connect())
            try await device.enrol(account: "ada", password: LiveServer.password, over: ada.connection)
            held.set(try await kill(ada))
            clock.advance(by: .seconds(301))
            try await live.service.tidy()
        }
        clock.step(by: .seconds(-600))
        try await LiveServer.run(folder: folder, publicURL: url, clock: clock) { live in
            let ada = LiveServer.Enrolled(device: device, connection: try await live.connect())
            try await stays(try #require(held.value), ada, [-600])
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    /// Runs a server once, so that its database has seen the time.
    private func seen(_ test: (_ folder: String, _ clock: TestClock) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        try await AuthorizationServer(try Self.settings(folder), clock: clock.node).tidy()
        try await test(folder, clock)
    }

    private static func settings(_ folder: String) throws -> ServerSettings {
        try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
    }

    private static func refusal(_ folder: String, _ clock: TestClock) async throws -> String {
        do {
            _ = try await AuthorizationServer(try settings(folder), clock: clock.node)
            return "started"
        } catch let error as SetupError {
            return error.description
        }
    }

    @Test func aServerDoesNotStartWithAClockThatJumped() async throws {
        try await seen { folder, clock in
            let week = NodeTime.longestAbsence
            clock.step(by: week + .seconds(1))
            let ahead = try await Self.refusal(folder, clock)
            #expect(ahead.contains("7 days ahead") && ahead.contains("thumbturn-server time set"), "\(ahead)")
            clock.step(by: .zero - week - NodeTime.largestStep - .seconds(2))
            let behind = try await Self.refusal(folder, clock)
            #expect(behind.contains("10 minutes behind") && behind.contains("thumbturn-server time set"), "\(behind)")
            clock.step(by: .seconds(1))
            #expect(try await Self.refusal(folder, clock) == "started")
        }
        try await seen { folder, clock in
            clock.step(by: NodeTime.longestAbsence)
            expect(try await Self.refusal(folder, clock), is: "started", "it was off for a week")
        }
    }

    @Test("a command with a wrong clock works, and moves the time of no server", arguments: [86_400, -86_400])
    func command(_ step: Int) async throws {
        try await seen { folder, clock in
            clock.step(by: .seconds(step))
            let command = try await AuthorizationServer(try Self.settings(folder), for: .command, clock: clock.node)
            try await command.secrets.rotateTokenKey()
            #expect(command.store.foundTime == clock.now + .seconds(-step))
            clock.step(by: .seconds(-step))
            #expect(try await Self.refusal(folder, clock) == "started")
        }
    }

    @Test func aRunningServerKeepsItsTimeWhenTheClockJumps() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let before = live.clock.now
            live.clock.step(by: .seconds(365 * 24 * 3600))
            let token = try await ada.signIn().accessToken
            #expect(try claims(of: token).iat == before && claims(of: token).exp == before + .seconds(300))
            try await live.service.tidy()
            #expect(try await live.storedTime() == before)
            live.clock.step(by: .seconds(-365 * 24 * 3600))
            live.clock.advance(by: .seconds(10))
            #expect(try await claims(of: ada.signIn().accessToken).iat == before + .seconds(10))
        }
    }

    @Test func aServerRefusesToWorkWithATimeThatAnotherProcessMadeUp() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let far = live.clock.now + .seconds(86_400)
            try await live.database().write { try $0.execute(sql: "UPDATE node SET high_water = ?", arguments: [far.seconds]) }
            let (challenge, nonce) = try await ada.challenge()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: nonce).status == 503)
            await #expect(throws: StoreError.self) { try await live.service.tidy() }
            // The operator's command, in another process.
            try await AuthorizationServer(try Self.settings(live.folder), for: .command, clock: live.clock.node).setTime()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: try await ada.nonce()).status == 503)
            try await live.service.tidy()
            #expect(try await claims(of: ada.signIn().accessToken).iat == live.clock.now)
        }
    }

    @Test func theTimeIsSetBackAndNothingOfTheWrongTimeIsAccepted() async throws {
        try await LiveServer.run { live in
            let right = live.clock.now
            // The machine was started with a clock that was six days ahead, and was set right later.
            live.clock.advance(by: .seconds(6 * 86_400))
            let ada = try await live.device()
            let bank = try await live.backEnd([.introspect])
            let codes = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            let tokens = try await ada.signIn()
            let oldKeys = live.service.jwks.keys.compactMap(\.kid)
            try await live.database().write { db in
                try db.execute(sql: "UPDATE devices SET cools_off_until = (SELECT high_water FROM node) + 86400")
                try db.execute(
                    sql: "INSERT INTO throttles (scope, id, wrong, until) SELECT 9, x'01', 5, high_water + 60 FROM node")
            }
            live.clock.step(by: .seconds(-6 * 86_400))
            try await AuthorizationServer(try Self.settings(live.folder), for: .command, clock: live.clock.node).setTime()

            #expect(try await live.storedTime() == right)
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).status == 401)
            #expect(try await ada.refresh(tokens.refreshToken).status != 200)
            try await live.service.tidy()
            #expect(try await ada.refresh(tokens.refreshToken).status == 400)
            #expect(live.service.time.now == right, "the running server has the time that was set")
            let keys = live.service.jwks.keys.compactMap(\.kid)
            #expect(keys.count == 1 && Set(keys).isDisjoint(with: oldKeys), "the former keys end at once")
            let archived = try await live.server.archivedJWKS()
            #expect(oldKeys.allSatisfy { archived.contains($0) }, "and old receipts are verified still")

            let fresh = try await ada.signIn()
            #expect(try claims(of: fresh.accessToken).iat == right)
            #expect(try await ada.get("/v1/me", token: fresh.accessToken).status == 200)
            live.clock.advance(by: ClientAssertion.skew + .seconds(1))
            _ = try await bank.accessToken(at: live.clock.now)
            let attempt = try await EnrolmentTests.Attempt(live)
            #expect(try await attempt.recover("ada", codes[0]).kind == "ok", "recovery codes are valid as before")
            let latest = try await live.database().read { db in
                try Int64.fetchOne(
                    db, sql: "SELECT max(t) FROM (SELECT until AS t FROM throttles UNION SELECT cools_off_until FROM devices)")
            }
            let last = try #require(latest)
            #expect(last <= right.seconds + 86_400 + 61, "nothing waits for the wrong time to come")
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).status == 401)
        }
    }

    /// The machine's clock is slow, and the operator takes it for right.
    @Test func anAssertionIsUsedOnceAlsoWhereTheTimeIsSetBackTooFar() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            live.clock.advance(by: .seconds(120))
            let assertion = try bank.assertion(at: live.clock.now)
            _ = try await live.service.client(asserting: assertion)
            live.clock.advance(by: .seconds(130))
            for _ in 1...2 { try await live.service.tidy() }
            live.clock.step(by: .seconds(-195))
            try await AuthorizationServer(try Self.settings(live.folder), for: .command, clock: live.clock.node).setTime()
            try await live.service.tidy()
            live.clock.advance(by: ClientAssertion.skew + .seconds(1))
            let error = await #expect(throws: RequestError.self) { try await live.service.client(asserting: assertion) }
            #expect(error?.reason == LogReason(.client, .replayed))
            _ = try await live.service.client(asserting: try bank.assertion(at: live.clock.now))
        }
    }

    @Test func theTimeIsSetForwardAfterALongAbsence() async throws {
        try await seen { folder, clock in
            clock.step(by: .seconds(30 * 86_400))
            #expect(try await Self.refusal(folder, clock).contains("30 days ahead"))
            try await AuthorizationServer(try Self.settings(folder), for: .command, clock: clock.node).setTime()
            let server = try await AuthorizationServer(try Self.settings(folder), clock: clock.node)
            #expect(server.time.now == clock.now && server.store.foundTime == clock.now)
        }
    }
}

extension LiveServer {
    fileprivate func storedTime() async throws -> UnixTime {
        UnixTime(
            seconds: try await database().read { try Int64.fetchOne($0, sql: "SELECT high_water FROM node") ?? 0 })
    }
}
#endif
