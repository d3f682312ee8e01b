#if Tools
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// Approvals follow the policy: the thresholds of their action, and the request's own demand where that is stricter.
@Suite struct ApprovalPolicyTests {
    private static let thresholds = """
        "thresholds":[{"currency":"EUR","above":100000,"one_of":["second-approver","two-keys"]},
        {"currency":"EUR","above":1000000,"one_of":["liveness-high","second-approver"]}]
        """

    private func run(
        _ actions: String, vendors: LivenessLevel? = nil,
        _ test: @escaping @Sendable (LiveServer, Bank, String) async throws -> Void
    ) async throws {
        let policy = StepUpPolicy(try StepUpTableTests.table(actions))
        try await LiveServer.withBank({ settings in
            settings.stepUp = policy
            if let vendors { settings.approvals.livenessVendors = try! ApprovalDemandTests.vendors(certified: vendors) }
        }) { live, bank in
            try await test(live, bank, try await live.account("ada").text)
        }
    }

    @Test func whatAPaymentDemandsGrowsWithItsAmount() async throws {
        try await run(#""new-recipient":{"max_age":0,\#(Self.thresholds)}"#, vendors: .high) { live, bank, ada in
            let demands: [(String, ApprovalDemand?)] = [
                ("1000.00", .oneKey), ("1000.01", ApprovalDemand(keys: [.biometric, .pin])),
                ("10000.01", ApprovalDemand(keys: [.biometric, .pin], liveness: .high)),
            ]
            for (index, (amount, demand)) in demands.enumerated() {
                let answer = try await bank.ask(ada, Bank.payment(amount, "Super Store", "t-\(index)"))
                #expect(try answer.read(ApprovalRecord.self).demand == demand, "\(amount)")
            }
            let bob = try await live.account("bob").text
            let second = try await bank.ask(ada, Bank.payment("10000.01", "Super Store", "t-9"), #","second_account":"\#(bob)""#)
            #expect(try second.read(ApprovalRecord.self).demand == .oneKey, "a second approver is enough")
        }
    }

    @Test func theStricterOfBothHolds() async throws {
        let actions = #""new-recipient":{"max_age":0,"keys":["biometric"],\#(Self.thresholds)}"#
        try await run(actions, vendors: .high) { _, bank, ada in
            let table: [(String, String, ApprovalDemand?)] = [
                ("1.00", "", ApprovalDemand(keys: [.biometric])),
                ("1.00", #"{"keys":["biometric","pin"]}"#, ApprovalDemand(keys: [.biometric, .pin])),
                ("1.00", #"{"liveness":"substantial"}"#, ApprovalDemand(keys: [.biometric], liveness: .substantial)),
                ("2000.00", #"{"keys":["biometric"]}"#, ApprovalDemand(keys: [.biometric, .pin])),
                ("20000.00", #"{"liveness":"substantial"}"#, ApprovalDemand(keys: [.biometric, .pin], liveness: .high)),
            ]
            for (index, (amount, own, demand)) in table.enumerated() {
                let more = own.isEmpty ? "" : #","demand":\#(own)"#
                let answer = try await bank.ask(ada, Bank.payment(amount, "Super Store", "t-\(index)"), more)
                #expect(try answer.read(ApprovalRecord.self).demand == demand, "\(amount) \(own)")
            }
        }
    }

    @Test func whatNoApprovalCanMeetIsRefused() async throws {
        let actions = #"""
            "new-recipient":{"max_age":0,\#(Self.thresholds)},"hardware":{"max_age":0,"protection":"attestedHardware"},
            "both":{"max_age":0,"one_of":["second-approver"]}
            """#
        try await run(actions) { live, bank, ada in
            func ask(_ amount: String, _ more: String = "", currency: String = "EUR") async throws -> String {
                let payment = Bank.payment(amount).replacing("EUR", with: currency)
                return try await bank.ask(ada, payment, more).kind
            }
            #expect(try await ask("20000.00") == "malformed", "no vendor is trusted")
            #expect(try await ask("1.00", currency: "USD") == "malformed", "the policy does not say how much of it is much")
            #expect(try await ask("1.00", #","action":"unknown""#) == "malformed")
            #expect(try await ask("1.00", #","action":"Not a name""#) == "malformed")
            #expect(try await ask("1.00", #","action":"hardware""#) == "malformed")
            #expect(try await ask("1.00", #","action":"both""#) == "malformed")
            let bob = try await live.account("bob").text
            #expect(try await ask("1.00", #","action":"both","second_account":"\#(bob)""#) == "ok")
        }
    }

    @Test func anActionOfItsOwnTakesThePlaceOfTheDefault() async throws {
        let actions = #""new-recipient":{"max_age":0,"keys":["biometric"]},"existing-recipient":{"max_age":0}"#
        try await run(actions) { _, bank, ada in
            let named = try await bank.ask(ada, Bank.payment(), #","action":"existing-recipient""#)
            #expect(try named.read(ApprovalRecord.self).demand == .oneKey)
        }
        try await run(#""card-details":{"max_age":60}"#) { _, bank, ada in
            let without = try await bank.ask(ada)
            #expect(try without.read(ApprovalRecord.self).demand == .oneKey, "a policy without payments says nothing of them")
        }
    }

    @Test(
        "an amount is in the currency's minor units",
        arguments: [
            ("12.50", "EUR", 1250), ("12", "EUR", 1200), ("12.5", "EUR", 1250), ("0.001", "EUR", 1), ("12.5001", "EUR", 1251),
            ("12", "JPY", 12), ("12.1", "JPY", 13), ("1.5", "KWD", 1500), ("1.2345", "CLF", 12345), ("12.5000", "EUR", 1250),
        ] as [(String, String, Int64)])
    func amounts(_ amount: String, _ currency: String, _ minor: Int64) throws {
        let text = Bank.payment(amount).replacing("EUR", with: currency)
        let transaction = try WireJSON.decode(ApprovalTransaction.self, from: Array(text.utf8))
        #expect(transaction.amount == Money(minor: minor, currency: currency))
    }

    @Test func anAmountThatIsTooLargeHasNone() throws {
        let text = Bank.payment("999999999999999.99")
        let transaction = try WireJSON.decode(ApprovalTransaction.self, from: Array(text.utf8))
        #expect(transaction.amount == nil, "so a rule with thresholds refuses it")
    }
}
#endif
