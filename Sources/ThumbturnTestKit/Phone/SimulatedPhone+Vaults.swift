import Synchronization
import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    struct ProtectedSecret {
        var secret: SecretBytes
        var life: KeyLife
    }

    var vaultStore: any ProtectedStore { PhoneVaults(phone: self) }
}

private struct PhoneVaults: ProtectedStore {
    let phone: SimulatedPhone

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) throws(Failure) {
        try phone.protect(secret, name, access)
    }
    func release(_ name: KeyName, presence: Presence) throws(Failure) -> SecretBytes { try phone.release(name, presence) }
    func state(of name: KeyName) -> KeyState { phone.vaultState(name) }
    func delete(_ name: KeyName) { phone.state.withLock { $0.vaults[name] = nil } }
}

extension SimulatedPhone {
    fileprivate func protect(_ secret: SecretBytes, _ name: KeyName, _ access: VaultAccess) throws(Failure) {
        let obstacle: Failure? = state.withLock { state in
            if !state.hasPasscode, state.model.hasPasscode { return Failure(.passcodeNotSet) }
            if let obstacle = Self.obstacle(toMaking: name.kind, state) { return obstacle }
            var life = state.life(of: name.kind)
            if access != .biometryCurrentSet { life.enrolment = nil }
            state.vaults[name] = ProtectedSecret(secret: secret, life: life)
            return nil
        }
        if let obstacle { throw obstacle }
    }

    fileprivate func vaultState(_ name: KeyName) -> KeyState {
        state.withLock { state in
            state.isReadable ? state.seen(state.vaults[name]?.life) : .notYetReadable
        }
    }

    fileprivate func release(_ name: KeyName, _ presence: Presence) throws(Failure) -> SecretBytes {
        switch vaultState(name) {
        case .usable: break
        case .invalidated: throw Failure(.keyInvalidated)
        case .notYetReadable: throw Failure(.notYetReadable)
        case .missing, .paused: throw Failure(.notEnrolled, recovery: .reEnrol)
        }
        guard let verified = presence.context as? Verified, verified.key == name, verified.rung.key == name.kind,
            state.withLock({ $0.spent.insert(verified.prompt).inserted })
        else { throw Failure(.notMatched) }
        guard let kept = state.withLock({ $0.vaults[name] }) else { throw Failure(.notEnrolled, recovery: .reEnrol) }
        return kept.secret
    }
}
