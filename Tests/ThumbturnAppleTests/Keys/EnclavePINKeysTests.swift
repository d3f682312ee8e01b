#if STAND_INS
import LocalAuthentication
import Security
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

@Suite struct EnclavePINKeysTests {
    private func told(
        _ model: SimulatedPhone.Model = .iPhone(.face), _ more: @escaping @Sendable (inout StandInFacts) -> Void = { _ in },
        _ story: @escaping @Sendable (AppleWorld, EnclavePINKeys) async throws -> Void
    ) async throws {
        let world = AppleWorld(model, more)
        try await world.run { try await story(world, EnclavePINKeys(keychain: world.keychain(), rounds: 10)) }
        #expect(world.device.calls("SecKeyCreateRandomKey") > 0 && world.phone.promptCount == 0)
        world.expectNothingOnTheSide()
    }

    @Test func aKeyLives() async throws { try await told { try await PINKeyConformance.aKeyLives($1) } }
    @Test func aWrongPINIsRefused() async throws { try await told { try await PINKeyConformance.aWrongPINIsRefused($1) } }
    @Test func aRightPINForgetsTheWrongOnes() async throws {
        try await told { try await PINKeyConformance.aRightPINForgetsTheWrongOnes($1) }
    }

    @Test func theSecureEnclaveJudgesThePIN() async throws {
        try await told { world, keys in
            #expect(keys.rounds == 10 && EnclavePINKeys(keychain: world.keychain()).rounds == 600_000)
            let pin = try #require(PIN("824193")), wrong = try #require(PIN("824194"))
            _ = try await keys.create(.of(.pin), pin: pin)
            let key = try #require(world.items.first)
            #expect(world.items.count == 1 && key.isKey, "no other item against which a PIN could be tried")
            #expect(key.protection == "cku" && key.flags?.rawValue == 0xC000_0000)
            let before = world.device.calls("SecKeyCreateSignature")
            #expect(await keys.state(of: .of(.pin)) == .usable)
            #expect(world.device.calls("SecKeyCreateSignature") == before, "reading the state is not an attempt")
            let refused = await failure { _ = try await keys.sign([1], with: .of(.pin), pin: wrong) }
            #expect(refused?.code == .notMatched && refused?.status?.code == -25293)
            #expect(world.device.calls("SecKeyCreateSignature") == before + 1)
            await expectFailure(.policyDenies) { _ = try await keys.create(.of(.session), pin: pin) }
        }
    }

    @Test(
        "every answer at the lookup that may come from judging counts as a wrong PIN",
        arguments: [
            (-26275, true), (-26276, true), (-25293, true), (-2070, true), (-36, true),
            (-50, true),
            // Not found, while the key is found without a password; not allowed to ask, while the device is not locked.
            (-25300, true), (-25308, true),
            // No entitlement.
            (-34018, false),
        ] as [(OSStatus, Bool)])
    func refusedAtTheLookup(_ status: OSStatus, _ counts: Bool) async throws {
        try await told(.iPhone(.face), { $0.wrongPassword = .atLookup(status) }) { world, keys in
            let pin = try #require(PIN("824193")), wrong = try #require(PIN("824194"))
            _ = try await keys.create(.of(.pin), pin: pin)
            let refused = await failure { _ = try await keys.sign([1], with: .of(.pin), pin: wrong) }
            #expect((refused?.code == .notMatched) == counts && refused != nil)
            #expect(await keys.state(of: .of(.pin)) == .usable, "the state is read without a PIN")
            _ = try await keys.sign([1], with: .of(.pin), pin: pin)
        }
    }

    @Test("a wrong PIN is one, however the Secure Enclave refuses it", arguments: StandInRefusal.ofAWrongPassword)
    func refused(_ refusal: StandInRefusal) async throws {
        try await told(.iPhone(.face), { $0.wrongPassword = refusal }) { _, keys in
            let pin = try #require(PIN("824193")), wrong = try #require(PIN("824194"))
            _ = try await keys.create(.of(.pin), pin: pin)
            for _ in 1...2 { await expectFailure(.notMatched) { _ = try await keys.sign([1], with: .of(.pin), pin: wrong) } }
            #expect(await keys.state(of: .of(.pin)) == .usable)
            _ = try await keys.sign([1], with: .of(.pin), pin: pin)
        }
    }

    @Test func beforeTheFirstUnlockNoPINIsJudged() async throws {
        try await told { world, keys in
            let pin = try #require(PIN("824193"))
            _ = try await keys.create(.of(.pin), pin: pin)
            world.phone.prewarm()
            #expect(await keys.state(of: .of(.pin)) == .notYetReadable)
            await expectFailure(.notYetReadable) { _ = try await keys.sign([1], with: .of(.pin), pin: pin) }
            world.phone.unlockWithPasscode()
            _ = try await keys.sign([1], with: .of(.pin), pin: pin)
        }
    }

    @Test func facesAndPasscodesDoNotAffectAPINKey() async throws {
        try await told { world, keys in
            let pin = try #require(PIN("824193"))
            _ = try await keys.create(.of(.pin), pin: pin)
            world.phone.enrolNewFace()
            world.phone.removePasscode()
            _ = try await keys.sign([1], with: .of(.pin), pin: pin)
        }
    }
}
#endif
