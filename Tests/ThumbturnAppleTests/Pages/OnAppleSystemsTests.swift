#if !STAND_INS && canImport(LocalAuthentication) && canImport(Security)
import Testing
import ThumbturnCore
@testable import ThumbturnApple

/// Tests on a real system of Apple's, without a prompt. They have not run on one. It is not known how the keychain
/// answers tests without an entitlement, or in a session without a screen, so no particular answer is expected.
@Suite struct OnAppleSystemsTests {
    @Test func aSnapshotIsCompleteAndStable() async {
        let first = await Diagnostics.snapshot(), second = await Diagnostics.snapshot()
        #expect(first == second)
        #expect(first.description.split(separator: "\n").count == 7)
        if first.sensor == nil { #expect(first.biometry != .ready) }
    }
}
#endif
