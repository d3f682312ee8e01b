#if Tools
import Crypto
import Foundation
import GRDB
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// One-time codes, recovery codes, and what follows from wrong sign-ins.
@Suite struct AccountTests {
    typealias Attempt = EnrolmentTests.Attempt

    // MARK: One-time codes

    @Test(
        "the vectors of RFC 6238 appendix B",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func vectors(_ seconds: Int64, _ code: String) {
        let codes = OneTimeCodes(secret: Array("12345678901234567890".utf8))
        #expect(codes.code(of: OneTimeCodes.step(at: UnixTime(seconds: seconds)), digits: 8) == code)
        #expect(codes.step(of: String(code.suffix(6)), at: UnixTime(seconds: seconds)) == seconds / 30)
    }

    @Test func authenticatorAppsReadTheAddress() {
        let codes = OneTimeCodes(secret: Array("12345678901234567890".utf8))
        #expect(
            codes.address(account: "ada", issuer: "Thumbturn")
                == "otpauth://totp/Thumbturn:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Thumbturn")
    }

    @Test func anAccountWithOneTimeCodesDemandsOneAndAcceptsEachOnce() async throws {
        try await LiveServer.run { live in
            let codes = try await live.oneTimeCodes()
            let attempt = try await Attempt(live)
            func answer(_ step: Int64, password: String = LiveServer.password) async throws -> String {
                let code = codes.code(of: OneTimeCodes.step(at: live.clock.now) + step)
                return try await attempt.signIn("ada", password, code).kind
            }
            let without = try await attempt.signIn("ada", LiveServer.password, nil)
            let unknown = try await attempt.signIn("nobody", LiveServer.password, nil)
            #expect(without.kind == "verification-failed", "a code is demanded")
            #expect(without.body == unknown.body && without.headerNames == unknown.headerNames, "and the answer does not tell it")
            #expect(try await answer(2) == "verification-failed", "too early")
            #expect(try await answer(0, password: "wrong horse battery staple") == "verification-failed")
            #expect(try await answer(0) == "ok", "a wrong password uses up no code")
            #expect(try await answer(0) == "verification-failed", "a code is accepted once")
            #expect(try await answer(-1) == "verification-failed", "and no earlier code is accepted")
            live.clock.advance(by: .seconds(30))
            #expect(try await answer(1) == "ok", "a clock may be half a minute ahead")
            live.clock.advance(by: .seconds(90))
            #expect(try await answer(-1) == "ok", "or behind")
            let ada = try await live.service.store.notices(of: try await live.account("ada"))
            #expect(ada.map(\.kind) == [.oneTimeCodesSet], "and she is notified")
            try await live.server.removeOneTimeCodes(ofAccountNamed: "ada")
            #expect(try await attempt.signIn("ada", LiveServer.password, nil).kind == "ok")
        }
    }

    /// Every command finds an account whose name is typed in another normalization form.
    @Test func anAccountIsFoundByEachSpellingOfItsName() async throws {
        try await LiveServer.run { live in
            let (composed, decomposed) = ("Zo\u{EB}", "Zoe\u{308}")
            try await live.server.addAccount(named: composed, password: LiveServer.password)
            let account = try await live.server.account(named: decomposed)
            #expect(try await live.server.account(named: composed).id == account.id)
            try await live.server.setGroup("", ofAccountNamed: decomposed)
            #expect(try await live.server.group(ofAccountNamed: decomposed) == nil)
            #expect(try await live.server.devices(ofAccountNamed: decomposed).isEmpty)
            await #expect(throws: SetupError.self) { _ = try await live.server.group(ofAccountNamed: "Zoe") }
        }
    }

    @Test func aCodeSentManyTimesAtOnceIsAcceptedOnce() async throws {
        try await LiveServer.run { live in
            let codes = try await live.oneTimeCodes()
            let code = codes.code(of: OneTimeCodes.step(at: live.clock.now))
            let wins = try await withThrowingTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask { try await Attempt(live).signIn("ada", LiveServer.password, code).kind == "ok" }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test func theSecretIsEncryptedOnTheDisk() async throws {
        try await LiveServer.run { live in
            let codes = try await live.oneTimeCodes()
            let stored = try await DatabaseQueue(path: live.folder + "/thumbturn.sqlite").read { db in
                try Data.fetchOne(db, sql: "SELECT one_time_secret FROM accounts WHERE name = 'ada'")
            }
            let bytes = try #require(stored)
            #expect(bytes.count == 48, "as many bytes as are read without a secret")
            #expect(bytes.firstRange(of: Data(codes.secret)) == nil)
        }
    }

    // MARK: Recovery codes

    @Test func recoveryCodesAreLongAndOnlyTheirHashesAreStored() async throws {
        try await LiveServer.run { live in
            let codes = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            #expect(codes.count == 10 && Set(codes).count == 10)
            for code in codes {
                let letters = code.filter { $0 != "-" }
                #expect(letters.count == 24 && letters.allSatisfy("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".contains), "120 bits")
            }
            let stored = try await DatabaseQueue(path: live.folder + "/thumbturn.sqlite").read { db in
                try Data.fetchAll(db, sql: "SELECT hash FROM recovery_codes")
            }
            #expect(Set(stored.map { Array($0) }) == Set(codes.map(RecoveryCodes.hash)))
            #expect(
                RecoveryCodes.hash("abcd-efgh 0123") == RecoveryCodes.hash("ABCDEFGHOI23"),
                "codes are accepted as people type them")
        }
    }

    @Test func aRecoveryCodeReplacesThePasswordOnceAndItsDeviceCoolsOff() async throws {
        try await LiveServer.run { live in
            let lost = try await live.device()
            let codes = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            let attempt = try await Attempt(live)
            #expect(try await attempt.recover("bob", codes[0]).kind == "verification-failed", "another account's")
            #expect(try await attempt.recover("nobody", codes[0]).kind == "verification-failed")
            #expect(try await attempt.recover("ada", "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA").kind == "verification-failed")
            let ticket = try await attempt.recover("ada", codes[0].lowercased()).read(EnrolmentTicket.self).ticket
            #expect(try await attempt.recover("ada", codes[0]).kind == "verification-failed", "once")
            #expect(try await attempt.enrol(ticket: ticket).status == 201)
            let back = LiveServer.Enrolled(device: attempt.device, connection: attempt.connection)
            let token = try await back.signIn().accessToken
            let other = try #require(try await back.devices(token).first { !$0.current })
            #expect(try await back.delete("/v1/devices/\(other.id)", token: token).kind == "verification-failed", "cool-off")
            let heard = try await lost.notices(try await lost.signIn().accessToken).map(\.kind)
            #expect(Set(heard) == ["new-device", "recovery-used", "recovery-codes-made"])
            let newer = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            #expect(try await attempt.recover("ada", codes[1]).kind == "verification-failed", "earlier ones are void")
            #expect(try await attempt.recover("ada", newer[1]).kind == "ok")
            let thief = try await Attempt(live)
            let bought = try await thief.recover("ada", newer[2]).read(EnrolmentTicket.self).ticket
            _ = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            #expect(try await thief.enrol(ticket: bought).kind == "verification-failed", "and what one of them has bought")
        }
    }

    @Test func withOneTimeCodesARecoveryCodeNeedsThePasswordToo() async throws {
        try await LiveServer.run { live in
            _ = try await live.oneTimeCodes()
            let codes = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            let attempt = try await Attempt(live)
            #expect(try await attempt.recover("ada", codes[0]).kind == "verification-failed")
            #expect(try await attempt.recover("ada", codes[0], password: "wrong").kind == "verification-failed")
            #expect(try await attempt.recover("ada", codes[0], password: LiveServer.password).kind == "ok", "not used up before")
        }
    }

    @Test func aRecoveryCodeSentManyTimesAtOnceIsAcceptedOnce() async throws {
        try await LiveServer.run { live in
            let code = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
            let wins = try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await Attempt(live).recover("ada", code).kind == "ok" } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }
}

extension LiveServer {
    /// Sets one-time codes for ada, and reads them as an authenticator app does.
    func oneTimeCodes() async throws -> OneTimeCodes {
        let address = try await server.setOneTimeCodes(ofAccountNamed: "ada")
        let secret = address.split(separator: "secret=").last?.split(separator: "&").first ?? ""
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = secret.compactMap(alphabet.firstIndex(of:)).flatMap { value in (0..<5).map { value >> (4 - $0) & 1 } }
        return OneTimeCodes(
            secret: stride(from: 0, to: 160, by: 8).map { start in
                bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
            })
    }
}

extension EnrolmentTests.Attempt {
    func signIn(_ account: String, _ password: String, _ code: String? = nil) async throws -> LoadConnection.Answer {
        try await post(
            "/v1/accounts/sign-in", PasswordSignInRequest(account: account, password: password, oneTimeCode: code))
    }

    func recover(_ account: String, _ code: String, password: String? = nil) async throws -> LoadConnection.Answer {
        try await post("/v1/accounts/recover", RecoveryRequest(account: account, code: code, password: password))
    }

    func post(_ path: String, _ message: some Message, headers: [(String, String)] = []) async throws -> LoadConnection.Answer {
        let body = Signing.encode(message)
        let nonce = try await device.challenge(over: connection).nonce
        return try await connection.send(
            "POST", path, type: "application/json",
            headers: [("DPoP", device.dpop("POST", path, body, nonce: nonce))] + headers, body: body)
    }
}
#endif
