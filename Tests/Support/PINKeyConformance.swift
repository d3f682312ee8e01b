import Testing
import ThumbturnCore
public import ThumbturnDevice
import ThumbturnVerifier

/// What every implementation of the port `PINKey` has to do; and then what those do that judge a PIN by themselves, and those that leave
/// it to the server. A key is held to one of the two, as its `judge` says.
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
        #expect(try VerifyingKey(made).isValid(signature, for: [1, 2, 3]))

        let other = KeyName(server: "https://b.example", account: "x/../y", kind: .pin)
        #expect(await keys.state(of: other) == .missing, "keys belong to one server")
        let replaced = try await keys.create(name, pin: right)
        #expect(replaced != made, "the same PIN, and another key all the same")
        let signed = try await keys.sign([1, 2, 3], with: name, pin: right)
        #expect(try !VerifyingKey(made).isValid(signed, for: [1, 2, 3]))
        #expect(try VerifyingKey(replaced).isValid(signed, for: [1, 2, 3]))
        try await keys.delete(name)
        try await keys.delete(name)
        #expect(await keys.state(of: name) == .missing)
        await expectFailure(.notEnrolled) { _ = try await keys.sign([1], with: name, pin: right) }
        try await allKeysOfAnAccountAreDeletedAndNoOthers(keys)
    }

    private static func allKeysOfAnAccountAreDeletedAndNoOthers(_ keys: any PINKey) async throws {
        let (server, account) = ("https://a.example", "x")
        try await keys.deleteAll(server: server, account: account)
        let own = [1, Int.max].map { KeyName(server: server, account: account, enrolment: $0, kind: .pin) }
        let others = DeviceKeysConformance.neighbours.prefix(2).map { KeyName(server: $0, account: $1, enrolment: 1, kind: .pin) }
        for name in own + others { _ = try await keys.create(name, pin: right) }
        try await keys.delete(own[1])
        _ = try await keys.create(own[1], pin: right)
        try await keys.deleteAll(server: server, account: account)
        for name in own { #expect(await keys.state(of: name) == .missing) }
        for name in others {
            #expect(await keys.state(of: name) == .usable)
            try await keys.delete(name)
        }
        try await keys.deleteAll(server: server, account: account)
    }

    // MARK: Judged by the server

    /// A wrong PIN signs like the right one, with a key that nobody enrolled, and changes nothing.
    public static func onlyTheServerCanTellAWrongPIN(_ keys: any PINKey) async throws {
        #expect(keys.judge == .server)
        let made = try VerifyingKey(try await keys.create(name, pin: right))
        for _ in 1...PINLedger.limit + 1 {
            let signature = try await keys.sign([1, 2, 3], with: name, pin: wrong)
            #expect(signature.count == 64 && !made.isValid(signature, for: [1, 2, 3]))
            #expect(await keys.state(of: name) == .usable)
        }
        #expect(made.isValid(try await keys.sign([1, 2, 3], with: name, pin: right), for: [1, 2, 3]), "and always the same key")
    }

    // MARK: Judged by the key

    public static func aWrongPINIsRefused(_ keys: any PINKey) async throws {
        #expect(keys.judge == .key)
        _ = try await keys.create(name, pin: right)
        _ = try await keys.create(name, pin: wrong)
        await expectFailure(.notMatched) { _ = try await keys.sign([1], with: name, pin: right) }
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
