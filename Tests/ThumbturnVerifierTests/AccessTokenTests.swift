import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

@Suite struct AccessTokenTests {
    let key = TestKey()
    let claims = AccessTokenClaims(
        iss: "https://a.example", aud: "https://api.example", sub: "s", clientID: "app", iat: now, exp: now + .seconds(300),
        jti: "j", sid: "i", did: "d", authTime: now, acr: "acr", amr: ["swk"], cnf: KeyConfirmation(jkt: "k")
    )

    func judge(
        _ text: String, issuer: String = "https://a.example", audience: String = "https://api.example", at time: UnixTime = now
    ) -> VerificationError? {
        refusal {
            _ = try AccessToken(
                text, keys: [key.verifying.thumbprint: key.verifying], issuer: issuer, audience: audience, at: time
            )
        }
    }

    @Test func aTokenIsReadBack() throws {
        let token = try TokenSigner(key.key).sign(claims)
        let read = try AccessToken(
            token, keys: [key.verifying.thumbprint: key.verifying], issuer: claims.iss, audience: claims.aud, at: now
        )
        #expect(read.claims == claims)
        #expect(try AccessToken.kid(of: token) == TokenSigner(key.key).kid)
        #expect(AccessToken.kid(of: "junk") == nil && AccessToken.kid(of: token + ".") == nil)
    }

    @Test func aTokenFromTheFutureIsRefused() throws {
        let token = try TokenSigner(key.key).sign(claims)
        #expect(judge(token, at: now + .seconds(-60)) == nil, "clocks differ a little")
        #expect(judge(token, at: now + .seconds(-61)) == .notYetValid)
        var later = claims
        later.authTime = now + .seconds(60)
        #expect(judge(try TokenSigner(key.key).sign(later)) == nil)
        later.authTime = now + .seconds(61)
        #expect(judge(try TokenSigner(key.key).sign(later)) == .notYetValid, "nor is a person verified in the future")
    }

    @Test func aTokenWithALongerLifeThanItsIssuerGivesIsRefused() throws {
        var longer = claims
        longer.exp = now + .seconds(301)
        let token = try TokenSigner(key.key).sign(longer)
        #expect(judge(token) == .malformed)
        let keys = [key.verifying.thumbprint: key.verifying]
        #expect(
            refusal {
                _ = try AccessToken(
                    token, keys: keys, issuer: claims.iss, audience: claims.aud, longestLife: .seconds(301), at: now)
            } == nil)
        (longer.iat, longer.exp) = (now + .seconds(1), now + .seconds(1))
        #expect(judge(try TokenSigner(key.key).sign(longer)) == .malformed, "issued when it expires")
    }

    @Test func anAgeIsNeverNegative() {
        #expect(TokenTimes.age(of: now, at: now + .seconds(5)) == .seconds(5))
        #expect(TokenTimes.age(of: now, at: now + .seconds(-60)) == .zero)
        #expect(TokenTimes.age(of: now, at: now + .seconds(-61)) == nil)
        #expect(TokenTimes.age(of: UnixTime(seconds: .max), at: UnixTime(seconds: .min)) == nil)
    }

    @Test func everyCheckRefuses() throws {
        let signer = try TokenSigner(key.key)
        let token = try signer.sign(claims)
        let payload = String(decoding: WireJSON.encode(claims), as: UTF8.self)
        let kid = signer.kid
        #expect(judge(token, issuer: "https://b.example") == .wrongIssuer)
        #expect(judge(token, audience: "https://other.example") == .wrongAudience)
        #expect(judge(token, at: now + .seconds(299)) == nil)
        #expect(judge(token, at: now + .seconds(300)) == .expired)
        #expect(judge(try TokenSigner(TestKey().key).sign(claims)) == .unknownKey)
        #expect(
            judge(TestKey().sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"at+jwt"}"#, payload: payload)) == .wrongSignature
        )
        #expect(judge(key.sign(header: #"{"alg":"none","kid":"\#(kid)","typ":"at+jwt"}"#, payload: payload)) == .wrongAlgorithm)
        #expect(judge(key.sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"JWT"}"#, payload: payload)) == .wrongType)
        #expect(judge(key.sign(header: #"{"alg":"ES256","kid":"\#(kid)"}"#, payload: payload)) == .wrongType)
        #expect(
            judge(key.sign(header: #"{"alg":"ES256","crit":["b64"],"kid":"\#(kid)","typ":"at+jwt"}"#, payload: payload))
                == .malformed)
        #expect(
            judge(key.sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: payload))
                == .wrongType)
        #expect(judge(key.sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"application/at+JWT"}"#, payload: payload)) == nil)
        #expect(judge(key.sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"at+jwt"}"#, payload: "{}")) == .malformed)
        #expect(judge(String(token.dropLast(3))) != nil)
    }
}
