#if Tools
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer
import ThumbturnTestKit
import ThumbturnURLSession

/// A back end that has people approve what it is about to do.
struct Bank: Sendable {
    let backEnd: BackEnd
    let clock: TestClock

    static func payment(
        _ amount: String = "12.50", _ payee: String = "Super Store", _ id: String = "t-1",
        iban: String = "DE75512108001245126199"
    ) -> String {
        """
        {"type":"urn:eudi:sca:payment:1","payload":{"transaction_id":"\(id)","payee":{"name":"\(payee)","id":"\(iban)"},\
        "currency":"EUR","amount":"\(amount)"}}
        """
    }

    func send(
        _ method: String, _ path: String, _ json: String? = nil, key: String? = nil
    ) async throws -> LoadConnection.Answer {
        let body = Array((json ?? "").utf8)
        var headers = try await backEnd.headers(method, path, body, by: try await backEnd.accessToken(at: clock.now))
        if let key { headers.append(("Idempotency-Key", key)) }
        return try await backEnd.connection.send(
            method, path, type: json == nil ? nil : "application/json", headers: headers, body: body)
    }

    /// Asks an account to approve.
    ///
    /// - Parameter more: more members, each with its comma before it.
    func ask(
        _ account: String, _ transaction: String = payment(), _ more: String = ""
    ) async throws -> LoadConnection.Answer {
        try await send("POST", "/v1/approvals", #"{"account":"\#(account)","transaction":\#(transaction)\#(more)}"#)
    }

    func redeem(
        _ id: String, _ transaction: String = payment(), key: String = "k-1"
    ) async throws -> LoadConnection.Answer {
        try await send("POST", "/v1/approvals/\(id)/redeem", #"{"transaction":\#(transaction)}"#, key: key)
    }

    func state(_ id: String) async throws -> ApprovalState {
        try await send("GET", "/v1/approvals/\(id)").read(ApprovalRecord.self).state
    }
}

extension LiveServer {
    /// A server with a back end that may ask for approvals.
    static func withBank(
        clock: TestClock = TestClock(), _ configure: (inout ServerSettings) -> Void = { _ in },
        beforeSpending: @escaping @Sendable () async -> Void = {},
        _ test: @escaping @Sendable (LiveServer, Bank) async throws -> Void
    ) async throws {
        try await run(clock: clock, configure: configure, beforeSpending: beforeSpending) { live in
            try await test(live, try await live.bank())
        }
    }

    func bank(
        named name: String = "bank", _ scopes: Set<ClientScope> = [.approvals], limits: ClientLimits = ClientLimits()
    ) async throws -> Bank {
        Bank(backEnd: try await backEnd(scopes, named: name, limits: limits), clock: clock)
    }

    /// A phone with this account, signed in.
    func phone(
        _ account: String = "ada", _ model: SimulatedPhone.Model = .plain, hasPIN: Bool = true,
        transport: any Transport = URLSessionTransport()
    ) async throws -> (phone: SimulatedPhone, auth: Authenticator, account: String) {
        let phone = SimulatedPhone(model, hasPIN: hasPIN)
        let auth = try Authenticator(server: URL(string: url)!, platform: phone.platform(transport: transport))
        try await auth.enrol(with: PasswordSignIn(account: account, password: Self.password))
        _ = try await auth.authenticate("Unlock")
        return (phone, auth, try await auth.me().id)
    }
}
#endif
