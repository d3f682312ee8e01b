import Testing
public import ThumbturnCore
public import ThumbturnDevice

/// What every implementation of the port `ProtectedStore` has to do.
public enum ProtectedStoreConformance {
    /// - Parameters:
    ///   - platform: with the store, and a sensor whose person matches at every prompt.
    ///   - prompts: how many prompts there were.
    public static func aSecretLives(on platform: DevicePlatform, prompts: () -> Int) async throws {
        let store = try #require(platform.vaults)
        for (kind, rung) in [(KeyKind.biometric, Rung.biometric), (.passcode, .devicePasscode)] {
            let name = KeyName(server: Vault.realm, account: "x/../y", kind: kind)
            let before = prompts()
            #expect(await store.state(of: name) == .missing)
            try await store.protect(SecretBytes("old"), as: name, access: .userPresence)
            try await store.protect(SecretBytes("new"), as: name, access: .userPresence)
            #expect(await store.state(of: name) == .usable)
            let other = KeyName(server: Vault.realm, account: "x/../z", kind: kind)
            #expect(await store.state(of: other) == .missing, "a secret belongs to one vault")
            #expect(prompts() == before, "only releasing asks the person")

            let presence = try await presence(name, rung, platform.sensor)
            expect(try await store.release(name, presence: presence).bytes, is: Array("new".utf8))
            let missing = try await self.presence(other, rung, platform.sensor)
            let never = await failure { _ = try await store.release(other, presence: missing) }
            #expect(never == Failure(.notEnrolled, recovery: .reEnrol))

            try await store.delete(name)
            try await store.delete(name)
            #expect(await store.state(of: name) == .missing)
        }
    }

    /// What a prompt for this name gives.
    ///
    /// - Parameter message: what will be signed; empty for a secret.
    public static func presence(
        _ name: KeyName, _ rung: Rung, _ sensor: any Sensor, message: [UInt8] = []
    ) async throws -> Presence {
        let request = PromptRequest(rung: rung, reason: "Test", cancelButton: .cancel, key: name, message: message)
        guard case .matched(let presence) = await sensor.prompt(request, hearing: { _ in }) else {
            throw Failure(.notMatched)
        }
        return presence
    }
}
