#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// What the operator gives devices in place of their apps' own policies.
@Suite struct UnlockPoliciesTests {
    /// A file of policies, and what the server makes of it.
    struct File {
        let path: String
        let policies: UnlockPolicies

        init(_ text: String = text()) throws {
            path = LiveServer.temporaryFolder() + ".json"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            do {
                policies = try UnlockPolicies(file: path)
            } catch {
                try? FileManager.default.removeItem(atPath: path)
                throw error
            }
        }

        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }

    static func text(version: Int = 7, hint: Int = 6000) -> String {
        """
        {"format": "thumbturn-unlock-policies/1", "version": \(version), "policies": {"unlock": {"policy":
         {"ladder": ["biometric", "appPIN", "fullCredentials"], "hint_after": \(hint)}}}}
        """
    }

    @Test func aDocumentHasTheFileAndTheServersSignature() async throws {
        let file = try File()
        defer { file.remove() }
        try await LiveServer.run(configure: { $0.unlockPolicies = file.policies }) { live in
            let connection = try await live.connect()
            let answer = try await connection.send("GET", "/v1/unlock-policies")
            #expect(answer.status == 200 && answer.nonce == nil, "what is cached has no nonce")
            let jws = try #require(CompactJWS(answer.text))
            let document = try StrictJSON.decode(PolicyDocument.self, from: jws.payload)
            #expect(document.iss == live.url && document.ver == 7 && document.iat == live.clock.now)
            #expect(document.exp - document.iat == .seconds(7 * 86_400))
            var hint: Duration?
            if case .policy(let policy) = document.policies["unlock"] { hint = policy.hintAfter }
            #expect(hint == .seconds(6))
            let key = try #require(live.service.jwks.keys.first)
            let header = try StrictJSON.decode(PolicyHeader.self, from: jws.header)
            #expect(header == PolicyHeader(kid: try #require(key.kid)))
            #expect(try VerifyingKey(jwk: key).isValid(jws.signature, for: jws.signingInput))

            // One signature serves a minute, and then there is another one.
            func text() async throws -> String { try await connection.send("GET", "/v1/unlock-policies").text }
            live.clock.advance(by: .seconds(59))
            expect(try await text(), is: answer.text)
            live.clock.advance(by: .seconds(1))
            #expect(try await text() != answer.text)
        }
        try await LiveServer.run { live in
            let answer = try await live.connect().send("GET", "/v1/unlock-policies")
            #expect(answer.status == 404)
        }
    }

    @Test func aDocumentIsSignedAnewWhereKeyFileOrTimeHaveChanged() throws {
        let file = try File()
        defer { file.remove() }
        let (one, two) = (try TokenSigner(P256.Signing.PrivateKey()), try TokenSigner(P256.Signing.PrivateKey()))
        let now = UnixTime(seconds: 1_800_000_000)
        func document(_ signer: TokenSigner, after seconds: Int64 = 0) throws -> String {
            try file.policies.document(of: "https://login.example", signedBy: signer, at: now + .seconds(seconds))
        }
        let first = try document(one)
        #expect(try document(one, after: 59) == first)
        let other = try document(two)
        #expect(other != first)
        #expect(try document(two) == other)
        #expect(try document(two, after: -1) != other, "the operator has set the time back")
        let before = try document(two)
        try file.write(Self.text(version: 8))
        try file.policies.reload()
        let after = try document(two)
        let jws = try #require(CompactJWS(after))
        let version = try StrictJSON.decode(PolicyDocument.self, from: jws.payload).ver
        #expect(after != before && version == 8)
    }

    @Test func othersContentNeedsAHigherVersion() throws {
        let file = try File()
        defer { file.remove() }
        let first = file.policies.digest
        for text in [Self.text(hint: 5000), Self.text(version: 6, hint: 5000), Self.text(version: 6)] {
            try file.write(text)
            let error = #expect(throws: PolicyFileError.self) { try file.policies.reload() }
            #expect(error?.description.hasPrefix("\(file.path): version: is not higher than 7, which is in use. ") == true)
            #expect(error?.description.hasSuffix(": set it to 8 or more.") == true)
            #expect(file.policies.digest == first)
        }
        try file.write(Self.text() + "\n")
        try file.policies.reload()
        #expect(file.policies.digest != first, "the same policies in other bytes")
        try file.write(Self.text(version: 8, hint: 5000))
        try file.policies.reload()
        #expect(file.policies.summary == ["version 8", "unlock: one policy for every device"])
        file.remove()
        #expect(throws: PolicyFileError.self) { try file.policies.reload() }
        #expect(file.policies.summary.first == "version 8")
    }

    @Test(
        "a mistake is told with its place",
        arguments: [
            (#"{"format": "thumbturn-unlock-policies/2", "version": 1, "policies": {}}"#, "format: is not"),
            (#"{"format": "thumbturn-unlock-policies/1", "version": 0, "policies": {}}"#, "version: is not 1 or more"),
            (#"{"format": "thumbturn-unlock-policies/1", "version": 1, "policies": {}, "x": 1}"#, "x: "),
            (#"{"format": "thumbturn-unlock-policies/1", "version": 1}"#, #"lacks the member "policies""#),
            (
                #"{"format": "thumbturn-unlock-policies/1", "version": 9223372036854775807, "policies": {}}"#,
                "version: is higher than the number of seconds"
            ),
            (
                Self.one(#"{"policy": {"ladder": ["fullCredentials"], "arm": "a"}}"#),
                "policies.unlock.policy: has an arm, and is no part"
            ),
            (Self.one(#"{"policy": {"ladder": ["biometric"]}}"#), "policies.unlock.policy: "),
            (Self.one(#"{"policy": {"ladder": ["fullCredentials"], "hint_after": -1}}"#), "policies.unlock.policy: hint_after: "),
            (Self.one(#"{"policy": {"ladder": ["fullCredentials"], "name": "pay"}}"#), "policies: unlock: has a policy with"),
            (
                Self.one(#"{"experiment": {"name": "a", "arms": [{"name": "b", "weight": 1, "policy": {}}]}}"#),
                #"policies.unlock.experiment.arms[0].policy: lacks the member "ladder""#
            ),
            (Self.one(#"{"policy": {"ladder": ["fullCredentials"]}}"#, name: "a:b"), "policies: has a name that no policy"),
            (Self.many(33, arms: 0), "policies: are more than 32"),
            (Self.many(16, arms: 8), "policies: are longer than 11264 bytes"),
        ])
    func mistake(_ text: String, _ place: String) throws {
        let error = #expect(throws: PolicyFileError.self) { try File(text) }
        #expect(error?.description.contains(".json: \(place)") == true, "\(error?.description ?? "none")")
    }

    /// What fits into a file fits into what a device reads.
    @Test func theLongestFileThatIsTakenIsReadByDevices() async throws {
        let arms = try #require((2...8).last { (try? File(Self.many(8, arms: $0)).remove()) != nil })
        #expect(arms < 8)
        let file = try File(Self.many(8, arms: arms))
        defer { file.remove() }
        try await LiveServer.run(configure: { $0.unlockPolicies = file.policies }) { live in
            let text = try await live.connect().send("GET", "/v1/unlock-policies").text
            #expect(CompactJWS(text) != nil && text.utf8.count < CompactJWS.largest)
        }
    }

    private static func one(_ entry: String, name: String = "unlock") -> String {
        #"{"format": "thumbturn-unlock-policies/1", "version": 1, "policies": {"\#(name)": \#(entry)}}"#
    }

    private static func many(_ count: Int, arms: Int) -> String {
        let policy = #"{"ladder": ["fullCredentials"]}"#
        let arm = (0..<arms).map { #"{"name": "arm \#($0)", "weight": 1, "policy": \#(policy)}"# }.joined(separator: ",")
        let entry = arms == 0 ? #"{"policy": \#(policy)}"# : #"{"experiment": {"name": "a", "arms": [\#(arm)]}}"#
        let entries = (0..<count).map { #""policy \#($0)": \#(entry)"# }.joined(separator: ",")
        return #"{"format": "thumbturn-unlock-policies/1", "version": 1, "policies": {\#(entries)}}"#
    }
}
#endif
