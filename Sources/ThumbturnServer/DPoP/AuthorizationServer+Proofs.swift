#if Server
import Synchronization
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// Verifies a DPoP proof, and remembers it, so that no node admits it again.
    ///
    /// - Throws: `VerificationError`, or the error of a database that does not answer.
    func admit(_ proof: String, for target: DPoPProof.Request) async throws -> DPoPProof {
        let (place, epoch) = (sharedProofs?.place, secrets.current.epoch)
        let admitted: (DPoPProof, UnixTime)
        do {
            admitted = try verified(proof, for: target)
        } catch VerificationError.nonceNeeded {
            // Another node's clock may be ahead, and so its nonce.
            guard try await hasCaughtUp() else { throw VerificationError.nonceNeeded }
            admitted = try verified(proof, for: target)
        }
        let proof = try await remembered(admitted, in: epoch)
        // The nonce was good at another place, whose proofs this one may lack.
        guard sharedProofs?.place == place else { throw VerificationError.nonceNeeded }
        return proof
    }

    private func verified(
        _ proof: String, for target: DPoPProof.Request
    ) throws(VerificationError) -> (proof: DPoPProof, expiry: UnixTime) {
        let now = time.now
        let proof = try DPoPProof(proof, for: target, fresh: .nonce(isLive: { nonces.isLive($0, at: now) }))
        counters.verifications.count()
        return (proof, try nonces.admit(proof, at: now))
    }

    private func remembered(_ admitted: (proof: DPoPProof, expiry: UnixTime), in epoch: Int64) async throws -> DPoPProof {
        if let sharedProofs {
            guard try await sharedProofs.remember(admitted.proof.replayKey, until: admitted.expiry, in: epoch) else {
                try await secrets.keepUp()
                guard secrets.current.epoch == epoch else { throw VerificationError.nonceNeeded }
                // Where another node's time is ahead, the nonce has expired there.
                throw try await hasCaughtUp() ? VerificationError.nonceNeeded : .replayed
            }
        }
        return admitted.proof
    }

    /// Moves this node's time to the latest that any node has seen, at most once a second. False if it was not behind.
    private func hasCaughtUp() async throws -> Bool {
        guard sharedProofs != nil, caughtUp.isDue(at: time.now) else { return false }
        let before = time.now
        try await followTime()
        return time.now > before
    }

    /// Moves this node's time to the latest that any node has seen.
    ///
    /// - Throws: `StoreError.timeJumped` if this machine's clock is so far behind that the node can serve no request.
    func followTime() async throws {
        if let sharedProofs { try time.observe(try await sharedProofs.latestTime()) }
    }
}

/// Something that is done at most once a second.
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
