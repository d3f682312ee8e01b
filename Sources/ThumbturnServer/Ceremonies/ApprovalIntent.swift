#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The signature of one key that approves a transaction.
struct ApprovalIntent: Sendable {
    var id: ApprovalID
    /// The proof, which is stored with the approval.
    var proof: String
    /// The signed evidence of a liveness check.
    var liveness: String?
    var vendors: LivenessVendors
    /// How long after its last signature the approval can at least be redeemed.
    var redeemableFor: Duration

    func judge(
        _ standings: [KeyStanding], _ opened: Ceremony.Opened, _ found: Ceremony.Found, at now: UnixTime
    ) throws(Ceremony.Refusal) -> Ceremony.Judgement {
        do throws(VerificationError) {
            guard let device = found.device, let approval = found.approval else { throw .unknownKey }
            guard let txn = opened.claims.txn, let demand = opened.claims.demand else { throw .changed }
            let signature = NewApprovalSignature(
                approval: id, account: device.account, txn: txn, demand: demand, proof: proof, liveness: liveness,
                redeemableFor: redeemableFor
            )
            for standing in standings {
                try approval.admit(signature, by: standing, at: now)
                try judgeLiveness(demand, standing.kind, over: opened.challenge, at: now)
            }
            return .init(commit: .approval(signature))
        } catch {
            throw .spent(error)
        }
    }

    private func judgeLiveness(
        _ demand: ApprovalDemand, _ kind: KeyKind, over challenge: String, at now: UnixTime
    ) throws(VerificationError) {
        guard let liveness else {
            guard !demand.wantsLiveness(with: kind) else { throw .insufficient }
            return
        }
        // Evidence that was not demanded is not judged, and must not look as if it counted.
        guard let level = demand.liveness else { throw .malformed }
        try vendors.judge(liveness, for: challenge, demanding: level, at: now)
    }
}

extension ApprovalView {
    /// Throws if a key of this standing may not add this signature. It is called before the signature is checked, and
    /// again inside the transaction.
    func admit(
        _ signature: NewApprovalSignature, by standing: KeyStanding, at now: UnixTime
    ) throws(VerificationError) {
        guard accounts.contains(signature.account) else { throw .unknownKey }
        guard state(at: now) == .open, !isSigned(by: signature.account) else { throw .over }
        // The stored approval decides: the challenge has only the server's MAC over a copy of it.
        guard txn == signature.txn, demand == signature.demand else { throw .changed }
        guard demand.takes(standing.factor) else { throw .unknownKey }
        guard demand.takes(standing.assurance, of: standing.factor) else { throw .insufficient }
    }
}
#endif
