import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnVerifier

/// One suite for every implementation of the port.
@Suite struct PINKeyConformance {
    enum Implementation: CaseIterable, Sendable {
        case simulatedPhone

        func make() throws -> any PINKey {
            switch self {
            case .simulatedPhone: try #require(SimulatedPhone(hasPIN: true).platform().pin).key
            }
        }
    }

    private let name = KeyName(server: "https://a.example", account: "x/../y", kind: .pin)
    private let right = PIN("824193")!
    private let wrong = PIN("824194")!

    @Test(arguments: Implementation.allCases) func aKeyLives(_ implementation: Implementation) async throws {
        let keys = try implementation.make()
        #expect(await keys.state(of: name) == .missing)
        await expectFailure(.notEnrolled) { _ = try await keys.sign([1], with: name, pin: right) }
        let made = try await keys.create(name, pin: right)
        #expect(await keys.state(of: name) == .usable)
        let signature = try await keys.sign([1, 2, 3], with: name, pin: right)
        #expect(try VerifyingKey(jwk: made).isValid(signature, for: [1, 2, 3]))

        let other = KeyName(server: "https://b.example", account: "x/../y", kind: .pin)
        #expect(await keys.state(of: other) == .missing, "keys belong to one server")
        let replaced = try await keys.create(name, pin: wrong)
        #expect(replaced != made)
        await expectFailure(.notMatched) { _ = try await keys.sign([1], with: name, pin: right) }
        try await keys.delete(name)
        try await keys.delete(name)
        #expect(await keys.state(of: name) == .missing)
    }

    @Test(arguments: Implementation.allCases) func aRightPINForgetsTheWrongOnes(_ implementation: Implementation) async throws {
        let keys = try implementation.make()
        _ = try await keys.create(name, pin: right)
        for _ in 1...3 {
            for _ in 1...4 { await expectFailure(.notMatched) { _ = try await keys.sign([1], with: name, pin: wrong) } }
            _ = try await keys.sign([1], with: name, pin: right)
        }
        #expect(await keys.state(of: name) == .usable)
    }

    @Test(arguments: Implementation.allCases) func theHardwareEndsAKeyByItself(_ implementation: Implementation) async throws {
        let keys = try implementation.make()
        _ = try await keys.create(name, pin: right)
        var guesses = 0
        while await keys.state(of: name) == .usable, guesses < PINLedger.limit {
            await expectFailure(.notMatched) { _ = try await keys.sign([1], with: name, pin: wrong) }
            guesses += 1
        }
        #expect(await keys.state(of: name) == .invalidated)
        let refused = await failure { _ = try await keys.sign([1], with: name, pin: right) }
        #expect(refused == Failure(.keyInvalidated, recovery: .reEnrol), "the right PIN no longer opens it")
        _ = try await keys.create(name, pin: right)
        #expect(await keys.state(of: name) == .usable, "a new key is a new count")
    }
}
