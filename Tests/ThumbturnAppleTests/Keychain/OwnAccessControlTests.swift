#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// A2: a prompt asks for the access control of the key itself, which is bound to the enrolled set. It is not known what
/// such a prompt answers after a change of the set, nor whether every system tells the access control, so each reading
/// runs.
@Suite struct OwnAccessControlTests {
    /// What the prompt of a dead key may answer, without a sheet or after a match.
    static let answers: [StandInRefusal] = [
        .authentication(-1), .authentication(-6), .authentication(-7), .authentication(-1009), .keychain(-25293),
        .token(-3, aks: nil), .token(-3, aks: StandInRefusal.policyInvalid), .token(-5, aks: nil), .token(-6, aks: nil),
    ]

    private static func prompt(
        _ world: AppleWorld, _ platform: DevicePlatform, _ key: KeyName
    ) async -> PromptAnswer {
        await platform.sensor.prompt(
            PromptRequest(rung: .biometric, reason: "Unlock Acme", cancelButton: .cancel, key: key, message: [1])
        ) { _ in }
    }

    private static let secret = KeyName(server: Vault.realm, account: "designs", kind: .biometric)

    @Test("A2: the prompt asks for the access control of the key or the secret itself")
    func own() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            try await platform.vaults?.protect(SecretBytes("x"), as: Self.secret, access: .biometryCurrentSet)
            for key in [KeyName.of(.biometric), Self.secret] { _ = await Self.prompt(world, platform, key) }
        }
        let set = try #require(world.device.facts.enrolment)
        #expect(world.device.sheets.map(\.set) == [set, set])
        #expect(world.device.sheets.map(\.flags) == [[.privateKeyUsage, .biometryCurrentSet], .biometryCurrentSet])
        #expect(world.phone.promptCount == 2)
        world.expectNothingOnTheSide()
    }

    @Test("A2: a dead key or secret ends its prompt, however the system says so", arguments: answers, [false, true])
    func dead(_ answer: StandInRefusal, _ showsItsSheet: Bool) async throws {
        let world = AppleWorld {
            ($0.deadPrompt, $0.deadPromptShowsItsSheet) = (answer, showsItsSheet)
        }
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            try await platform.vaults?.protect(SecretBytes("x"), as: Self.secret, access: .biometryCurrentSet)
            world.phone.enrolNewFace()
            let signed = world.device.calls("SecKeyCreateSignature")
            for key in [KeyName.of(.biometric), Self.secret] {
                guard case .failed(let failure) = await Self.prompt(world, platform, key) else {
                    Issue.record("the prompt of a dead key has an answer")
                    continue
                }
                #expect(failure.code == .keyInvalidated && failure.recovery == .reEnrol)
                let error = answer.error
                #expect(failure.status?.domain == error.domain && failure.status?.code == error.code)
            }
            #expect(world.device.calls("SecKeyCreateSignature") <= signed + 1, "at most one silent look")
        }
        #expect(world.phone.promptCount == (showsItsSheet ? 2 : 0))
        world.expectNothingOnTheSide()
    }

    @Test("A2: where the access control is not told, one with the same flags is asked for", arguments: [true, false])
    func notTold(_ isHidden: Bool) async throws {
        let world = AppleWorld {
            if isHidden { $0.hidesAccessControl = true } else { $0.protectsAttributes = true }
            $0.deadPrompt = .authentication(-1)
        }
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            try await platform.vaults?.protect(SecretBytes("x"), as: Self.secret, access: .biometryAny)
            for key in [KeyName.of(.biometric), Self.secret] {
                guard case .matched = await Self.prompt(world, platform, key) else {
                    Issue.record("not matched")
                    continue
                }
            }
        }
        #expect(world.device.sheets.map(\.flags) == [[.privateKeyUsage, .biometryCurrentSet], .biometryAny])
        #expect(world.device.sheets.last?.set == nil)
        #expect(world.phone.promptCount == 2)
        world.expectNothingOnTheSide()
    }

    @Test("A2: a mismatch, a cancel and a lockout keep their meaning beside a dead key")
    func othersKeepTheirMeaning() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            world.device.answer(.refused(-1))
            guard case .notMatched = await Self.prompt(world, platform, .of(.biometric)) else {
                Issue.record("a usable key: a mismatch")
                return
            }
            world.phone.enrolNewFace()
            for (code, means) in [(-2, Failure.Code.cancelledByUser), (-4, .cancelledBySystem), (-8, .lockedOut)] {
                world.device.answer(.refused(code))
                guard case .failed(let failure) = await Self.prompt(world, platform, .of(.biometric)) else {
                    Issue.record("no failure")
                    continue
                }
                #expect(failure.code == means)
            }
        }
    }

    /// A sensor that cannot be asked says nothing about the key.
    @Test("A2: without permission the prompt of a dead key is no sign of its end")
    func withoutPermission() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            world.phone.enrolNewFace()
            world.phone.setPermission(false)
            guard case .failed(let failure) = await Self.prompt(world, platform, .of(.biometric)) else {
                Issue.record("no failure")
                return
            }
            #expect(failure.code == .permissionDenied)
        }
    }

    @Test("A2: a whole unlock goes on with the passcode", arguments: answers, [false, true])
    func unlock(_ answer: StandInRefusal, _ showsItsSheet: Bool) async throws {
        try await AppleLifeTests.Story.told(with: {
            $0.deadOnlyAfterAMatch = true
            ($0.deadPrompt, $0.deadPromptShowsItsSheet) = (answer, showsItsSheet)
        }) { story in
            story.phone.enrolNewFace()
            expect(try await story.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(story.redeemed == 1)
        }
    }
}
#endif
