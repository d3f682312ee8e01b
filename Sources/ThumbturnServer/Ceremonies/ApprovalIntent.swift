#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// One key's signature under an approval.
struct ApprovalIntent: Sendable {
    var id: ApprovalID
    /// The proof, which is kept with the approval.
    var proof: String
    /// The signed evidence of a liveness check.
    var liveness: String?
    var vendors: LivenessVendors
    /// How long the approval can be redeemed after its last signature, at least.
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
    /// Throws where a key of this standing may not add this signature. Asked before the signature is checked, and again in the
    /// transaction.
    func admit(
        _ signature: NewApprovalSignature, by standing: KeyStanding, at now: UnixTime
    ) throws(VerificationError) {
        guard accounts.contains(signature.account) else { throw .unknownKey }
        guard state(at: now) == .open, !isSigned(by: signature.account) else { throw .over }
        // The row that is kept counts, not only the server's own MAC over what it once was.
        guard txn == signature.txn, demand == signature.demand else { throw .changed }
        guard demand.takes(standing.factor) else { throw .unknownKey }
    }
}
#endif
