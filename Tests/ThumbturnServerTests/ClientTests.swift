#if Tools
import Crypto
import Foundation
import Hummingbird
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// Back ends authenticate, and do what the operator allows them.
@Suite struct ClientTests {
    @Test func aBackEndGetsAShortBearerToken() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect, .approvals])
            let answer = try await bank.token(at: live.clock.now)
            let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            #expect(Set(fields.keys) == ["access_token", "token_type", "expires_in", "scope"])
            #expect(fields["token_type"] as? String == "Bearer" && fields["expires_in"] as? Int == 300)
            #expect(fields["scope"] as? String == "approvals introspect")
            let token = try #require(CompactJWS(fields["access_token"] as? String ?? ""))
            let claims = try #require(try JSONSerialization.jsonObject(with: Data(token.payload)) as? [String: Any])
            #expect(Set(claims.keys) == ["iss", "aud", "sub", "client_id", "iat", "exp", "jti", "scope"])
            #expect(claims["sub"] as? String == "bank" && claims["client_id"] as? String == "bank")
            let client = try await live.service.client(bearing: fields["access_token"] as? String ?? "")
            #expect(client.id == "bank" && client.scopes == [.introspect, .approvals])
        }
    }

    @Test func aTokenHasOnlyTheScopesThatAreAskedForAndAllowed() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            #expect(try await bank.token(at: live.clock.now, scope: "introspect").status == 200)
            for scope in ["approvals", "introspect+approvals", "everything", ""] {
                let answer = try await bank.token(at: live.clock.now, scope: scope)
                #expect(answer.status == 400 && answer.problem?.error == "invalid_scope", "\(scope)")
            }
        }
    }

    @Test func anAssertionIsUsedOnce() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let assertion = try bank.assertion(at: live.clock.now)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<16 {
                    let one = BackEnd(id: bank.id, url: bank.url, connection: try await live.connect())
                    group.addTask {
                        try await one.post("/v1/token", "grant_type=client_credentials", asserting: assertion).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == [200] + Array(repeating: 401, count: 15))
        }
    }

    @Test(
        "an assertion that is not good is refused, and all such answers are equal",
        arguments: [
            "another key", "another issuer", "another subject", "unknown", "another audience", "two audiences", "expired",
            "too long", "from the future", "not yet", "no jti", "short jti", "no iat", "no exp", "none", "HS256", "RS256",
            "critical", "access token", "proof", "not a JWS",
        ])
    func refused(_ what: String) async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let now = live.clock.now
            let absent = BackEnd.Absent()
            let assertion =
                switch what {
                case "another key": try bank.assertion(at: now, by: P256.Signing.PrivateKey())
                case "another issuer": try bank.assertion(at: now, claims: ["iss": "shop"])
                case "another subject": try bank.assertion(at: now, claims: ["sub": "shop"])
                case "unknown": try bank.assertion(at: now, claims: ["iss": "shop", "sub": "shop"])
                case "another audience": try bank.assertion(at: now, claims: ["aud": "https://elsewhere.example"])
                case "two audiences": try bank.assertion(at: now, claims: ["aud": [live.url, "https://elsewhere.example"]])
                case "expired": try bank.assertion(at: now + .seconds(-60))
                case "too long": try bank.assertion(at: now, claims: ["exp": now.seconds + 301])
                case "from the future": try bank.assertion(at: now + .seconds(61))
                case "not yet": try bank.assertion(at: now, claims: ["nbf": now.seconds + 61])
                case "no jti": try bank.assertion(at: now, claims: ["jti": absent])
                case "short jti": try bank.assertion(at: now, claims: ["jti": "1234567"])
                case "no iat": try bank.assertion(at: now, claims: ["iat": absent])
                case "no exp": try bank.assertion(at: now, claims: ["exp": absent])
                case "none": try bank.assertion(at: now, header: ["alg": "none"])
                case "HS256": try bank.assertion(at: now, header: ["alg": "HS256"])
                case "RS256": try bank.assertion(at: now, header: ["alg": "RS256"])
                case "critical": try bank.assertion(at: now, header: ["crit": ["b64"]])
                case "access token": try bank.assertion(at: now, header: ["typ": "at+jwt"])
                case "proof": try bank.assertion(at: now, header: ["typ": "thumbturn-proof+jwt"])
                default: "not.a.JWS"
                }
            let answer = try await bank.post("/v1/token", "grant_type=client_credentials", asserting: assertion)
            #expect(answer.status == 401 && answer.problem?.error == "invalid_client" && answer.kind == "verification-failed")
            #expect(try await bank.token(at: now).status == 200)
        }
    }

    @Test(
        "and one at the very edge is good",
        arguments: ["token endpoint", "list of one", "no type", "longest", "clock ahead", "a second left", "with a kid"])
    func accepted(_ what: String) async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let now = live.clock.now
            let assertion =
                switch what {
                case "token endpoint": try bank.assertion(at: now, claims: ["aud": live.url + "/v1/token"])
                case "list of one": try bank.assertion(at: now, claims: ["aud": [live.url]])
                case "no type": try bank.assertion(at: now, header: ["typ": "client-authentication+jwt"])
                case "longest": try bank.assertion(at: now, claims: ["exp": now.seconds + 300])
                case "clock ahead": try bank.assertion(at: now + .seconds(60))
                case "a second left": try bank.assertion(at: now + .seconds(-59))
                default: try bank.assertion(at: now, header: ["kid": "the key of the year"])
                }
            #expect(
                try await bank.post("/v1/token", "grant_type=client_credentials", asserting: assertion).status == 200, "\(what)")
        }
    }

    @Test func aFormMustNameTheTypeOfItsAssertion() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let assertion = try bank.assertion(at: live.clock.now)
            for fields in [
                "client_assertion=\(assertion)", "client_assertion=\(assertion)&client_assertion_type=saml2-bearer",
            ] {
                let answer = try await bank.connection.send(
                    "POST", "/v1/token", type: "application/x-www-form-urlencoded",
                    body: Array("grant_type=client_credentials&\(fields)".utf8))
                #expect(answer.status == 400 && answer.problem?.error == "invalid_request")
            }
            let none = try await bank.connection.send(
                "POST", "/v1/token", type: "application/x-www-form-urlencoded",
                body: Array("grant_type=client_credentials".utf8))
            #expect(none.status == 401 && none.problem?.error == "invalid_client")
        }
    }

    @Test func aBackEndsTokenIsNotAPersonsNorTheReverse() async throws {
        try await LiveServer.run { live in
            let (bank, ada) = (try await live.backEnd([.introspect, .approvals]), try await live.device())
            let theirs = try await bank.accessToken(at: live.clock.now)
            let hers = try await ada.signIn().accessToken
            #expect(try await ada.get("/v1/me", token: theirs).problem?.error == "invalid_token")
            await #expect(throws: RequestError.self) { _ = try await live.service.client(bearing: hers) }
            let sent = try await bank.connection.send("GET", "/v1/me", headers: [("Authorization", "Bearer \(theirs)")])
            #expect(sent.status == 401)
            // Another resource server with this verifier refuses it too.
            let keys = live.service.secrets.current.tokenKeys
            #expect(throws: VerificationError.malformed) {
                _ = try AccessToken(theirs, keys: keys, issuer: live.url, audience: live.url, at: live.clock.now)
            }
        }
    }

    @Test func aTokenEndsWhenItExpiresOrItsBackEndIsRemoved() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let token = try await bank.accessToken(at: live.clock.now)
            live.clock.advance(by: .seconds(299))
            #expect(try await live.service.client(bearing: token).id == "bank")
            live.clock.advance(by: .seconds(1))
            await #expect(throws: RequestError.self) { _ = try await live.service.client(bearing: token) }

            let fresh = try await bank.accessToken(at: live.clock.now)
            expect(try await live.service.store.removeClient("bank"), is: true)
            await #expect(throws: RequestError.self) { _ = try await live.service.client(bearing: fresh) }
            #expect(try await bank.token(at: live.clock.now).problem?.error == "invalid_client")
            live.clock.advance(by: .seconds(1))
            let other = try await live.backEnd([.introspect])
            await #expect(throws: RequestError.self, "a later back end of the same name is another one") {
                _ = try await live.service.client(bearing: fresh)
            }
            _ = try await other.accessToken(at: live.clock.now)
        }
    }

    @Test("a file with a public key", arguments: ["JWK", "JWK with more", "PEM"])
    func keyFile(_ form: String) throws {
        let key = P256.Signing.PrivateKey().publicKey
        let own = try VerifyingKey(x963: Array(key.x963Representation))
        let text =
            switch form {
            case "JWK": String(decoding: WireJSON.encode(own.jwk), as: UTF8.self)
            case "PEM": key.pemRepresentation
            default: #"{"kty":"EC","crv":"P-256","x":"\#(own.jwk.x)","y":"\#(own.jwk.y)","key_ops":["verify"]}"#
            }
        #expect(try ClientKeyFile.key(text) == own)
    }

    @Test func aPrivateKeyIsRefusedAndSaysSo() throws {
        let key = P256.Signing.PrivateKey()
        let jwk = try VerifyingKey(x963: Array(key.publicKey.x963Representation)).jwk
        let secret = Base64URL.encode(Array(key.rawRepresentation))
        for text in [
            key.pemRepresentation, #"{"kty":"EC","crv":"P-256","x":"\#(jwk.x)","y":"\#(jwk.y)","d":"\#(secret)"}"#,
        ] {
            let error = #expect(throws: SetupError.self) { _ = try ClientKeyFile.key(text) }
            #expect(error?.description.hasPrefix("This is a private key") == true)
        }
        for text in ["", "{}", "ssh-ed25519 AAAA", #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#] {
            let error = #expect(throws: SetupError.self) { _ = try ClientKeyFile.key(text) }
            #expect(error?.description.hasPrefix("The key must be") == true)
        }
    }
}
#endif
