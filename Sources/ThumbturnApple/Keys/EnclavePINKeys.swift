#if canImport(LocalAuthentication) && canImport(Security)
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// Keys of the Secure Enclave behind the app's PIN. The application password is the stretched PIN, and the Secure
/// Enclave judges it with each signature. The enclave keeps no visible count of wrong PINs: the ledger on the device
/// and the server count them.
struct EnclavePINKeys: PINKey {
    let keychain: Keychain
    var rounds = PINStretching.rounds

    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey {
        guard name.kind == .pin else { throw Failure(.policyDenies) }
        let password = try await PINStretching.stretch(pin, for: name, rounds: rounds)
        do throws(Failure) {
            return try await keychain.makeKey(name, password: password)
        } catch {
            throw keychain.system.explained(error)
        }
    }

    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        let password = try await PINStretching.stretch(pin, for: name, rounds: rounds)
        return try await keychain.sign(message, with: name, password: password)
    }

    func state(of name: KeyName) async -> KeyState { await keychain.state(ofKey: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await keychain.deleteKey(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keychain.deleteKeys(server: server, account: account)
    }
}
#endif
