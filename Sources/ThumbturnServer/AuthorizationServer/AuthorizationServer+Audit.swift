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

    /// Verifies the audit log, row by row. A running server may write to it meanwhile.
    ///
    /// - Parameters:
    ///   - kept: checkpoints that were kept elsewhere.
    ///   - progress: called with the number of verified rows.
    /// - Returns: the number of rows and of checkpoints.
    /// - Throws: `AuditFault` with the place of the first fault.
    package func verifyAudit(
        with kept: [String] = [], progress: (Int) -> Void = { _ in }
    ) async throws -> (rows: Int, checkpoints: Int) {
        while true {
            let (state, checkpoints) = try await store.auditStateAndCheckpoints()
            do {
                return try await verifyAudit(state, checkpoints, with: kept, progress: progress)
            } catch let fault as AuditFault {
                // Rows past their retention may have been deleted between the two readings. Then it begins anew.
                guard try await store.auditState().first != state.first else { throw fault }
            }
        }
    }

    /// Verifies the rows up to the end that the state has.
    private func verifyAudit(
        _ state: AuditState, _ stored: [AuditVerification.StoredCheckpoint], with kept: [String], progress: (Int) -> Void
    ) async throws -> (rows: Int, checkpoints: Int) {
        // Read after the checkpoints, which may be signed by the newest of them.
        let keys = try await archivedTokenKeys()
        var checkpoints = stored
        for text in kept {
            guard let claims = try? AuditCheckpoint(verifying: text, keys: keys) else { throw AuditFault.checkpoint(0) }
            guard claims.number >= (state.first ?? 1) - 1 else {
                // Its row may have been purged since, and then there is nothing to compare it with.
                guard claims.iat < time.now + (.zero - settings.auditRetention) else {
                    throw AuditFault.missing(from: 1, to: claims.number)
                }
                continue
            }
            checkpoints.append(.init(number: claims.number, signed: text))
        }
        var check = try AuditVerification(of: state.log, checkpoints: checkpoints, keys: keys, first: state.first)
        var last = (state.first ?? 1) - 1
        while case let rows = try await store.auditRows(after: last, limit: 1000), !rows.isEmpty {
            // A running server adds rows meanwhile. One without a hash was written past the server.
            for row in rows where row.number <= state.head.number || row.hash.isEmpty { try check.add(row) }
            last = rows[rows.count - 1].number
            progress(check.rows)
            if last >= state.head.number { break }
        }
        try check.end(at: state.head)
        return (check.rows, check.checkpoints)
    }

    /// The public keys that have ever signed, by `kid`.
    private func archivedTokenKeys() async throws -> [String: VerifyingKey] {
        try await secrets.keepUp()
        var keys = secrets.current.tokenKeys
        for retired in try await store.retiredKeys() { keys[retired.kid] = try VerifyingKey(x963: retired.x963) }
        return keys
    }

    private static let rowsPerCheckpoint: Int64 = 1000
}
#endif
