import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnDevice

/// A PIN that only the server can judge, while the flow is running.
@Suite struct DerivedPINTests {
    /// An enrolled phone whose PIN keys are derived.
    private static func enrolled(
        _ story: @escaping @Sendable (World, Authenticator, Watched) async throws -> Void
    ) async throws {
        let world = try World(hasPIN: true)
        let watched = Watched(world.phone.platform().secrets)
        var platform = world.phone.platform(transport: world.server)
        let pin = try #require(platform.pin)
        platform.secrets = watched
        platform.pin = PINSupport(
            entry: pin.entry, key: SoftwarePINKey(secrets: StoredPINSecrets(watched), rounds: 10)
        )
        let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        try await world.clock.run {
            try await auth.enrol(with: World.signIn)
            try await story(world, auth, watched)
        }
    }

    private static let policy = UnlockPolicy(ladder: [.appPIN])
    private static let wrong = SimulatedPhone.PINAct.enter("000000")
    private static let right = SimulatedPhone.PINAct.enter(SimulatedPhone.pin)

    @Test func aRightPINSignsIn() async throws {
        try await Self.enrolled { world, auth, _ in
            expect(try await auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            expect(try await auth.me().name, is: "ada")
            #expect(world.server.paths.count { $0 == "POST /v1/token" } == 1)
        }
    }

    @Test func aPINThatTheServerRefusesIsAskedAgain() async throws {
        try await Self.enrolled { world, auth, _ in
            let asked = world.server.paths.count { $0 == "POST /v1/challenges" }
            world.phone.pins(Self.wrong, Self.wrong, Self.right)
            expect(try await auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.map(\.wrongInARow) == [0, 1, 2])
            #expect(
                world.server.paths.count { $0 == "POST /v1/challenges" } - asked == 3,
                "one challenge for each guess")
            expect(try await auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.last?.wrongInARow == 0)
        }
    }

    /// The count of wrong PINs is empty only if the server's answer was still read: a call that was dismissed reads none.
    @Test("a person who is dismissed after the server took the PIN has no session", arguments: [true, false])
    func aDismissalAfterTheAnswer(isBeforeTheAnswerIsRead: Bool) async throws {
        try await Self.enrolled { world, auth, watched in
            world.phone.pins(Self.wrong, .cancel)
            await expectFailure(.notMatched) { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            let dismiss: @Sendable () -> Void = { auth.platform.prompts.void(auth.asker) }
            var platform = auth.platform
            if isBeforeTheAnswerIsRead {
                platform.transport = FollowedTokens(server: world.server, answered: dismiss)
            } else {
                platform.secrets = InterruptedSecrets(store: watched, at: "session ") { dismiss() }
            }
            let dismissed = try Authenticator(server: InMemoryServer.url, platform: platform)
            world.phone.pins(Self.right)
            await expectFailure(.cancelledByApp) { _ = try await dismissed.authenticate("Unlock", policy: Self.policy) }
            await expectFailure(.sessionOver) { _ = try await auth.me() }
            world.phone.pins(Self.right)
            _ = try await auth.authenticate("Unlock", policy: Self.policy)
            #expect(world.phone.pinRequests.last?.wrongInARow == (isBeforeTheAnswerIsRead ? 1 : 0))
        }
    }

    @Test func theNextRungAfterWrongPINsHasAChallengeOfItsOwn() async throws {
        try await Self.enrolled { world, auth, _ in
            for _ in 1...5 { world.phone.pins(Self.wrong) }
            let policy = UnlockPolicy(ladder: [.appPIN, .devicePasscode])
            expect(try await auth.authenticate("Unlock", policy: policy).rung, is: .devicePasscode)
            #expect(await auth.readiness().state(of: .pin) == .paused(for: .seconds(30)))
        }
    }

    @Test func nothingIsCountedWhereTheServerIsUnreachable() async throws {
        try await Self.enrolled { world, auth, _ in
            for _ in 1...12 {
                world.server.state.withLock { $0.losesToken = true }
                world.phone.pins(Self.wrong)
                await expectFailure(.unreachable) { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            }
            #expect(world.phone.pinRequests.allSatisfy { $0.wrongInARow == 0 })
            #expect(await auth.readiness().state(of: .pin) == .usable)
        }
    }

    @Test func aKeyThatTheServerDisabledIsInvalidatedHereToo() async throws {
        try await Self.enrolled { world, auth, _ in
            world.server.state.withLock { state in
                for kid in state.keys.keys where state.keys[kid]?.kind == .pin { state.wrongPINs[kid] = 9 }
            }
            world.phone.pins(Self.wrong)
            let dead = await failure { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            #expect(dead?.code == .keyInvalidated && dead?.recovery == .reEnrol)
            #expect(await auth.readiness().state(of: .pin).isDead)
            #expect(world.phone.pinRequests.count == 1)
            _ = await failure { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            #expect(world.phone.pinRequests.count == 1)
        }
    }

    @Test func aWrongOldPINIsAskedAgainWhenThePINIsChanged() async throws {
        try await Self.enrolled { world, auth, _ in
            // The old PIN is typed wrongly, then the new one and the old one again: the new one is chosen once.
            world.phone.pins(Self.wrong, .enter("719350"), Self.right)
            try await auth.changePIN(policy: Self.policy)
            world.phone.pins(.enter("719350"))
            expect(try await auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.map(\.wrongInARow) == [0, 1, 0])
        }
    }

    @Test func aProofThatIsNotRedeemedAtOnceIsNotMadeByADerivedPIN() async throws {
        try await Self.enrolled { world, auth, _ in
            await expectFailure(.policyDenies) { _ = try await auth.proof("Unlock", policy: Self.policy) }
            #expect(world.phone.pinRequests.isEmpty)
        }
    }

    @Test func neitherThePublicKeyNorItsThumbprintNorASignatureIsStored() async throws {
        try await Self.enrolled { world, auth, watched in
            expect(try await auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            world.phone.pins(Self.wrong, Self.right, .enter("719350"))
            _ = await failure { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            world.phone.pins(.enter("719350"))
            try await auth.changePIN()
            let keys = world.server.state.withLock { $0.keys.values.filter { $0.kind == .pin }.map(\.key) }
            #expect(keys.count == 2)
            let requests = world.server.state.withLock { $0.requests }
            // Every proof that was sent under a handle, and its signature.
            var traces = keys.flatMap { [$0.jwk.x, $0.jwk.y, $0.thumbprint, Base64URL.encode($0.x963)] }
            for request in requests {
                for word in String(decoding: request.body, as: UTF8.self).split(whereSeparator: { "\"=&,:".contains($0) }) {
                    guard let proof = try? UnverifiedProof(String(word)), PINHandle.isHandle(proof.kid) else { continue }
                    traces.append(String(word.split(separator: ".")[2]))
                }
            }
            #expect(traces.count >= 8 + 4)
            for written in watched.written {
                let text = String(decoding: written, as: UTF8.self)
                for trace in traces { #expect(!text.contains(trace)) }
                for trace in traces { #expect(!written.contains(Base64URL.decode(trace) ?? [0])) }
            }
        }
    }

    @Test func aRefusalWithoutTriesLeftIsNotAWrongPIN() async throws {
        // Without the number of tries left the device knows only that the server did not accept it.
        try await Self.enrolled { world, auth, _ in
            world.server.state.withLock { $0.keys = $0.keys.filter { $0.value.kind != .pin } }
            await expectFailure(.refused) { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            #expect(await auth.readiness().state(of: .pin) == .usable)
        }
    }
}

/// A store that remembers what was written.
private final class Watched: SecretStore {
    private let store: any SecretStore
    private let log = Mutex<[[UInt8]]>([])
    var written: [[UInt8]] { log.withLock { $0 } }

    init(_ store: any SecretStore) { self.store = store }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await store.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        log.withLock { $0.append(secret) }
        try await store.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) { try await store.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        if let new { log.withLock { $0.append(new) } }
        return try await store.replace(old, by: new, as: name)
    }
}
