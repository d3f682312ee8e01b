import TestSupport
import Testing
import ThumbturnDevice
import ThumbturnTestKit

/// The port `PINKey` on the simulated phone; the TPM has a suite of its own.
@Suite struct SimulatedPINKeyTests {
    private func keys() throws -> any PINKey { try #require(SimulatedPhone(hasPIN: true).platform().pin).key }

    @Test func aKeyLives() async throws { try await PINKeyConformance.aKeyLives(try keys()) }
    @Test func aRightPINForgetsTheWrongOnes() async throws {
        try await PINKeyConformance.aRightPINForgetsTheWrongOnes(try keys())
    }
    @Test func theHardwareEndsAKeyByItself() async throws { try await PINKeyConformance.theHardwareEndsAKeyByItself(try keys()) }
}
