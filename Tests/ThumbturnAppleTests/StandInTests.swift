#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Testing
import ThumbturnCore
import ThumbturnTestKit

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
}
#endif
