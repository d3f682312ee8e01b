#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Synchronization
import ThumbturnCore
import ThumbturnMessages
public import ThumbturnDevice

extension SimulatedPhone {
    /// The hardware that keeps a key; nil where there is no such key.
    public func keyPlace(of name: KeyName) -> KeyPlace? {
        state.withLock { state in
            guard state.keys[name] != nil || state.pins.keys[name] != nil else { return nil }
            return KeyPlace(hardware: state.model.hardware, missing: state.model.missing)
        }
    }

    struct StoredKey {
        var key: P256.Signing.PrivateKey
        var life: KeyLife
        /// The value of the key's attestation, where it was made with one.
        var attesting: [UInt8]?
    }

    /// What invalidates a key; nil for what does not.
    struct KeyLife {
        /// The enrolled set of a biometric key.
        var enrolment: Int?
        /// The passcode of a key that needs one.
        var passcode: Int?
        /// Whether the key store lost the key.
        var isLost = false
    }
}

struct PhoneKeys: DeviceKeys {
    let phone: SimulatedPhone

    func create(_ name: KeyName) throws(Failure) -> PublicKey { try phone.createKey(name) }
    func create(_ name: KeyName, attesting value: [UInt8]?) throws(Failure) -> PublicKey {
        try phone.createKey(name, attesting: value)
    }
    func state(of name: KeyName) -> KeyState { phone.keyState(name) }
    func publicKey(of name: KeyName) throws(Failure) -> PublicKey { try phone.publicKey(name) }
    func delete(_ name: KeyName) { phone.deleteKey(name) }
    func deleteAll(server: String, account: String) {
        phone.state.withLock { $0.keys = $0.keys.filter { ($0.key.server, $0.key.account) != (server, account) } }
    }

    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) throws(Failure) -> [UInt8] {
        try phone.sign(message, with: name, presence)
    }
}

extension SimulatedPhone {
    fileprivate func createKey(_ name: KeyName, attesting value: [UInt8]? = nil) throws(Failure) -> PublicKey {
        let key = P256.Signing.PrivateKey()
        let obstacle: Failure? = state.withLock { state in
            if let obstacle = Self.obstacle(toMaking: name.kind, state) { return obstacle }
            state.keys[name] = StoredKey(key: key, life: state.life(of: name.kind), attesting: value)
            return nil
        }
        if let obstacle { throw obstacle }
        return try Self.publicKey(key)
    }

    /// Why a key or secret of a kind cannot be made: what has to unlock it must exist.
    static func obstacle(toMaking kind: KeyKind, _ state: borrowing State) -> Failure? {
        if !state.isReadable { return Failure(.notYetReadable) }
        switch kind {
        case .session, .pin: return nil
        case .biometric:
            if !state.hasSensor { return BiometryState.absent.obstacle }
            if !state.model.isStrong { return BiometryState.weak.obstacle }
            if !state.hasPasscode, state.model.hasPasscode, state.model.withoutPasscode != .ready {
                return Failure(.passcodeNotSet)
            }
            return state.hasFace ? nil : BiometryState.notEnrolled.obstacle
        case .passcode:
            if !state.hasPasscode { return Failure(.passcodeNotSet) }
            return state.model.passcodeUnlocksKeys ? nil : noPasscodeForKeys
        }
    }

    fileprivate func keyState(_ name: KeyName) -> KeyState {
        state.withLock { state in
            state.isReadable ? state.seen(state.keys[name]?.life) : .notYetReadable
        }
    }

    fileprivate func publicKey(_ name: KeyName) throws(Failure) -> PublicKey {
        let stored = try usable(name)
        return try Self.publicKey(stored.key)
    }

    /// The key, unless it cannot be found. An invalidated key still has its public half.
    private func usable(_ name: KeyName) throws(Failure) -> StoredKey {
        switch keyState(name) {
        case .usable, .invalidated, .paused: break
        case .notYetReadable: throw Failure(.notYetReadable)
        case .missing: throw Failure(.notEnrolled)
        }
        guard let stored = state.withLock({ $0.keys[name] }) else { throw Failure(.notEnrolled) }
        return stored
    }

    fileprivate func sign(_ message: [UInt8], with name: KeyName, _ presence: Presence?) throws(Failure) -> [UInt8] {
        let stored = try usable(name)
        guard !keyState(name).isDead else { throw Failure(.keyInvalidated) }
        if name.kind.userVerification > .none {
            guard let verified = presence?.context as? Verified, verified.rung.key == name.kind, verified.key == name,
                verified.message == message, state.withLock({ $0.spent.insert(verified.prompt).inserted })
            else { throw Failure(.notMatched) }
        }
        guard let signature = try? stored.key.signature(for: message) else { throw Failure(.platform) }
        return Array(signature.rawRepresentation)
    }

    /// Deletes a key without a prompt, an invalidated one, too.
    fileprivate func deleteKey(_ name: KeyName) {
        state.withLock { $0.keys[name] = nil }
    }

    static func publicKey(_ key: P256.Signing.PrivateKey) throws(Failure) -> PublicKey {
        guard let publicKey = PublicKey(x963: Array(key.publicKey.x963Representation)) else { throw Failure(.platform) }
        return publicKey
    }
}

extension SimulatedPhone.State {
    /// What invalidates a new key of this kind.
    func life(of kind: KeyKind) -> SimulatedPhone.KeyLife {
        switch kind {
        case .biometric: SimulatedPhone.KeyLife(enrolment: enrolment, passcode: passcode)
        case .passcode: SimulatedPhone.KeyLife(passcode: passcode)
        case .session, .pin: SimulatedPhone.KeyLife()
        }
    }

    /// The state that is reported of a key with this life; nil for no key.
    func seen(_ life: SimulatedPhone.KeyLife?) -> KeyState {
        guard let life else { return .missing }
        if life.isLost { return .invalidated(.unknown) }
        if let made = life.passcode, made != passcode { return model.afterPasscodeRemoval.state(.passcodeRemoved) }
        if let made = life.enrolment, made != enrolment { return model.afterEnrolmentChange.state(.enrolmentChanged) }
        return .usable
    }
}

extension SimulatedPhone.Model.DeadKey {
    fileprivate func state(_ loss: KeyLoss) -> KeyState {
        switch self {
        case .explained: .invalidated(loss)
        case .unexplained: .invalidated(.unknown)
        case .gone: .missing
        }
    }
}
