import Crypto
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier

@Suite struct ChallengeTests {
    let secret = ChallengeSecret(id: "two", bytes: [UInt8](repeating: 2, count: 32))
    let old = ChallengeSecret(id: "one", bytes: [UInt8](repeating: 1, count: 32))
    let request = ChallengeRequest(purpose: .signIn, kids: [TestKey().verifying.thumbprint], jkt: TestKey().verifying.thumbprint)

    func challenges(
        _ secrets: [ChallengeSecret], issuer: String = "https://a.example", audience: String = "https://a.example"
    ) -> Challenges {
        Challenges(issuer: issuer, audience: audience, secrets: secrets)
    }

    func issue(by issuer: Challenges? = nil) throws -> String {
        var generator = SeededGenerator(seed: 7)
        return try (issuer ?? challenges([secret])).issue(request, at: now, using: &generator)
    }

    @Test func aChallengeSaysWhatWasAskedFor() throws {
        let claims = try challenges([secret]).verify(try issue(), for: .signIn, at: now)
        #expect(claims.kids == request.kids && claims.cnf.jkt == request.jkt && claims.purpose == .signIn)
        #expect(claims.exp - claims.iat == .seconds(300))
        #expect(Base64URL.decode(claims.jti)?.count == 20, "the moment, and 128 random bits")
        var generator = SeededGenerator(seed: 8)
        let other = try challenges([secret]).issue(request, at: now, using: &generator)
        #expect(try challenges([secret]).verify(other, for: .signIn, at: now).jti != claims.jti)
    }

    @Test("a challenge that ends when it begins is none") func emptyLife() throws {
        let issuer = challenges([secret])
        var claims = try issuer.verify(try issue(), for: .signIn, at: now)
        (claims.iat, claims.exp) = (now + .seconds(10), now + .seconds(10))
        #expect(refusal { _ = try issuer.verify(issuer.sign(claims), for: .signIn, at: now) } == .malformed)
        claims.iat = now + .seconds(9)
        #expect(refusal { _ = try issuer.verify(issuer.sign(claims), for: .signIn, at: now) } == nil)
    }

    @Test("a challenge holds a transaction of 4 KiB in base64url", arguments: [(4096, nil), (4097, VerificationError.malformed)])
    func largeTransaction(_ length: Int, _ expected: VerificationError?) {
        var generator = SeededGenerator(seed: 7)
        let refused = refusal {
            _ = try challenges([secret]).issue(
                approval: "a", txn: String(repeating: "A", count: length), demand: .oneKey, kids: request.kids, jkt: request.jkt,
                at: now, using: &generator)
        }
        #expect(refused == expected)
    }

    @Test("a header has one spelling") func otherHeader() throws {
        let challenge = try issue()
        let payload = challenge.split(separator: ".")[1]
        let header = Base64URL.encode(Array(#"{"kid":"two","alg":"HS256","typ":"\#(ChallengeClaims.type)"}"#.utf8))
        let input = Array("\(header).\(payload)".utf8)
        let code = HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: [UInt8](repeating: 2, count: 32)))
        let respelled = CompactJWS.compact(signingInput: input, signature: Array(code))
        #expect(refusal { _ = try challenges([secret]).verify(respelled, for: .signIn, at: now) } == .unknownKey)
    }

    @Test(
        "alive until the second it expires, and not long before it is issued",
        arguments: [(299, nil), (300, VerificationError.expired), (301, .expired), (-60, nil), (-61, .notYetValid)])
    func expiry(_ seconds: Int, _ expected: VerificationError?) throws {
        let challenge = try issue()
        #expect(refusal { _ = try challenges([secret]).verify(challenge, for: .signIn, at: now + .seconds(seconds)) } == expected)
    }

    @Test(
        "one that shows when something began may be older than its life, and not older than its reader says",
        arguments: [(300, nil), (659, nil), (660, VerificationError.expired), (-60, nil), (-61, .notYetValid)])
    func beginning(_ seconds: Int, _ expected: VerificationError?) throws {
        let (challenge, time) = (try issue(), now + .seconds(seconds))
        func verify(_ challenge: String, for purpose: Purpose) -> VerificationError? {
            refusal {
                _ = try challenges([secret]).verify(challenge, for: purpose, youngerThan: .seconds(660), at: time)
            }
        }
        #expect(verify(challenge, for: .signIn) == expected)
        #expect(verify(challenge, for: .enrol) == .wrongPurpose)
        #expect(verify(String(challenge.dropLast(8)) + "AAAAAAAA", for: .signIn) == .wrongSignature)
    }

    @Test func secretsRotate() throws {
        let challenge = try issue(by: challenges([old]))
        #expect(refusal { _ = try challenges([secret, old]).verify(challenge, for: .signIn, at: now) } == nil)
        #expect(refusal { _ = try challenges([secret]).verify(challenge, for: .signIn, at: now) } == .unknownKey)
    }

    @Test func purposesIssuersAndAudiencesNeverMix() throws {
        let challenge = try issue()
        #expect(refusal { _ = try challenges([secret]).verify(challenge, for: .enrol, at: now) } == .wrongPurpose)
        #expect(
            refusal { _ = try challenges([secret], issuer: "https://b.example").verify(challenge, for: .signIn, at: now) }
                == .wrongIssuer)
        #expect(
            refusal { _ = try challenges([secret], audience: "https://b.example").verify(challenge, for: .signIn, at: now) }
                == .wrongAudience)
    }

    @Test func whatWeDidNotMakeIsRefused() throws {
        let challenge = try issue()
        let parts = challenge.split(separator: ".").map(String.init)
        let payload = parts[1]
        func mac(_ header: String, _ secret: UInt8 = 2) -> String {
            let input = Base64URL.encode(Array(header.utf8)) + "." + payload
            let code = HMAC<SHA256>.authenticationCode(
                for: Array(input.utf8), using: SymmetricKey(data: [UInt8](repeating: secret, count: 32)))
            return input + "." + Base64URL.encode(Array(code))
        }
        let type = ChallengeClaims.type
        let table: [(String, String, VerificationError)] = [
            ("empty", "", .malformed),
            ("truncated", String(challenge.dropLast(2)), .malformed),
            ("two parts", parts[0] + "." + payload, .malformed),
            ("padded", challenge + "=", .malformed),
            ("another MAC", parts[0] + "." + payload + "." + Base64URL.encode([UInt8](repeating: 0, count: 32)), .wrongSignature),
            ("shorter MAC", parts[0] + "." + payload + "." + Base64URL.encode([UInt8](repeating: 0, count: 16)), .wrongSignature),
            ("another secret", mac(#"{"alg":"HS256","kid":"two","typ":"\#(type)"}"#, 3), .wrongSignature),
            ("alg none", mac(#"{"alg":"none","kid":"two","typ":"\#(type)"}"#), .wrongAlgorithm),
            ("alg ES256", mac(#"{"alg":"ES256","kid":"two","typ":"\#(type)"}"#), .wrongAlgorithm),
            ("another type", mac(#"{"alg":"HS256","kid":"two","typ":"at+jwt"}"#), .wrongType),
            ("another kid", mac(#"{"alg":"HS256","kid":"three","typ":"\#(type)"}"#), .unknownKey),
            ("more header", mac(#"{"alg":"HS256","crit":["x"],"kid":"two","typ":"\#(type)"}"#), .malformed),
            ("no header", mac("{}"), .malformed),
        ]
        for (name, text, expected) in table {
            #expect(refusal { _ = try challenges([secret]).verify(text, for: .signIn, at: now) } == expected, "\(name)")
        }
        #expect(
            refusal {
                _ = try challenges([secret]).verify(mac(#"{"alg":"HS256","kid":"two","typ":"\#(type)"}"#), for: .signIn, at: now)
            } == nil,
            "the table's own MAC is a good one")
    }

    @Test func everyBitOfAChallengeCounts() throws {
        let challenge = Array(try issue().utf8)
        for index in challenge.indices {
            var changed = challenge
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: changed, as: UTF8.self)
            #expect(refusal { _ = try challenges([secret]).verify(text, for: .signIn, at: now) } != nil, "position \(index)")
        }
    }

    @Test func aClaimThatLivesTooLongIsRefused() throws {
        var claims = try challenges([secret]).verify(try issue(), for: .signIn, at: now)
        claims.exp = claims.iat + .seconds(301)
        let challenge = challenges([secret]).sign(claims)
        #expect(refusal { _ = try challenges([secret]).verify(challenge, for: .signIn, at: now) } == .malformed)
    }

    @Test func aPINKeyGetsARandomHandleAndTheOthersAreEchoed() throws {
        let print = TestKey().verifying.thumbprint
        var generator = SeededGenerator(seed: 9)
        func kids(_ purpose: Purpose, _ asked: [String]) throws -> [String] {
            let request = ChallengeRequest(purpose: purpose, kids: asked, jkt: print)
            let challenge = try challenges([secret]).issue(request, at: now, using: &generator)
            return try challenges([secret]).verify(challenge, for: purpose, at: now).kids
        }
        let (first, second) = (try kids(.enrol, [print, "pin"]), try kids(.enrol, [print, "pin"]))
        #expect(first[0] == print && first.count == 2 && PINHandle.isHandle(first[1]) && first != second)
        #expect(first[1].utf8.count == 26 && Base64URL.decode(first[1].dropFirst(4))?.count == 16)
        #expect(try kids(.signIn, [first[1], print]) == [first[1], print])
        for (purpose, asked) in [(Purpose.signIn, ["pin"]), (.enrol, ["pin", "pin"]), (.enrol, [first[1]]), (.signIn, ["pin."])] {
            #expect(refusal { _ = try kids(purpose, asked) } == .malformed, "\(asked)")
        }
    }

    @Test func aChangeOfKeysIsNamedAndItsNewKeyStandsFirst() throws {
        let (print, other) = (TestKey().verifying.thumbprint, TestKey().verifying.thumbprint)
        let handle = "pin." + Base64URL.encode([UInt8](repeating: 1, count: 16))
        var generator = SeededGenerator(seed: 9)
        func claims(_ purpose: Purpose, _ act: String?, _ asked: [String]) throws -> ChallengeClaims {
            let request = ChallengeRequest(purpose: purpose, act: act, kids: asked, jkt: print)
            let challenge = try challenges([secret]).issue(request, at: now, using: &generator)
            return try challenges([secret]).verify(challenge, for: purpose, at: now)
        }
        for change in KeyChange.allCases {
            let act = change.rawValue
            let good =
                !change.bringsKey ? [print, handle] : change.kind == .pin ? ["pin", print, handle] : [other, print, handle]
            let answered = try claims(.manage, act, good)
            #expect(answered.act == act && answered.kids.dropFirst() == good.dropFirst()[...])
            #expect(PINHandle.isHandle(answered.kids[0]) == (change.bringsKey && change.kind == .pin))
            #expect(answered.kids[0] != handle)
            let wrong: [[String]] =
                !change.bringsKey
                ? [["pin"], [print, "pin"]]
                : change.kind == .pin ? [[handle, print], [print], [print, "pin"]] : [[handle], ["pin"]]
            for kids in wrong + [[], ["x"], [good[0], "x"]] {
                #expect(refusal { _ = try claims(.manage, act, kids) } == .malformed, "\(act) \(kids)")
            }
            #expect(refusal { _ = try claims(.signIn, act, [print]) } == .malformed)
            #expect(refusal { _ = try claims(.enrol, act, [print]) } == .malformed)
        }
        for act in [nil, "", "open-sesame"] { #expect(refusal { _ = try claims(.manage, act, [print]) } == .malformed) }
    }

    @Test("the request is bounded", arguments: [[], ["x"], ["a", "a"]])
    func requests(_ kids: [String]) {
        var generator = SeededGenerator(seed: 1)
        let print = TestKey().verifying.thumbprint
        let request = ChallengeRequest(purpose: .signIn, kids: kids == ["a", "a"] ? [print, print] : kids, jkt: print)
        #expect(refusal { _ = try challenges([secret]).issue(request, at: now, using: &generator) } == .malformed)
        let five = ChallengeRequest(purpose: .signIn, kids: (0..<5).map { _ in TestKey().verifying.thumbprint }, jkt: print)
        #expect(refusal { _ = try challenges([secret]).issue(five, at: now, using: &generator) } == .malformed)
        let noKey = ChallengeRequest(purpose: .signIn, kids: [print], jkt: String(repeating: "A", count: 44))
        #expect(refusal { _ = try challenges([secret]).issue(noKey, at: now, using: &generator) } == .malformed)
    }
}
