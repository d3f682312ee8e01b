import Synchronization
import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    struct ProtectedSecret {
        var secret: SecretBytes
        /// The enrolment with which it dies; nil where it outlives changes.
        var enrolment: Int?
        var isDead = false
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
            if !state.hasPasscode, state.model.hasPasscode { return Failure(.passcodeNotSet, recovery: .setPasscode) }
            if let obstacle = Self.obstacle(toMaking: name.kind, state) { return obstacle }
            state.vaults[name] = ProtectedSecret(
                secret: secret, enrolment: access == .biometryCurrentSet && name.kind == .biometric ? state.enrolment : nil
            )
            return nil
        }
        if let obstacle { throw obstacle }
    }

    fileprivate func vaultState(_ name: KeyName) -> KeyState {
        state.withLock { state in
            guard state.isReadable else { return .notYetReadable }
            guard let kept = state.vaults[name] else { return .missing }
            if let enrolment = kept.enrolment, enrolment != state.enrolment { return .invalidated(.enrolmentChanged) }
            return kept.isDead ? .invalidated(.passcodeRemoved) : .usable
        }
    }

    fileprivate func release(_ name: KeyName, _ presence: Presence) throws(Failure) -> SecretBytes {
        switch vaultState(name) {
        case .usable: break
        case .invalidated: throw Failure(.keyInvalidated, recovery: .reEnrol)
        case .notYetReadable: throw Failure(.notYetReadable, recovery: .retry)
        case .missing, .paused: throw Failure(.notEnrolled, recovery: .reEnrol)
        }
        guard let verified = presence.context as? Verified, verified.key == name, verified.rung.key == name.kind else {
            throw Failure(.notMatched, recovery: .retry)
        }
        guard let kept = state.withLock({ $0.vaults[name] }) else { throw Failure(.notEnrolled, recovery: .reEnrol) }
        return kept.secret
    }
}
