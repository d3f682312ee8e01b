import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// A mistake of the app or of its server is named to the developer, and to no person.
@Suite struct DeveloperHintTests {
    /// A server that gives one answer to everything.
    private struct OneAnswer: Transport {
        let status: Int
        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            TransportResponse(status: status, headers: [:], body: [])
        }
    }

    /// Expects a failure whose hint has these words, which no text for the person has.
    private func expectHint(
        _ words: String, of code: Failure.Code, _ location: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
    ) async {
        let failure = await #expect(throws: Failure.self, sourceLocation: location) { try await call() }
        guard let failure else { return }
        #expect(failure.code == code, sourceLocation: location)
        #expect(failure.developerHint?.contains(words) == true, "\(failure.developerHint ?? "no hint")", sourceLocation: location)
        #expect(String(reflecting: failure).contains(words), sourceLocation: location)
        #expect(!failure.description.contains(words) && !failure.localizedDescription.contains(words), sourceLocation: location)
        #expect(failure == Failure(failure.code, recovery: failure.recovery, status: failure.status), sourceLocation: location)
    }

    @Test func anEmptyReason() async throws {
        try await World.enrolled { world in
            for reason in ["", " \n"] {
                await expectHint("of the prompt is empty", of: .reasonMissing) { _ = try await world.auth.authenticate(reason) }
            }
        }
    }

    @Test func aPolicyThatContradictsItself() async throws {
        try await World.enrolled { world in
            var policy = UnlockPolicy(ladder: [.biometric, .biometric])
            await expectHint("ladder: names a rung twice", of: .policyDenies) {
                _ = try await world.auth.authenticate("Unlock Acme", policy: policy)
            }
            policy = .unlock
            policy.reuse = .seconds(400)
            await expectHint("reuse: is 0 to 300 s", of: .policyDenies) {
                _ = try await world.auth.authenticate("Unlock Acme", policy: policy)
            }
            policy.reuse = .seconds(60)
            await expectHint("cannot have a reuse", of: .policyDenies) {
                _ = try await world.auth.stepUp(for: .newRecipient, reason: "Pay Bob", policy: policy)
            }
            let vault = Vault(named: "designs", platform: world.phone.platform(), policy: UnlockPolicy(ladder: []))
            await expectHint("ladder: is empty", of: .policyDenies) { try await vault.unlocked("Open the vault") { _ in } }
        }
    }

    @Test(arguments: [(400, "no action of this name"), (404, "nothing at this path"), (502, "what stands before it")])
    func anAnswerOfAServerThatCannotServe(_ status: Int, _ words: String) async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let auth = try Authenticator(
            server: try #require(URL(string: "http://127.0.0.1:1")),
            platform: phone.platform(transport: OneAnswer(status: status)))
        try await clock.run {
            await expectHint(words, of: .unexpectedAnswer) {
                try await auth.enrol(with: PasswordSignIn(account: "ada", password: "correct horse battery staple"))
            }
        }
    }

    @Test func whatIsNoMistakeHasNoHint() async throws {
        #expect(Failure(.cancelledByUser).developerHint == nil)
        try await World.enrolled { world in
            world.phone.next(.cancel)
            let failure = await #expect(throws: Failure.self) { _ = try await world.auth.authenticate("Unlock Acme") }
            #expect(failure?.code == .cancelledByUser && failure?.developerHint == nil)
        }
    }
}
