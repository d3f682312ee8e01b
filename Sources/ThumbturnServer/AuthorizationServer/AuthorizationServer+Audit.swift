#if Server
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// Signs the end of the audit log, a minute or a thousand rows after the last time. The running server calls it
    /// every second.
    ///
    /// - Returns: whether a checkpoint was written.
    package func checkpointAudit() async throws -> Bool {
        let state = try await store.auditState()
        let rows = state.head.number - state.checkpoint.number
        // After the operator has set the time back, the last checkpoint may lie ahead.
        let sinceLast = time.now - state.checkpoint.at
        guard rows >= Self.rowsPerCheckpoint || (rows > 0 && !(.zero..<Duration.seconds(60)).contains(sinceLast)) else {
            return false
        }
        let signer = secrets.current.signer(at: time.now)
        return try await store.addCheckpoint { [publicURL = settings.publicURL] log, head, now in
            try signer.sign(AuditCheckpoint(iss: publicURL, iat: now, log: log, number: head.number, hash: head.hash))
        }
    }

    /// Writes the refusals since the last call to the audit log, and deletes what is older than the retention.
    func tidyAudit() async throws {
        let counts = refusals.take()
        if !counts.isEmpty { try await store.record(AuditEvent(.refusals, counts: counts)) }
        // Once a minute the server may have more to delete than one transaction should hold. Other requests get in between
        // the rounds. It is the same time for all rounds, so that they come to an end.
        let before = time.now + (.zero - settings.auditRetention)
        while !Task.isCancelled, try await store.purgeAudit(before: before) {}
    }

    /// Writes the policies in use to the audit log: when the server starts, and when a policy changes.
    package func recordPolicy() async throws {
        try await store.record(AuditEvent(.policy, detail: settings.stepUp.digest ?? "built-in"))
        if let policies = settings.unlockPolicies {
            try await store.record(AuditEvent(.unlockPolicies, detail: policies.digest))
        }
        guard settings.evidence.isFromFile else { return }
        try await store.record(AuditEvent(.evidencePolicy, detail: settings.evidence.current.digest))
    }

    private static let rowsPerCheckpoint: Int64 = 1000
}
#endif
