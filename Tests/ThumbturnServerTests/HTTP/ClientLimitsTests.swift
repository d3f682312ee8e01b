#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// A back end does no more than the limits of its registration allow, however valid its tokens are.
@Suite struct ClientLimitsTests {
    private static func limits(_ change: (inout ClientLimits) -> Void) -> ClientLimits {
        var limits = ClientLimits()
        change(&limits)
        return limits
    }

    /// The transaction as the store keeps it.
    private static func txn(_ json: String) throws -> String {
        Base64URL.encode(WireJSON.encode(try WireJSON.decode(ApprovalTransaction.self, from: Array(json.utf8))))
    }

    private static let login = """
        {"type":"urn:eudi:sca:login_risk_transaction:1","payload":{"transaction_id":"l-1","service":"Shop","action":"Sign in"}}
        """

    // MARK: The rule

    @Test(
        "amounts are compared exactly",
        arguments: [
            ("1", "1", false), ("2", "1", true), ("1", "2", false), ("10", "9", true), ("9", "10", false),
            ("1000.00", "1000", false), ("1000.01", "1000", true), ("999.99", "1000", false), ("0.5", "0.49", true),
            ("0.5", "0.5000", false), ("0.0001", "0", true), ("0", "0.0001", false), ("0.1", "1", false), ("1", "0.1", true),
            ("999999999999999.9999", "999999999999999.9998", true), ("999999999999999", "1000000", true),
        ])
    func amount(_ row: (String, String, Bool)) {
        let (amount, most, isGreater) = row
        #expect(DecimalText.isGreater(amount, than: most) == isGreater)
    }

    @Test func eachLimitIsOfItsOwn() throws {
        let (ada, bob) = (AccountID.random(), AccountID.random())
        let (payment, login) = (try Self.txn(Bank.payment("12.50")), try Self.txn(Self.login))
        #expect(ClientLimits().allow(payment, for: [ada]) && ClientLimits().allow("e30", for: [ada, bob]))
        let accounts = Self.limits { $0.accounts = [ada.text] }
        #expect(accounts.allow(payment, for: [ada]) && !accounts.allow(payment, for: [bob]))
        #expect(!accounts.allow(payment, for: [ada, bob]), "the second approver counts too")
        #expect(!Self.limits { $0.accounts = [] }.allow(payment, for: [ada]))
        let kinds = Self.limits { $0.transactions = [.login] }
        #expect(kinds.allow(login, for: [ada]) && !kinds.allow(payment, for: [ada]))
        for (amounts, isAllowed) in [
            (["EUR": "12.50"], true), (["EUR": "12.49"], false), (["USD": "1000"], false), ([:], false),
            (["EUR": "13", "USD": "1"], true),
        ] as [([String: String], Bool)] {
            let limits = Self.limits { $0.amounts = amounts }
            #expect(limits.allow(payment, for: [ada]) == isAllowed, "\(amounts)")
            #expect(limits.allow(login, for: [ada]), "it has no amount")
        }
        #expect(!kinds.allow("e30", for: [ada]), "a transaction that cannot be read is not within limits")
    }

    @Test func aRateIsOfRequestsInAMinute() {
        let rates = RequestRates<String>()
        let start = UnixTime(seconds: 1_000_000)
        func wait(_ seconds: Int64, _ client: String = "bank", _ rate: Int = 3) -> Duration? {
            rates.wait(of: client, perMinute: rate, at: start + .seconds(seconds))
        }
        for _ in 0..<3 { #expect(wait(0) == nil) }
        #expect(wait(0) == .seconds(20) && wait(0) == .seconds(20), "a refused request is not counted")
        #expect(wait(0, "shop") == nil, "another back end has its own")
        #expect(wait(19) == .seconds(1))
        #expect(wait(20) == nil && wait(20) == .seconds(20))
        #expect(wait(10) != nil, "a clock that steps back frees nothing")
        for _ in 0..<3 { #expect(wait(1_000_000) == nil) }
        #expect(wait(1_000_000) == .seconds(20), "a long pause saves no more than a minute")
        for _ in 0..<1000 { #expect(wait(2_000_000, "fast", 1000) == nil) }
        #expect(wait(2_000_000, "fast", 1000) == .seconds(1))
        rates.tidy(at: start + .seconds(2_000_059))
        #expect(rates.count == 1)
        rates.tidy(at: start + .seconds(2_000_060))
        #expect(rates.count == 0)
    }

    @Test func withMoreCallersThanAreCountedThoseCountedFirstAreForgotten() {
        let (rates, now) = (RequestRates<Int>(most: 4), UnixTime(seconds: 1_000_000))
        #expect(rates.wait(of: 0, perMinute: 1, at: now) == nil)
        for caller in 1...4 { #expect(rates.wait(of: caller, perMinute: 1, at: now) == nil) }
        #expect(rates.wait(of: 0, perMinute: 1, at: now) == .seconds(60), "it is in the older generation")
        for caller in 5...100 {
            _ = rates.wait(of: caller, perMinute: 1, at: now)
            #expect(rates.count <= 8)
        }
        #expect(rates.wait(of: 0, perMinute: 1, at: now) == nil)
        #expect(rates.wait(of: 100, perMinute: 1, at: now) == .seconds(60))
    }

    // MARK: Approvals

    @Test func whatALimitForbidsIsNotAskedFor() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.phone(), try await live.phone("bob"))
            let allowed = Self.limits {
                $0.accounts = [ada.account]
                $0.transactions = [.payment]
                $0.amounts = ["EUR": "100.00"]
            }
            let bank = try await live.bank(limits: allowed)
            for (what, answer) in [
                ("amount", try await bank.ask(ada.account, Bank.payment("100.01", "Super Store", "t-1"))),
                ("account", try await bank.ask(bob.account, Bank.payment("1", "Super Store", "t-2"))),
                ("kind", try await bank.ask(ada.account, Self.login)),
                (
                    "second approver",
                    try await bank.ask(
                        ada.account, Bank.payment("1", "Super Store", "t-3"), #","second_account":"\#(bob.account)""#)
                ),
                (
                    "currency",
                    try await bank.ask(
                        ada.account, Bank.payment("1", "Super Store", "t-4").replacing(#""EUR""#, with: #""USD""#))
                ),
            ] {
                #expect(answer.status == 403 && answer.problem?.error == "insufficient_scope", "\(what): \(answer.text)")
                #expect(answer.challenge == #"DPoP error="insufficient_scope", algs="ES256""#)
            }
            expect(try await ada.auth.approvals().count, is: 0)
            #expect(try await bank.ask(ada.account, Bank.payment("100.00")).status == 201)
        }
    }

    @Test func aLimitThatIsTightenedHoldsForTheRedemption() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            let server = live.server
            let tight = Self.limits { $0.amounts = ["EUR": "12.49"] }
            try await server.changeClient(named: "bank", limits: tight, allowsBearer: nil)
            let refused = try await bank.redeem(id)
            #expect(refused.status == 403 && refused.problem?.error == "insufficient_scope")
            #expect(try await bank.state(id) == .approved, "the operator may still allow it")
            try await server.changeClient(named: "bank", limits: ClientLimits(), allowsBearer: nil)
            #expect(try await bank.redeem(id).kind == "ok")
            try await server.changeClient(named: "bank", limits: tight, allowsBearer: nil)
            #expect(try await bank.redeem(id).kind == "ok", "what was redeemed is told again")
        }
    }

    @Test func theTransactionReadsTheRegistrationAgain() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            let approval = try #require(ApprovalID(id))
            let store = live.service.store
            let found = try await store.approval(approval)
            let txn = try #require(found?.txn)
            let account = try #require(AccountID(ada.account))
            func outcomes() async throws -> String {
                let new = NewApproval(
                    id: .random(), creator: "bank", transactionID: "another", account: account, txn: txn,
                    demand: .oneKey, lifetime: .seconds(60), cap: 8)
                let redemption = Redemption(approval: approval, creator: "bank", key: "k", txn: txn) { _, _, _ in "receipt" }
                let (created, redeemed) = (try await store.create(new), try await store.redeem(redemption))
                guard case .notAllowed = created, case .notAllowed = redeemed else { return "\(created), \(redeemed)" }
                return "not allowed"
            }
            _ = try await store.changeClient("bank", limits: Self.limits { $0.accounts = [] }, allowsBearer: nil)
            expect(try await outcomes(), is: "not allowed")
            expect(try await store.removeClient("bank"), is: true)
            expect(try await outcomes(), is: "not allowed")
            live.clock.advance(by: .seconds(1))
            _ = try await live.backEnd([.approvals])
            let redemption = Redemption(approval: approval, creator: "bank", key: "k", txn: txn) { _, _, _ in "receipt" }
            guard case .notAllowed = try await store.redeem(redemption) else {
                Issue.record("a later back end of the same name redeemed it")
                return
            }
        }
    }

    // MARK: Introspection and rates

    @Test func theTokenOfAnotherAccountIsNotActive() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let account = try await live.account(of: ada)
            let shop = try await live.backEnd([.introspect], named: "shop", limits: Self.limits { $0.accounts = [account] })
            func said(_ one: LiveServer.Enrolled) async throws -> String {
                try await shop.post(
                    "/v1/introspect", "token=\(try await one.signIn().accessToken)",
                    asserting: try shop.assertion(at: live.clock.now)
                ).text
            }
            #expect(try await said(ada).contains(#""active":true"#))
            #expect(try await said(bob) == #"{"active":false}"#)
        }
    }

    @Test func aBackEndBeyondItsRateWaits() async throws {
        try await LiveServer.run { live in
            let shop = try await live.backEnd(
                [.introspect], named: "shop", limits: Self.limits { $0.requestsPerMinute = 2 })
            let bank = try await live.backEnd([.introspect])
            func introspect(_ one: BackEnd) async throws -> LoadConnection.Answer {
                try await one.post("/v1/introspect", "token=x", asserting: try one.assertion(at: live.clock.now))
            }
            #expect(try await shop.token(at: live.clock.now).status == 200, "a request for a token counts too")
            #expect(try await introspect(shop).status == 200)
            for answer in [try await introspect(shop), try await shop.token(at: live.clock.now)] {
                #expect(answer.status == 429 && answer.kind == "unavailable" && answer.problem?.retryAfter == 30)
                #expect(answer.headerNames.contains("retry-after"))
            }
            #expect(try await introspect(bank).status == 200)
            live.clock.advance(by: .seconds(30))
            #expect(try await introspect(shop).status == 200)
            #expect(try await introspect(shop).status == 429)
        }
    }

    // MARK: The file

    @Test func aFileHasNamesOfAccounts() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let path = live.folder + "/limits.json"
            func read(_ text: String) async throws -> ClientLimits {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                return try await live.server.clientLimits(file: path)
            }
            let whole = try await read(
                """
                {"accounts":["ada"],"transactions":["urn:eudi:sca:payment:1"],"amounts":{"EUR":"1000.00"},\
                "requests_per_minute":600}
                """)
            let account = try await live.account(of: ada)
            #expect(whole.accounts == [account] && whole.transactions == [.payment])
            #expect(whole.amounts == ["EUR": "1000.00"] && whole.requestsPerMinute == 600)
            _ = try await live.backEnd([.approvals], limits: whole)
            #expect(try await live.server.clients().map(\.limits) == [whole], "as it is stored")
            #expect(try await read("{}") == ClientLimits())
            for text in [
                "", "[]", #"{"account":["ada"]}"#, #"{"accounts":"ada"}"#, #"{"transactions":["payment"]}"#,
                #"{"amounts":{"EUR":1000}}"#, #"{"amounts":{"EUR":"1,000"}}"#, #"{"amounts":{"eur":"1"}}"#,
                #"{"amounts":{"EUR":"-1"}}"#, #"{"requests_per_minute":0}"#, #"{"requests_per_minute":1000001}"#,
                #"{"amounts":{"EUR":"1","EUR":"2"}}"#,
            ] {
                let error = await #expect(throws: SetupError.self, "\(text)") { _ = try await read(text) }
                #expect(error?.description.contains("does not describe limits") == true, "\(text)")
            }
            await #expect(throws: SetupError.self) { _ = try await read(#"{"accounts":["eve"]}"#) }
            await #expect(throws: SetupError.self) {
                _ = try await live.server.clientLimits(file: path + ".missing")
            }
        }
    }
}
#endif
