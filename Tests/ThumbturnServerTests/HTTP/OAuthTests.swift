#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// Introspection, revocation, metadata.
@Suite struct OAuthTests {
    private func object(_ answer: LoadConnection.Answer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any], "\(answer.text)")
    }

    private func introspect(_ token: String, _ bank: BackEnd, _ live: LiveServer) async throws -> LoadConnection.Answer {
        try await bank.post("/v1/introspect", "token=\(token)", asserting: try bank.assertion(at: live.clock.now))
    }

    static func revoke(_ token: String, _ one: LiveServer.Enrolled) async throws -> LoadConnection.Answer {
        let form = Array("token=\(token)".utf8)
        return try await one.connection.send(
            "POST", "/v1/revoke", type: "application/x-www-form-urlencoded",
            headers: [("DPoP", one.device.dpop("POST", "/v1/revoke", form, nonce: try await one.nonce()))], body: form)
    }

    @Test func aBackEndReadsTheClaimsOfAnActiveToken() async throws {
        try await LiveServer.run { live in
            let (bank, ada) = (try await live.backEnd([.introspect]), try await live.device())
            let token = try await ada.signIn().accessToken
            let said = try object(try await introspect(token, bank, live))
            let claims = try claims(of: token)
            #expect(said["active"] as? Bool == true && said["token_type"] as? String == "DPoP")
            #expect(said["sub"] as? String == claims.sub && said["client_id"] as? String == "thumbturn-app")
            #expect(said["auth_time"] as? Int64 == claims.authTime.seconds && said["acr"] as? String == claims.acr)
            #expect((said["cnf"] as? [String: String])?["jkt"] == ada.device.sessionKid)
            #expect(said["exp"] as? Int64 == claims.exp.seconds && said["amr"] as? [String] == claims.amr)
            let own = try await bank.accessToken(at: live.clock.now)
            let form = Array("token=\(token)&token_type_hint=refresh_token".utf8)
            let again = try await bank.connection.send(
                "POST", "/v1/introspect", type: "application/x-www-form-urlencoded",
                headers: try await bank.headers("POST", "/v1/introspect", form, by: own), body: form)
            #expect(try object(again)["active"] as? Bool == true, "a token of the back end's own will do as well")
        }
    }

    @Test(
        "of a token that is not good nothing is told but that",
        arguments: [
            "revoked", "revoked device", "expired", "refresh token", "a back end's", "made up", "changed", "empty",
        ])
    func inactive(_ what: String) async throws {
        try await LiveServer.run { live in
            let (bank, ada) = (try await live.backEnd([.introspect]), try await live.device())
            let answer = try await ada.signIn()
            var token = answer.accessToken
            switch what {
            case "revoked": #expect(try await Self.revoke(answer.refreshToken, ada).status == 200)
            case "revoked device": #expect(try await ada.delete("/v1/devices/current", token: token).status == 204)
            case "expired": live.clock.advance(by: .seconds(300))
            case "refresh token": token = answer.refreshToken
            case "a back end's": token = try await bank.accessToken(at: live.clock.now)
            case "made up": token = "e30.e30.AA"
            case "changed": token = String(token.dropLast(8)) + String(token.suffix(8).reversed())
            default: token = ""
            }
            let said = try await introspect(token, bank, live)
            #expect(said.status == 200 && said.text == #"{"active":false}"#, "\(what)")
        }
    }

    @Test func onlyABackEndWithTheScopeIntrospects() async throws {
        try await LiveServer.run { live in
            let (shop, ada) = (try await live.backEnd([.approvals], named: "shop"), try await live.device())
            let token = try await ada.signIn().accessToken
            let refused = try await introspect(token, shop, live)
            #expect(refused.status == 403 && refused.problem?.error == "insufficient_scope")
            #expect(refused.challenge == #"DPoP error="insufficient_scope", algs="ES256", scope="introspect""#)
            func send(_ headers: [(String, String)], _ fields: String = "") async throws -> LoadConnection.Answer {
                try await ada.connection.send(
                    "POST", "/v1/introspect", type: "application/x-www-form-urlencoded", headers: headers,
                    body: Array("token=\(token)\(fields)".utf8))
            }
            #expect(try await send([]).status == 401)
            #expect(try await send([("Authorization", "Bearer \(token)")]).status == 401, "a person is no back end")
            let bank = try await live.backEnd([.introspect])
            let assertion = try bank.assertion(at: live.clock.now)
            let twoWays = try await send(
                [("Authorization", "DPoP \(try await bank.accessToken(at: live.clock.now))")],
                "&client_assertion=\(assertion)&client_assertion_type=\(BackEnd.assertionType)")
            #expect(twoWays.status == 400 && twoWays.problem?.error == "invalid_request")
        }
    }

    @Test("signing out ends the session, by either token", arguments: [true, false])
    func revocation(_ byRefreshToken: Bool) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let (one, other) = (try await ada.signIn(), try await ada.signIn())
            let revoked = try await Self.revoke(byRefreshToken ? one.refreshToken : one.accessToken, ada)
            #expect(revoked.status == 200 && revoked.body.isEmpty)
            #expect(try await ada.get("/v1/me", token: one.accessToken).problem?.error == "invalid_token")
            #expect(try await ada.refresh(one.refreshToken).problem?.error == "invalid_grant")
            #expect(try await ada.get("/v1/me", token: other.accessToken).status == 200, "and no other session")
            #expect(try await Self.revoke(one.refreshToken, ada).status == 200, "twice is once")
        }
    }

    @Test func revokingTellsNothingAndALeakedTokenIsNoKillSwitch() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let hers = try await ada.signIn()
            for token in [hers.refreshToken, hers.accessToken, "", "x", "e30.e30.AA", String(repeating: "A", count: 70)] {
                let answer = try await Self.revoke(token, bob)
                #expect(answer.status == 200 && answer.body.isEmpty)
            }
            #expect(try await ada.get("/v1/me", token: hers.accessToken).status == 200)
            #expect(try await ada.refresh(hers.refreshToken).status == 200)
            let bare = try await ada.connection.send(
                "POST", "/v1/revoke", type: "application/x-www-form-urlencoded", body: Array("token=\(hers.refreshToken)".utf8))
            #expect(bare.status == 400, "without a key the request is refused")
        }
    }

    @Test func everyValueOfTheMetadataIsTrue() async throws {
        try await LiveServer.run { live in
            let (bank, ada) = (try await live.backEnd([.introspect]), try await live.device())
            let answer = try await ada.connection.send("GET", "/.well-known/oauth-authorization-server")
            let metadata = try object(answer)
            #expect(metadata["issuer"] as? String == live.url)
            let methods = [
                "jwks_uri": "GET", "token_endpoint": "POST", "revocation_endpoint": "POST", "introspection_endpoint": "POST",
            ]
            #expect(Set(methods.keys) == Set(metadata.keys.filter { $0.hasSuffix("_endpoint") || $0.hasSuffix("_uri") }))
            for (name, method) in methods {
                let address = try #require(metadata[name] as? String)
                #expect(address.hasPrefix(live.url + "/"))
                #expect(
                    try await ada.connection.send(method, String(address.dropFirst(live.url.count))).status != 404, "\(name)")
            }
            // The grant types are those that the token endpoint knows.
            let known = try #require(metadata["grant_types_supported"] as? [String])
            for type in known + ["password", "authorization_code", "implicit"] {
                let form = Array("grant_type=\(type.replacing(":", with: "%3A"))".utf8)
                let sent = try await ada.connection.send(
                    "POST", "/v1/token", type: "application/x-www-form-urlencoded",
                    headers: [("DPoP", ada.device.dpop("POST", "/v1/token", form, nonce: try await ada.nonce()))], body: form)
                #expect((sent.problem?.error == "unsupported_grant_type") == !known.contains(type), "\(type)")
            }
            #expect(metadata["response_types_supported"] as? [String] == [])
            #expect(Set(try #require(metadata["scopes_supported"] as? [String])) == ["introspect", "approvals"])
            #expect(try await bank.token(at: live.clock.now).status == 200)
            let acr = try claims(of: try await ada.signIn().accessToken).acr
            #expect(metadata["acr_values_supported"] as? [String] == [acr, Assurance.withoutKey.acr])
            #expect(metadata["token_endpoint_auth_methods_supported"] as? [String] == ["none", "private_key_jwt"])
            #expect(metadata["revocation_endpoint_auth_methods_supported"] as? [String] == ["none"])
            #expect(
                metadata["introspection_endpoint_auth_methods_supported"] as? [String] == ["private_key_jwt", "DPoP", "Bearer"])
            for (name, value) in metadata where name.contains("_alg_") { #expect(value as? [String] == ["ES256"], "\(name)") }
        }
    }

    @Test func aStaleProofOfPresenceIsAnsweredAsTheStandardDemands() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            live.clock.advance(by: .seconds(24 * 3600))
            let token = try await ada.signIn()
            live.clock.advance(by: .seconds(301))
            let fresh = try await ada.refresh(token.refreshToken).read(TokenAnswer.self).accessToken
            let stale = try await ada.delete("/v1/devices/\(DeviceID.random().text)", token: fresh)
            #expect(stale.status == 401 && stale.kind == "step-up-required")
            #expect(stale.challenge == StepUpChallenge(maximumAge: .seconds(300)).header(scheme: .dpop))
        }
    }
}
#endif
