import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

/// The device's keys in the Keystore: P-256, for one use after each prompt, except the session key, which needs none.
struct KeystoreKeys: DeviceKeys {
    let keystore: Keystore
    /// Tells the app's developers what a person cannot change.
    var advise: @Sendable (String) -> Void = { _ in }

    func create(_ name: KeyName) async throws(Failure) -> PublicKey { try await create(name, attesting: nil) }

    func create(_ name: KeyName, attesting value: [UInt8]?) async throws(Failure) -> PublicKey {
        // ``KeystorePINSecrets`` makes what a PIN key is derived from.
        guard let kind = NewKeyKind(name.kind) else { throw Failure(.policyDenies) }
        if kind == .passcode, try await !keystore.system.knownFacts().credentialUnlocksKeys {
            throw AndroidFacts.noCredentialForKeys
        }
        let made = try await keystore.make(kind, as: KeyAlias.of(name, in: .key), attesting: value)
        guard let publicKey = made.spki.flatMap({ KeystoreP256.publicKey(spki: $0) }) else {
            throw Failure(.platform, recovery: .retry)
        }
        if !made.place.isInHardware {
            advise(
                "The Keystore of this device has made the \(name.kind) key in software (security level \(made.place.rawValue)).")
        }
        return publicKey
    }

    func state(of name: KeyName) async -> KeyState {
        guard let kind = NewKeyKind(name.kind) else { return .missing }
        return await keystore.state(of: KeyAlias.of(name, in: .key), kind: kind)
    }

    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey {
        let alias = KeyAlias.of(name, in: .key)
        let spki: [UInt8]?
        do throws(AndroidThrown) {
            spki = try await keystore.system.call(.publicKey) {
                $0.put(alias)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.optionalBytes()
            }
        } catch {
            throw await keystore.failure(of: error, using: alias)
        }
        guard let spki else { throw Failure(.notEnrolled) }
        guard let publicKey = KeystoreP256.publicKey(spki: spki) else { throw Failure(.platform) }
        return publicKey
    }

    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        let alias = KeyAlias.of(name, in: .key)
        let der: [UInt8]
        if name.kind == .session {
            der = try await signNow(message, alias)
        } else {
            guard let permit = presence?.context as? AndroidPresence, let kind = NewKeyKind(name.kind) else {
                throw Failure(.notMatched)
            }
            der = try await permit.use(for: .init(alias: alias, kind: kind, message: message), with: message)
        }
        guard let signature = KeystoreP256.rawSignature(der: der) else { throw Failure(.platform, recovery: .retry) }
        return signature
    }

    private func signNow(_ message: [UInt8], _ alias: String) async throws(Failure) -> [UInt8] {
        do throws(AndroidThrown) {
            return try await keystore.system.call(.signNow) { request in
                request.put(alias)
                request.put(message)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.bytes()
            }
        } catch {
            throw await keystore.failure(of: error, using: alias)
        }
    }

    func delete(_ name: KeyName) async throws(Failure) { try await keystore.delete(KeyAlias.of(name, in: .key)) }

    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keystore.deleteAll(from: KeyAlias.prefix(.key, server: server, account: account))
    }
}

extension NewKeyKind {
    /// The kind of a key that signs; nil for a PIN key, which is derived.
    init?(_ kind: KeyKind) {
        switch kind {
        case .biometric: self = .biometric
        case .passcode: self = .passcode
        case .session: self = .session
        case .pin: return nil
        }
    }
}

extension AndroidSystem {
    /// The facts, or why they cannot be read.
    func knownFacts() async throws(Failure) -> AndroidFacts {
        do throws(AndroidThrown) {
            return try await facts()
        } catch {
            throw error.failure
        }
    }
}
