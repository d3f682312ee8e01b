import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit

@Suite struct JOSETests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
    func base64urlOfRFC4648(_ plain: String, _ encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test func base64urlReadsWhatItWrites() {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed \(generator.seed)")
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...70, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "every byte string has one spelling",
        arguments: ["Zg==", "Zh", "Zm9", "Z", "Zm9vY", "Zm+v", "Zm/v", "Zm 9v", "Zg\n", "Zm9vé"])
    func notCanonical(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: [
        "", "e30", "e30.e30", "e30.e30.", ".e30.e30", "e30..e30", "e30.e30.e30.e30", "e30.e30.e3", "e30.e30.e30=", "e30 .e30.e30",
    ])
    func aJWSHasThreeCanonicalParts(_ text: String) {
        #expect(CompactJWS(text) == nil)
    }

    @Test func aJWSIsSplit() throws {
        let jws = try #require(CompactJWS("e30.Zm9v.YmFy"))
        #expect(jws.header == Array("{}".utf8))
        #expect(jws.payload == Array("foo".utf8))
        #expect(jws.signature == Array("bar".utf8))
        #expect(jws.signingInput == Array("e30.Zm9v".utf8))
        #expect(CompactJWS.compact(signingInput: jws.signingInput, signature: jws.signature) == "e30.Zm9v.YmFy")
    }

    @Test func aJWSIsCapped() {
        #expect(CompactJWS("e30.\(String(repeating: "A", count: 12_000)).YmFy") != nil)
        #expect(CompactJWS("e30.\(String(repeating: "A", count: 16_384)).YmFy") == nil)
    }

    @Test(
        "JSON that everybody reads alike",
        arguments: [
            (#"{}"#, true), (#" {"a":[1,-2.5e3,true,null,"x"],"b":{"a":1}} "#, true), (#"{"é":1,"e":2}"#, true), (#""a""#, true),
            (#"{"a":1,"a":2}"#, false), (#"{"a":1,"\u0061":2}"#, false), (#"{"x":{"a":1,"a":1}}"#, false),
            (#"[{"a":1,"a":1}]"#, false),
            ("\u{FEFF}{}", false), ("", false), ("{", false), ("{}{}", false), (#"{"a"}"#, false), (#"{"a":}"#, false),
            (#"{a:1}"#, false),
            ("{\"a\u{1}\":1}", false), (#"{"\u0000":1}"#, false), (#"{"\ud800":1}"#, false), (#"{"\q":1}"#, false),
            (#"["a]"#, false),
            (#"{"a":1,}"#, false), ("[1,]", false),
        ])
    func scan(_ text: String, _ expected: Bool) {
        #expect(JSONScan.isUnambiguous(Array(text.utf8)) == expected, "\(text)")
    }

    @Test func jsonIsUTF8AndShallow() {
        #expect(!JSONScan.isUnambiguous([0x7B, 0x00, 0x7D, 0x00]), "UTF-16")
        #expect(!JSONScan.isUnambiguous([0x22, 0xFF, 0x22]))
        let deep = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)).utf8)
        }
        #expect(JSONScan.isUnambiguous(deep(16)))
        #expect(!JSONScan.isUnambiguous(deep(17)))
        #expect(!JSONScan.isUnambiguous(deep(100_000)))
    }

    /// The grammar of RFC 8259 section 6: decoders differ in what else they take.
    @Test func numbersHaveOneSpelling() {
        for right in ["0", "-0", "10", "1.5", "-1.25e+10", "1E9", "0.0", "true", "false", "null"] {
            #expect(JSONScan.isUnambiguous(Array("[\(right)]".utf8)), "\(right)")
        }
        for wrong in ["00", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "True", "nul", "1.5.5", "1-1"] {
            #expect(!JSONScan.isUnambiguous(Array("[\(wrong)]".utf8)), "\(wrong)")
        }
    }

    @Test func aKeyIsItsPoint() throws {
        let point: [UInt8] = [4] + (0..<64).map { UInt8($0) }
        let key = try #require(JWK(x963: point))
        #expect(key.x963 == point)
        #expect(String(decoding: key.thumbprintInput, as: UTF8.self).hasPrefix(#"{"crv":"P-256","kty":"EC","x":"AAEC"#))
        #expect(JWK(x963: Array(point.dropLast())) == nil)
        #expect(JWK(x963: [2] + point.dropFirst()) == nil)
    }
}
