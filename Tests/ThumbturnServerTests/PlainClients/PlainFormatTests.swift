#if Tools
import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

/// Plain clients that sign the challenge itself, as many articles show: DER in base64 with padding.
@Suite struct PlainFormatTests {
    typealias Key = PlainClient.Key
    typealias Attempt = EnrolmentTests.Attempt

    @Test func aClientThatNamesItsFormatSignsInWithIt() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live, format: .derChallenge)
            // The encoding has one length in two, and each must do.
            for _ in 1...8 {
                let answer = try await app.signIn()
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try claims(ofPlain: answer.field("access_token"))["acr"] as? String == "urn:thumbturn:acr:none:none")
            }
            let beside = try await PlainClient(live)
            #expect(try await beside.signIn().status == 200, "both formats may be of one account")
        }
    }

    private func claims(ofPlain token: String) throws -> [String: Any] {
        let payload = Data(try #require(CompactJWS(token)).payload)
        return try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
    }

    @Test("a key is accepted in its own format alone", arguments: PlainFormat.allCases)
    func ownFormat(_ format: PlainFormat) async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live, format: format)
            let other = PlainFormat.allCases.first { $0 != format }
            guard case .es256(let key) = app.key, let other else { return }
            let mixed: [(String) throws -> String] = [
                { try app.key.sign(for: $0, other) },
                // The message of one format in the encoding of the other.
                { try app.key.sign(format == .digits ? Array($0.utf8) : Key.message($0)) },
                { try key.signature(for: Key.message($0)).derRepresentation.base64EncodedString() },
                { Base64URL.encode(try key.signature(for: Array($0.utf8)).rawRepresentation) },
            ]
            for (number, sign) in mixed.enumerated() {
                let asked = try await app.ask()
                let refused = try await app.answer(asked.id, try sign(asked.challenge))
                #expect(refused.kind == "verification-failed", "\(format) \(number)")
            }
            #expect(try await app.signIn().status == 200)
        }
    }

    @Test func onlyTheOneEncodingOfASignatureIsRead() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live, format: .derChallenge)
            guard case .es256(let key) = app.key else { return }
            func refused(_ what: String, _ change: (Data) -> String) async throws {
                let asked = try await app.ask()
                var der: Data
                // One signature of some hundred has the same text in base64url.
                repeat {
                    der = try key.signature(for: Array(asked.challenge.utf8)).derRepresentation
                } while change(der) == der.base64EncodedString()
                #expect(try await app.answer(asked.id, change(der)).kind == "verification-failed", "\(what)")
            }
            try await refused("a line break") { $0.base64EncodedString() + "\n" }
            try await refused("a space") { " " + $0.base64EncodedString() }
            try await refused("base64url") { Base64URL.encode(Array($0)) }
            try await refused("more padding") { $0.base64EncodedString() + "====" }
            try await refused("a byte after it") { ($0 + [0]).base64EncodedString() }
            try await refused("a long length") { der in
                (Data([0x30, 0x81, der[der.startIndex + 1]]) + der.dropFirst(2)).base64EncodedString()
            }
            try await refused("a leading zero") { der in
                let length = der[der.startIndex + 3]
                let head = Data([0x30, der[der.startIndex + 1] + 1, 0x02, length + 1, 0])
                return (head + der.dropFirst(4)).base64EncodedString()
            }
            #expect(try await app.signIn().status == 200)
        }
    }

    @Test func anEnrolmentIsInTheFormatThatItNames() async throws {
        try await LiveServer.plain { live in
            let attempt = try await Attempt(live)
            let key = try Key.make("ES256")
            func enrol(_ format: PlainFormat, signed: PlainFormat, _ key: Key = key) async throws -> String {
                let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
                return try await PlainClient.enrol(
                    key, attempt, ticket: ticket, signature: try key.sign(for: ticket, signed), format: format
                ).kind
            }
            #expect(try await enrol(.digits, signed: .derChallenge) == "verification-failed")
            #expect(try await enrol(.derChallenge, signed: .digits) == "verification-failed")
            let rsa = try Key.make("RS256")
            #expect(try await enrol(.derChallenge, signed: .digits, rsa) == "verification-failed", "RSA has no DER")
            #expect(try await enrol(.derChallenge, signed: .derChallenge) == "ok")
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let other = try Key.make("ES256")
            let unknown = try await attempt.post(
                "/v1/plain/devices",
                UnknownFormat(
                    ticket: ticket, name: "Old app", use: .plain, spki: other.spki, signature: try other.sign(for: ticket),
                    format: "guess"))
            #expect(unknown.kind == "malformed")
        }
    }

    private struct UnknownFormat: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case ticket, name, use, spki, signature, format }
        var ticket: String
        var name: String
        var use: DeviceUse
        var spki: String
        var signature: String
        var format: String
    }

    @Test func asManyKeysAreJudgedForEveryAccount() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live, format: .derChallenge)
            let other = try await PlainClient(live, of: "bob")
            for user in [app.userID, other.userID, AccountID.random().text] {
                let before = live.service.counters.verifications.total
                let asked = try await app.ask(user)
                let wrong = try app.key.sign(for: "other words", .derChallenge)
                #expect(try await app.answer(asked.id, wrong, as: user).kind == "verification-failed")
                #expect(live.service.counters.verifications.total - before == 8)
            }
        }
    }

    @Test func aSignatureForAPlainKeyIsNoProofOfADevice() async throws {
        try await LiveServer.plain { live in
            let ada = try await live.device()
            let (challenge, _) = try await ada.challenge()
            let app = try await PlainClient(live, format: .derChallenge)
            let signature = try app.key.sign(for: challenge, .derChallenge)
            #expect(try await app.answer(challenge, signature).kind == "verification-failed")
            let asked = try await app.ask()
            #expect(!asked.challenge.contains("."), "so it is no input of a JWS")
        }
    }
}
#endif
