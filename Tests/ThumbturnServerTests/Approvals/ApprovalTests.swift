#if Tools
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnTestKit
import ThumbturnVerifier
import ThumbturnURLSession

/// Dynamic linking (SCA-RTS Article 5): the person sees amount and payee, what is signed is exactly that, and any change voids it.
@Suite struct ApprovalTests {
    @Test func aPaymentIsShownSignedAndRedeemedOnce() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let asked = try await bank.ask(ada.account)
            #expect(asked.status == 201)
            let id = try asked.read(ApprovalRecord.self).id
            let approval = try await ada.auth.approval(id)
            let details = approval.details(in: .english)
            #expect(details.title == "Payment" && details.caution == nil && approval.from == "bank")
            #expect(details.lines.map(\.value) == ["12.50 EUR", "Super Store", "DE75512108001245126199", "t-1"])
            #expect(try await bank.redeem(id).problem?.error == "open", "nobody has approved it yet")
            let prompts = ada.phone.promptCount
            let signed = try await ada.auth.approve(approval)
            #expect(signed.state == .approved && signed.isSigned && ada.phone.promptCount == prompts + 1)
            #expect(try await bank.state(id) == .approved)
            let first = try await bank.redeem(id)
            let proof = try first.read(ApprovalProof.self)
            #expect(proof.txn == approval.txn && proof.signatures.count == 1)
            #expect(try await bank.redeem(id).body == first.body, "a lost answer is asked for again")
            #expect(try await bank.redeem(id, key: "k-2").problem?.error == "redeemed")
            #expect(try await bank.ask(ada.account).problem?.error == "redeemed", "nor is it asked for again")
            expect(try await ada.auth.approvals(), is: [])
        }
    }

    @Test func everyApprovalAsksWhateverWasUnlockedBefore() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            for number in 1...3 {
                _ = try await bank.ask(ada.account, Bank.payment("1", "Super Store", "t-\(number)"))
                _ = try await ada.auth.stepUp(for: .existingRecipient, reason: "Pay")
                let prompts = ada.phone.promptCount
                let open = try await ada.auth.approvals()
                #expect(open.count == 1)
                _ = try await ada.auth.approve(open[0])
                #expect(ada.phone.promptCount == prompts + 1)
            }
        }
    }

    // MARK: Changes

    @Test(
        "the device signs nothing but what was shown",
        arguments: ["amount", "payee", "demand", "approval", "sign-in", "no transaction"])
    func changedOnTheWay(_ what: String) async throws {
        try await LiveServer.withBank { live, bank in
            let tamper = Tamper()
            let ada = try await live.phone(transport: tamper)
            let other = try await bank.ask(ada.account, Bank.payment("99", "Super Store", "t-2")).read(ApprovalRecord.self)
            let asked = try await bank.ask(ada.account).read(ApprovalRecord.self)
            let approval = try await ada.auth.approval(asked.id)
            tamper.set { claims in
                switch what {
                case "amount": claims.txn = other.txn
                case "payee": claims.txn = Base64URL.encode(Bank.payment("12.50", "Super Store", iban: "DE00").utf8)
                case "demand": claims.demand = ApprovalDemand(keys: [.biometric])
                case "approval": claims.act = other.id
                case "sign-in": claims.purpose = .signIn
                default: claims.txn = nil
                }
            }
            let prompts = ada.phone.promptCount
            await expectFailure(.unexpectedAnswer) { _ = try await ada.auth.approve(approval) }
            #expect(ada.phone.promptCount == prompts, "and nobody is asked")
            tamper.set { _ in }
            expect(try await ada.auth.approve(approval).state, is: .approved)
        }
    }

    @Test func theAmountIsChangedAfterItWasShown() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let asked = try await bank.ask(ada.account).read(ApprovalRecord.self)
            let shown = try await ada.auth.approval(asked.id)
            let changed = try await bank.ask(ada.account, Bank.payment("1250.00")).read(ApprovalRecord.self)
            #expect(changed.id != asked.id)
            #expect(try await bank.state(asked.id) == .withdrawn, "a change voids what was asked before")
            await expectFailure(.approvalOver) { _ = try await ada.auth.approve(shown) }
            #expect(try await bank.state(changed.id) == .open)
        }
    }

    @Test func theAmountIsChangedAfterItWasApproved() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let asked = try await bank.ask(ada.account).read(ApprovalRecord.self)
            _ = try await ada.auth.approve(try await ada.auth.approval(asked.id))
            let changed = Bank.payment("1250.00")
            #expect(try await bank.redeem(asked.id, changed).problem?.error == "changed")
            #expect(try await bank.state(asked.id) == .withdrawn, "and the approval is void")
            #expect(try await bank.redeem(asked.id).problem?.error == "withdrawn")
        }
    }

    @Test func askingTheSameAgainIsOneApproval() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let first = try await bank.ask(ada.account)
            let again = try await bank.ask(ada.account)
            #expect(first.status == 201 && again.status == 200)
            #expect(try first.read(ApprovalRecord.self).id == again.read(ApprovalRecord.self).id)
        }
    }

    @Test("what is kept counts, not only our own MAC over what was asked", arguments: ["txn", "demand", "state"])
    func theRecordIsChangedInBetween(_ column: String) async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            let id = try await bank.ask(account).read(ApprovalRecord.self).id
            let challenge = try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge
            let values = [
                "txn": Base64URL.encode(Bank.payment("1250").utf8), "demand": #"{"keys":["biometric"]}"#, "state": "withdrawn",
            ]
            try await live.database().write { db in
                try db.execute(sql: "UPDATE approvals SET \(column) = ?", arguments: [values[column]])
            }
            #expect(try await ada.approve(id, ada.device.proof(challenge)).kind == "verification-failed")
            #expect(try await bank.state(id) == (column == "state" ? .withdrawn : .open))
        }
    }

    @Test func whatCannotBeShownWholeIsNotShown() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            let shown = Base64URL.decode(try await ada.auth.approval(id).txn) ?? []
            let text = String(decoding: shown, as: UTF8.self)
            for changed in [
                text.replacing("{", with: "{ "), text.replacing(#""type""#, with: #""fee":"1","type""#),
                text.replacing("Super Store", with: "Super\u{200B}Store"), text + " ",
            ] {
                try await live.database().write { db in
                    try db.execute(sql: "UPDATE approvals SET txn = ?", arguments: [Base64URL.encode(changed.utf8)])
                }
                await expectFailure(.unexpectedAnswer) { _ = try await ada.auth.approval(id) }
                expect(try await ada.auth.approvals(), is: [])
            }
        }
    }

    @Test func anIdThatIsNoneNeverBecomesPartOfAPath() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            for id in ["", "../devices", "x?y", "%2e%2e", ApprovalID.random().text] {
                await expectFailure(.approvalOver) { _ = try await ada.auth.approval(id) }
            }
        }
    }

    // MARK: Who

    @Test func nobodySignsForSomebodyElse() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let bob = try await live.device(of: "bob")
            let account = try await live.account(of: ada)
            let id = try await bank.ask(account).read(ApprovalRecord.self).id
            #expect(try await bob.approvals("GET", "/\(id)").kind == "not-found")
            #expect(try await bob.approvals("POST", "/\(id)/decline").kind == "not-found")
            #expect(try await bob.askToApprove(id).kind == "not-found")
            let challenge = try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge
            #expect(try await bob.approve(id, bob.device.proof(challenge)).kind == "verification-failed", "another session key")
            #expect(try await ada.approve(id, bob.device.proof(challenge)).kind == "verification-failed", "another key")
            #expect(try await bank.state(id) == .open)
            #expect(try await ada.approve(id, ada.device.proof(challenge)).kind == "verification-failed", "that was its one try")
        }
    }

    @Test func oneBackEndDoesNotSeeWhatBelongsToAnother() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let shop = try await live.bank(named: "shop")
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            #expect(try await shop.send("GET", "/v1/approvals/\(id)").kind == "not-found")
            #expect(try await shop.send("DELETE", "/v1/approvals/\(id)").kind == "not-found")
            #expect(try await shop.redeem(id).kind == "not-found")
            #expect(try await bank.redeem(id).kind == "ok")
            let mute = try await live.bank(named: "mute", [.introspect])
            #expect(try await mute.ask(ada.account).problem?.error == "insufficient_scope")
            #expect(try await mute.redeem(id).status == 403)
        }
    }

    @Test func whoTakesABackEndsNameDoesNotGetItsApprovals() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            try await live.server.removeClient(named: "bank")
            live.clock.advance(by: .seconds(1))
            let heir = try await live.bank()
            #expect(try await heir.send("GET", "/v1/approvals/\(id)").kind == "not-found")
            let own = try await heir.ask(ada.account).read(ApprovalRecord.self)
            #expect(own.id != id && own.state == .open, "the same request is the new back end's own")
            #expect(try await heir.send("GET", "/v1/approvals/\(own.id)").status == 200)
            #expect(try await heir.ask(ada.account).read(ApprovalRecord.self).id == own.id)
        }
    }

    @Test func aDeviceThatCoolsOffCannotApprove() async throws {
        try await LiveServer.withBank { live, bank in
            let old = try await live.phone()
            let new = try await live.phone()
            let id = try await bank.ask(old.account, Bank.payment(), #","expires_in":86400"#).read(ApprovalRecord.self).id
            let approval = try await old.auth.approval(id)
            await expectFailure(.coolingOff) { _ = try await new.auth.approve(approval) }
            live.clock.advance(by: .seconds(24 * 3600 - 1))
            await expectFailure(.coolingOff) { _ = try await new.auth.approve(approval) }
            expect(try await old.auth.approve(approval).state, is: .approved)
        }
    }

    @Test func aDeviceThatBeganToCoolOffMeanwhileCannotApprove() async throws {
        let revoking = Mutex<(@Sendable () async throws -> Void)?>(nil)
        try await LiveServer.withBank(beforeSpending: { try? await revoking.withLock { $0 }?() }) { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            let approval = try await ada.auth.approval(id)
            revoking.withLock { $0 = { try await ada.auth.revoke() } }
            await expectFailure(.refused) { _ = try await ada.auth.approve(approval) }
            #expect(try await bank.state(id) == .open, "a device that was revoked at that moment has approved nothing")
        }
    }

    @Test func revokedMeansRefusedAlsoForWhatWasSignedBefore() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            try await ada.auth.revoke()
            #expect(try await bank.redeem(id).problem?.error == "withdrawn")
        }
    }

    @Test("a stolen PIN's signature does not survive its change", arguments: [KeyChange.changePIN, .removePIN, .resetPIN])
    func theKeyIsRetired(_ change: KeyChange) async throws {
        try await LiveServer.withBank { live, bank in
            let phone = try await KeyChangeTests.Phone(live)
            let ada = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let account = try await live.account(of: ada)
            func signed(_ transaction: String) async throws -> String {
                let id = try await bank.ask(account, Bank.payment("1", "Super Store", transaction)).read(ApprovalRecord.self).id
                let asked = try await ada.askToApprove(id, [phone.kid(of: .pin) ?? ""]).read(ChallengeAnswer.self)
                let record = try await ada.approve(id, phone.proof(.pin, asked.challenge) ?? "").read(ApprovalRecord.self)
                #expect(record.state == .approved)
                return id
            }
            let (stolen, earlier) = (try await signed("t-1"), try await signed("t-2"))
            #expect(try await bank.redeem(earlier, Bank.payment("1", "Super Store", "t-2")).kind == "ok")
            #expect(try await phone.change(change, paidBy: change == .resetPIN ? .credentials : .biometric).kind == "ok")
            let refused = try await bank.redeem(stolen, Bank.payment("1", "Super Store", "t-1"))
            #expect(refused.problem?.error == "withdrawn")
            #expect(try await bank.state(stolen) == .withdrawn)
            let again = try await bank.redeem(earlier, Bank.payment("1", "Super Store", "t-2"))
            #expect(again.kind == "ok", "what was redeemed before stays")
        }
    }

    @Test func aKeyThatIsRetiredDuringTheRedemptionIsJudgedByIt() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            let approval = try #require(ApprovalID(id))
            let found = try await live.service.store.approval(approval)
            let before = try #require(found)
            try await live.database().write { db in
                try db.execute(sql: "UPDATE keys SET retired_at = 1 WHERE kind = 'biometric'")
            }
            #expect(before.accounts.allSatisfy(before.isSigned), "the reading of before")
            let redemption = Redemption(approval: approval, creator: "bank", key: "k", txn: before.txn) { _, _, _ in "receipt" }
            guard case .not(.withdrawn) = try await live.service.store.redeem(redemption) else {
                Issue.record("redeemed with a signature of a retired key")
                return
            }
        }
    }

    @Test func theReceiptNamesASignatureThatCameDuringTheRedemption() async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.withBank(beforeSpending: { await meanwhile.withLock { $0.take() }?() }) { live, bank in
            let ada = try await live.device()
            let id = try await bank.ask(try await live.account(of: ada)).read(ApprovalRecord.self).id
            let proof = ada.device.proof(try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge)
            // The request has read an approval that has no signature yet.
            meanwhile.withLock { $0 = { _ = try? await ada.approve(id, proof) } }
            let redeemed = try await bank.redeem(id).read(ApprovalProof.self)
            let receipt = try #require(CompactJWS(redeemed.receipt))
            let signers = try JSONDecoder().decode(ApprovalReceipt.self, from: Data(receipt.payload)).approvedBy
            #expect(signers.map(\.kid) == [ada.device.kid])
        }
    }

    // MARK: Once

    @Test func aProofIsUsedOnceAndForOneApproval() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            let ids = try await [Bank.payment(), Bank.payment("12.50", "Super Store", "t-2")].asyncMap {
                try await bank.ask(account, $0).read(ApprovalRecord.self).id
            }
            let challenge = try await ada.askToApprove(ids[0]).read(ChallengeAnswer.self).challenge
            let proof = ada.device.proof(challenge)
            #expect(try await ada.approve(ids[1], proof).kind == "verification-failed", "it is for the first one")
            #expect(try await ada.approve(ids[0], proof).kind == "ok")
            #expect(try await ada.approve(ids[0], proof).kind == "verification-failed")
            #expect(try await bank.state(ids[1]) == .open)
        }
    }

    @Test func purposesAreNotMixedUp() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            let id = try await bank.ask(account).read(ApprovalRecord.self).id
            let signIn = try await ada.challenge().challenge
            #expect(try await ada.approve(id, ada.device.proof(signIn)).kind == "verification-failed")
            let stepUp = try await ada.device.challenge(.stepUp, [ada.device.kid], act: "card-details", over: ada.connection)
                .challenge
            #expect(try await ada.approve(id, ada.device.proof(stepUp)).kind == "verification-failed")
            let approve = try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge
            let proof = ada.device.proof(approve)
            #expect(try await ada.redeem(proof, nonce: try await ada.nonce()).kind == "verification-failed", "it signs nobody in")
            let asStepUp = try await ada.device.redeem(
                proof, more: "&act=\(id)", nonce: try await ada.nonce(), over: ada.connection)
            #expect(asStepUp.kind == "verification-failed", "nor is it a step-up")
            #expect(try await ada.approve(id, proof).kind == "ok", "none of this used it up")
            let plain = ChallengeRequest(purpose: .approve, act: id, kids: [ada.device.kid], jkt: ada.device.sessionKid)
            let asked = try await ada.connection.send(
                "POST", "/v1/challenges", type: "application/json", body: Signing.encode(plain))
            #expect(asked.kind == "malformed", "what is approved comes from the server's own record alone")
        }
    }

    @Test func ofManyRedemptionsAtOnceOneIsMade() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            let token = try await bank.backEnd.accessToken(at: live.clock.now)
            let statuses = try await withThrowingTaskGroup { group in
                for number in 1...16 {
                    let connection = try await live.connect()
                    let (path, body) = ("/v1/approvals/\(id)/redeem", Array(#"{"transaction":\#(Bank.payment())}"#.utf8))
                    let headers = try await bank.backEnd.headers("POST", path, body, by: token)
                    group.addTask {
                        try await connection.send(
                            "POST", path, type: "application/json", headers: headers + [("Idempotency-Key", "k-\(number)")],
                            body: body
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 15))
        }
    }

    @Test func aRedemptionNeedsAKeyOfItsOwn() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            let body = #"{"transaction":\#(Bank.payment())}"#
            #expect(try await bank.send("POST", "/v1/approvals/\(id)/redeem", body).kind == "malformed")
            #expect(try await bank.redeem(id, key: "two words").kind == "malformed")
            #expect(try await bank.redeem(id).kind == "ok")
        }
    }

    // MARK: Ends

    @Test func whatHasExpiredIsNotApprovedNorRedeemed() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account, Bank.payment(), #","expires_in":30"#).read(ApprovalRecord.self).id
            let approval = try await ada.auth.approval(id)
            let device = try await live.device(of: "bob")
            let bob = try await live.account(of: device)
            let second = Bank.payment("1", "Super Store", "t-2")
            let late = try await bank.ask(bob, second, #","expires_in":30"#).read(ApprovalRecord.self).id
            let challenge = try await device.askToApprove(late).read(ChallengeAnswer.self).challenge
            live.clock.advance(by: .seconds(30))
            await expectFailure(.approvalOver) { _ = try await ada.auth.approve(approval) }
            #expect(try await bank.state(id) == .expired)
            #expect(try await device.approve(late, device.device.proof(challenge)).kind == "verification-failed")
            #expect(try await bank.redeem(id).problem?.error == "expired")
            expect(try await ada.auth.approvals(), is: [])
            #expect(try await bank.ask(ada.account).status == 201, "it may be asked for again")
        }
    }

    @Test func whatWasApprovedWaitsForItsCreatorButNotForEver() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account, Bank.payment(), #","expires_in":30"#).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            live.clock.advance(by: .seconds(299))
            #expect(try await bank.state(id) == .approved)
            live.clock.advance(by: .seconds(1))
            #expect(try await bank.redeem(id).problem?.error == "expired")
        }
    }

    @Test func whatWasDeclinedOrTakenBackIsOver() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            let approval = try await ada.auth.approval(id)
            try await ada.auth.decline(approval)
            #expect(try await bank.state(id) == .declined)
            await expectFailure(.approvalOver) { _ = try await ada.auth.approve(approval) }
            await expectFailure(.approvalOver) { try await ada.auth.decline(approval) }
            let again = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            #expect(try await bank.send("DELETE", "/v1/approvals/\(again)").kind == "ok")
            await expectFailure(.approvalOver) { _ = try await ada.auth.approve(try await ada.auth.approval(again)) }
            #expect(try await bank.send("DELETE", "/v1/approvals/\(again)").problem?.error == "withdrawn")
        }
    }

    @Test func whatEndedIsForgottenAfterADayAndWhatWasRedeemedIsNot() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let redeemed = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(redeemed))
            let first = try await bank.redeem(redeemed)
            let expired = try await bank.ask(ada.account, Bank.payment("1", "Super Store", "t-2")).read(ApprovalRecord.self).id
            live.clock.advance(by: .seconds(300 + 24 * 3600 - 1))
            try await live.service.tidy()
            #expect(try await bank.state(expired) == .expired)
            live.clock.advance(by: .seconds(1))
            try await live.service.tidy()
            #expect(try await bank.send("GET", "/v1/approvals/\(expired)").kind == "not-found")
            #expect(try await bank.redeem(redeemed).body == first.body)
        }
    }

    @Test func aChallengeIsForOneToFourKeys() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let id = try await bank.ask(try await live.account(of: ada)).read(ApprovalRecord.self).id
            let kid = ada.device.kid
            let others = (1...5).map { Signing.hash([UInt8($0)]) }
            for kids in [[], others, [kid, kid], ["pin"], ["x"]] {
                #expect(try await ada.askToApprove(id, kids).kind == "malformed", "\(kids)")
            }
            #expect(try await ada.askToApprove(id, [kid] + others.prefix(3)).kind == "ok")
        }
    }

    @Test func nobodyIsWornDownByQuestions() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            for number in 1...8 {
                #expect(try await bank.ask(ada.account, Bank.payment("1", "Super Store", "t-\(number)")).status == 201)
            }
            #expect(try await bank.ask(ada.account, Bank.payment("1", "Super Store", "t-9")).problem?.error == "too_many_open")
            #expect(
                try await bank.ask(ada.account, Bank.payment("2", "Super Store", "t-8")).status == 201, "one in place of another")
            live.clock.advance(by: .seconds(300))
            #expect(try await bank.ask(ada.account, Bank.payment("1", "Super Store", "t-9")).status == 201)
        }
    }
}

/// Changes every challenge for an approval on its way to the device.
final class Tamper: Transport {
    private let change = Mutex<@Sendable (inout ChallengeClaims) -> Void>({ _ in })

    func set(_ change: @escaping @Sendable (inout ChallengeClaims) -> Void) { self.change.withLock { $0 = change } }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        var answer = try await URLSessionTransport().send(request)
        guard request.url.hasSuffix("/challenge"), answer.status == 200,
            let challenge = try? WireJSON.decode(ChallengeAnswer.self, from: answer.body).challenge,
            let jws = CompactJWS(challenge),
            var claims = try? WireJSON.decode(ChallengeClaims.self, from: jws.payload)
        else { return answer }
        let before = claims
        change.withLock { $0 }(&claims)
        guard claims != before else { return answer }
        let input = CompactJWS.signingInput(header: jws.header, payload: WireJSON.encode(claims))
        let changed = CompactJWS.compact(signingInput: input, signature: jws.signature)
        answer.body = WireJSON.encode(ChallengeAnswer(challenge: changed, expiresIn: 120))
        return answer
    }
}

extension LiveServer {
    /// The account's id of a device.
    func account(of phone: Enrolled) async throws -> String {
        let token = try await phone.signIn().accessToken
        return try claims(of: token).sub
    }
}

extension LiveServer.Enrolled {
    /// A request of this device about approvals, by its session key.
    func approvals(_ method: String, _ rest: String = "", _ body: [UInt8]? = nil) async throws -> LoadConnection.Answer {
        let path = "/v1/approvals" + rest
        let proof = device.dpop(method, path, method == "GET" ? nil : body ?? [], nonce: try await nonce())
        return try await connection.send(
            method, path, type: body == nil ? nil : "application/json", headers: [("DPoP", proof)], body: body ?? [])
    }

    func askToApprove(_ id: String, _ kids: [String]? = nil) async throws -> LoadConnection.Answer {
        try await approvals("POST", "/\(id)/challenge", Signing.encode(ApprovalChallengeRequest(kids: kids ?? [device.kid])))
    }

    func approve(_ id: String, _ proof: String, liveness: String? = nil) async throws -> LoadConnection.Answer {
        try await approvals("POST", "/\(id)/proofs", Signing.encode(ApprovalProofRequest(proof: proof, liveness: liveness)))
    }
}

extension Array {
    func asyncMap<T>(_ change: (Element) async throws -> T) async rethrows -> [T] {
        var all: [T] = []
        for element in self { all.append(try await change(element)) }
        return all
    }
}
#endif
