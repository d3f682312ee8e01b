import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

@Suite struct PlainTokenTests {
    let key = TestKey()
    let claims = PlainTokenClaims(
        iss: "https://a.example", aud: "https://api.example", account: "s", clientID: "app", iat: now, exp: now + .seconds(300),
        jti: "j", device: "d"
    )

    private func read(
        _ text: String, issuer: String = "https://a.example", audience: String = "https://api.example", at time: UnixTime = now
    ) throws(VerificationError) -> PlainTokenClaims {
        try PlainTokenClaims(
            verifying: text, keys: [key.verifying.thumbprint: key.verifying], issuer: issuer, audience: audience, at: time
        )
    }

    @Test func aTokenIsReadBack() throws {
        #expect(try read(TokenSigner(key.key).sign(claims)) == claims)
    }

    @Test func everyCheckRefuses() throws {
        let token = try TokenSigner(key.key).sign(claims)
        #expect(refusal { _ = try read(token, issuer: "https://b.example") } == .wrongIssuer)
        #expect(refusal { _ = try read(token, audience: "https://other.example") } == .wrongAudience)
        #expect(refusal { _ = try read(token, at: now + .seconds(299)) } == nil)
        #expect(refusal { _ = try read(token, at: now + .seconds(300)) } == .expired)
        #expect(refusal { _ = try read(token, at: now + .seconds(-60)) } == nil)
        #expect(refusal { _ = try read(token, at: now + .seconds(-61)) } == .notYetValid)
        var longer = claims
        longer.exp = now + .seconds(301)
        #expect(refusal { _ = try read(TokenSigner(key.key).sign(longer)) } == .malformed)
        #expect(refusal { _ = try read(TokenSigner(TestKey().key).sign(claims)) } == .unknownKey)
        let kid = key.verifying.thumbprint
        let forged = TestKey().sign(
            header: #"{"alg":"ES256","kid":"\#(kid)","typ":"at+jwt"}"#,
            payload: String(decoding: WireJSON.encode(claims), as: UTF8.self))
        #expect(refusal { _ = try read(forged) } == .wrongSignature)
    }

    @Test func aTokenThatIsBoundToAKeyIsNone() throws {
        let bound = AccessTokenClaims(
            iss: claims.iss, aud: claims.aud, sub: "s", clientID: "app", iat: now, exp: claims.exp, jti: "j", sid: "i", did: "d",
            authTime: now, acr: Assurance(protection: .software, verification: .none).acr, amr: ["swk"],
            cnf: KeyConfirmation(jkt: "k"))
        #expect(refusal { _ = try read(TokenSigner(key.key).sign(bound)) } == .wrongType)
    }
}
