extension Readiness {
    /// What stands in the way of asking a rung; nil where nothing does.
    func obstacle(to rung: Rung) -> Failure? {
        guard let key = rung.key else { return nil }
        return state(of: .session).obstacle ?? state(of: key).obstacle ?? (rung == .biometric ? biometry.obstacle : nil)
    }

    /// Why a rung's key is gone for good; nil where it is not.
    func loss(of rung: Rung) -> KeyLoss? {
        guard let key = rung.key else { return nil }
        return state(of: .session).loss ?? state(of: key).loss
    }
}

extension KeyState {
    fileprivate var obstacle: Failure? {
        switch self {
        case .usable: nil
        case .missing: Failure(.notEnrolled)
        case .invalidated: Failure(.keyInvalidated)
        case .paused(let duration): Failure(.paused, recovery: .wait(duration))
        case .notYetReadable: Failure(.notYetReadable)
        }
    }

    fileprivate var loss: KeyLoss? {
        guard case .invalidated(let loss) = self else { return nil }
        return loss
    }
}
