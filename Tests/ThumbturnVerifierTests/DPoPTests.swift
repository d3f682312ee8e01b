import Testing
import TestSupport
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

@Suite struct DPoPTests {
    let key = TestKey()
    let request = DPoPProof.Request(method: "POST", uri: "https://a.example/v1/token", body: Array("body".utf8))

    func claims(_ change: (inout DPoPClaims) -> Void = { _ in }) -> DPoPClaims {
        var claims = DPoPClaims(
            jti: "0123456789abcdef", htm: "POST", htu: "https://a.example/v1/token", iat: now, ath: nil, nonce: "n",
            bdy: DPoPProof.hash(Array("body".utf8))
        )
        change(&claims)
        return claims
    }

    func proof(_ claims: DPoPClaims, header: String? = nil) -> String {
        let jwk = String(decoding: WireJSON.encode(key.jwk), as: UTF8.self)
        return key.sign(
            header: header?.replacing("JWK", with: jwk) ?? #"{"alg":"ES256","jwk":\#(jwk),"typ":"dpop+jwt"}"#,
            payload: String(decoding: WireJSON.encode(claims), as: UTF8.self)
        )
    }

    func judge(_ text: String, _ request: DPoPProof.Request? = nil) -> VerificationError? {
        refusal { _ = try DPoPProof(text, for: request ?? self.request, fresh: .nonce(isLive: { $0 == "n" })) }
    }

    @Test func aGoodProofNamesItsKey() throws {
        let proof = try DPoPProof(proof(claims()), for: request, fresh: .nonce(isLive: { $0 == "n" }))
        #expect(proof.jkt == key.verifying.thumbprint)
        #expect(proof.replayKey.count == 16)
    }

    @Test func everyPartOfTheRequestCounts() {
        let table: [(String, DPoPClaims, VerificationError)] = [
            ("method", claims { $0.htm = "GET" }, .wrongRequest),
            ("method in lower case", claims { $0.htm = "post" }, .wrongRequest),
            ("path", claims { $0.htu = "https://a.example/v1/devices" }, .wrongRequest),
            ("host", claims { $0.htu = "https://b.example/v1/token" }, .wrongRequest),
            ("scheme", claims { $0.htu = "http://a.example/v1/token" }, .wrongRequest),
            ("port", claims { $0.htu = "https://a.example:8443/v1/token" }, .wrongRequest),
            ("no address", claims { $0.htu = "/v1/token" }, .wrongRequest),
            ("no URI", claims { $0.htu = "https://a.example/v1/token#\u{E9}" }, .wrongRequest),
            ("token where none is", claims { $0.ath = "x" }, .wrongRequest),
            ("body", claims { $0.bdy = DPoPProof.hash([]) }, .wrongRequest),
            ("no body claim", claims { $0.bdy = nil }, .wrongRequest),
            ("no nonce", claims { $0.nonce = nil }, .nonceNeeded),
            ("old nonce", claims { $0.nonce = "m" }, .nonceNeeded),
            ("short jti", claims { $0.jti = "1234567" }, .malformed),
            ("long jti", claims { $0.jti = String(repeating: "x", count: 129) }, .malformed),
        ]
        for (name, claims, expected) in table { #expect(judge(proof(claims)) == expected, "\(name)") }
    }

    @Test(
        "one address has several spellings",
        arguments: [
            "HTTPS://A.example/v1/token", "https://a.example:443/v1/token", "https://a.example/v1/token?x=1",
            "https://a.example/v1/token#x",
        ])
    func spellings(_ address: String) {
        #expect(judge(proof(claims { $0.htu = address })) == nil)
    }

    @Test(
        "a port that is the scheme's own and an absent path do not count",
        arguments: [
            ("http://a.example/x", "http://a.example:80/x", true), ("https://a.example:443/x", "https://a.example/x", true),
            ("http://a.example/x", "http://a.example:81/x", false), ("http://a.example/x", "http://a.example:443/x", false),
            ("https://a.example/x", "https://a.example:80/x", false), ("https://a.example/", "https://a.example", true),
            ("https://a.example", "https://a.example/", true), ("https://a.example", "https://a.example/x", false),
        ])
    func normalized(_ uri: String, _ htu: String, _ isSame: Bool) {
        var request = request
        request.uri = uri
        #expect(judge(proof(claims { $0.htu = htu }), request) == (isSame ? nil : .wrongRequest))
    }

    @Test(
        "without a nonce, the time of a proof may differ by the window",
        arguments: [(-61, .expired), (-60, nil), (60, nil), (61, .notYetValid)] as [(Int64, VerificationError?)])
    func window(_ seconds: Int64, _ expected: VerificationError?) {
        let text = proof(claims { $0.iat = now + .seconds(seconds) })
        #expect(
            refusal { _ = try DPoPProof(text, for: request, fresh: .issued(within: .seconds(60), of: now)) } == expected)
    }

    @Test func anIdHas8To128Bytes() {
        for length in [8, 128] {
            #expect(judge(proof(claims { $0.jti = String(repeating: "x", count: length) })) == nil, "\(length)")
        }
    }

    @Test func theTokenIsBound() {
        var withToken = request
        withToken.accessToken = "token"
        #expect(judge(proof(claims { $0.ath = DPoPProof.hash(Array("token".utf8)) }), withToken) == nil)
        #expect(judge(proof(claims { $0.ath = DPoPProof.hash(Array("other".utf8)) }), withToken) == .wrongRequest)
        #expect(judge(proof(claims()), withToken) == .wrongRequest)
    }

    @Test func badHeaders() {
        let other = String(decoding: WireJSON.encode(TestKey().jwk), as: UTF8.self)
        let table: [(String, String, VerificationError)] = [
            ("none", #"{"alg":"none","jwk":JWK,"typ":"dpop+jwt"}"#, .wrongAlgorithm),
            ("HS256", #"{"alg":"HS256","jwk":JWK,"typ":"dpop+jwt"}"#, .wrongAlgorithm),
            ("type", #"{"alg":"ES256","jwk":JWK,"typ":"jwt"}"#, .wrongType),
            ("no key", #"{"alg":"ES256","typ":"dpop+jwt"}"#, .malformed),
            ("another key", #"{"alg":"ES256","jwk":\#(other),"typ":"dpop+jwt"}"#, .wrongSignature),
            ("an address for the key", #"{"alg":"ES256","jku":"https://x","jwk":JWK,"typ":"dpop+jwt"}"#, .malformed),
            (
                "a private key", #"{"alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"},"typ":"dpop+jwt"}"#,
                .malformed
            ),
            (
                "no point", #"{"alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"},"typ":"dpop+jwt"}"#,
                .unacceptableKey
            ),
            ("alg twice", #"{"alg":"ES256","alg":"none","jwk":JWK,"typ":"dpop+jwt"}"#, .malformed),
            ("RSA", #"{"alg":"ES256","jwk":{"kty":"RSA","crv":"P-256","x":"AA","y":"AA"},"typ":"dpop+jwt"}"#, .unacceptableKey),
        ]
        for (name, header, expected) in table { #expect(judge(proof(claims(), header: header)) == expected, "\(name)") }
    }

    @Test func claimsAreReadOneWayOnly() {
        let jwk = String(decoding: WireJSON.encode(key.jwk), as: UTF8.self)
        let good = String(decoding: WireJSON.encode(claims()), as: UTF8.self)
        let header = #"{"alg":"ES256","jwk":\#(jwk),"typ":"dpop+jwt"}"#
        #expect(judge(key.sign(header: header, payload: good)) == nil)
        #expect(judge(key.sign(header: header, payload: good.replacing("}", with: #","htm":"DELETE"}"#))) == .malformed)
        #expect(judge(key.sign(header: header, payload: "\u{FEFF}" + good)) == .malformed)
    }

    @Test("the examples of RFC 9449", .enabled(if: Vectors.areHere))
    func examples() throws {
        struct File: Decodable {
            struct Entry: Decodable {
                struct Claims: Decodable {
                    var htm: String?
                    var htu: String?
                    var iat: Int64?
                }
                var jwt: String
                var claims: Claims
                var jkt: String?
            }
            var accessToken: String
            var jwts: [Entry]
        }
        let file = try Vectors.load("rfc9449-dpop/dpop-examples.json", as: File.self)
        var judged = 0
        for (index, entry) in file.jwts.enumerated() {
            guard let method = entry.claims.htm, let address = entry.claims.htu, let iat = entry.claims.iat else { continue }
            judged += 1
            let token = index == 3 ? file.accessToken : nil
            func verify(_ method: String, _ address: String, at time: Int64) throws -> DPoPProof {
                try DPoPProof(
                    entry.jwt, for: .init(method: method, uri: address, accessToken: token),
                    fresh: .issued(within: .seconds(60), of: UnixTime(seconds: time))
                )
            }
            #expect(try verify(method, address, at: iat).jkt == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
            #expect(refusal { _ = try verify(method, address, at: iat + 60) } == nil)
            #expect(refusal { _ = try verify(method, address, at: iat + 61) } == .expired)
            #expect(refusal { _ = try verify(method, address, at: iat - 61) } == .notYetValid)
            #expect(
                refusal {
                    _ = try DPoPProof(
                        entry.jwt, for: .init(method: method, uri: address, accessToken: token),
                        fresh: .issued(within: .seconds(600), of: UnixTime(seconds: iat - 61)))
                } == .notYetValid, "a window for the past opens none to the future")
            #expect(refusal { _ = try verify("PUT", address, at: iat) } == .wrongRequest)
            #expect(refusal { _ = try verify(method, address + "/more", at: iat) } == .wrongRequest)
            #expect(
                refusal {
                    _ = try DPoPProof(
                        entry.jwt, for: .init(method: method, uri: address, accessToken: token),
                        fresh: .nonce(isLive: { _ in true })
                    )
                } == .nonceNeeded
            )
        }
        #expect(judged == 3)
    }
}
