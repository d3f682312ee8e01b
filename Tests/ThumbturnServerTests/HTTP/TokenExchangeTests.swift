#if Tools
import Crypto
import CryptoExtras
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// People who sign in at the app's own provider enrol a device with its ID token.
@Suite struct TokenExchangeTests {
    /// A provider with a key of each kind, and the file that an operator writes for it.
    struct Provider: Sendable {
        static let issuer = "https://id.example"
        let ec = P256.Signing.PrivateKey()
        let rsa: _RSA.Signing.PrivateKey
        let folder: String

        var file: String { folder + "/providers.json" }

        /// - Parameter staleSignIn: the operator's word for it; nil for none.
        init(staleSignIn: String? = nil) throws {
            rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            folder = LiveServer.temporaryFolder()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let (n, e) = (try rsa.publicKey.getKeyPrimitives().modulus, try rsa.publicKey.getKeyPrimitives().publicExponent)
            let jwk = try VerifyingKey(x963: Array(ec.publicKey.x963Representation)).jwk
            let more = staleSignIn.map { #","stale_sign_in":"\#($0)""# } ?? ""
            try #"{"providers":[{"issuer":"\#(Self.issuer)","audience":"our-app","jwks":"keys.json"\#(more)}]}"#
                .write(toFile: file, atomically: true, encoding: .utf8)
            try """
            {"keys":[{"kty":"EC","crv":"P-256","x":"\(jwk.x)","y":"\(jwk.y)","kid":"ec","x5c":[]},
            {"kty":"RSA","n":"\(Base64URL.encode(n))","e":"\(Base64URL.encode(e))","kid":"rsa","use":"sig"},
            {"kty":"RSA","n":"\(Base64URL.encode(n))","e":"\(Base64URL.encode(e))","kid":"enc","use":"enc"},
            {"kty":"OKP","crv":"Ed25519","x":"AA","kid":"other"}]}
            """.write(toFile: folder + "/keys.json", atomically: true, encoding: .utf8)
        }

        func idToken(
            for jkt: String, at now: UnixTime, header: [String: any Sendable] = [:], claims: [String: any Sendable] = [:],
            amr: Any? = nil
        ) throws -> String {
            var more: [String: Any] = [:]
            more["amr"] = amr
            let header = ["alg": "ES256", "kid": "ec"].merging(header) { $1 }
            let claims = [
                "iss": Self.issuer, "aud": "our-app", "sub": "person-7", "nonce": jkt, "iat": now.seconds,
                "exp": now.seconds + 3600,
            ].merging(claims) { $1 }
            let input = CompactJWS.signingInput(
                header: Array(try JSONSerialization.data(withJSONObject: header)),
                payload: Array(
                    try JSONSerialization.data(
                        withJSONObject: more.merging(claims.filter { !($0.value is BackEnd.Absent) }) { $1 }))
            )
            let isRSA = ["rsa", "enc"].contains(header["kid"] as? String)
            let signature =
                try isRSA
                ? rsa.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation
                : ec.signature(for: input).rawRepresentation
            return CompactJWS.compact(signingInput: input, signature: Array(signature))
        }
    }

    private func with(_ body: @escaping @Sendable (LiveServer, Provider, LoadDevice) async throws -> Void) async throws {
        let provider = try Provider()
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        try await LiveServer.run(configure: { $0.identityProviders = provider.file }) { live in
            try await body(live, provider, LoadDevice(server: live.url))
        }
    }

    private func exchange(_ token: String, _ device: LoadDevice, _ live: LiveServer) async throws -> LoadConnection.Answer {
        try await Self.exchange(token, device, live)
    }

    /// Exchanges an ID token for a ticket for a device's session key.
    ///
    /// - Parameter challenge: the challenge that began the sign-in.
    static func exchange(
        _ token: String, _ device: LoadDevice, _ live: LiveServer, begunBy challenge: String? = nil
    ) async throws -> LoadConnection.Answer {
        let connection = try await live.connect()
        let nonce = try await device.challenge(over: connection).nonce
        let form = Array(
            """
            grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=\(token)\
            &subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token\(challenge.map { "&challenge=\($0)" } ?? "")
            """.utf8)
        return try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded",
            headers: [("DPoP", device.dpop("POST", "/v1/token", form, nonce: nonce))], body: form)
    }

    private func enrol(_ ticket: String, _ device: LoadDevice, _ live: LiveServer) async throws -> LoadConnection.Answer {
        let connection = try await live.connect()
        let (challenge, nonce) = try await device.challenge(.enrol, [device.sessionKid, device.kid], over: connection)
        let body = WireJSON.encode(EnrolRequest(ticket: ticket, name: "Phone", keys: device.registrations(challenge)))
        return try await connection.send(
            "POST", "/v1/devices", type: "application/json",
            headers: [("DPoP", device.dpop("POST", "/v1/devices", body, nonce: nonce))], body: body)
    }

    @Test("an ID token enrols a device, and the next one finds the same account", arguments: ["ec", "rsa"])
    func enrols(_ kid: String) async throws {
        try await with { live, provider, device in
            let header = ["kid": kid, "alg": kid == "ec" ? "ES256" : "RS256"]
            var accounts: Set<String> = []
            for device in [device, LoadDevice(server: live.url)] {
                let token = try provider.idToken(for: device.sessionKid, at: live.clock.now, header: header)
                let answer = try await exchange(token, device, live)
                let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
                #expect(
                    Set(fields.keys) == ["access_token", "issued_token_type", "token_type", "expires_in", "account", "fresh"])
                #expect(fields["token_type"] as? String == "N_A" && fields["expires_in"] as? Int == 300)
                let ticket = try #require(fields["access_token"] as? String, "\(answer.text)")
                #expect(
                    try await enrol(ticket, LoadDevice(server: live.url), live).status == 401, "it is bound to the session key")
                #expect(try await enrol(ticket, device, live).status == 201)
                let account = try claims(of: try await device.signIn(over: try await live.connect()).accessToken).sub
                #expect(fields["account"] as? String == account, "the ticket's account is named")
                accounts.insert(account)
            }
            #expect(accounts.count == 1)
        }
    }

    @Test(
        "a visit says what the provider says, as far as it is short text",
        arguments: [
            (#"["face","mfa"]"#, ["face", "mfa"]), (nil, ["fed"]), ("[]", ["fed"]), (#"["two words"]"#, ["fed"]),
            ("[\"\(String(repeating: "x", count: 65))\"]", ["fed"]), (#"["1","2","3","4","5","6","7","8","9"]"#, ["fed"]),
            (#""pwd""#, ["fed"]), ("[1]", ["fed"]),
        ] as [(String?, [String])])
    func methods(_ told: String?, _ amr: [String]) async throws {
        try await with { live, provider, device in
            let more = try told.map { try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed) }
            let token = try provider.idToken(for: device.sessionKid, at: live.clock.now, amr: more)
            let answer = try await exchange(token, device, live)
            let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            let ticket = try #require(fields["access_token"] as? String, "\(answer.text)")
            let attempt = EnrolmentTests.Attempt(live, device, try await live.connect())
            let visit = try claims(of: try await attempt.visit(by: ticket).read(TokenAnswer.self).accessToken)
            #expect(visit.amr == amr && visit.acr == Assurance.withoutKey.acr)
        }
    }

    @Test func anIDTokenIsExchangedOnce() async throws {
        try await with { live, provider, device in
            let token = try provider.idToken(for: device.sessionKid, at: live.clock.now)
            #expect(try await exchange(token, device, live).status == 200)
            let again = try await exchange(token, device, live)
            #expect(again.status == 400 && again.problem?.error == "invalid_grant")
        }
    }

    @Test func anIDTokenCausesNoHashAndItsAccountHasNoPassword() async throws {
        try await with { live, provider, device in
            let hashes = live.service.passwords.hashCount
            let token = try provider.idToken(for: device.sessionKid, at: live.clock.now)
            for status in [200, 400, 400] { #expect(try await exchange(token, device, live).status == status) }
            #expect(live.service.passwords.hashCount == hashes)
            let comparisons = live.service.passwords.comparisonCount
            let answer = try await EnrolmentTests.Attempt(live).signIn("person-7 at \(Provider.issuer)", LiveServer.password)
            #expect(answer.kind == "verification-failed" && live.service.passwords.comparisonCount == comparisons + 1)
        }
    }

    @Test func anAccountThatIsSwitchedOffGetsNoTicketForAnIDToken() async throws {
        try await with { live, provider, device in
            func token() throws -> String {
                let jti: [String: any Sendable] = ["jti": Identifier<LiveServer>.random().text]
                return try provider.idToken(for: device.sessionKid, at: live.clock.now, claims: jti)
            }
            #expect(try await exchange(try token(), device, live).status == 200)
            try await live.server.disable(accountNamed: "person-7 at \(Provider.issuer)")
            #expect(try await exchange(try token(), device, live).problem?.error == "invalid_grant")
            try await live.server.enable(accountNamed: "person-7 at \(Provider.issuer)")
            let answer = try await exchange(try token(), device, live)
            #expect(try await enrol(try answer.field("access_token"), device, live).status == 201)
        }
    }

    @Test(
        "an ID token that is not good is refused",
        arguments: [
            "another session key", "a key of whose name it is a part", "no nonce", "another issuer", "another audience",
            "several audiences", "another party",
            "expired", "ten minutes old", "from the future", "none", "HS256", "algorithm of another key", "unknown key",
            "encryption key", "no key named", "access token", "no subject", "changed",
        ])
    func refused(_ what: String) async throws {
        try await with { live, provider, device in
            let (now, jkt) = (live.clock.now, device.sessionKid)
            func token(_ header: [String: any Sendable] = [:], _ claims: [String: any Sendable] = [:]) throws -> String {
                try provider.idToken(for: jkt, at: now, header: header, claims: claims)
            }
            let bad =
                switch what {
                case "another session key": try token([:], ["nonce": LoadDevice(server: live.url).sessionKid])
                case "a key of whose name it is a part": try token([:], ["nonce": "\(jkt)x.1"])
                case "no nonce": try token([:], ["nonce": BackEnd.Absent()])
                case "another issuer": try token([:], ["iss": "https://evil.example"])
                case "another audience": try token([:], ["aud": "their-app"])
                case "several audiences": try token([:], ["aud": ["our-app", "their-app"]])
                case "another party": try token([:], ["azp": "their-app"])
                case "expired": try token([:], ["iat": now.seconds - 10, "exp": now.seconds])
                case "ten minutes old": try token([:], ["iat": now.seconds - 600])
                case "from the future": try token([:], ["iat": now.seconds + 61])
                case "none": try token(["alg": "none"])
                case "HS256": try token(["alg": "HS256"])
                case "algorithm of another key": try token(["alg": "RS256"])
                case "unknown key": try token(["kid": "unknown"])
                case "encryption key": try token(["kid": "enc", "alg": "RS256"])
                case "no key named": try token(["kid": ""])
                case "access token": try token(["typ": "at+jwt"])
                case "no subject": try token([:], ["sub": ""])
                default: String(try token().dropLast(8)) + "AAAAAAAA"
                }
            let answer = try await exchange(bad, device, live)
            #expect(answer.status == 400 && answer.problem?.error == "invalid_grant", "\(what)")
            #expect(try await exchange(try token(), device, live).status == 200)
        }
    }

    @Test func aNonceMayHaveAPartOfItsOwn() async throws {
        try await with { live, provider, device in
            for part in [".1", ".", ".another.sign-in"] {
                let claims = ["nonce": device.sessionKid + part]
                let token = try provider.idToken(for: device.sessionKid, at: live.clock.now, claims: claims)
                #expect(try await exchange(token, device, live).status == 200, "\(part)")
            }
        }
    }

    @Test func aTimeWithAFractionIsRoundedSoThatNothingLivesLonger() async throws {
        try await with { live, provider, device in
            let now = live.clock.now.seconds
            for (claims, status) in [
                (["iat": Double(now) - 0.5, "exp": Double(now) + 1.5], 200), (["exp": Double(now) + 0.9], 400),
                (["iat": Double(now) - 599.5], 400), (["iat": Double(now) + 60.5], 200), (["exp": 1e300], 400),
            ] as [([String: Double], Int)] {
                let token = try provider.idToken(for: device.sessionKid, at: live.clock.now, claims: claims)
                #expect(try await exchange(token, device, live).status == status, "\(claims)")
            }
        }
    }

    @Test func withoutAProviderThereIsNoSuchGrant() async throws {
        try await LiveServer.run { live in
            let answer = try await exchange("e30.e30.AA", LoadDevice(server: live.url), live)
            #expect(answer.problem?.error == "unsupported_grant_type")
            let metadata = live.service.metadata.grantTypesSupported
            #expect(!metadata.contains(TokenExchange.grantType))
        }
        try await with { live, _, _ in
            #expect(live.service.metadata.grantTypesSupported.contains(TokenExchange.grantType))
        }
    }

    @Test(
        "plain http is for a provider on this machine",
        arguments: [
            ("https://id.example", true), ("http://127.0.0.1:9400", true), ("http://localhost:9400", true),
            ("http://id.example", false), ("http://127.0.0.1.example", false), ("id.example", false), ("https://", false),
        ]) func issuers(_ issuer: String, _ isTaken: Bool) throws
    {
        let provider = try Provider()
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        try #"{"providers":[{"issuer":"\#(issuer)","audience":"our-app","jwks":"keys.json"}]}"#
            .write(toFile: provider.file, atomically: true, encoding: .utf8)
        let read = try? IdentityProviders(file: provider.file)
        #expect((read?.current.first?.issuer == issuer) == isTaken)
    }

    @Test func aLeakedKeyGoesAlsoWhereTidyingFails() async throws {
        let provider = try Provider()
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        try await LiveServer.run(configure: { $0.identityProviders = provider.file }) { live in
            try #"{"keys":[]}"#.write(toFile: provider.folder + "/keys.json", atomically: true, encoding: .utf8)
            // Another node has a later evidence policy, by which this one judges nothing.
            try await live.service.store.raise(policyVersions: [.evidence: 9])
            await #expect(throws: SetupError.self) { try await live.service.tidy() }
            #expect(live.service.providers.current.map(\.keys.count) == [0])
        }
    }

    @Test func anUnreadableFileIsRefusedAndAKeySetIsReadAgain() async throws {
        let provider = try Provider()
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        let providers = try IdentityProviders(file: provider.file)
        #expect(providers.current.first?.keys.compactMap(\.kid) == ["ec", "rsa"])
        try "broken".write(toFile: provider.folder + "/keys.json", atomically: true, encoding: .utf8)
        #expect(throws: SetupError.self) { try providers.reload() }
        #expect(providers.current.count == 1, "a file that cannot be read changes nothing")
        #expect(throws: SetupError.self) { _ = try IdentityProviders(file: provider.file) }
        #expect(throws: SetupError.self) { _ = try IdentityProviders(file: "/nowhere") }
        for (keys, isRead) in [(#"{"keys":[{"kty":"oct"}]}"#, false), (#"{"keys":[]}"#, true)] {
            try keys.write(toFile: provider.folder + "/keys.json", atomically: true, encoding: .utf8)
            #expect(((try? providers.reload()) != nil) == isRead)
            #expect(providers.current.first?.keys.isEmpty == isRead, "a set without keys takes a leaked one away")
        }
    }
}
#endif
