#if Server
import ThumbturnMessages
package import ThumbturnVerifier

/// The check of an audit log, row by row in the order of their numbers.
///
///     var check = try AuditVerification(of: log, checkpoints: checkpoints, keys: keys, first: first)
///     for row in rows { try check.add(row) }
///     try check.end(at: head)
///
/// It is a value without input and output, so that a log of any size is read in parts.
package struct AuditVerification: Sendable {
    /// A signed checkpoint as it is stored.
    package struct StoredCheckpoint: Hashable, Sendable {
        package var number: Int64
        package var signed: String

        package init(number: Int64, signed: String) {
            self.number = number
            self.signed = signed
        }
    }

    /// The end of a log.
    package struct Head: Hashable, Sendable {
        /// The number of the last row; 0 before the first one.
        package var number: Int64
        package var hash: [UInt8]

        package init(number: Int64, hash: [UInt8]) {
            self.number = number
            self.hash = hash
        }
    }

    private let log: [UInt8]
    /// The hash that a checkpoint has signed, by the number of its row.
    private let signed: [Int64: [UInt8]]
    private var head: Head
    /// The number of the rows that were checked.
    package private(set) var rows = 0
    /// The number of the checkpoints that were met.
    package private(set) var checkpoints = 0

    /// Begins a check.
    ///
    /// - Parameters:
    ///   - log: the id of the log.
    ///   - stored: the checkpoints of the log, and any that were kept elsewhere.
    ///   - keys: the public keys that may have signed them, by `kid`.
    ///   - first: the number of the first row that is left; nil if there is no row. If it is not 1, a checkpoint over the
    ///     row before has to exist, and the chain begins there.
    /// - Throws: `AuditFault.checkpoint` for a checkpoint with a wrong signature or of another log, and
    ///   `AuditFault.missing` if nothing vouches for the rows before the first one.
    package init(
        of log: [UInt8], checkpoints stored: [StoredCheckpoint], keys: [String: VerifyingKey], first: Int64?
    ) throws(AuditFault) {
        self.log = log
        var signed: [Int64: [UInt8]] = [:]
        for stored in stored {
            guard let checkpoint = try? AuditCheckpoint(verifying: stored.signed, keys: keys),
                checkpoint.number == stored.number, checkpoint.log == Base64URL.encode(log),
                let hash = Base64URL.decode(checkpoint.hash)
            else { throw .checkpoint(stored.number) }
            guard signed[checkpoint.number] == nil || signed[checkpoint.number] == hash else {
                throw .checkpoint(stored.number)
            }
            signed[checkpoint.number] = hash
        }
        self.signed = signed
        let before = (first ?? 1) - 1
        if before == 0 {
            head = Head(number: 0, hash: [])
        } else {
            guard let hash = signed[before] else { throw .missing(from: 1, to: before) }
            head = Head(number: before, hash: hash)
        }
    }

    /// Checks the next row. Throws where it is not the row that the server wrote.
    package mutating func add(_ row: AuditRow) throws(AuditFault) {
        guard row.number > head.number else { throw .changed(row.number) }
        guard row.number == head.number + 1 else { throw .missing(from: head.number + 1, to: row.number - 1) }
        let hash = AuditChain.hash(log: log, previous: head.hash, number: row.number, at: row.at, event: row.event)
        guard hash == row.hash else { throw .changed(row.number) }
        if let expected = signed[row.number] {
            guard expected == hash else { throw .rewritten(upTo: row.number) }
            checkpoints += 1
        }
        head = Head(number: row.number, hash: hash)
        rows += 1
    }

    /// Ends the check. Throws if rows are missing at the end.
    ///
    /// - Parameter stored: the end of the log as the database keeps it apart from the rows.
    package func end(at stored: Head) throws(AuditFault) {
        let last = max(stored.number, signed.keys.max() ?? 0)
        guard head.number >= last else { throw .missing(from: head.number + 1, to: last) }
        guard head == stored else { throw .changed(head.number) }
    }
}

/// The place at which an audit log is not as the server wrote it.
package enum AuditFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The content, the time or the hash of a row was changed, or two rows were swapped, of which this is the first.
    case changed(Int64)
    /// These rows are missing.
    case missing(from: Int64, to: Int64)
    /// The rows fit each other, but not a checkpoint: some of them up to this one were written anew.
    case rewritten(upTo: Int64)
    /// The checkpoint over this row was not signed by a key of this server, or is for another log.
    case checkpoint(Int64)

    package var description: String {
        switch self {
        case .changed(let number): "Row \(number) is not as it was written."
        case .missing(let first, let last) where first == last: "Row \(first) is missing."
        case .missing(let first, let last): "The rows \(first) to \(last) are missing."
        case .rewritten(let number): "Rows up to \(number) were written anew: they do not fit the signed checkpoint at \(number)."
        case .checkpoint(let number): "The checkpoint at row \(number) was not signed by a key of this server for this log."
        }
    }
}
#endif
