#if Server
import Foundation
public import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension EmbeddedServer {
    /// Verifies the audit log: that every row is as it was written, that none is missing, and that the signed checkpoints
    /// fit.
    ///
    /// - Parameters:
    ///   - checkpoints: checkpoints that were kept elsewhere, as `auditCheckpoint()` returns them. With them it shows, too,
    ///     that no one who can write to the database has shortened the log or written it anew since.
    ///   - progress: called now and then with the number of verified rows.
    /// - Returns: the number of rows and of checkpoints that were verified.
    /// - Throws: an error whose description names the first row that is changed or missing, or rows of many minutes that
    ///   no checkpoint covers.
    public func verifyAuditLog(
        against checkpoints: [String] = [], progress: (Int) -> Void = { _ in }
    ) async throws -> (rows: Int, checkpoints: Int) {
        while true {
            let (state, stored) = try await service.store.auditStateAndCheckpoints()
            do {
                return try await verify(state, stored, against: checkpoints, progress: progress)
            } catch let fault as AuditFault {
                // Rows past their retention may have been deleted between the two readings. Then they are read again.
                guard try await service.store.auditState().first != state.first else { throw fault }
            }
        }
    }

    /// Verifies the rows up to the end that the state has.
    private func verify(
        _ state: AuditState, _ stored: [AuditVerification.StoredCheckpoint], against kept: [String], progress: (Int) -> Void
    ) async throws -> (rows: Int, checkpoints: Int) {
        // Read after the checkpoints, which may be signed by the newest of them.
        let keys = try await archivedTokenKeys()
        var checkpoints = stored
        for text in kept {
            guard let claims = try? AuditCheckpoint(verifying: text, keys: keys) else { throw AuditFault.checkpoint(0) }
            guard claims.number >= (state.first ?? 1) - 1 else {
                // Its row may have been purged since, and then there is nothing to compare it with.
                guard claims.iat < service.time.now + (.zero - service.settings.auditRetention) else {
                    throw AuditFault.missing(from: 1, to: claims.number)
                }
                continue
            }
            checkpoints.append(.init(number: claims.number, signed: text))
        }
        var check = try AuditVerification(of: state.log, checkpoints: checkpoints, keys: keys, first: state.first)
        var last = (state.first ?? 1) - 1
        while case let rows = try await service.store.auditRows(after: last, limit: 1000), !rows.isEmpty {
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
        try await service.secrets.keepUp()
        var keys = service.secrets.current.tokenKeys
        for retired in try await service.store.retiredKeys() { keys[retired.kid] = try VerifyingKey(x963: retired.x963) }
        return keys
    }

    /// The last checkpoint of the audit log, to be kept on another machine: a compact JWS (RFC 7515), ES256, by a key of
    /// access tokens. Nil if there is none yet.
    public func auditCheckpoint() async throws -> String? { try await service.store.checkpoints().last?.signed }

    /// How the addresses of clients stand in an export.
    public enum AuditAddresses: String, Sendable, CaseIterable {
        /// As they were recorded: an IPv4 address, or the first 64 bits of an IPv6 address.
        case full
        /// The first 24 bits of an IPv4 address, or the first 48 bits of an IPv6 address.
        case masked
        /// Left out.
        case none
    }

    /// Exports the rows of the audit log from one time up to another one, each as one line of JSON: `number`, `at`
    /// (RFC 3339), `hash` (base64url) and the members of the event.
    public func exportAuditLog(
        from: UnixTime, to: UnixTime, addresses: AuditAddresses, line: (String) throws -> Void
    ) async throws {
        var last: Int64 = 0
        while case let rows = try await service.store.auditRows(after: last, limit: 1000), !rows.isEmpty {
            for row in rows where row.at >= from && row.at < to { try line(row.exported(addresses)) }
            last = rows[rows.count - 1].number
        }
    }
}

extension AuditRow {
    fileprivate struct Line: Encodable {
        var number: Int64
        var at: String
        var hash: String
        var event: AuditEvent

        private enum CodingKeys: String, CodingKey { case number, at, hash }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            try container.encode(at, forKey: .at)
            try container.encode(hash, forKey: .hash)
            try event.encode(to: encoder)
        }
    }

    fileprivate func exported(_ addresses: EmbeddedServer.AuditAddresses) throws -> String {
        var event = try WireJSON.decodeClaims(AuditEvent.self, from: Array(event.utf8))
        event.from =
            switch addresses {
            case .full: event.from
            case .masked: event.from.map(Self.masked)
            case .none: nil
            }
        let time = Date(timeIntervalSince1970: TimeInterval(at.seconds)).formatted(.iso8601)
        return json(Line(number: number, at: time, hash: Base64URL.encode(hash), event: event))
    }

    private static func masked(_ network: String) -> String {
        if network.contains(":") { return network.split(separator: ":").prefix(3).joined(separator: ":") + "::/48" }
        let parts = network.split(separator: ".")
        return parts.count == 4 ? parts.prefix(3).joined(separator: ".") + ".0/24" : network
    }
}
#endif
