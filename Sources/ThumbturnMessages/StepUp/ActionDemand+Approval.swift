package import ThumbturnCore

extension ActionDemand {
    /// What an approval has to demand, so that it meets this demand and the request's own: the stricter of both. Nil if no
    /// approval can, for example because only a second approver would do and none is asked.
    ///
    /// Of a group of further proofs the first one is demanded that the server can judge, unless the request brings one of
    /// them itself. The age of a proof plays no part: each approval is a signature for this transaction.
    ///
    /// - Parameters:
    ///   - own: the demand of the request.
    ///   - hasSecondApprover: whether the request asks a second account.
    ///   - judges: whether the server trusts a vendor that is certified for this level.
    package func approvalDemand(
        atLeast own: ApprovalDemand, hasSecondApprover: Bool, judges: (LivenessLevel) -> Bool
    ) -> ApprovalDemand? {
        // No approval is signed by the passcode, and none by the PIN alone: then the biometric key has to sign as well.
        var needed = Set(own.keys ?? [])
        if !keys.contains(.pin) { needed.insert(.biometric) }
        if !keys.contains(.biometric) { needed.formUnion(keys.contains(.pin) ? [.biometric, .pin] : [.biometric]) }
        var liveness = own.liveness
        for group in shown {
            func isThere(_ proof: FurtherProof) -> Bool {
                switch proof {
                case .twoKeys: needed.isSuperset(of: [.biometric, .pin])
                case .substantialLiveness: liveness != nil
                case .highLiveness: liveness == .high
                case .secondApprover: hasSecondApprover
                }
            }
            func canBeDemanded(_ proof: FurtherProof) -> Bool {
                switch proof {
                case .twoKeys: true
                case .substantialLiveness: judges(.substantial)
                case .highLiveness: judges(.high)
                case .secondApprover: false
                }
            }
            if group.contains(where: isThere) { continue }
            guard let proof = group.first(where: canBeDemanded) else { return nil }
            switch proof {
            case .twoKeys: needed = [.biometric, .pin]
            case .substantialLiveness: liveness = liveness ?? .substantial
            case .highLiveness: liveness = .high
            case .secondApprover: return nil
            }
        }
        return ApprovalDemand(
            keys: needed.isEmpty ? nil : needed.contains(.pin) ? [.biometric, .pin] : [.biometric], liveness: liveness,
            assurance: stricter(of: own.assurance))
    }

    /// This demand's assurance and a request's own, each part the stricter of both; nil where every key has as much.
    private func stricter(of own: Assurance?) -> Assurance? {
        let both = Assurance(
            protection: max(assurance.protection, own?.protection ?? .none),
            verification: max(assurance.verification, own?.verification ?? .none))
        return Assurance.withoutEvidence.meets(both) ? nil : both
    }
}
