#if !STAND_INS && canImport(LocalAuthentication) && canImport(Security)
import Testing
import ThumbturnCore
@testable import ThumbturnApple

/// On a real system of Apple's, and silent: nobody is asked. Never compiled or run where there is none; a Mac's first run may show that it
/// is wrong.
@Suite struct OnAppleSystemsTests {
    @Test func aSnapshotIsTotalAndTheSameTwice() async {
        let first = await Diagnostics.snapshot(), second = await Diagnostics.snapshot()
        #expect(first == second)
        #expect(first.description.split(separator: "\n").count == 5)
        // Tests are not signed with an entitlement, so the keychain may refuse; it must not say that the device was never unlocked.
        #expect(first.keychain != .notYetReadable)
        if first.sensor == nil { #expect(first.biometry != .ready) }
    }
}
#endif
