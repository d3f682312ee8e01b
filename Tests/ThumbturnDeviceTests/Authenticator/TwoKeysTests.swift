import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Two keys of one device over one challenge.
@Suite struct TwoKeysTests {
    static var both: UnlockPolicy {
        var policy = UnlockPolicy.highRisk
        policy.additionalRungs = [.appPIN]
        return policy
    }

    static let wrong = SimulatedPhone.PINAct.enter("000000")
    static let right = SimulatedPhone.PINAct.enter(SimulatedPhone.pin)

    /// An enrolled phone, whose PIN is judged on the device or only by the server.
    static func enrolled(
        judgedByServer: Bool, _ story: @escaping @Sendable (World, Authenticator) async throws -> Void
    ) async throws {
        let world = try World(hasPIN: true)
        var platform = world.phone.platform(transport: world.server)
        if judgedByServer, let pin = platform.pin {
            platform.pin = PINSupport(
                entry: pin.entry, key: SoftwarePINKey(secrets: StoredPINSecrets(platform.secrets), rounds: 10))
        }
        let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        try await world.clock.run {
            try await auth.enrol(with: World.signIn)
            try await story(world, auth)
        }
    }

    /// The kinds of the keys that signed the last request to the token endpoint.
    static func signers(_ world: World) -> [KeyKind?] {
        world.server.state.withLock { state in (state.redeemed.last?.kids ?? []).map { state.keys[$0]?.kind } }
    }

    @Test("finger and PIN sign one challenge", arguments: [false, true])
    func stepUp(judgedByServer: Bool) async throws {
        try await Self.enrolled(judgedByServer: judgedByServer) { world, auth in
            world.phone.pins(Self.right)
            let grant = try await auth.stepUp(for: .newRecipient, reason: "Pay", policy: Self.both)
            #expect(grant.rung == .biometric && Self.signers(world) == [.biometric, .pin])
            #expect(world.server.state.withLock { $0.redeemed.last?.claims.kids.count } == 2)
            world.phone.pins(Self.right)
            _ = try await auth.authenticate("Unlock", policy: Self.both)
            #expect(Self.signers(world) == [.biometric, .pin])
        }
    }

    @Test func aWrongPINIsAskedAgainWithoutANewFinger() async throws {
        try await Self.enrolled(judgedByServer: false) { world, auth in
            let prompts = world.phone.promptCount
            world.phone.pins(Self.wrong, Self.right)
            _ = try await auth.stepUp(for: .newRecipient, reason: "Pay", policy: Self.both)
            #expect(world.phone.promptCount == prompts + 1 && Self.signers(world) == [.biometric, .pin])
        }
    }

    @Test func theFingerIsAskedAnewAfterTheServerRefusedAPIN() async throws {
        try await Self.enrolled(judgedByServer: true) { world, auth in
            world.phone.pins(Self.wrong, Self.right)
            let failed = await failure { _ = try await auth.stepUp(for: .newRecipient, reason: "Pay", policy: Self.both) }
            #expect(failed?.code == .timedOut && failed?.recovery == .retry, "its challenge was consumed by the wrong PIN")
            world.phone.pins(Self.right)
            _ = try await auth.stepUp(for: .newRecipient, reason: "Pay", policy: Self.both)
            #expect(Self.signers(world) == [.biometric, .pin])
        }
    }

    @Test func aPINThatTheServerJudgesComesLast() async throws {
        try await Self.enrolled(judgedByServer: true) { world, auth in
            var reversed = UnlockPolicy(ladder: [.appPIN, .fullCredentials])
            reversed.additionalRungs = [.biometric]
            world.phone.pins(Self.right)
            let failed = await failure { _ = try await auth.stepUp(for: .newRecipient, reason: "Pay", policy: reversed) }
            #expect(failed != nil && world.server.state.withLock { $0.redeemed.isEmpty })
        }
    }

    @Test func aStepUpByOneKeyIsNotReusedWhereTwoAreDemanded() async throws {
        try await Self.enrolled(judgedByServer: false) { world, auth in
            _ = try await auth.stepUp(for: .cardDetails, reason: "Show")
            world.phone.pins(Self.right)
            let prompts = world.phone.promptCount
            _ = try await auth.stepUp(for: .cardDetails, reason: "Show", policy: Self.both)
            #expect(world.phone.promptCount == prompts + 1)
            _ = try await auth.stepUp(for: .cardDetails, reason: "Show")
            #expect(world.phone.promptCount == prompts + 1, "a step-up by two keys is reused where one is demanded")
        }
    }

    @Test func anotherAmountNeedsAnotherStepUp() async throws {
        try await World.enrolled { world in
            let action = StepUpAction("existing-recipient", maximumAge: .seconds(300))!
            func asks(_ minor: Int64) async throws -> Bool {
                let prompts = world.phone.promptCount
                _ = try await world.auth.stepUp(for: action, amount: Money(minor: minor, currency: "EUR"), reason: "Pay")
                return world.phone.promptCount > prompts
            }
            expect(try await asks(100), is: true)
            expect(try await asks(100), is: false)
            expect(try await asks(99), is: true)
        }
    }
}
