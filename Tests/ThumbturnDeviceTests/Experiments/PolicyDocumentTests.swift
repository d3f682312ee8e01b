import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Policies that a server signed.
@Suite struct PolicyDocumentTests {
    private static let issuer = "https://login.example"
    private static let now = UnixTime(seconds: 1_800_000_000)
    /// A key in memory, in the place of the server's.
    private struct Signer {
        let keys: any DeviceKeys = SimulatedPhone(.plain).platform().keys
        let name = KeyName(server: issuer, account: "server", kind: .session)
        let jwk: JWK

        init() async throws {
            let point = try await keys.create(name).x963
            jwk = JWK(x: Array(point[1..<33]), y: Array(point[33...]), kid: "k", use: "sig", alg: "ES256")
        }

        var check: PolicyDocumentCheck { PolicyDocumentCheck(issuer: issuer, keys: [jwk]) }

        func sign(_ document: PolicyDocument, header: String = soundHeader) async throws -> String {
            try await sign(StrictJSON.encode(document), header: header)
        }

        func sign(_ payload: [UInt8], header: String = soundHeader) async throws -> String {
            let input = CompactJWS.signingInput(header: Array(header.utf8), payload: payload)
            return CompactJWS.compact(signingInput: input, signature: try await keys.sign(input, with: name, presence: nil))
        }
    }

    private static let soundHeader = #"{"alg":"ES256","kid":"k","typ":"thumbturn-policy+jwt"}"#

    private static func policy(_ change: (inout UnlockPolicy) -> Void = { _ in }) -> UnlockPolicy {
        var policy = UnlockPolicy.unlock
        policy.hintAfter = .seconds(6)
        change(&policy)
        return policy
    }

    private static func document(
        ver: Int64 = 7, iat: Int64 = 0, exp: Int64 = 86_400, _ entry: PolicyDocument.Entry = .policy(policy())
    ) -> PolicyDocument {
        PolicyDocument(
            iss: issuer, iat: now + .seconds(iat), exp: now + .seconds(exp), ver: ver, policies: ["unlock": entry])
    }

    @Test func aDocumentOfTheServerIsAccepted() async throws {
        let (signer, document) = (try await Signer(), Self.document())
        let text = try await signer.sign(document)
        #expect(try signer.check.accept(text, at: Self.now) == document)
        #expect(try signer.check.accept(text, at: Self.now, newest: 7) == document)
    }

    @Test(
        "no other header is accepted",
        arguments: [
            #"{"alg":"none","kid":"k","typ":"thumbturn-policy+jwt"}"#, #"{"alg":"HS256","kid":"k","typ":"thumbturn-policy+jwt"}"#,
            #"{"alg":"ES256","kid":"k","typ":"at+jwt"}"#, #"{"alg":"ES256","kid":"k"}"#,
            #"{"alg":"ES256","kid":"other","typ":"thumbturn-policy+jwt"}"#,
            #"{"alg":"ES256","crit":["x"],"kid":"k","typ":"thumbturn-policy+jwt"}"#, "{",
        ])
    func header(_ header: String) async throws {
        let signer = try await Signer()
        let text = try await signer.sign(Self.document(), header: header)
        await expectFailure(.unexpectedAnswer) { _ = try signer.check.accept(text, at: Self.now) }
    }

    @Test func anotherKeysSignatureIsRefused() async throws {
        let signer = try await Signer()
        let other = try await Signer().sign(Self.document())
        await expectFailure(.unexpectedAnswer) { _ = try signer.check.accept(other, at: Self.now) }
        let text = try await signer.sign(Self.document())
        let parts = text.split(separator: ".")
        let changed = Base64URL.encode(StrictJSON.encode(Self.document(ver: 8)))
        await expectFailure(.unexpectedAnswer) { _ = try signer.check.accept("\(parts[0]).\(changed).\(parts[2])", at: Self.now) }
        let twice = PolicyDocumentCheck(issuer: Self.issuer, keys: [signer.jwk, signer.jwk])
        await expectFailure(.unexpectedAnswer) { _ = try twice.accept(text, at: Self.now) }
    }

    @Test func timesVersionsAndTheServerCount() async throws {
        let signer = try await Signer()
        let refused = [
            Self.document(exp: 0), Self.document(exp: -5), Self.document(iat: 301), Self.document(iat: 5, exp: 5),
            Self.document(exp: 7 * 86_400 + 1), Self.document(ver: -1), Self.document(ver: Self.now.seconds + 1),
        ]
        for document in refused {
            let text = try await signer.sign(document)
            await expectFailure(.unexpectedAnswer) { _ = try signer.check.accept(text, at: Self.now) }
        }
        let text = try await signer.sign(Self.document())
        await expectFailure(.unexpectedAnswer) { _ = try signer.check.accept(text, at: Self.now, newest: 8) }
        let elsewhere = PolicyDocumentCheck(issuer: "https://other.example", keys: [signer.jwk])
        await expectFailure(.unexpectedAnswer) { _ = try elsewhere.accept(text, at: Self.now) }
        for accepted in [
            Self.document(iat: 300), Self.document(exp: 1), Self.document(iat: -86_400, exp: 6 * 86_400),
            Self.document(ver: Self.now.seconds),
        ] {
            let text = try await signer.sign(accepted)
            #expect(try signer.check.accept(text, at: Self.now) == accepted)
        }
    }

    @Test(
        "unknown members, and what is not one entry, are refused",
        arguments: [
            #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","more":1,"policies":{},"ver":1}"#,
            #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","policies":{"unlock":{}},"ver":1}"#,
            #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","policies":{"unlock":{"policy":{"ladder":["fullCredentials"]},"x":1}},"ver":1}"#,
            #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","policies":{"unlock":{"policy":{"ladder":["biometric"]}}},"ver":1}"#,
            #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","policies":{},"ver":1,"ver":2}"#,
            #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","policies":{"unlock":{"policy":{"ladder":["fullCredentials"],"arm":"a"}}},"ver":1}"#,
        ])
    func payload(_ payload: String) async throws {
        let signer = try await Signer()
        let text = try await signer.sign(Array(payload.utf8))
        await expectFailure(.unexpectedAnswer) { _ = try signer.check.accept(text, at: Self.now) }
        let sound = #"{"exp":1800000100,"iat":1800000000,"iss":"https://login.example","policies":{},"ver":1}"#
        let accepted = try await signer.sign(Array(sound.utf8))
        #expect(try signer.check.accept(accepted, at: Self.now).ver == 1)
    }

    @Test func theCacheKeepsTheNewestAndNoOlderOneReplacesIt() async throws {
        let clock = VirtualClock(civilTime: Self.now)
        let platform = SimulatedPhone(.plain, clock: clock).platform()
        let signer = try await Signer()
        let cache = PolicyCache(on: platform, of: Self.issuer)
        expect(await cache.document(), is: nil)
        let kept = try await cache.keep(try await signer.sign(Self.document(ver: 7)), if: signer.check)
        expect(await cache.document(), is: kept)
        await expectFailure(.unexpectedAnswer) {
            _ = try await cache.keep(try await signer.sign(Self.document(ver: 6)), if: signer.check)
        }
        expect(await cache.document(), is: kept, "the newer one stays")
        clock.advance(by: .seconds(86_400))
        expect(await cache.document(), is: nil, "its time is over")
        await expectFailure(.unexpectedAnswer) {
            _ = try await cache.keep(try await signer.sign(Self.document(ver: 6, exp: 2 * 86_400)), if: signer.check)
        }
        let next = try await cache.keep(try await signer.sign(Self.document(ver: 8, exp: 2 * 86_400)), if: signer.check)
        expect(await cache.document(), is: next)
        try await platform.secrets.write([1], as: "policy document https://login.example")
        expect(await cache.document(), is: nil, "damaged")
        expect(try await cache.keep(try await signer.sign(Self.document(ver: 8, exp: 2 * 86_400)), if: signer.check), is: next)
    }

    @Test func aPolicyIsUsedWithinTheAppsBounds() throws {
        let token = AssignmentToken([UInt8](repeating: 7, count: 16))
        let bounds = PolicyBounds(around: .unlock)
        #expect(Self.document().policy(within: bounds, for: token) == Self.policy())
        let nameless = Self.document(.policy(Self.policy { $0.name = nil }))
        #expect(nameless.policy(within: bounds, for: token) == Self.policy(), "it is counted under the app's name")
        let tooMuch = Self.document(.policy(Self.policy { $0.reuse = .seconds(60) }))
        #expect(tooMuch.policy(within: bounds, for: token) == .unlock)
        #expect(Self.document().policy(within: PolicyBounds(around: .transaction), for: token) == .transaction)
    }

    @Test func anExperimentGivesEachDeviceItsArm() throws {
        let token = AssignmentToken([UInt8](repeating: 7, count: 16))
        let arms: [Experiment.Arm] = [
            .init("usual", weight: 1, policy: .unlock), .init("early", weight: 10_000, policy: Self.policy()),
        ]
        let document = Self.document(.experiment(try Experiment("hint", arms: arms)))
        let policy = document.policy(within: PolicyBounds(around: .unlock), for: token)
        #expect(policy == Self.policy { $0.arm = "early" } && policy.name == "unlock")
        let unbounded = arms + [.init("never", weight: 1, policy: Self.policy { $0.reuse = .seconds(60) })]
        let other = Self.document(.experiment(try Experiment("hint", arms: unbounded)))
        #expect(other.policy(within: PolicyBounds(around: .unlock), for: token) == .unlock, "an experiment counts as a whole")
    }
}
