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
        // To the byte: 16 KiB are four bytes before the payload and five after it.
        #expect(CompactJWS("e30.\(String(repeating: "A", count: 16_384 - 9)).YmFy") != nil)
        #expect(CompactJWS("e30.\(String(repeating: "A", count: 16_384 - 8)).YmFy") == nil)
    }

    @Test(
        "a time of another issuer is rounded down to its second",
        arguments: [
            ("17", 17), ("17.0", 17), ("17.999", 17), ("1.7e1", 17), ("-1.5", -2), ("9007199254740993", 9_007_199_254_740_993),
            ("1e300", nil), ("\"17\"", nil), ("null", nil), ("true", nil), ("[17]", nil),
        ] as [(String, Int64?)]) func numericDates(_ text: String, _ seconds: Int64?) throws
    {
        struct Claims: Decodable {
            var at: NumericDate?
            var perhaps: IfReadable<NumericDate>?
        }
        let strict = Array(#"{"at":\#(text)}"#.utf8)
        if let seconds {
            let claims = try StrictJSON.decodeIgnoringUnknown(Claims.self, from: strict)
            #expect(claims.at?.time == UnixTime(seconds: seconds))
        } else if text != "null" {
            #expect(throws: JSONError.self) { try StrictJSON.decodeIgnoringUnknown(Claims.self, from: strict) }
        }
        let lenient = try StrictJSON.decodeIgnoringUnknown(Claims.self, from: Array(#"{"perhaps":\#(text)}"#.utf8))
        #expect(lenient.perhaps?.value?.time.seconds == seconds)
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
