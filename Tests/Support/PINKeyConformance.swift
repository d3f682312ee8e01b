import Testing
import ThumbturnCore
public import ThumbturnDevice
import ThumbturnVerifier

/// What every implementation of the port `PINKey` has to do.
public enum PINKeyConformance {
    private static let name = KeyName(server: "https://a.example", account: "x/../y", kind: .pin)
    private static let right = PIN("824193")!
    private static let wrong = PIN("824194")!

    public static func aKeyLives(_ keys: any PINKey) async throws {
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

    public static func aRightPINForgetsTheWrongOnes(_ keys: any PINKey) async throws {
        _ = try await keys.create(name, pin: right)
        for _ in 1...3 {
            for _ in 1...4 { await expectFailure(.notMatched) { _ = try await keys.sign([1], with: name, pin: wrong) } }
            _ = try await keys.sign([1], with: name, pin: right)
        }
        #expect(await keys.state(of: name) == .usable)
    }

    public static func theHardwareEndsAKeyByItself(_ keys: any PINKey) async throws {
        _ = try await keys.create(name, pin: right)
        var guesses = 0
        while await keys.state(of: name) == .usable, guesses < PINLedger.limit {
            await expectFailure(.notMatched) { _ = try await keys.sign([1], with: name, pin: wrong) }
            guesses += 1
        }
        #expect(await keys.state(of: name).isDead)
        let refused = await failure { _ = try await keys.sign([1], with: name, pin: right) }
        #expect(refused?.code == .keyInvalidated && refused?.recovery == .reEnrol, "the right PIN no longer opens it")
        _ = try await keys.create(name, pin: right)
        #expect(await keys.state(of: name) == .usable, "a new key is a new count")
    }
}
