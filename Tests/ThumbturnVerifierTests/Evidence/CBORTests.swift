import Foundation
import TestSupport
import Testing
import ThumbturnParsers
import ThumbturnTestKit
import ThumbturnVerifier

private let wide = CBOR.Limits(bytes: 1 << 20, items: 1 << 20, members: 1 << 20, depth: 16)
private let all: CBOR.Leniency = [.anyOrder, .longHeads, .tags]

private func reason(
    _ bytes: [UInt8], _ leniency: CBOR.Leniency = [], within limits: CBOR.Limits = wide
) -> EvidenceRefusal.Reason? {
    do throws(EvidenceRefusal) {
        _ = try CBOR(bytes[...], leniency, within: limits)
        return nil
    } catch {
        return error.reason
    }
}

private func reason(
    _ item: MintedCBOR, _ leniency: CBOR.Leniency = [], within limits: CBOR.Limits = wide
) -> EvidenceRefusal.Reason? {
    reason(item.encoded, leniency, within: limits)
}

@Suite struct CBORTests {
    // MARK: The examples of RFC 8949

    struct Example: Decodable, Sendable, CustomTestStringConvertible {
        let cbor: String
        let hex: String
        let roundtrip: Bool
        let diagnostic: String?
        var bytes: [UInt8] { Array(Data(base64Encoded: cbor) ?? Data()) }
        var testDescription: String { hex }
    }

    /// One item as the diagnostic notation of RFC 8949 section 8 writes it, so that a difference of one bit shows.
    private static func shown(_ item: CBOR.Item) -> String {
        switch item.kind {
        case .unsigned: "\(item.magnitude ?? 0)"
        case .negative: "-1-\(item.magnitude ?? 0)"
        case .bytes: "h'" + (item.bytes ?? []).map { String(format: "%02x", $0) }.joined() + "'"
        case .text: "\"\(item.text ?? "")\""
        case .array: "[" + (item.elements ?? []).map(shown).joined(separator: ",") + "]"
        case .map: "{" + (item.members ?? []).map { shown($0.key) + ":" + shown($0.value) }.joined(separator: ",") + "}"
        case .tag: item.tagged.map { "\($0.tag)(\(shown($0.item)))" } ?? ""
        case .simple: "s\(item.simple ?? 0)"
        case .float: "\(item.double ?? 0)"
        }
    }

    /// What the examples hold, in the same notation and in the order of the file; those of indefinite length are missing.
    private static let expected = """
        0 1 10 23 24 25 100 1000 1000000 1000000000000 18446744073709551615 2(h'010000000000000000')
        -1-18446744073709551615 3(h'010000000000000000') -1-0 -1-9 -1-99 -1-999
        0.0 -0.0 1.0 1.1 1.5 65504.0 100000.0 3.4028234663852886e+38 1e+300 5.960464477539063e-08 6.103515625e-05 -4.0 -4.1
        inf nan -inf inf nan -inf inf nan -inf s20 s21 s22 s23 s16 refused s255
        0("2013-03-21T20:04:00Z") 1(1363896240) 1(1363896240.5) 23(h'01020304') 24(h'6449455446') 32("http://www.example.com")
        h'' h'01020304' "" "a" "IETF" ""\\" "ü" "水" "𐅑" [] [1,2,3] [1,[2,3],[4,5]]
        [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25] {} {1:2,3:4} {"a":1,"b":[2,3]} ["a",{"b":"c"}]
        {"a":"A","b":"B","c":"C","d":"D","e":"E"}
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test(.enabled(if: Vectors.areHere)) func theExamplesOfTheStandardAreReadOrRefused() throws {
        let examples = try Vectors.load("cbor-test-vectors/appendix_a.json", as: [Example].self)
        #expect(examples.count == 82)
        let endless = examples.filter { example in
            ["5f", "7f", "9f", "bf", "83018202039f", "83019f", "826161bf"].contains { example.hex.hasPrefix($0) }
        }
        #expect(endless.count == 11)
        for example in endless { #expect(reason(example.bytes, all) == .malformed, "\(example.hex)") }
        let definite = examples.filter { example in !endless.contains { $0.hex == example.hex } }
        #expect(definite.count == 71 && definite.count == Self.expected.count)
        for (example, expected) in zip(definite, Self.expected) {
            // simple(24) in two bytes was an example of RFC 7049 and is not well-formed since RFC 8949 section 3.3.
            guard expected != "refused" else {
                #expect(reason(example.bytes, all) == .malformed)
                continue
            }
            let read = try CBOR(example.bytes[...], all, within: wide)
            #expect(Self.shown(read.root) == expected, "\(example.hex)")
            #expect(Array(read.root.encoded) == example.bytes)
        }
    }

    // MARK: The canonical form

    @Test("each deviation is refused, and is read with the leniency that allows it, alone") func deviations() {
        let rows: [(MintedCBOR, CBOR.Leniency, EvidenceRefusal.Reason)] = [
            (.wide(.unsigned(23), bytes: 1), .longHeads, .malformed),
            (.wide(.unsigned(255), bytes: 2), .longHeads, .malformed),
            (.wide(.unsigned(65535), bytes: 4), .longHeads, .malformed),
            (.wide(.unsigned(4_294_967_295), bytes: 8), .longHeads, .malformed),
            (.wide(.negative(0), bytes: 8), .longHeads, .malformed),
            (.wide(.bytes([1]), bytes: 1), .longHeads, .malformed),
            (.wide(.text("a"), bytes: 2), .longHeads, .malformed),
            (.wide(.array([.unsigned(1)]), bytes: 4), .longHeads, .malformed),
            (.wide(.object([("a", .unsigned(1))]), bytes: 8), .longHeads, .malformed),
            (.object([("b", .unsigned(1)), ("a", .unsigned(1))]), .anyOrder, .malformed),
            (.object([("aa", .unsigned(1)), ("b", .unsigned(1))]), .anyOrder, .malformed),
            (.map([(.int(-1), .unsigned(1)), (.unsigned(1), .unsigned(1))]), .anyOrder, .malformed),
            (.map([(.int(-2), .unsigned(1)), (.int(-1), .unsigned(1))]), .anyOrder, .malformed),
            (.map([(.text("a"), .unsigned(1)), (.bytes([1]), .unsigned(1))]), .anyOrder, .malformed),
            (.tag(1, .unsigned(1)), .tags, .unsupported),
        ]
        for (item, leniency, expected) in rows {
            #expect(reason(item) == expected, "\(item)")
            #expect(reason(item, leniency) == nil, "\(item)")
            #expect(reason(item, all.subtracting(leniency)) == expected, "\(item)")
        }
    }

    @Test func theLimitOfEachHeadIsTheShortestForm() {
        for number: UInt64 in [0, 23, 24, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, .max] {
            #expect(reason(.unsigned(number)) == nil && reason(.negative(number)) == nil)
        }
        #expect(CBORTests.read(.negative(.max))?.integer == nil && CBORTests.read(.unsigned(.max))?.integer == nil)
        #expect(CBORTests.read(.int(.min))?.integer == .min && CBORTests.read(.int(.max))?.integer == .max)
    }

    @Test(
        "no leniency allows it",
        arguments: [
            MintedCBOR.indefinite(.bytes([1])), .indefinite(.text("a")), .indefinite(.array([.unsigned(1)])),
            .indefinite(.object([("a", .unsigned(1))])), .raw([0xFF]), .raw([0x1C]), .raw([0x5D]), .raw([0xFE]),
            .raw([0xF8, 24]), .raw([0xF8, 0]), .raw([]), .raw([0x18]), .raw([0x19, 1]), .raw([0x41]), .raw([0x62, 0x61]),
            .raw([0x81]), .raw([0xA1, 1]), .raw([0xC1]), .raw([0xFB, 0]), .raw([0, 0]),
            .array([.raw([0x9B, 0, 0, 0, 0, 0, 0, 0, 9])]),
            .raw([0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            // Not UTF-8: a surrogate, an overlong form, a lone continuation, an end in the middle.
            .raw([0x63, 0xED, 0xA0, 0x80]), .raw([0x62, 0xC0, 0x80]), .raw([0x61, 0x80]), .raw([0x61, 0xC3]),
        ])
    func neverRead(_ item: MintedCBOR) { #expect(reason(item, all) == .malformed) }

    // MARK: Keys

    /// Two parsers that read the first and the last of two equal keys would disagree.
    @Test("a key that comes twice is refused in each of its spellings") func duplicates() {
        let keys: [(MintedCBOR, MintedCBOR)] = [
            (.text("a"), .text("a")), (.text("a"), .wide(.text("a"), bytes: 1)), (.wide(.text("a"), bytes: 8), .text("a")),
            (.unsigned(1), .unsigned(1)), (.unsigned(1), .wide(.unsigned(1), bytes: 4)),
            (.int(-7), .wide(.int(-7), bytes: 1)), (.bytes([1, 2]), .wide(.bytes([1, 2]), bytes: 2)),
            (.bytes([]), .bytes([])), (.text(""), .text("")),
        ]
        for (one, other) in keys {
            let between: [(key: MintedCBOR, value: MintedCBOR)] = [(.text("zzz"), .unsigned(9))]
            for pairs in [
                [(key: one, value: MintedCBOR.unsigned(1)), (other, .unsigned(2))],
                [(one, .unsigned(1))] + between + [(other, .unsigned(1))],
            ] {
                #expect(reason(.map(pairs), all) == .malformed, "\(pairs)")
                #expect(reason(.map(pairs)) == .malformed, "\(pairs)")
                #expect(reason(.array([.map([(.unsigned(0), .map(pairs))])]), all) == .malformed, "inside others: \(pairs)")
            }
        }
        // The same bytes of another kind are another key.
        #expect(reason(.map([(.bytes([97]), .unsigned(1)), (.text("a"), .unsigned(2))])) == nil)
        #expect(reason(.map([(.unsigned(1), .unsigned(1)), (.int(-2), .unsigned(2))])) == nil)
    }

    @Test func twoSpellingsOfOneLetterAreTwoKeys() {
        let item = CBORTests.read(.object([("\u{e9}", .unsigned(1)), ("e\u{301}", .unsigned(2))]), .anyOrder)
        #expect(item?[name: "\u{e9}"]?.integer == 1 && item?[name: "e\u{301}"]?.integer == 2)
    }

    @Test(
        "only numbers, bytes and text are keys",
        arguments: [
            MintedCBOR.array([]), .map([]), .simple(22), .raw([0xF9, 0x3C, 0]), .tag(2, .bytes([1])),
        ])
    func keys(_ key: MintedCBOR) { #expect(reason(.map([(key, .unsigned(1))]), all) == .unsupported) }

    // MARK: Caps

    @Test func eachCapRefusesWhatIsOneAboveIt() {
        let limits = CBOR.Limits(bytes: 40, items: 10, members: 3, depth: 2)
        func list(_ count: Int) -> MintedCBOR { .array((0..<count).map { _ in .unsigned(0) }) }
        #expect(reason(.bytes([UInt8](repeating: 0, count: 38)), within: limits) == nil)
        #expect(reason(.bytes([UInt8](repeating: 0, count: 39)), within: limits) == .tooLarge)
        #expect(reason(list(3), within: limits) == nil && reason(list(4), within: limits) == .tooLarge)
        #expect(reason(.array([list(3), list(3), .unsigned(0)]), within: limits) == nil)
        #expect(reason(.array([list(3), list(3), list(0)]), within: limits) == nil)
        #expect(reason(.array([list(3), list(3), list(1)]), within: limits) == .tooLarge)
        #expect(reason(.array([.array([.array([])])]), within: limits) == .tooLarge)
        #expect(reason(.tag(1, .tag(1, .unsigned(1))), all, within: limits) == nil)
        #expect(reason(.tag(1, .tag(1, .tag(1, .unsigned(1)))), all, within: limits) == .tooLarge)
    }

    @Test func deepNestingIsRefusedWithoutRecursion() {
        let deep = [UInt8](repeating: 0x81, count: 1 << 19)
        #expect(reason(deep, within: CBOR.Limits(bytes: 1 << 20, items: 1 << 20, members: 8, depth: 1 << 20)) == .malformed)
        #expect(reason(deep + [0], within: CBOR.Limits(bytes: 1 << 20, items: 1 << 20, members: 8, depth: 1 << 20)) == nil)
        #expect(reason(deep, within: wide) == .tooLarge)
    }

    /// The work is counted in bytes and items that were looked at, not in time.
    @Test func theWorkIsInProportionToTheLength() throws {
        var compared = 0
        for leniency in [CBOR.Leniency.anyOrder, []] {
            for (one, four) in zip(HostileInput.cbor(16 * 1024), HostileInput.cbor(64 * 1024)) {
                #expect(one.name == four.name)
                guard let less = try? CBOR(one.bytes[...], leniency, within: wide),
                    let more = try? CBOR(four.bytes[...], leniency, within: wide)
                else { continue }
                compared += 1
                #expect(more.steps <= 6 * four.bytes.count, "\(four): \(more.steps)")
                let isInProportion = more.steps * one.bytes.count <= less.steps * four.bytes.count * 5 / 4
                #expect(isInProportion, "\(four): \(less.steps), \(more.steps)")
            }
        }
        #expect(compared >= 6)
    }

    // MARK: Reading on

    @Test func anItemIsReadFromTheFrontAndTheRestIsGiven() throws {
        let first = MintedCBOR.object([("a", .array([.int(-1), .text("x")]))]).encoded
        let (item, rest) = try CBOR.read((first + [1, 2, 3])[...], within: wide)
        #expect(Array(rest) == [1, 2, 3] && Array(item.root.encoded) == first)
        let slice = ([9, 9] + first)[2...]
        #expect(try CBOR(slice, within: wide).root[name: "a"]?.elements?.map(\.integer) == [-1, nil])
    }

    @Test func whatIsNotThereIsNil() throws {
        let item = try #require(CBORTests.read(.object([("a", .unsigned(1))])))
        #expect(item[name: "b"] == nil && item[number: 1] == nil && item.elements == nil && item.bytes == nil)
        #expect(item.text == nil && item.integer == nil && item.double == nil && item.simple == nil && item.tagged == nil)
        #expect(item[name: "a"]?[name: "a"] == nil && item[name: "a"]?.members == nil)
    }

    @Test("random bytes and changed items are read or refused, and what is read is written as it was")
    func random() throws {
        var generator = SeededGenerator(seed: 0xCB0B)
        print("seed \(generator.seed)")
        let base = MintedCBOR.object([
            ("x", .array([.bytes([1, 2, 3]), .unsigned(500)])), ("ab", .map([(.int(3), .simple(20)), (.int(-4), .text("é"))])),
        ]).encoded
        #expect(reason(base) == nil)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = base
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[at] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let read = try? CBOR(bytes[...], within: wide) else { continue }
            accepted += 1
            #expect(Self.minted(read.root).encoded == bytes, "\(bytes)")
        }
        #expect(accepted > 100)
    }

    /// The item as it was read, to be written again: in the canonical form one value has one encoding.
    private static func minted(_ item: CBOR.Item) -> MintedCBOR {
        switch item.kind {
        case .unsigned: .unsigned(item.magnitude ?? 0)
        case .negative: .negative(item.magnitude ?? 0)
        case .bytes: .bytes(Array(item.bytes ?? []))
        case .text: .text(item.text ?? "")
        case .array: .array((item.elements ?? []).map(minted))
        case .map: .map((item.members ?? []).map { (minted($0.key), minted($0.value)) })
        case .tag, .float: .raw(Array(item.encoded))
        case .simple: .simple(item.simple ?? 0)
        }
    }

    private static func read(_ item: MintedCBOR, _ leniency: CBOR.Leniency = []) -> CBOR.Item? {
        (try? CBOR(item.encoded[...], leniency, within: wide))?.root
    }
}
