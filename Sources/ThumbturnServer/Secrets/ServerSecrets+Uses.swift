#if Server
import Crypto

// Types whose key is derived from the current secrets.

extension Tickets {
    init(issuer: String, secrets: ServerSecrets.Current) {
        self.init(issuer: issuer, epoch: secrets.epoch, secret: secrets.refresh)
    }
}

extension TPMActivations {
    init(issuer: String, secrets: ServerSecrets.Current) {
        self.init(issuer: issuer, epoch: secrets.epoch, secret: secrets.refresh)
    }
}

extension PlainChallenges {
    init(issuer: String, secrets: ServerSecrets.Current) {
        self.init(issuer: issuer, epoch: secrets.epoch, secret: secrets.refresh)
    }
}

extension ServerSecrets {
    /// The key of the nonces of all nodes: it is another one after the master key was changed, in another epoch and at another place.
    func nonceKeys(of proofs: any SharedProofs) -> @Sendable () -> SymmetricKey {
        { [self] in
            let current = current
            return current.masterKey.derive("dpop nonces \(current.epoch) \(proofs.place)")
        }
    }
}
#endif
