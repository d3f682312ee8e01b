#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Testing
import ThumbturnCore
import ThumbturnTestKit

/// The stand-ins keep to what is known of Apple's frameworks; otherwise nothing that is shown with them means anything.
@Suite struct StandInTests {
    @Test func anItemIsThereOnce() async throws {
        try await AppleWorld().run {
            let item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s", kSecAttrAccount as String: "a",
                kSecValueData as String: Data("x".utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem)
        }
    }

    @Test func aContextThatWasShownOnceMatchesAgainWithoutAPrompt() async throws {
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
