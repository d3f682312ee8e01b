#if canImport(LocalAuthentication) && canImport(Security)
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// The device's keys in the Secure Enclave.
struct EnclaveKeys: DeviceKeys {
    let keychain: Keychain

    func create(_ name: KeyName) async throws(Failure) -> PublicKey {
        // ``EnclavePINKeys`` makes PIN keys, which need their PIN.
        guard name.kind != .pin else { throw Failure(.policyDenies) }
        do throws(Failure) {
            return try await keychain.makeKey(name)
        } catch {
            throw keychain.system.explained(error)
        }
    }

    func state(of name: KeyName) async -> KeyState { await keychain.state(ofKey: name) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keychain.publicKey(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await keychain.deleteKey(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keychain.deleteKeys(server: server, account: account)
    }

    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        guard name.kind != .session else { return try await keychain.sign(message, with: name) }
        guard let context = presence?.context as? PromptContext else { throw Failure(.notMatched) }
        try await keychain.open()
        do throws(Failure) {
            return try await context.sign(message, with: name, in: keychain.place)
        } catch {
            // A failure without a status does not come from the system.
            guard let status = error.status else { throw error }
            // Only a second look shows whether the key was invalidated in the meantime.
            let refused: Failure =
                switch await state(of: name) {
                case .invalidated: Failure(.keyInvalidated, status: status)
                case .missing: Failure(.notEnrolled, status: status)
                case .usable, .paused, .notYetReadable:
                    AppleStatus(status).failure(of: name.kind, biometry: await context.system.biometry())
                }
            throw keychain.system.explained(refused)
        }
    }
}
#endif
