#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnTestKit
import ThumbturnVerifier

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
            #expect(signed.state == .approved && ada.phone.promptCount == prompts + 1)
            #expect(try await bank.state(id) == .approved)
            let first = try await bank.redeem(id)
            let proof = try first.read(ApprovalProof.self)
            #expect(proof.txn == approval.txn && proof.signatures.count == 1)
            #expect(try await bank.redeem(id).body == first.body, "a lost answer is asked for again")
            #expect(try await bank.redeem(id, key: "k-2").problem?.error == "redeemed")
            #expect(try await bank.ask(ada.account).problem?.error == "redeemed", "nor is it asked for again")
        }
    }
}
#endif
