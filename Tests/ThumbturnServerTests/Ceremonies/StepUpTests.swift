#if Tools
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer
import ThumbturnTestKit

/// A proof of presence for one action.
@Suite struct StepUpTests {
    struct Draft {
        var proof: String
        var nonce: String
    }

    static func draft(_ phone: LiveServer.Enrolled, act: String = "card-details") async throws -> Draft {
        let asked = try await phone.device.challenge(.stepUp, [phone.device.kid], act: act, over: phone.connection)
        return Draft(proof: phone.device.proof(asked.challenge), nonce: asked.nonce)
    }

    static func send(_ draft: Draft, _ phone: LiveServer.Enrolled, _ more: String) async throws -> LoadConnection.Answer {
        try await phone.device.redeem(draft.proof, more: more, nonce: draft.nonce, over: phone.connection)
    }

    @Test func theDeviceLibraryAndTheServerMeet() async throws {
        try await LiveServer.run { live in
            let phone = SimulatedPhone()
            let auth = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: LiveServer.password))
            _ = try await auth.authenticate("Unlock")
            live.clock.advance(by: .seconds(100))
            let prompts = phone.promptCount
            let grant = try await auth.stepUp(for: .cardDetails, reason: "Show your card")
            #expect(phone.promptCount == prompts + 1)
            #expect(try claims(of: grant.session.accessToken).authTime == live.clock.now)
            let me = try await auth.me()
            #expect(me.verifiedAt == live.clock.now + .seconds(-100), "the session is the sign-in's, and no younger for it")
        }
    }

    @Test func theAgeCountsFromTheChallenge() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            var draft = try await Self.draft(ada)
            let made = live.clock.now
            live.clock.advance(by: .seconds(90))
            draft.nonce = try await ada.nonce()
            let answer = try await Self.send(draft, ada, "&act=card-details").read(StepUpAnswer.self)
            #expect(try claims(of: answer.accessToken).authTime == made, "nobody knows when in between it was signed")
            #expect(try claims(of: try await ada.signIn().accessToken).authTime == live.clock.now)
        }
    }

    @Test("alive until the second it expires", arguments: [(119, "ok"), (120, "verification-failed")])
    func expiry(_ seconds: Int, _ kind: String) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            var draft = try await Self.draft(ada)
            live.clock.advance(by: .seconds(seconds))
            draft.nonce = try await ada.nonce()
            #expect(try await Self.send(draft, ada, "&act=card-details").kind == kind)
        }
    }

    @Test func aProofIsUsedOnce() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let draft = try await Self.draft(ada)
            #expect(try await Self.send(draft, ada, "&act=card-details").kind == "ok")
            let again = try await Self.send(draft, ada, "&act=card-details")
            #expect(again.kind == "verification-failed" && again.problem?.error == "invalid_grant")
        }
    }

    @Test func signingInSteppingUpAndOtherActionsAreNotMixedUp() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let stepUp = try await Self.draft(ada)
            #expect(try await Self.send(stepUp, ada, "").kind == "verification-failed", "it signs nobody in")
            #expect(try await Self.send(stepUp, ada, "&act=").kind == "verification-failed")
            #expect(try await Self.send(stepUp, ada, "&act=statement-export").kind == "verification-failed", "another action")
            let (challenge, nonce) = try await ada.challenge()
            let signIn = Draft(proof: ada.device.proof(challenge), nonce: nonce)
            #expect(
                try await Self.send(signIn, ada, "&act=card-details").kind == "verification-failed", "a sign-in is no step-up")
            let manage = try await ada.device.challenge(.manage, [ada.device.kid], act: "remove-pin", over: ada.connection)
            let change = Draft(proof: ada.device.proof(manage.challenge), nonce: manage.nonce)
            #expect(try await Self.send(change, ada, "&act=remove-pin").kind == "verification-failed", "a change is none either")
            let body = Signing.encode(KeyChangeRequest(key: nil, proof: stepUp.proof))
            let path = "/v1/devices/current/keys"
            let changed = try await ada.connection.send(
                "POST", path, type: "application/json",
                headers: [("DPoP", ada.device.dpop("POST", path, body, nonce: stepUp.nonce))], body: body)
            #expect(changed.kind == "verification-failed", "and a step-up changes no keys")
            #expect(try await Self.send(stepUp, ada, "&act=card-details").kind == "ok", "nothing of this used it up")
            #expect(try await Self.send(signIn, ada, "").kind == "ok")
        }
    }

    @Test func aChallengeNamesItsAction() async throws {
        let longName = String(repeating: "a", count: 64)
        let table = StepUpTable(actions: [longName: ActionRule(maximumAge: .seconds(60))])
        try await LiveServer.run(configure: { $0.stepUp = StepUpPolicy(table) }) { live in
            let ada = try await live.device()
            for act in [nil, "", "Card", "card details", longName + "a", "card-details", longName + ":EUR:1.5"] {
                let request = ChallengeRequest(
                    purpose: .stepUp, act: act, kids: [ada.device.kid], jkt: ada.device.sessionKid)
                let answer = try await ada.connection.send(
                    "POST", "/v1/challenges", type: "application/json", body: Signing.encode(request))
                #expect(answer.kind == "malformed", "\(act ?? "none")")
            }
            let longest = ChallengeRequest(
                purpose: .stepUp, act: longName, kids: [ada.device.kid], jkt: ada.device.sessionKid)
            let answer = try await ada.connection.send(
                "POST", "/v1/challenges", type: "application/json", body: Signing.encode(longest))
            #expect(try answer.read(ChallengeAnswer.self).expiresIn == 120)
        }
    }

    @Test func whatWasSignedForOneActionChangesNoDevices() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            live.clock.advance(by: .seconds(24 * 3600))
            let other = "/v1/devices/" + String(repeating: "A", count: 22)
            let token = try await Self.send(try await Self.draft(ada), ada, "&act=card-details").read(StepUpAnswer.self)
                .accessToken
            #expect(try await ada.delete(other, token: token).kind == "step-up-required")
            #expect(try await ada.delete(other, token: try await ada.signIn().accessToken).kind == "not-found")
            #expect(try await ada.get("/v1/me", token: token).kind == "ok", "it says who it is")
        }
    }

    @Test func evidenceThatNobodyCanJudgeIsNotPassedOverInSilence() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let draft = try await Self.draft(ada)
            let answer = try await Self.send(draft, ada, "&act=card-details&liveness=e30.e30.AA")
            #expect(answer.status == 400 && answer.kind == "malformed" && answer.problem?.error == "invalid_request")
            #expect(try await Self.send(draft, ada, "&act=card-details").kind == "ok", "and nothing was spent")
            let (challenge, nonce) = try await ada.challenge()
            let signIn = Draft(proof: ada.device.proof(challenge), nonce: nonce)
            #expect(try await Self.send(signIn, ada, "&liveness=e30.e30.AA").kind == "malformed")
        }
    }
}
#endif
