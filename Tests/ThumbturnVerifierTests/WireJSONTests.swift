import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit

@testable import ThumbturnVerifier

/// Our own reading and writing of JSON says what Foundation's says.
@Suite struct WireJSONTests {
    private static let claims = ChallengeClaims(
        iss: "https://a.example", aud: "https://a.example", jti: "AAAA", iat: now, exp: now + .seconds(300), kids: ["k", "pin"],
        cnf: KeyConfirmation(jkt: "é \"\\\u{1}/"), purpose: .signIn
    )

    @Test func whatIsWrittenIsReadBackByFoundation() throws {
        func check<M: Message & Equatable>(_ message: M) throws {
            let bytes = WireJSON.encode(message)
            #expect(try JSONDecoder().decode(M.self, from: Data(bytes)) == message)
            #expect(try WireJSON.decode(M.self, from: bytes) == message)
            #expect(try WireJSON.decode(M.self, from: Array(try JSONEncoder().encode(message))) == message)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            #expect(bytes == Array(try encoder.encode(message)))
        }
        try check(Self.claims)
        try check(ChallengeRequest(purpose: .manage, act: "set-pin", kids: ["pin", "a"], jkt: "j"))
        try check(JWK(x: Array(repeating: 1, count: 32), y: Array(repeating: 2, count: 32), kid: "k", use: "sig", alg: "ES256"))
    }

    /// Damaged in one place at a time: what is accepted here is accepted there, and means the same.
    @Test func noDamagedTextIsTakenForAnotherMeaning() throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        let text = WireJSON.encode(Self.claims)
        print("seed \(generator.seed)")
        var accepted = 0
        for _ in 0..<20_000 {
            var damaged = text
            let at = Int.random(in: 0..<damaged.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: damaged[at] = UInt8.random(in: 0...255, using: &generator)
            case 1: damaged.remove(at: at)
            default: damaged.insert(Array("{}[]\",:\\u0e1-.tn".utf8).randomElement(using: &generator)!, at: at)
            }
            guard let read = try? WireJSON.decode(ChallengeClaims.self, from: damaged) else { continue }
            accepted += 1
            let theirs = try? JSONDecoder().decode(ChallengeClaims.self, from: Data(damaged))
            #expect(theirs == read, "\(String(decoding: damaged, as: UTF8.self))")
        }
        #expect(accepted > 100)
    }

    @Test func unknownMembersAreRefusedAndOfClaimsIgnored() {
        let text = Array(#"{"jkt":"a","more":1}"#.utf8)
        #expect(refusal { _ = try WireJSON.decode(KeyConfirmation.self, from: text) } == .malformed)
        #expect(refusal { _ = try WireJSON.decodeClaims(KeyConfirmation.self, from: text) } == nil)
    }

    @Test func aNumberIsWholeHoweverItIsSpelled() throws {
        for (text, seconds) in [("17", 17), ("17.0", 17), ("1.7e1", 17), ("-3", -3)] as [(String, Int64)] {
            #expect(try WireJSON.decodeClaims([UnixTime].self, from: Array("[\(text)]".utf8)) == [UnixTime(seconds: seconds)])
        }
        #expect(WireJSON.encode([0.95, 1, 1e-7]) == Array("[0.95,1,1e-07]".utf8))
        #expect(try WireJSON.decodeClaims([Double].self, from: Array("[0.95,1]".utf8)) == [0.95, 1])
        for text in ["17.5", "\"17\"", "true", "null", "9223372036854775808", "1e400"] {
            #expect(
                refusal { _ = try WireJSON.decodeClaims([UnixTime].self, from: Array("[\(text)]".utf8)) } == .malformed, "\(text)"
            )
        }
    }

    private struct Nested: Codable {
        enum Sum: Codable {
            case none
            case one(String)
            case named(amount: Int64, of: String?)
        }
        struct Empty: Codable {}

        var z = "last, and \"quoted\" \\ \u{1}\u{7F} é"
        var sums: [Sum] = [.none, .one(""), .named(amount: -5, of: nil), .named(amount: .max, of: "x")]
        var byName: [String: [Int64]] = ["b": [], "a": [1, 2], "\"": [3]]
        var empties: [Empty] = [Empty(), Empty()]
        var optionals: [String?] = ["a", nil]
        var absent: String?
        var flags: [[Bool]] = [[], [true], [false, true]]
        var a = Empty()
        var inner = [["k": ["v": "w"]]]
    }

    @Test func everyShapeIsWrittenAsFoundationWritesIt() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(WireJSON.encode(Nested()) == Array(try encoder.encode(Nested())))
    }

    @Test func membersWrittenInTurnsAreAllThere() {
        struct InTurns: Encodable {
            enum First: String, CodingKey { case b }
            enum Second: String, CodingKey { case a }

            func encode(to encoder: any Encoder) throws {
                var first = encoder.container(keyedBy: First.self)
                try first.encode(1, forKey: .b)
                var second = encoder.container(keyedBy: Second.self)
                try second.encode("x", forKey: .a)
            }
        }
        #expect(WireJSON.encode(InTurns()) == Array(#"{"a":"x","b":1}"#.utf8))
    }
}
