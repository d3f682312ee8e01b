#if STAND_INS
import DeviceCheck
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit

/// Evidence of App Attest in the requests of an iPhone, without a word of the app.
@Suite struct EnrolmentEvidenceTests {
    private static let signIn = PasswordSignIn(account: "ada", password: InMemoryServer.password)

    /// The enrolments that an app on a phone with App Attest sends.
    private static func enrolments(
        _ attest: StandInAttest, _ story: @escaping @Sendable (Authenticator) async throws -> Void
    ) async throws -> [EnrolRequest] {
        let world = AppleWorld()
        let network = RecordingTransport(InMemoryServer(clock: world.phone.clock))
        let auth = try Authenticator(server: InMemoryServer.url, platform: world.platform(transport: network))
        try await StandInAttest.$current.withValue(attest) { try await world.run { try await story(auth) } }
        return try network.exchanges.filter { $0.request.method == "POST" && $0.request.url.hasSuffix("/v1/devices") }.map {
            try StrictJSON.decode(EnrolRequest.self, from: $0.request.body)
        }
    }

    @Test func anEnrolmentCarriesEvidenceThatIsBoundToItsChallengeAndKeys() async throws {
        let sent = try await Self.enrolments(StandInAttest()) { try await $0.enrol(with: Self.signIn) }
        let request = try #require(sent.first)
        guard case .appAttest(let evidence)? = request.evidence else {
            Issue.record("no evidence of App Attest")
            return
        }
        let proof = try #require(request.keys.first { $0.kind == .session }?.proof.flatMap(CompactJWS.init))
        let keys = request.keys.filter { $0.kind != .pin }.compactMap { $0.jwk?.x963.flatMap(PublicKey.init(x963:)) }
        let challenge = String(decoding: proof.payload, as: UTF8.self)
        #expect(keys.count == 3 && evidence.attestedValue == Signing.boundValue(challenge: challenge, keys: keys))
    }

    @Test("Apple's servers may not answer, and App Attest may fail", arguments: [4, 2, 0])
    func failures(_ code: Int) async throws {
        let attest = StandInAttest()
        attest.failNext(nil, code)
        let sent = try await Self.enrolments(attest) { auth in
            do {
                try await auth.enrol(with: Self.signIn)
                #expect(code == 2, "another key is tried at once")
            } catch let failure as Failure {
                #expect(code != 2 && failure.recovery == .retry, "\(failure)")
                try await auth.enrol(with: Self.signIn)
            }
        }
        #expect(sent.count == 1 && sent[0].evidence != nil)
    }

    @Test("where App Attest refuses every key, the server decides", arguments: [1, 2, 3])
    func refused(_ code: Int) async throws {
        let attest = StandInAttest()
        attest.failAlways(.attest, with: code)
        let sent = try await Self.enrolments(attest) { try await $0.enrol(with: Self.signIn) }
        #expect(sent.count == 1 && sent[0].evidence == nil)
    }

    @Test("an error that stays ends two enrolments, and not the third")
    func unknown() async throws {
        let attest = StandInAttest()
        attest.failAlways(.attest, with: 0)
        let sent = try await Self.enrolments(attest) { auth in
            for _ in 1...2 {
                #expect(await failure { try await auth.enrol(with: Self.signIn) }?.recovery == .retry)
            }
            try await auth.enrol(with: Self.signIn)
        }
        #expect(sent.count == 1 && sent[0].evidence == nil)
    }

    @Test func withoutAppAttestTheEnrolmentHasNoEvidence() async throws {
        let attest = StandInAttest()
        attest.isSupported = false
        let sent = try await Self.enrolments(attest) { try await $0.enrol(with: Self.signIn) }
        #expect(sent.count == 1 && sent[0].evidence == nil)
    }
}
#endif
