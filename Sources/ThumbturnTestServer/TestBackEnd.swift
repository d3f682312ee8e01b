#if Server
import Crypto
import Foundation
public import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

/// A back end of a test, which asks people to approve what it is about to do. It speaks to the server as any other one does:
/// it authenticates with an assertion (RFC 7523) and uses the routes of `docs/approvals.md`.
public struct TestBackEnd: Sendable {
    /// Its `client_id`.
    public let name: String
    private let server: TestServer
    private let key = P256.Signing.PrivateKey()

    init(name: String, server: TestServer) {
        (self.name, self.server) = (name, server)
    }

    /// The public key that the server knows it by, as an SPKI in PEM.
    var publicKey: String { key.publicKey.pemRepresentation }

    /// An answer of the server that the back end did not expect.
    public struct Refused: Error, CustomStringConvertible {
        /// The HTTP status.
        public let status: Int
        /// The server's problem document.
        public let problem: String

        public var description: String { "the server answered the back end with \(status): \(problem)" }
    }

    /// The JSON of a payment, to be approved with `ask`.
    ///
    /// - Parameters:
    ///   - amount: a decimal text, such as `12.50`.
    ///   - currency: three letters (ISO 4217).
    ///   - payee: the name that the person knows.
    ///   - iban: the payee's account number.
    ///   - id: the back end's own id of the transaction; nil for a new one.
    public static func payment(
        _ amount: String, _ currency: String = "EUR", to payee: String, iban: String = "DE75512108001245126199",
        id: String? = nil
    ) -> String {
        let payload = Payment(
            transaction_id: id ?? UUID().uuidString, payee: .init(name: payee, id: iban), currency: currency, amount: amount)
        return String(
            decoding: StrictJSON.encode(Payment.Transaction(type: ApprovalTransaction.Kind.payment.rawValue, payload: payload)),
            as: UTF8.self)
    }

    private struct Payment: Codable {
        struct Transaction: Codable {
            let type: String
            let payload: Payment
        }
        struct Payee: Codable {
            let name: String
            let id: String
        }
        let transaction_id: String
        let payee: Payee
        let currency: String
        let amount: String
    }

    /// Asks an account to approve a transaction (`POST /v1/approvals`).
    ///
    /// - Parameters:
    ///   - account: the account's name.
    ///   - transaction: its JSON; see `payment`.
    /// - Returns: the id of the approval, for `Authenticator.approval(_:)`.
    /// - Throws: `Refused`; `SetupError.accountUnknown`.
    public func ask(_ account: String, toApprove transaction: String) async throws -> String {
        let account = try await server.id(ofAccountNamed: account)
        let body = #"{"account":"\#(account)","transaction":\#(transaction)}"#
        return try record(try await send("POST", "/v1/approvals", body)).id
    }

    /// The state of an approval (`GET /v1/approvals/{id}`). Throws `Refused`.
    public func state(of approval: String) async throws -> ApprovalState {
        try record(try await send("GET", "/v1/approvals/\(approval)")).state
    }

    /// Redeems an approval, which is possible once: this is where a back end pays (`POST /v1/approvals/{id}/redeem`).
    ///
    /// - Parameters:
    ///   - approval: the id of the approval.
    ///   - transaction: the same JSON as in `ask`.
    /// - Throws: `Refused` where it is not approved, or is redeemed already.
    public func redeem(_ approval: String, of transaction: String) async throws {
        _ = try await send(
            "POST", "/v1/approvals/\(approval)/redeem", #"{"transaction":\#(transaction)}"#,
            ["Idempotency-Key": UUID().uuidString])
    }

    private func record(_ body: [UInt8]) throws -> ApprovalRecord {
        try StrictJSON.decodeIgnoringUnknown(ApprovalRecord.self, from: body)
    }

    private func send(
        _ method: String, _ path: String, _ json: String? = nil, _ headers: [String: String] = [:]
    ) async throws -> [UInt8] {
        var headers = headers
        headers["Authorization"] = "Bearer \(try await accessToken())"
        if json != nil { headers["Content-Type"] = "application/json" }
        return try await exchange(method, path, headers, Array((json ?? "").utf8))
    }

    private func accessToken() async throws -> String {
        let now = server.now.seconds
        let input = CompactJWS.signingInput(
            header: Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8),
            payload: Array(
                """
                {"aud":"\(server.url.absoluteString)","exp":\(now + 60),"iat":\(now),"iss":"\(name)",\
                "jti":"\(UUID().uuidString)","sub":"\(name)"}
                """.utf8))
        let assertion = CompactJWS.compact(
            signingInput: input, signature: Array(try key.signature(for: input).rawRepresentation))
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        let body = try await exchange(
            "POST", "/v1/token", ["Content-Type": "application/x-www-form-urlencoded"],
            Array("grant_type=client_credentials&client_assertion_type=\(type)&client_assertion=\(assertion)".utf8))
        return try JSONDecoder().decode(Token.self, from: Data(body)).access_token
    }

    private struct Token: Decodable { let access_token: String }

    private func exchange(
        _ method: String, _ path: String, _ headers: [String: String], _ body: [UInt8]
    ) async throws -> [UInt8] {
        let answer = try await server.answer(
            TransportRequest(method: method, url: server.url.absoluteString + path, headers: headers, body: body))
        guard (200..<300).contains(answer.status) else {
            throw Refused(status: answer.status, problem: String(decoding: answer.body, as: UTF8.self))
        }
        return answer.body
    }
}
#endif
