import Testing
import ThumbturnCore
import ThumbturnMessages

@Suite struct MessageTests {
    @Test(
        "this machine, and what only looks like it",
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.1.2", true), ("::1", true), ("[::1]", true),
            ("127.evil.example", false), ("127.0.0.1.evil.example", false), ("127.0.0.256", false), ("127.0.0", false),
            ("127.0.0.0001", false), ("localhost.evil.example", false), ("128.0.0.1", false), ("", false),
        ])
    func loopback(_ host: String, _ isLoopback: Bool) {
        #expect(Loopback.contains(host: host) == isLoopback)
    }

    @Test func secretsPrintAsTheirTypeAlone() {
        let secret = "a-token-or-a-password"
        let jwk = JWK(x: [], y: [])
        let values: [Any] = [
            PasswordSignInRequest(account: secret, password: secret), EnrolmentTicket(ticket: secret, expiresIn: 1),
            KeyRegistration(kind: .session, jwk: jwk, proof: secret), EnrolRequest(ticket: secret, name: secret, keys: []),
            PasswordChangeRequest(password: secret), TokenAnswer(accessToken: secret, expiresIn: 1, refreshToken: secret),
        ]
        for value in values {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains(secret), "\(type(of: value))")
        }
    }

    @Test func messagesRefuseUnknownMembersAtEveryDepth() throws {
        func accepts<M: Message>(_ type: M.Type, _ json: String) -> Bool {
            (try? StrictJSON.decode(type, from: Array(json.utf8))) != nil
        }
        #expect(accepts(ChallengeRequest.self, #"{"purpose":"sign-in","kids":["a"],"jkt":"b"}"#))
        #expect(!accepts(ChallengeRequest.self, #"{"purpose":"sign-in","kids":["a"],"jkt":"b","more":1}"#))
        #expect(!accepts(ChallengeRequest.self, #"{"purpose":"approve-everything","kids":["a"],"jkt":"b"}"#))
        let jwk = #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#
        #expect(accepts(EnrolRequest.self, #"{"ticket":"t","name":"n","keys":[{"kind":"session","jwk":\#(jwk)}]}"#))
        #expect(!accepts(EnrolRequest.self, #"{"ticket":"t","name":"n","keys":[{"kind":"session","jwk":\#(jwk),"x":1}]}"#))
        let withPrivatePart = jwk.replacing("}", with: #","d":"AA"}"#)
        #expect(!accepts(EnrolRequest.self, #"{"ticket":"t","name":"n","keys":[{"kind":"session","jwk":\#(withPrivatePart)}]}"#))
    }
}
