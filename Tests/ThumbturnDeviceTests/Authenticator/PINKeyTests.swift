import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The port `PINKey` on the simulated phone; the TPM has a suite of its own.
@Suite struct SimulatedPINKeyTests {
    private func keys() throws -> any PINKey { try #require(SimulatedPhone(hasPIN: true).platform().pin).key }

    @Test func aKeyLives() async throws { try await PINKeyConformance.aKeyLives(try keys()) }
    @Test func aWrongPINIsRefused() async throws { try await PINKeyConformance.aWrongPINIsRefused(try keys()) }
    @Test func aRightPINForgetsTheWrongOnes() async throws {
        try await PINKeyConformance.aRightPINForgetsTheWrongOnes(try keys())
    }
    @Test func theHardwareEndsAKeyByItself() async throws { try await PINKeyConformance.theHardwareEndsAKeyByItself(try keys()) }
}

/// The port `PINKey` derived from the PIN.
@Suite struct SoftwarePINKeyTests {
    private let secrets = SimulatedPhone().platform().secrets
    private var keys: SoftwarePINKey { SoftwarePINKey(secrets: StoredPINSecrets(secrets), rounds: 10) }
    private let name = KeyName(server: "https://a.example", account: "ada", enrolment: 1, kind: .pin)

    @Test func aKeyLives() async throws { try await PINKeyConformance.aKeyLives(keys) }
    @Test func onlyTheServerCanTellAWrongPIN() async throws { try await PINKeyConformance.onlyTheServerCanTellAWrongPIN(keys) }

    /// The derivation is a format: the same PIN must always give the key that was enrolled. The expected values were computed
    /// with Python's hashlib and hmac.
    @Test func theDerivationIsTheDocumentedOne() async throws {
        let key = SoftwarePINKey(secrets: FixedSecrets(), rounds: 1000)
        let jwk = JWK(try await key.create(name, pin: try #require(PIN("824193"))))
        #expect(jwk.x == "xtOoqZqQwSjO7Tnz21jKMzUrkVkgVwiTU4GQylgBfvI")
        #expect(jwk.y == "KdKAI_O4dLAicKRFy3Hzod7SKyRYfi15pojAkHrYzvI")
    }

    @Test func theRoundsAreThoseOfTheDesign() async throws {
        #expect(PINStretching.rounds == 600_000)
        let (full, few) = (SoftwarePINKey(secrets: FixedSecrets()), SoftwarePINKey(secrets: FixedSecrets(), rounds: 600_000))
        let pin = try #require(PIN("824193"))
        expect(try await full.create(name, pin: pin), is: try await few.create(name, pin: pin))
    }

    @Test func everyPartOfTheNameAndTheSecretMakesAnotherKey() async throws {
        let pin = try #require(PIN("824193"))
        let key = SoftwarePINKey(secrets: FixedSecrets(), rounds: 10)
        var names = [name, name, name, name]
        (names[1].server, names[2].account, names[3].enrolment) = ("https://b.example", "bob", 2)
        var made: Set<PublicKey> = []
        for name in names { made.insert(try await key.create(name, pin: pin)) }
        made.insert(try await SoftwarePINKey(secrets: FixedSecrets(byte: 8), rounds: 10).create(name, pin: pin))
        made.insert(try await key.create(name, pin: try #require(PIN("8241930"))))
        #expect(made.count == 6)
    }

    @Test func aCandidateThatIsNoScalarIsDrawnAgain() throws {
        let order = SoftwarePINKey.order
        var largest = order
        largest[31] -= 1
        let zero = [UInt8](repeating: 0, count: 32), one = Array(zero.dropLast()) + [1], top = [UInt8](repeating: 0xFF, count: 32)
        for (row, chosen) in [
            ([largest, one], largest), ([one, largest], one), ([order, one], one), ([zero, one], one),
            ([top, order, zero, one], one),
        ] {
            #expect(SoftwarePINKey.firstScalar { row[min(Int($0), row.count - 1)] } == chosen)
        }
        #expect(SoftwarePINKey.firstScalar { _ in order } == nil)
    }

    struct FixedSecrets: PINSecrets {
        var byte: UInt8 = 7
        func create(_ name: KeyName) {}
        func state(of name: KeyName) -> KeyState { .usable }
        func delete(_ name: KeyName) {}
        func deleteAll(server: String, account: String) {}
        func authenticate(_ message: [UInt8], with name: KeyName) -> [UInt8] {
            Vectors.hmac(message, key: [UInt8](repeating: byte, count: 32))
        }
    }
}
