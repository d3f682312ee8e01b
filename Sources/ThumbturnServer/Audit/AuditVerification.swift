#if Server
import ThumbturnCore
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

    /// The most minutes in which a running server may have written rows without a checkpoint. It signs one a minute after
    /// the last; the other minutes are for one that was killed or put to sleep before it signed.
    static let mostMinutesWithoutCheckpoint = 10

    private let log: [UInt8]
    /// The hash that a checkpoint has signed, by the number of its row.
    private let signed: [Int64: [UInt8]]
    private var head: Head
    private var stretch: Stretch
    /// The first rows that no checkpoint covered for too long.
    private var unsigned: AuditFault?
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
        stretch = Stretch(first: before + 1)
    }

    /// Checks the next row. Throws where it is not the row that the server wrote.
    package mutating func add(_ row: AuditRow) throws(AuditFault) {
        guard row.number > head.number else { throw .changed(row.number) }
        guard row.number == head.number + 1 else { throw .missing(from: head.number + 1, to: row.number - 1) }
        let hash = AuditChain.hash(log: log, previous: head.hash, number: row.number, at: row.at, event: row.event)
        guard hash == row.hash else { throw .changed(row.number) }
        stretch.add(row)
        if let expected = signed[row.number] {
            guard expected == hash else { throw .rewritten(upTo: row.number) }
            checkpoints += 1
            endStretch(at: row.number)
        }
        head = Head(number: row.number, hash: hash)
        rows += 1
    }

    private mutating func endStretch(at last: Int64) {
        if stretch.minutes > Self.mostMinutesWithoutCheckpoint, unsigned == nil {
            unsigned = .unsigned(from: stretch.first, to: last)
        }
        stretch = Stretch(first: last + 1)
    }

    /// Ends the check. Throws if rows are missing at the end, or if a checkpoint is missing anywhere.
    ///
    /// - Parameter stored: the end of the log as the database keeps it apart from the rows.
    package mutating func end(at stored: Head) throws(AuditFault) {
        let last = max(stored.number, signed.keys.max() ?? 0)
        guard head.number >= last else { throw .missing(from: head.number + 1, to: last) }
        guard head == stored else { throw .changed(head.number) }
        endStretch(at: head.number)
        if let unsigned { throw unsigned }
    }

    /// The rows since a checkpoint.
    private struct Stretch {
        let first: Int64
        /// The number of minutes in which a running server wrote some of them.
        var minutes = 0
        private var minute: Int64?

        init(first: Int64) { self.first = first }

        mutating func add(_ row: AuditRow) {
            guard row.at.seconds / 60 != minute else { return }
            // A row that cannot be read counts: no command has written it.
            let event = try? WireJSON.decodeClaims(AuditEvent.self, from: Array(row.event.utf8))
            guard event.map({ AuditEvent.Kind.ofRunningServer.contains($0.kind) }) ?? true else { return }
            minute = row.at.seconds / 60
            minutes += 1
        }
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
    /// A running server wrote these rows over many minutes, and no checkpoint was signed in that time.
    case unsigned(from: Int64, to: Int64)

    package var description: String {
        switch self {
        case .changed(let number): "Row \(number) is not as it was written."
        case .missing(let first, let last) where first == last: "Row \(first) is missing."
        case .missing(let first, let last): "The rows \(first) to \(last) are missing."
        case .rewritten(let number): "Rows up to \(number) were written anew: they do not fit the signed checkpoint at \(number)."
        case .checkpoint(let number): "The checkpoint at row \(number) was not signed by a key of this server for this log."
        case .unsigned(let first, let last):
            """
            The rows \(first) to \(last) were written over more than \(AuditVerification.mostMinutesWithoutCheckpoint) minutes \
            without a signed checkpoint. A running server signs one each minute: checkpoints were deleted, or rows were \
            written past the server.
            """
        }
    }
}
#endif
