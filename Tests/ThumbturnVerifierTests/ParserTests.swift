import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnParsers
import ThumbturnVerifier

/// Every parser of bytes from outside: what it reads, where it stops, and that its work is in proportion to its input.
@Suite struct ParserTests {
    @Test("its examples are read", arguments: Parser.all)
    func examples(_ parser: Parser) {
        for example in parser.examples { #expect(parser.accepts(example), "\(String(decoding: example, as: UTF8.self))") }
    }

    @Test("each parser and each pair has a name of its own, and is found by it")
    func names() {
        let names = Parser.all.map(\.name) + Differential.all.map(\.name)
        #expect(Set(names).count == names.count && names.count >= 19)
        #expect(Parser.all.allSatisfy { Parser.named($0.name)?.name == $0.name })
        #expect(Differential.all.allSatisfy { Differential.named($0.name)?.name == $0.name })
        #expect(Parser.named("none") == nil && Differential.named("none") == nil)
    }

    /// A text with white space behind it stays valid JSON, so nothing but its length is the reason for the refusal.
    @Test(
        "JSON that is longer than its cap is refused",
        arguments: [
            "json", "challenge-request", "policy", "scenario", "vault-record", "transaction", "jwk", "unlock-policy",
            "approval-record", "unlock-policy-file",
        ])
    func capsOfJSON(_ name: String) throws {
        let parser = try #require(Parser.named(name))
        let example = try #require(parser.examples.first)
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: parser.largest - example.count)
        #expect(parser.accepts(example + padding))
        #expect(!parser.accepts(example + padding + [UInt8(ascii: " ")]))
    }

    @Test func aJWSThatIsLongerThanItsCapIsRefused() {
        func jws(_ payload: Int) -> String {
            CompactJWS.compact(
                signingInput: CompactJWS.signingInput(
                    header: Array("{}".utf8), payload: [UInt8](repeating: 65, count: payload)),
                signature: [7])
        }
        #expect(jws(12_282).utf8.count == CompactJWS.largest - 1 && jws(12_283).utf8.count == CompactJWS.largest + 1)
        #expect(CompactJWS(jws(12_282)) != nil && UnverifiedProof.challenge(in: jws(12_282))?.utf8.count == 12_282)
        #expect(CompactJWS(jws(12_283)) == nil && UnverifiedProof.challenge(in: jws(12_283)) == nil)
    }

    @Test func aFormHasAtMost32Fields() {
        func form(_ count: Int) -> [UInt8] { Array((0..<count).map { "f\($0)=" }.joined(separator: "&").utf8) }
        #expect(Form.maximumFields == 32)
        #expect(Form(form(32))?["f31"] == "" && Form(form(33)) == nil)
        // Empty pairs are not fields.
        #expect(Form(Array(repeating: UInt8(ascii: "&"), count: 1000) + form(32)) != nil)
        #expect(Form(Array("a=1&&b=2&".utf8))?["b"] == "2")
    }

    @Test func aPublicKeyAndASignatureHaveTheirLengths() throws {
        let (keys, signatures) = (try #require(Parser.named("spki")), try #require(Parser.named("der-signature")))
        let key = try #require(keys.examples.first)
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: keys.largest - key.count)
        #expect(keys.accepts(key + lines) && !keys.accepts(key + lines + [UInt8(ascii: "\n")]))
        #expect(VerifyingKey.der(ofSPKI: String(repeating: "A", count: keys.largest + 4)) == nil)
        for signature in signatures.examples { #expect(signature.count <= signatures.largest) }
    }

    @Test("hostile inputs are read or refused, and do no harm", arguments: Parser.all)
    func hostile(_ parser: Parser) {
        let inputs = parser.hostile(4096)
        #expect(!inputs.isEmpty)
        var accepted = 0
        for input in inputs {
            #expect(!input.bytes.isEmpty && input.bytes.count <= 4096 + 512, "\(input)")
            if parser.accepts(input.bytes) { accepted += 1 }
        }
        // Most of them are wrong for every parser but the one of plain JSON.
        if parser.name != "json" { #expect(accepted < inputs.count) }
    }

    /// The work is counted in bytes and names that were looked at, not in time.
    @Test func theWorkOfReadingJSONIsInProportionToItsLength() throws {
        let (short, long) = (16 * 1024, 64 * 1024)
        var compared = 0
        for (one, four) in zip(HostileInput.json(short), HostileInput.json(long)) {
            #expect(one.name == four.name && four.bytes.count <= long + 64)
            guard let less = try? JSONTree(one.bytes), let more = try? JSONTree(four.bytes) else { continue }
            compared += 1
            #expect(more.steps <= 20 * four.bytes.count, "\(four): \(more.steps)")
            // A quarter more than in proportion: the last object of a list may not fit.
            let isInProportion = more.steps * one.bytes.count <= less.steps * four.bytes.count * 5 / 4
            #expect(isInProportion, "\(four): \(less.steps), \(more.steps)")
        }
        #expect(compared >= 12)
    }

    @Test("two parsers read the same from the same bytes", arguments: Differential.all)
    func pairs(_ pair: Differential) {
        for example in pair.examples { #expect(pair.difference(example) == nil) }
        for input in HostileInput.json(2048) { #expect(pair.difference(input.bytes) == nil, "\(input)") }
    }

    // MARK: The corpus

    private static let corpus = repository.appendingPathComponent("Fuzz/Corpus")

    /// Inputs that once crashed or hung a parser, and others that are worth keeping.
    @Test func everyFileOfTheCorpusIsReadOrRefused() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted()
        #expect(!folders.isEmpty)
        for folder in folders {
            let (parser, pair) = (Parser.named(folder), Differential.named(folder))
            #expect(parser != nil || pair != nil, "Fuzz/Corpus/\(folder) belongs to no target")
            let files = Self.corpus.appendingPathComponent(folder)
            for file in try FileManager.default.contentsOfDirectory(atPath: files.path).sorted() {
                let bytes = Array(try Data(contentsOf: files.appendingPathComponent(file)))
                let isAccepted = parser?.accepts(bytes) ?? false
                #expect(!isAccepted || !bytes.isEmpty)
                #expect(pair?.difference(bytes) == nil, "Fuzz/Corpus/\(folder)/\(file)")
            }
        }
    }
}
