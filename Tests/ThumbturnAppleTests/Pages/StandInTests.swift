#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnApple

/// The stand-ins behave as Apple's frameworks are known to behave; otherwise tests on them would show nothing.
@Suite struct StandInTests {
    @Test func anItemCanBeAddedOnce() async throws {
        try await AppleWorld().run {
            let item = Self.item("a")
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem)
        }
    }

    @Test func beforeTheFirstUnlockOnlyExistingItemsAreLocked() async throws {
        let world = AppleWorld()
        try await world.run {
            let (here, elsewhere) = (Self.item("a"), Self.item("b"))
            #expect(SecItemAdd(here as CFDictionary, nil) == errSecSuccess)
            world.phone.reboot()
            for (item, status) in [(here, errSecInteractionNotAllowed), (elsewhere, errSecItemNotFound)] {
                var query = item
                query[kSecValueData as String] = nil
                #expect(SecItemCopyMatching(query as CFDictionary, nil) == status)
                #expect(SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data()] as CFDictionary) == status)
                #expect(SecItemDelete(query as CFDictionary) == status)
                #expect(SecItemAdd(item as CFDictionary, nil) == errSecInteractionNotAllowed)
            }
            #expect(world.items.count == 1)
        }
    }

    private static func item(_ account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s", kSecAttrAccount as String: account,
            kSecValueData as String: Data("x".utf8),
        ]
    }

    @Test func aContextThatMatchedOnceMatchesAgainWithoutAPrompt() async throws {
        let world = AppleWorld()
        try await world.run {
            let context = LAContext()
            for _ in 1...2 {
                let matched = try await context.evaluatePolicy(
                    .deviceOwnerAuthenticationWithBiometrics, localizedReason: "Test")
                #expect(matched)
            }
            context.invalidate()
            do {
                _ = try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "Test")
                Issue.record("an invalidated context answers nothing")
            } catch {
                #expect((error as NSError).code == -10)
            }
        }
        #expect(world.phone.promptCount == 1)
    }

    @Test("A9: no signature without the use of a private key, whatever the person shows", arguments: [true, false])
    func withoutPrivateKeyUsage(_ isGuarded: Bool) async throws {
        try await AppleWorld().run {
            let context = LAContext()
            let flags: SecAccessControlCreateFlags = isGuarded ? .biometryCurrentSet : []
            let access = try Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: flags).made()
            _ = try await context.evaluateAccessControl(access, operation: .useKeySign, localizedReason: "Test")
            let key = try #require(Self.key(access, context))
            var error: Unmanaged<CFError>?
            let signature = unsafe SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, &error)
            let refusal = unsafe error?.takeRetainedValue()
            #expect(signature == nil && refusal?.domain == LAErrorDomain && refusal?.code == -1009)
        }
    }

    private static func key(_ access: SecAccessControl, _ context: LAContext) -> SecKey? {
        let parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave, kSecUseAuthenticationContext as String: context,
            kSecUseDataProtectionKeychain as String: true,
            kSecPrivateKeyAttrs as String: [kSecAttrAccessControl as String: access],
        ]
        return SecKeyCreateRandomKey(parameters as CFDictionary, nil)
    }

    @Test("A2: only the access control of a key is bound to the enrolled set")
    func ownAccessControl() async throws {
        let world = AppleWorld { $0.deadPrompt = .authentication(-1) }
        try await world.run {
            let fresh = try Guard.of(.biometric).made()
            let key = try #require(Self.key(fresh, LAContext()))
            let attributes = try #require(SecKeyCopyAttributes(key))
            let own = try #require(attributes[kSecAttrAccessControl] as? SecAccessControl)
            #expect(own.standInSet != nil && fresh.standInSet == nil && own.standInFlags == fresh.standInFlags)
            world.phone.enrolNewFace()
            let answers = [await Self.ask(fresh), await Self.ask(own)]
            #expect(answers == [nil, -1])
        }
        #expect(world.phone.promptCount == 1)
    }

    private static func ask(_ access: SecAccessControl) async -> Int? {
        do {
            _ = try await LAContext().evaluateAccessControl(access, operation: .useKeySign, localizedReason: "Test")
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    @Test("A8: a simulator refuses keys of the sensor, or opens everything", arguments: StandInSimulator.allCases)
    func simulators(_ simulator: StandInSimulator) async throws {
        let world = AppleWorld { $0.simulator = simulator }
        try await world.run {
            let key = Self.key(try Guard.of(.biometric).made(), LAContext())
            let signature = key.flatMap {
                SecKeyCreateSignature($0, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil)
            }
            #expect((signature == nil) == (simulator == .refusesKeys))
        }
        #expect(world.phone.promptCount == 0)
    }
}
#endif
