#if Tools
import Foundation
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer
import ThumbturnTestKit

@Suite struct SignInTests {
    @Test func theDeviceLibraryAndTheServerMeet() async throws {
        try await LiveServer.run { live in
            let phone = SimulatedPhone()
            let auth = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            let record = try await auth.enrol(
                with: PasswordSignIn(account: "ada", password: LiveServer.password), deviceName: "Phone")
            #expect(record.keys.map(\.kind) == [.biometric, .passcode, .session])
            let grant = try await auth.authenticate("Unlock", policy: .patient)
            #expect(grant.rung == .biometric)
            let me = try await auth.me()
            #expect(me.name == "ada" && me.acr == "urn:thumbturn:acr:software:none" && me.amr == ["swk", "pop"])
            let before = try await auth.devices()
            #expect(before.count == 1 && before[0].isCurrent && before[0].keys.first { $0.kind == .passcode }?.isActive == false)

            phone.removeFaces()
            let passcode = try await auth.authenticate("Unlock")
            #expect(passcode.rung == .devicePasscode)
            let after = try await auth.devices()
            #expect(after[0].keys.allSatisfy { $0.isActive }, "a passcode key becomes active with its own first proof")
            _ = try await auth.refresh()
            try await auth.revoke()
        }
    }

    @Test func whereTheSensorFailsThePINSignsIn() async throws {
        try await LiveServer.run { live in
            let phone = SimulatedPhone(hasPasscode: false, hasPIN: true)
            let auth = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            let record = try await auth.enrol(with: PasswordSignIn(account: "ada", password: LiveServer.password))
            let key = try #require(record.keys.first { $0.kind == .pin })
            #expect(key.id.hasPrefix("pin.") && key.isActive && phone.promptCount == 1)
            phone.next(.noMatch, .noMatch, .noMatch)
            phone.pins("000000", .enter(SimulatedPhone.pin))
            let grant = try await auth.authenticate("Unlock")
            #expect(grant.rung == .appPIN)
            let me = try await auth.me()
            #expect(me.name == "ada" && me.acr == "urn:thumbturn:acr:software:none" && me.amr == ["swk", "pop"])
            #expect(try await auth.devices().first?.keys.contains(key) == true)
            _ = try await auth.refresh()
        }
    }

    @Test func theTicketNamesTheAccount() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let token = try await ada.signIn().accessToken
            let (adas, bobs) = (try claims(of: token).sub, try claims(of: try await bob.signIn().accessToken).sub)
            let attempt = try await EnrolmentTests.Attempt(live)
            let code = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
            for (way, answer) in [
                ("the password", try await attempt.ticket()), ("a recovery code", try await attempt.recover("ada", code)),
                ("another device", try await ada.vouch(for: attempt.device, token: token)),
            ] {
                #expect(try answer.read(EnrolmentTicket.self).account == adas, "\(way)")
            }
            #expect(try await attempt.ticket(account: "bob").read(EnrolmentTicket.self).account == bobs && adas != bobs)
            let wrong = try await attempt.ticket(password: "a wrong password")
            #expect(wrong.status == 401 && !wrong.text.contains(adas), "only a right sign-in is told it")
        }
    }

    @Test func theTokenSaysWhatIsKnown() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let answer = try await ada.signIn()
            let token = try claims(of: answer.accessToken)
            #expect(token.iss == live.url && token.aud == live.url && token.clientID == "thumbturn-app")
            #expect(token.exp - token.iat == .seconds(300) && token.authTime == live.clock.now)
            #expect(token.cnf.jkt == ada.device.sessionKid && !token.sub.contains("ada"))
            #expect(answer.tokenType == "DPoP" && answer.expiresIn == 300)
        }
    }

    @Test func aProofIsUsedOnce() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let (challenge, nonce) = try await ada.challenge()
            let proof = ada.device.proof(challenge)
            #expect(try await ada.redeem(proof, nonce: nonce).status == 200)
            let again = try await ada.redeem(proof, nonce: nonce)
            #expect(again.status == 400 && again.kind == "verification-failed" && again.problem?.error == "invalid_grant")
        }
    }

    @Test("a wrong proof, then the right one, on the same challenge: both refused")
    func wrongThenRight() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let (challenge, nonce) = try await ada.challenge()
            let right = ada.device.proof(challenge)
            // Another signature of the same key, over another challenge: well formed, and wrong here.
            let other = ada.device.proof(try await ada.challenge().challenge)
            let wrong = right.split(separator: ".")[..<2].joined(separator: ".") + "." + other.split(separator: ".")[2]
            #expect(try await ada.redeem(wrong, nonce: nonce).kind == "verification-failed")
            #expect(try await ada.redeem(right, nonce: nonce).kind == "verification-failed")
            #expect(try await ada.signIn().tokenType == "DPoP", "a new challenge is a new attempt")
        }
    }

    @Test("a broken attempt is an attempt", arguments: [0, 1, 2, 3])
    func brokenThenRight(_ damage: Int) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let (challenge, nonce) = try await ada.challenge()
            let right = ada.device.proof(challenge)
            let parts = right.split(separator: ".").map(String.init)
            let broken = [
                String(right.dropLast()), "e30.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])", right + "=",
            ][damage]
            #expect(try await ada.redeem(broken, nonce: nonce).kind == "verification-failed")
            #expect(try await ada.redeem(right, nonce: nonce).kind == "verification-failed")
        }
    }

    @Test(
        "alive until the second it expires", arguments: [(299, "ok"), (300, "verification-failed"), (301, "verification-failed")])
    func expiry(_ seconds: Int, _ kind: String) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let (challenge, _) = try await ada.challenge()
            live.clock.advance(by: .seconds(seconds))
            let nonce = try await ada.nonce()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: nonce).kind == kind)
        }
    }

    @Test func aStolenProofIsUselessAndNotUsedUp() async throws {
        try await LiveServer.run { live in
            let (ada, thief) = (try await live.device(), try await live.device(of: "bob"))
            let (challenge, nonce) = try await ada.challenge()
            let proof = ada.device.proof(challenge)
            #expect(try await thief.redeem(proof, nonce: nonce).kind == "verification-failed")
            #expect(try await ada.redeem(proof, nonce: nonce).kind == "ok")
        }
    }

    @Test("keys, devices and purposes are not mixed up")
    func mixing() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))

            // Bob signs Ada's challenge, named with her key id, with his own, and asks for her key with his session key.
            let (adas, nonce) = try await ada.challenge()
            #expect(try await ada.redeem(bob.device.proof(adas), nonce: nonce).kind == "verification-failed")
            let forHerKey = try await bob.device.challenge(.signIn, [ada.device.kid], over: bob.connection)
            #expect(
                try await bob.redeem(ada.device.proof(forHerKey.challenge), nonce: forHerKey.nonce).kind == "verification-failed")

            // Her own key, over a challenge that was asked for another one.
            let forAnother = try await ada.device.challenge(.signIn, [bob.device.kid], over: ada.connection)
            #expect(
                try await ada.redeem(ada.device.proof(forAnother.challenge), nonce: forAnother.nonce).kind
                    == "verification-failed")

            // The session key proves no presence.
            let session = try await ada.device.challenge(.signIn, [ada.device.sessionKid], over: ada.connection)
            #expect(
                try await ada.redeem(ada.device.sessionProof(session.challenge), nonce: session.nonce).kind
                    == "verification-failed")

            // A challenge of another purpose.
            let enrol = try await ada.device.challenge(.enrol, [ada.device.kid], over: ada.connection)
            #expect(try await ada.redeem(ada.device.proof(enrol.challenge), nonce: enrol.nonce).kind == "verification-failed")

            // A key that nobody enrolled.
            let stranger = LoadDevice(server: live.url)
            let strange = try await stranger.challenge(over: ada.connection)
            #expect(
                try await stranger.redeem(stranger.proof(strange.challenge), nonce: strange.nonce, over: ada.connection).kind
                    == "verification-failed")
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    @Test func revokedMeansRefusedEverywhereAtOnce() async throws {
        try await LiveServer.run { live in
            let (ada, bank) = (try await live.device(), try await live.bank(named: "bank", [.approvals, .introspect]))
            let answer = try await ada.signIn()
            let id = try await bank.ask(try await live.account(of: ada)).read(ApprovalRecord.self).id
            let (signIn, stepUp) = (try await ada.challenge(), try await StepUpTests.draft(ada))
            let approve = try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge
            func isActive() async throws -> Bool {
                try await bank.backEnd.post(
                    "/v1/introspect", "token=\(answer.accessToken)", asserting: try bank.backEnd.assertion(at: live.clock.now)
                ).fields["active"] as? Bool == true
            }
            #expect(try await ada.get("/v1/me", token: answer.accessToken).kind == "ok")
            #expect(try await isActive())
            #expect(try await ada.delete("/v1/devices/current", token: answer.accessToken).status == 204)
            #expect(try await ada.get("/v1/me", token: answer.accessToken).kind == "verification-failed")
            #expect(try await ada.redeem(ada.device.proof(signIn.challenge), nonce: signIn.nonce).kind == "verification-failed")
            #expect(try await StepUpTests.send(stepUp, ada, "&act=card-details").kind == "verification-failed")
            #expect(try await ada.approve(id, ada.device.proof(approve)).kind == "verification-failed")
            #expect(try await ada.approvals("GET").kind == "not-found", "there is no such device any more")
            #expect(try await ada.refresh(answer.refreshToken).kind == "verification-failed")
            #expect(try await !isActive())
        }
    }

    @Test("a device that is revoked between the check and the spending gets nothing")
    func revokedInBetween() async throws {
        let revoke = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(beforeSpending: { await revoke.withLock { $0 }?() }) { live in
            let ada = try await live.device()
            let token = try await ada.signIn().accessToken
            let other = try await live.connect()
            let nonce = try await ada.device.challenge(over: other).nonce
            revoke.withLock {
                $0 = {
                    let proof = ada.device.dpop("DELETE", "/v1/devices/current", [], nonce: nonce, token: token)
                    _ = try? await other.send(
                        "DELETE", "/v1/devices/current", headers: [("Authorization", "DPoP \(token)"), ("DPoP", proof)]
                    )
                }
            }
            let (challenge, fresh) = try await ada.challenge()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: fresh).kind == "verification-failed")
        }
    }

    @Test func aDeviceEndsItselfByItsSessionKeyAlone() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let tokens = try await ada.signIn()
            func end(_ one: LiveServer.Enrolled, _ path: String = "/v1/devices/current") async throws -> LoadConnection.Answer {
                let proof = one.device.dpop("DELETE", path, [], nonce: try await one.nonce())
                return try await one.connection.send("DELETE", path, headers: [("DPoP", proof)])
            }
            let adas = try claims(of: tokens.accessToken).did
            #expect(try await end(bob, "/v1/devices/\(adas)").status == 401, "no other device, and not by its id")
            #expect(try await end(ada).status == 204)
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).kind == "verification-failed")
            #expect(try await end(ada).kind == "not-found")
            #expect(try await bob.signIn().tokenType == "DPoP")
        }
    }

    @Test func aTokenDoesNotOutliveItsSession() async throws {
        try await LiveServer.run(configure: { $0.sessionLifetime = .seconds(400) }) { live in
            let ada = try await live.device()
            let first = try await ada.signIn()
            live.clock.advance(by: .seconds(250))
            let second = try await ada.refresh(first.refreshToken).read(TokenAnswer.self)
            #expect(second.expiresIn == 150)
            let token = try claims(of: second.accessToken)
            #expect(token.exp == token.authTime + .seconds(400))
        }
    }

    @Test func aProtectedCallNeedsTokenAndKey() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let token = try await ada.signIn().accessToken
            _ = try await bob.signIn()
            #expect(try await bob.get("/v1/me", token: token).kind == "verification-failed", "another device's key")
            let bearer = try await ada.connection.send("GET", "/v1/me", headers: [("Authorization", "Bearer \(token)")])
            #expect(bearer.status == 401 && bearer.kind == "verification-failed")
            let bare = try await ada.connection.send("GET", "/v1/me")
            #expect(bare.status == 401)
            live.clock.advance(by: .seconds(300))
            #expect(try await ada.get("/v1/me", token: token).kind == "verification-failed", "a token that has run out")
        }
    }
}
#endif
