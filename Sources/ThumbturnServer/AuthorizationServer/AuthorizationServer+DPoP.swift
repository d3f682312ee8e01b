#if Server
import Synchronization
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// Verifies a DPoP proof, and remembers it, so that no node admits it again.
    ///
    /// - Throws: `VerificationError`, or the error of a database that does not answer.
    func admit(_ proof: String, for target: DPoPProof.Request) async throws -> DPoPProof {
        let (place, epoch, now) = (sharedProofs?.place, secrets.current.epoch, time.now)
        let admitted: (DPoPProof, UnixTime)
        do {
            admitted = try verified(proof, for: target, at: now)
        } catch VerificationError.nonceNeeded {
            // Another node's clock may be ahead, and so its nonce.
            if caughtUp.isDue(at: now) { try await followTime() }
            let later = time.now
            guard later > now else { throw VerificationError.nonceNeeded }
            admitted = try verified(proof, for: target, at: later)
        }
        let proof = try await remembered(admitted, in: epoch)
        // The nonce was good at another place, whose proofs this one may lack.
        guard sharedProofs?.place == place else { throw VerificationError.nonceNeeded }
        return proof
    }

    private func verified(
        _ proof: String, for target: DPoPProof.Request, at now: UnixTime
    ) throws(VerificationError) -> (proof: DPoPProof, expiry: UnixTime) {
        let proof = try DPoPProof(proof, for: target, fresh: .nonce(isLive: { nonces.isLive($0, at: now) }))
        counters.verifications.count()
        return (proof, try nonces.admit(proof, at: now))
    }

    private func remembered(_ admitted: (proof: DPoPProof, expiry: UnixTime), in epoch: Int64) async throws -> DPoPProof {
        guard let sharedProofs else { return admitted.proof }
        guard try await sharedProofs.remember(admitted.proof.replayKey, until: admitted.expiry, in: epoch) else {
            try await secrets.keepUp()
            guard secrets.current.epoch == epoch else { throw VerificationError.nonceNeeded }
            try await followTime()
            // Where another node's time is ahead, the nonce has expired there, and the proof may be a new one.
            throw admitted.expiry > time.now ? VerificationError.replayed : .nonceNeeded
        }
        return admitted.proof
    }

    /// Moves this node's time to the latest that any node has seen.
    ///
    /// - Throws: `StoreError.timeJumped` if this machine's clock is so far behind that the node can serve no request.
    func followTime() async throws {
        if let sharedProofs { try time.observe(try await sharedProofs.latestTime()) }
    }
}

/// Something that is done about once a second.
final class OncePerSecond: Sendable {
    private let last = Mutex<UnixTime?>(nil)

    func isDue(at now: UnixTime) -> Bool {
        last.withLock { last in
            defer { last = now }
            return last != now
        }
    }
}
#endif
