#if !STAND_INS && canImport(LocalAuthentication) && canImport(Security)
import Testing
import ThumbturnCore
@testable import ThumbturnApple

/// On a real system of Apple's, and silent: nobody is asked. It has not run yet; how the keychain answers tests without an
/// entitlement, or in a session without a screen, is not known, so it is not asked for.
@Suite struct OnAppleSystemsTests {
    @Test func aSnapshotIsTotalAndTheSameTwice() async {
        let first = await Diagnostics.snapshot(), second = await Diagnostics.snapshot()
        #expect(first == second)
        #expect(first.description.split(separator: "\n").count == 5)
        if first.sensor == nil { #expect(first.biometry != .ready) }
    }
}
#endif
