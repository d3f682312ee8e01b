#if STAND_INS
import LocalAuthentication
import Security
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// The keychain reports many causes by one code. The person has matched, and the state of the sensor afterwards tells
/// the causes apart.
@Suite struct RefusalTests {
    struct Story: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var befalls: @Sendable (SimulatedPhone) -> Void
        var means: Failure.Code
        var next: Recovery
    }

    static let stories = [
        Story(testDescription: "another face", befalls: { $0.enrolNewFace() }, means: .keyInvalidated, next: .reEnrol),
        Story(
            testDescription: "another face, and the lid closed",
            befalls: {
                $0.enrolNewFace()
                $0.setLidClosed(true)
            }, means: .biometryUnavailable, next: .fallBack(.devicePasscode)),
        Story(
            testDescription: "another face, and no permission",
            befalls: {
                $0.enrolNewFace()
                $0.setPermission(false)
            }, means: .permissionDenied, next: .openSettings),
    ]

    /// The refusals of a key that do not say whether it is dead.
    static let unclear: [StandInRefusal] = [.keychain(-25293), .token(-5, aks: nil), .token(-3, aks: nil)]

    /// The presence of a match; nil where the prompt had another answer.
    private static func match(_ request: PromptRequest, _ world: AppleWorld) async -> Presence? {
        let answer = await AppleSensor(world.system).prompt(request, hearing: { _ in })
        return if case .matched(let presence) = answer { presence } else { nil }
    }

    @Test(arguments: stories, unclear) func aRefusedKeyReportsTheReason(story: Story, _ refusal: StandInRefusal) async throws {
        let world = AppleWorld { $0.dead = refusal }
        try await world.run {
            let keys = EnclaveKeys(keychain: Keychain(KeychainPlace(), on: world.system))
            let request = AppleSensorTests.request()
            _ = try await keys.create(request.key)
            let presence = try #require(await Self.match(request, world))
            story.befalls(world.phone)
            do throws(Failure) {
                _ = try await keys.sign([1], with: request.key, presence: presence)
                Issue.record("the key signed")
            } catch {
                #expect(error.code == story.means)
                #expect(error.recovery == story.next)
                #expect([-25293, -5, -3].contains(error.status?.code))
            }
        }
        #expect(world.device.calls("SecKeyCreateSignature") >= 1)
        #expect(world.device.calls("a prompt of the keychain's own") == 0)
    }

    @Test(arguments: stories, [true, false])
    func aKeyThatTheSecureEnclaveCallsDeadIsDead(story: Story, _ onlyAfterAMatch: Bool) async throws {
        let world = AppleWorld {
            $0.dead = .token(-3, aks: StandInRefusal.policyInvalid)
            $0.deadOnlyAfterAMatch = onlyAfterAMatch
        }
        try await world.run {
            let keys = EnclaveKeys(keychain: Keychain(KeychainPlace(), on: world.system))
            let request = AppleSensorTests.request()
            _ = try await keys.create(request.key)
            let presence = try #require(await Self.match(request, world))
            story.befalls(world.phone)
            let refused = await failure { _ = try await keys.sign([1], with: request.key, presence: presence) }
            let status = Failure.PlatformStatus(domain: "CryptoTokenKit", code: -3, hardware: -536_362_999)
            #expect(refused == Failure(.keyInvalidated, status: status))
            #expect(await keys.state(of: request.key) == (onlyAfterAMatch ? .usable : .invalidated(.unknown)))
        }
        #expect(world.device.calls("a prompt of the keychain's own") == 0)
    }

    @Test(arguments: stories) func aRefusedVaultReportsTheReason(story: Story) async throws {
        let world = AppleWorld()
        try await world.run {
            let vault = KeychainVault(keychain: Keychain(KeychainPlace(), on: world.system))
            let request = AppleSensorTests.request(server: Vault.realm)
            try await vault.protect(SecretBytes([1, 2, 3]), as: request.key, access: .biometryCurrentSet)
            let presence = try #require(await Self.match(request, world))
            story.befalls(world.phone)
            do throws(Failure) {
                _ = try await vault.release(request.key, presence: presence)
                Issue.record("the vault opened")
            } catch {
                #expect(error.code == story.means)
                #expect(error.recovery == story.next)
                #expect(error.status?.code == -25293)
            }
        }
        #expect(world.device.calls("a prompt of the keychain's own") == 0)
    }

    @Test func thePromptUsesTheAccessOfTheVault() async throws {
        let world = AppleWorld()
        try await world.run {
            let vault = KeychainVault(keychain: Keychain(KeychainPlace(service: "acme"), on: world.system))
            let request = AppleSensorTests.request(server: Vault.realm)
            try await vault.protect(SecretBytes([1, 2, 3]), as: request.key, access: .biometryAny)
            for place in [KeychainPlace(service: "acme"), KeychainPlace(service: "another")] {
                _ = await AppleSensor(world.system, world.keychain(place)).prompt(request) { _ in }
            }
        }
        #expect(world.device.sheets.map(\.flags) == [.biometryAny, .biometryCurrentSet])
    }
}
#endif
