#if Tools
import Foundation
import Thumbturn
import ThumbturnMessages
import ThumbturnVerifier

/// The answers of a server that judges nothing and keeps nothing, so that a device gets as far as it lets itself be led.
struct HostileAnswers {
    /// The routes that a device uses.
    enum Route: String, Hashable, Sendable, CaseIterable {
        case challenge, claims, ticket, enrolment, token, me, approvals, approval, approvalChallenge, approved
    }

    /// A request, as far as the answers depend on it.
    struct Request {
        var method: String
        /// Behind the manner.
        var path: String
        /// The issuer that the device knows: the manner's address.
        var issuer: String
        var dpop: String?
        var body: [UInt8]
    }

    let manner: HostileManner

    private static let approvalID = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let transaction = Base64URL.encode(
        Array(
            #"""
            {"payload":{"action":"Raise the daily limit","date_time":"2026-11-21T10:20:30Z","service":"Acme Bank",\#
            "transaction_id":"t-1"},"type":"urn:eudi:sca:login_risk_transaction:1"}
            """#.utf8))

    /// The members of the answers of a route, or of a challenge's claims.
    static func members(of route: Route) -> [String] {
        switch route {
        case .challenge: ["challenge", "expires_in"]
        case .claims: ["iss", "aud", "jti", "iat", "exp", "kids", "cnf", "purpose"]
        case .ticket: ["ticket", "account", "fresh", "expires_in"]
        case .enrolment: ["id", "name", "keys", "enrolled_at", "current"]
        case .token: ["access_token", "expires_in", "refresh_token", "token_type"]
        case .me: ["account", "name", "device", "acr", "amr", "auth_time"]
        case .approvals: ["approvals"]
        case .approval: ["id", "state", "txn", "demand", "from", "created_at", "expires_at", "signed"]
        case .approvalChallenge: ["challenge"]
        case .approved: ["id", "state", "txn", "signed"]
        }
    }

    /// The answer to a request in JSON; nil for a route that is not answered.
    func answer(_ request: Request) -> [UInt8]? {
        switch (request.method, request.path) {
        case ("POST", "/v1/challenges"):
            guard let asked = try? StrictJSON.decodeIgnoringUnknown(ChallengeRequest.self, from: request.body) else { return nil }
            return json(["challenge": challenge(asked, request.issuer), "expires_in": 300], of: .challenge)
        case ("POST", "/v1/accounts/sign-in"):
            return json(["ticket": "ticket", "account": "a", "fresh": true, "expires_in": 300], of: .ticket)
        case ("POST", "/v1/devices"):
            guard let asked = try? StrictJSON.decodeIgnoringUnknown(EnrolRequest.self, from: request.body) else { return nil }
            let keys: [[String: Any]] = asked.keys.map { registration in
                let kid = registration.jwk.flatMap { try? VerifyingKey(jwk: $0).thumbprint } ?? ""
                return ["kid": kid, "kind": registration.kind.rawValue, "active": registration.proof != nil]
            }
            return json(
                ["id": "device", "name": asked.name, "keys": keys, "enrolled_at": Self.now, "current": true], of: .enrolment)
        case ("POST", "/v1/token"):
            return json(
                ["access_token": "access", "expires_in": 300, "refresh_token": "refresh", "token_type": "DPoP"], of: .token)
        case ("GET", "/v1/me"):
            return json(
                [
                    "account": "a", "name": "ada", "device": "device", "acr": "urn:thumbturn:acr:software:none", "amr": ["pop"],
                    "auth_time": Self.now,
                ], of: .me)
        case ("GET", "/v1/approvals"):
            return json(["approvals": [wrong(approval(isSigned: false), of: .approval)]], of: .approvals)
        case ("POST", "/v1/approvals/\(Self.approvalID)/challenge"):
            guard
                let asked = try? StrictJSON.decodeIgnoringUnknown(ApprovalChallengeRequest.self, from: request.body),
                let jkt = request.dpop.flatMap(CompactJWS.init).flatMap({
                    try? StrictJSON.decodeIgnoringUnknown(DPoPHeader.self, from: $0.header)
                }).flatMap({ try? VerifyingKey(jwk: $0.jwk).thumbprint })
            else { return nil }
            let wanted = ChallengeRequest(purpose: .approve, act: Self.approvalID, kids: asked.kids, jkt: jkt)
            return json(["challenge": challenge(wanted, request.issuer), "expires_in": 120], of: .approvalChallenge)
        case ("POST", "/v1/approvals/\(Self.approvalID)/proofs"):
            return json(approval(isSigned: true), of: .approved)
        default: return nil
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func approval(isSigned: Bool) -> [String: Any] {
        [
            "id": Self.approvalID, "state": "open", "txn": Self.transaction, "demand": [String: Any](), "from": "shop",
            "created_at": Self.now, "expires_at": Self.now + 300, "signed": isSigned,
        ]
    }

    /// A challenge as it was asked for, except for the manner's claim. Its MAC is of no key: a device cannot check it.
    private func challenge(_ asked: ChallengeRequest, _ issuer: String) -> String {
        var claims: [String: Any] = [
            "iss": issuer, "aud": issuer, "jti": Base64URL.encode(RandomBytes.sixteen()), "iat": Self.now,
            "exp": Self.now + asked.purpose.lifetime.components.seconds, "kids": asked.kids, "cnf": ["jkt": asked.jkt],
            "purpose": asked.purpose.rawValue,
        ]
        claims["act"] = asked.act
        if asked.purpose == .approve { (claims["txn"], claims["demand"]) = (Self.transaction, [String: Any]()) }
        if case .claim(asked.purpose, let claim) = manner.kind { change(claim, in: &claims) }
        let bytes = Self.encode(wrong(claims, of: .claims))
        let header = Array(#"{"alg":"HS256","kid":"1","typ":"thumbturn-challenge+jwt"}"#.utf8)
        return CompactJWS.compact(
            signingInput: CompactJWS.signingInput(header: header, payload: bytes), signature: [UInt8](repeating: 7, count: 32))
    }

    private func change(_ claim: HostileManner.Claim, in claims: inout [String: Any]) {
        let thumbprint = Base64URL.encode([UInt8](repeating: 7, count: 32))
        let kids = claims["kids"] as? [String] ?? []
        switch claim {
        case .issuer: claims["iss"] = "https://elsewhere.example"
        case .audience: claims["aud"] = "https://elsewhere.example"
        case .sessionKey: claims["cnf"] = ["jkt": thumbprint]
        case .key: claims["kids"] = Array(kids.dropLast()) + [thumbprint]
        case .moreKeys: claims["kids"] = kids + [thumbprint]
        case .purpose: claims["purpose"] = "manage"
        case .act: claims["act"] = "pay:EUR:1"
        case .lifetime: claims["exp"] = Self.now + 301
        case .endsBeforeItBegan: (claims["iat"], claims["exp"]) = (Self.now, Self.now)
        case .transaction: claims["txn"] = Base64URL.encode(Array("{}".utf8))
        case .demand: claims["demand"] = ["keys": ["biometric"]]
        }
    }

    // MARK: Wrong members

    private func json(_ members: [String: Any], of route: Route) -> [UInt8] { Self.encode(wrong(members, of: route)) }

    private func wrong(_ members: [String: Any], of route: Route) -> [String: Any] {
        guard case .member(route, let member, let fault) = manner.kind else { return members }
        var members = members
        let right = members[member]
        members[member] = wrongValue(instead: right, fault)
        return members
    }

    /// Nil for a member that is missing.
    private func wrongValue(instead right: Any?, _ fault: HostileManner.Fault) -> Any? {
        switch fault {
        case .missing: nil
        case .null: NSNull()
        case .otherType: right is String ? ["a": 1] as [String: Any] : "text" as Any
        case .empty:
            switch right {
            case is String: ""
            case is [Any]: [Any]()
            case is [String: Any]: [String: Any]()
            default: 0
            }
        case .long: String(repeating: "x", count: 200_000)
        case .negative: -1
        case .largest: Int64.max
        }
    }

    private static func encode(_ members: [String: Any]) -> [UInt8] {
        do {
            return Array(try JSONSerialization.data(withJSONObject: members, options: [.withoutEscapingSlashes]))
        } catch {
            preconditionFailure("these values are of JSON: \(error)")
        }
    }
}
#endif
