import ThumbturnCore
import ThumbturnDevice

/// The device's half of derived PIN keys: keys of the Keystore for HMAC-SHA-256, each guess one operation there. They are never
/// attested: the Keystore attests asymmetric keys only.
struct KeystorePINSecrets: PINSecrets {
    let keystore: Keystore

    func create(_ name: KeyName) async throws(Failure) { _ = try await keystore.make(.pin, as: KeyAlias.of(name, in: .pin)) }

    func authenticate(_ message: [UInt8], with name: KeyName) async throws(Failure) -> [UInt8] {
        let alias = KeyAlias.of(name, in: .pin)
        let code: [UInt8]
        do throws(AndroidThrown) {
            code = try await keystore.system.call(.mac) { request in
                request.put(alias)
                request.put(message)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.bytes()
            }
        } catch {
            throw await keystore.failure(of: error, using: alias)
        }
        guard code.count == 32 else { throw Failure(.platform, recovery: .retry) }
        return code
    }

    func state(of name: KeyName) async -> KeyState {
        await keystore.state(of: KeyAlias.of(name, in: .pin), kind: .pin)
    }

    func delete(_ name: KeyName) async throws(Failure) { try await keystore.delete(KeyAlias.of(name, in: .pin)) }

    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keystore.deleteAll(from: KeyAlias.prefix(.pin, server: server, account: account))
    }
}
