#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// The keys of access tokens change while servers run and tokens live.
@Suite struct TokenKeysTests {
    private func kid(_ token: String) throws -> String {
        struct Header: Decodable { var kid: String }
        return try JSONDecoder().decode(Header.self, from: Data(try #require(CompactJWS(token)).header)).kid
    }

    private func published(_ one: LiveServer.Enrolled) async throws -> [String] {
        try await one.connection.send("GET", "/.well-known/jwks.json").read(JWKS.self).keys.compactMap(\.kid)
    }

    /// `thumbturn-server keys revoke` would take it for an option. By chance one in 64 began so.
    @Test func noKeyHasAnIDThatBeginsWithADash() throws {
        for _ in 1...400 {
            let key = try P256.Signing.PrivateKey(rawRepresentation: try ServerSecrets.newTokenKey())
            #expect(try !TokenSigner(key).kid.hasPrefix("-"))
        }
    }

    @Test func aNewKeyIsPublishedBeforeItSignsAndAnOldOneStaysAsLongAsItsTokens() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let old = try await published(ada)
            #expect(old.count == 1)
            live.clock.advance(by: .seconds(100))
            try await live.service.secrets.rotateTokenKey()
            let both = try await published(ada)
            #expect(both.count == 2 && both.first == old.first, "the signing one is first")
            live.clock.advance(by: .seconds(599))
            let last = try await ada.signIn().accessToken
            #expect(try kid(last) == old[0])
            live.clock.advance(by: .seconds(1))
            let next = try await ada.signIn().accessToken
            #expect(try kid(next) == both[1])
            #expect(try await published(ada) == [both[1], old[0]])
            #expect(try await ada.get("/v1/me", token: last).status == 200, "tokens of the old key are still accepted")

            live.clock.advance(by: .seconds(300 + 599))
            try await live.service.tidy()
            #expect(try await published(ada).count == 2)
            live.clock.advance(by: .seconds(1))
            try await live.service.tidy()
            #expect(try await published(ada) == [both[1]])
            let archived = try await live.server.archivedJWKS()
            let all = try JSONDecoder().decode(JWKS.self, from: Data(archived.utf8)).keys.compactMap(\.kid)
            #expect(all == [both[1], old[0]], "its public half is kept for what it signed")
            // An archived key judges old receipts, and no token any more.
            #expect(live.service.secrets.current.tokenKeys[old[0]] == nil)
        }
    }

    @Test("another node takes the new key up without a restart")
    func nodes() async throws {
        let clock = TestClock()
        try await LiveServer.runTwo(clock: clock) { one, two in
            let ada = try await one.device()
            let before = try await published(ada)
            clock.advance(by: .seconds(5))
            try await two.service.secrets.rotateTokenKey()
            clock.advance(by: .seconds(60))
            try await one.service.tidy()
            #expect(try await published(ada).count == 2)
            clock.advance(by: .seconds(600))
            let elsewhere = LiveServer.Enrolled(device: ada.device, connection: try await two.connect())
            let token = try await elsewhere.signIn().accessToken
            #expect(try kid(token) != before[0])
            #expect(try await ada.get("/v1/me", token: token).status == 200)
        }
    }

    @Test func keysThatAreMadeInOneSecondKeepTheirOrder() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let first = try await published(ada)
            for _ in 0..<6 { try await live.service.secrets.rotateTokenKey() }
            #expect(try await published(ada).first == first.first, "each waits its time")
            let newest = live.service.secrets.current.tokens.keys[0]
            live.clock.advance(by: .seconds(607))
            #expect(try kid(try await ada.signIn().accessToken) == newest.signer.kid)
        }
    }

    @Test func twoRotationsInARowWaitTheirTime() {
        func key(_ name: String, _ created: Int64) throws -> TokenKeys.Key {
            let signer = try TokenSigner(P256.Signing.PrivateKey())
            return .init(
                secret: name, signer: signer, verifying: try VerifyingKey(jwk: signer.jwk),
                createdAt: UnixTime(seconds: created))
        }
        guard let keys = try? TokenKeys(keys: [key("c", 1060), key("b", 1000), key("a", 0)]) else {
            Issue.record("keys are made")
            return
        }
        func signing(_ time: Int64) -> String { keys.signing(at: UnixTime(seconds: time)).secret }
        #expect([1599, 1600, 1659, 1660].map(signing) == ["a", "b", "b", "c"])
        func over(_ time: Int64) -> [String] { keys.over(at: UnixTime(seconds: time), life: .seconds(300)).map(\.secret) }
        #expect(over(2499) == [] && over(2500) == ["a"] && over(2560) == ["b", "a"])
        #expect(over(1 << 40) == ["b", "a"], "the last one stays")
        #expect(signing(0) == "a", "and the first one signs at once")
    }

    @Test func aKeyOfAnEarlierEpochVerifiesUntilItsTokensEndAndNeverSigns() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let old = try await published(ada)
            // One key waits for its turn.
            try await live.service.secrets.rotateTokenKey()
            try await live.server.beginEpoch()
            try await live.service.secrets.reload()
            let all = try await published(ada)
            #expect(all.count == 3 && !old.contains(all[0]), "the new key is first")
            #expect(try kid(try await ada.signIn().accessToken) == all[0], "and signs at once")
            let states = try await live.server.tokenKeys().map { $0.state }
            #expect(states == ["signing", "staying", "staying"])
            live.clock.advance(by: .seconds(600))
            #expect(try kid(try await ada.signIn().accessToken) == all[0], "also after the waiting key's time")
            live.clock.advance(by: .seconds(299))
            try await live.service.tidy()
            #expect(try await published(ada).count == 3)
            live.clock.advance(by: .seconds(1))
            try await live.service.tidy()
            #expect(try await published(ada) == [all[0]])
        }
    }

    @Test("a token of a revoked key is refused at once, by each node", arguments: [true, false])
    func revoked(_ isElsewhere: Bool) async throws {
        try await LiveServer.runTwo { one, two in
            let ada = try await one.device()
            let bank = try await one.backEnd([.introspect])
            let tokens = try await ada.signIn()
            let bearer = try await bank.accessToken(at: one.clock.now)
            let leaked = try kid(tokens.accessToken)
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).status == 200)

            try await (isElsewhere ? two : one).server.revokeTokenKey(leaked)
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).problem?.error == "invalid_token")
            await #expect(throws: RequestError.self, "and a back end's token") {
                _ = try await one.service.client(token: bearer, boundTo: bank.signer.sessionKid)
            }
            let said = try await bank.post(
                "/v1/introspect", "token=\(tokens.accessToken)", asserting: try bank.assertion(at: one.clock.now))
            #expect(said.text == #"{"active":false}"#)
            let keys = try await published(ada)
            #expect(keys.count == 1 && keys != [leaked], "it left the key set")

            let next = try await ada.refresh(tokens.refreshToken).read(TokenAnswer.self).accessToken
            #expect(try kid(next) == keys[0], "the session goes on with the new key")
            #expect(try await ada.get("/v1/me", token: next).status == 200)
            let archived = try await one.server.archivedJWKS()
            #expect(!archived.contains(leaked), "what it signed is not believed")
            #expect(try await one.server.archivedJWKS(withRevoked: true).contains(leaked))
            #expect(try await one.server.tokenKeys().map { $0.state } == ["signing", "revoked"])
        }
    }

    @Test func aNodeThatHasNotReadTheRevocationSignsNothingWithTheKey() async throws {
        try await LiveServer.runTwo { one, two in
            let ada = try await one.device()
            var leaked = try kid(try await ada.signIn().accessToken)
            // On a busy machine the node's own look at the secrets, each minute, may come before the request. Then it is tried again.
            for _ in 0..<5 {
                let (challenge, nonce) = try await ada.challenge()
                try await two.server.revokeTokenKey(leaked)
                one.clock.advance(by: .seconds(1))
                let answer = try await ada.redeem(ada.device.proof(challenge), nonce: nonce)
                if answer.status == 200 {
                    let next = try kid(try answer.read(TokenAnswer.self).accessToken)
                    #expect(next != leaked)
                    leaked = next
                    continue
                }
                #expect(answer.status == 503, "nothing was accepted")
                let again = try await ada.redeem(ada.device.proof(challenge), nonce: try await ada.nonce())
                #expect(try kid(try again.read(TokenAnswer.self).accessToken) != leaked)
                return
            }
            Issue.record("the node had read each revocation before the request")
        }
    }

    @Test func afterARevocationNoFormerKeySignsAgain() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let first = try await published(ada)[0]
            try await live.service.secrets.rotateTokenKey()
            live.clock.advance(by: .seconds(601))
            let second = try kid(try await ada.signIn().accessToken)
            try await live.service.secrets.rotateTokenKey()
            try await live.service.secrets.revoke(second)
            let third = try kid(try await ada.signIn().accessToken)
            #expect(![first, second].contains(third))
            #expect(try await published(ada).count == 3, "the former and the waiting one verify")
            live.clock.advance(by: .seconds(700))
            #expect(try kid(try await ada.signIn().accessToken) == third)
            // A key that does not sign is revoked without a new one.
            try await live.service.secrets.revoke(first)
            #expect(try kid(try await ada.signIn().accessToken) == third)
            try await live.service.secrets.revoke(first)
            await #expect(throws: SetupError.self) { try await live.service.secrets.revoke("made up") }
        }
    }
}
#endif
