import Testing
import ThumbturnCore
public import ThumbturnDevice
import ThumbturnVerifier

/// What every implementation of the port `DeviceKeys` has to do.
public enum DeviceKeysConformance {
    public static func aKeyLives(_ keys: any DeviceKeys) async throws {
        let name = KeyName(server: "https://a.example", account: "x/../y", kind: .session)
        #expect(await keys.state(of: name) == .missing)
        await expectFailure(.notEnrolled) { _ = try await keys.publicKey(of: name) }
        await expectFailure(.notEnrolled) { _ = try await keys.sign([1], with: name, presence: nil) }

        let made = try await keys.create(name)
        #expect(await keys.state(of: name) == .usable)
        #expect(try await keys.publicKey(of: name) == made)
        let signature = try await keys.sign([1, 2, 3], with: name, presence: nil)
        #expect(try VerifyingKey(made).isValid(signature, for: [1, 2, 3]))

        let other = KeyName(server: "https://b.example", account: "x/../y", kind: .session)
        #expect(await keys.state(of: other) == .missing, "keys belong to one server")
        let replaced = try await keys.create(name)
        #expect(replaced != made)
        try await keys.delete(name)
        try await keys.delete(name)
        #expect(await keys.state(of: name) == .missing)
        try await allKeysOfAnAccountAreDeletedAndNoOthers(keys)
    }

    /// Accounts whose names run into one another, and into the server's.
    static let neighbours = [
        ("https://a.example", "x1"), ("https://a.example/x", ""), ("https://a.example", ""), ("https://b.example", "x"),
    ]

    private static func allKeysOfAnAccountAreDeletedAndNoOthers(_ keys: any DeviceKeys) async throws {
        let (server, account) = ("https://a.example", "x")
        try await keys.deleteAll(server: server, account: account)
        let own = [1, 12, Int.max].map { KeyName(server: server, account: account, enrolment: $0, kind: .session) }
        let others = neighbours.map { KeyName(server: $0, account: $1, enrolment: 1, kind: .session) }
        for name in own + others { _ = try await keys.create(name) }
        try await keys.deleteAll(server: server, account: account)
        for name in own { #expect(await keys.state(of: name) == .missing) }
        for name in others {
            #expect(await keys.state(of: name) == .usable)
            try await keys.delete(name)
        }
        try await keys.deleteAll(server: server, account: account)
    }
}
