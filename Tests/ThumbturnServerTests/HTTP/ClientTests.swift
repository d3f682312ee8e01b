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
    @Test func aBackEndGetsAShortTokenThatIsBoundToAKey() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect, .approvals])
            let answer = try await bank.token(at: live.clock.now)
            let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            #expect(Set(fields.keys) == ["access_token", "token_type", "expires_in", "scope"])
            #expect(fields["token_type"] as? String == "DPoP" && fields["expires_in"] as? Int == 300)
            #expect(fields["scope"] as? String == "approvals introspect")
            let token = try #require(CompactJWS(fields["access_token"] as? String ?? ""))
            let claims = try #require(try JSONSerialization.jsonObject(with: Data(token.payload)) as? [String: Any])
            #expect(Set(claims.keys) == ["iss", "aud", "sub", "client_id", "iat", "exp", "jti", "scope", "cnf", "registration"])
            #expect(claims["cnf"] as? [String: String] == ["jkt": bank.signer.sessionKid])
            #expect(claims["sub"] as? String == "bank" && claims["client_id"] as? String == "bank")
            let client = try await live.service.client(
                token: fields["access_token"] as? String ?? "", boundTo: bank.signer.sessionKid)
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
            for jkt in [nil, ada.device.sessionKid] {
                await #expect(throws: RequestError.self) { _ = try await live.service.client(token: hers, boundTo: jkt) }
            }
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
            let jkt = bank.signer.sessionKid
            live.clock.advance(by: .seconds(299))
            #expect(try await live.service.client(token: token, boundTo: jkt).id == "bank")
            live.clock.advance(by: .seconds(1))
            await #expect(throws: RequestError.self) { _ = try await live.service.client(token: token, boundTo: jkt) }

            var ahead = ClientTokenClaims(
                iss: live.url, aud: live.url, client: "bank", iat: live.clock.now + .seconds(60),
                exp: live.clock.now + .seconds(360), jti: "j", scope: "introspect", cnf: KeyConfirmation(jkt: jkt))
            let signer = live.service.secrets.current.signer(at: live.clock.now)
            #expect(try await live.service.client(token: try signer.sign(ahead), boundTo: jkt).id == "bank")
            ahead.iat = ahead.iat + .seconds(1)
            let future = try signer.sign(ahead)
            await #expect(throws: RequestError.self, "from the future") {
                _ = try await live.service.client(token: future, boundTo: jkt)
            }

            let fresh = try await bank.accessToken(at: live.clock.now)
            expect(try await live.service.store.removeClient("bank"), is: true)
            await #expect(throws: RequestError.self) { _ = try await live.service.client(token: fresh, boundTo: jkt) }
            #expect(try await bank.token(at: live.clock.now).problem?.error == "invalid_client")
            // In the same second.
            let other = try await live.backEnd([.introspect])
            await #expect(throws: RequestError.self, "a later back end of the same name is another one") {
                _ = try await live.service.client(token: fresh, boundTo: jkt)
            }
            _ = try await other.accessToken(at: live.clock.now)
        }
    }

    // MARK: The key of a token

    @Test func aTokenWithoutAKeyIsForTheBackEndsThatTheOperatorNames() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let refused = try await bank.token(at: live.clock.now, isBound: false)
            #expect(refused.status == 400 && refused.problem?.error == "invalid_dpop_proof")
            let legacy = try await live.backEnd([.introspect, .approvals], named: "legacy", allowsBearer: true)
            let answer = try await legacy.token(at: live.clock.now, isBound: false)
            #expect(answer.text.contains(#""token_type":"Bearer""#))
            let token = try await legacy.accessToken(at: live.clock.now, isBound: false)
            func call() async throws -> LoadConnection.Answer {
                try await legacy.connection.send(
                    "GET", "/v1/approvals/x", headers: [("Authorization", "Bearer \(token)")])
            }
            #expect(try await call().kind == "not-found", "the token is accepted")
            #expect(try await legacy.token(at: live.clock.now).text.contains(#""token_type":"DPoP""#), "it may bind one too")

            let server = live.server
            try await server.changeClient(named: "legacy", limits: nil, allowsBearer: false)
            let later = try await call()
            #expect(later.status == 401 && later.problem?.error == "invalid_token", "also the tokens that it has")
            #expect(later.challenge == #"Bearer error="invalid_token""#)
            await #expect(throws: SetupError.self) {
                try await server.changeClient(named: "unknown", limits: nil, allowsBearer: true)
            }
        }
    }

    @Test func aProofWithoutALiveNonceDoesNotConsumeTheAssertion() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let assertion = try bank.assertion(at: live.clock.now)
            let body = Array(
                """
                grant_type=client_credentials&client_assertion_type=\(BackEnd.assertionType)&client_assertion=\(assertion)
                """.utf8)
            func send(_ nonce: String) async throws -> LoadConnection.Answer {
                try await bank.connection.send(
                    "POST", "/v1/token", type: "application/x-www-form-urlencoded",
                    headers: [("DPoP", bank.signer.dpop("POST", "/v1/token", body, nonce: nonce))], body: body)
            }
            let first = try await send("a nonce that has expired")
            #expect(first.status == 400 && first.problem?.error == "use_dpop_nonce")
            #expect(try await send(try #require(first.nonce)).status == 200)
            #expect(try await send(try #require(first.nonce)).status == 401, "the assertion is consumed")
        }
    }

    @Test(
        "a stolen token is useless without its key",
        arguments: [
            "as a bearer token", "no proof", "another key", "another path", "another method", "another body", "no token hash",
            "another token", "twice", "an old nonce",
        ])
    func stolen(_ what: String) async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.approvals], allowsBearer: true)
            let (path, body) = ("/v1/approvals", Array("{}".utf8))
            let token = try await bank.accessToken(at: live.clock.now)
            let nonce = try await bank.nonce()
            let thief = LoadDevice(server: live.url)
            func dpop(
                by signer: LoadDevice, _ method: String = "POST", _ path: String = "/v1/approvals", _ body: String = "{}",
                nonce: String, token: String?
            ) -> (String, String) {
                ("DPoP", signer.dpop(method, path, Array(body.utf8), nonce: nonce, token: token))
            }
            let authorization = ("Authorization", "DPoP \(token)")
            func send(_ headers: [(String, String)]) async throws -> LoadConnection.Answer {
                try await bank.connection.send("POST", path, type: "application/json", headers: headers, body: body)
            }
            let good = dpop(by: bank.signer, nonce: nonce, token: token)
            let headers =
                switch what {
                case "as a bearer token": [("Authorization", "Bearer \(token)")]
                case "no proof": [authorization]
                case "another key": [authorization, dpop(by: thief, nonce: nonce, token: token)]
                case "another path": [authorization, dpop(by: bank.signer, "POST", "/v1/x", nonce: nonce, token: token)]
                case "another method": [authorization, dpop(by: bank.signer, "GET", nonce: nonce, token: token)]
                case "another body": [authorization, dpop(by: bank.signer, "POST", path, "[]", nonce: nonce, token: token)]
                case "no token hash": [authorization, dpop(by: bank.signer, nonce: nonce, token: nil)]
                case "another token": [authorization, dpop(by: bank.signer, nonce: nonce, token: token + "A")]
                case "an old nonce": [authorization, dpop(by: bank.signer, nonce: "an old nonce", token: token)]
                default: [authorization, good]
                }
            if what == "twice" { #expect(try await send(headers).kind == "malformed", "it is accepted, its body is not") }
            let refused = try await send(headers)
            #expect(refused.status == 401 && refused.kind == "verification-failed", "\(refused.text)")
            let answer = try await send([authorization, dpop(by: bank.signer, nonce: nonce, token: token)])
            #expect(answer.kind == "malformed", "and with its key it is accepted")
        }
    }

    @Test func aTokenWithoutAKeyIsNotSentAsABoundOne() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.approvals], allowsBearer: true)
            let token = try await bank.accessToken(at: live.clock.now, isBound: false)
            let headers = try await bank.headers("GET", "/v1/approvals/x", by: token)
            let refused = try await bank.connection.send("GET", "/v1/approvals/x", headers: headers)
            #expect(refused.status == 401 && refused.problem?.error == "invalid_token")
            #expect(refused.challenge == #"DPoP error="invalid_token", algs="ES256""#)
        }
    }

    // MARK: Files

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
