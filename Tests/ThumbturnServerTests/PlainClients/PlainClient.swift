#if Tools
import Crypto
import CryptoExtras
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// An app that signs with another library. It has one key, and neither session keys nor DPoP.
struct PlainClient: Sendable {
    enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case rs256(_RSA.Signing.PrivateKey)

        /// Making one takes a moment, so the tests share it.
        static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

        static func make(_ algorithm: String) throws -> Key {
            algorithm == "RS256" ? .rs256(try rsa.get()) : .es256(P256.Signing.PrivateKey())
        }

        var spki: String {
            switch self {
            case .es256(let key): key.publicKey.derRepresentation.base64EncodedString()
            case .rs256(let key): key.publicKey.derRepresentation.base64EncodedString()
            }
        }

        func sign(_ message: [UInt8]) throws -> String {
            switch self {
            case .es256(let key): Base64URL.encode(try key.signature(for: message).rawRepresentation)
            case .rs256(let key): Base64URL.encode(try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation)
            }
        }

        /// The signature as docs/plain-clients.md describes it.
        func sign(for words: String, _ format: PlainFormat = .digits) throws -> String {
            guard format == .derChallenge, case .es256(let key) = self else { return try sign(Self.message(words)) }
            return try key.signature(for: Array(words.utf8)).derRepresentation.base64EncodedString()
        }

        static func message(_ words: String) -> [UInt8] {
            Array(SHA256.hash(data: Array("thumbturn-plain-v1\(words)".utf8)).map { String(format: "%02x", $0) }.joined().utf8)
        }
    }

    let live: LiveServer
    let connection: LoadConnection
    var key: Key
    var format = PlainFormat.digits
    var userID = ""
    var device = ""

    /// A key that is enrolled with the account's password.
    init(_ live: LiveServer, of account: String = "ada", key: Key? = nil, format: PlainFormat = .digits) async throws {
        self.live = live
        self.format = format
        self.key = key ?? .es256(P256.Signing.PrivateKey())
        connection = try await live.connect()
        let answer = try await Self.enrol(self.key, EnrolmentTests.Attempt(live), account, format: format)
        guard answer.status == 201 else { throw LoadDevice.Unexpected(description: answer.text) }
        (userID, device) = (try answer.field("user_id"), try answer.field("device"))
    }

    /// - Parameter attempt: whose session key brings the ticket.
    static func enrol(
        _ key: Key, _ attempt: EnrolmentTests.Attempt, _ account: String = "ada", ticket: String? = nil, spki: String? = nil,
        signature: String? = nil, name: String = "Old app", use: String = "plain",
        format: PlainFormat = .digits
    ) async throws -> LoadConnection.Answer {
        let ticket =
            if let ticket { ticket } else { try await attempt.ticket(account: account).read(EnrolmentTicket.self).ticket }
        var request = [
            "ticket": ticket, "name": name, "use": use, "spki": spki ?? key.spki,
            "signature": try signature ?? key.sign(for: ticket, format),
        ]
        // A client of the first format says nothing about it.
        if format != .digits { request["format"] = format.rawValue }
        let body = try JSONSerialization.data(withJSONObject: request)
        let nonce = try await attempt.device.challenge(over: attempt.connection).nonce
        let proof = attempt.device.dpop("POST", "/v1/plain/devices", Array(body), nonce: nonce)
        return try await attempt.connection.send(
            "POST", "/v1/plain/devices", type: "application/json", headers: [("DPoP", proof)], body: Array(body))
    }

    func post(_ path: String, _ fields: [String: String]) async throws -> LoadConnection.Answer {
        try await connection.send(
            "POST", path, type: "application/json", body: Array(try JSONSerialization.data(withJSONObject: fields)))
    }

    /// A challenge for this account or another one.
    func ask(_ user: String? = nil) async throws -> (id: String, challenge: String) {
        let answer = try await post("/v1/plain/challenges", ["user_id": user ?? userID])
        return (try answer.field("challenge_id"), try answer.field("challenge"))
    }

    func answer(_ id: String, _ signature: String, as user: String? = nil) async throws -> LoadConnection.Answer {
        try await post(
            "/v1/plain/sign-in", ["user_id": user ?? userID, "challenge_id": id, "signature": signature])
    }

    func signIn() async throws -> LoadConnection.Answer {
        let asked = try await ask()
        return try await answer(asked.id, try key.sign(for: asked.challenge, format))
    }

    func token() async throws -> String { try await signIn().field("access_token") }
}

extension LiveServer {
    /// A server that lets plain clients in.
    static func plain(
        _ configure: @escaping (inout ServerSettings) -> Void = { _ in },
        beforeSpending: @escaping @Sendable () async -> Void = {},
        _ test: @escaping @Sendable (LiveServer) async throws -> Void
    ) async throws {
        try await run(
            configure: { settings in
                settings.allowsPlainClients = true
                configure(&settings)
            }, beforeSpending: beforeSpending, test)
    }
}

extension LoadConnection.Answer {
    var fields: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:] }

    /// A member that is a text.
    func field(_ name: String) throws -> String {
        guard let value = fields[name] as? String else { throw LoadDevice.Unexpected(description: "\(status): \(text)") }
        return value
    }
}
#endif
