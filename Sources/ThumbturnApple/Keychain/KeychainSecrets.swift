#if canImport(LocalAuthentication) && canImport(Security)
import ThumbturnCore
import ThumbturnDevice

/// Small secrets that need no prompt: passwords of the keychain, readable after the first unlock, only on this device.
struct KeychainSecrets: SecretStore {
    let keychain: Keychain

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await keychain.read(.secret(name)) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) { try await keychain.write(secret, as: .secret(name)) }
    func delete(_ name: String) async throws(Failure) { try await keychain.delete(.secret(name)) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try await keychain.replace(old, by: new, as: .secret(name))
    }
}
#endif
