#if Server
import Crypto
package import ThumbturnCore

/// A row of the audit log.
package struct AuditRow: Hashable, Sendable {
    /// The number of the row. The first one is 1, and none is left out.
    package var number: Int64
    /// The server's time of the transaction.
    package var at: UnixTime
    /// The event as JSON, exactly as it was written.
    package var event: String
    /// The link to all rows before: see `AuditChain`. Empty if the row was written past the server.
    package var hash: [UInt8]

    package init(number: Int64, at: UnixTime, event: String, hash: [UInt8]) {
        self.number = number
        self.at = at
        self.event = event
        self.hash = hash
    }
}

/// The hash chain of the audit log. The hash of a row covers the hash of the row before, so no row can be changed,
/// dropped or moved without a change of every later hash.
///
///     hash = SHA-256("thumbturn-audit-v1" ‖ id of the log (16 bytes) ‖ hash of the row before (32 bytes; none for the first)
///                    ‖ number (8 bytes, big-endian) ‖ time (8 bytes, big-endian, Unix seconds) ‖ event (UTF-8))
package enum AuditChain {
    /// The hash of a row.
    ///
    /// - Parameters:
    ///   - log: the id of the log, 16 bytes.
    ///   - previous: the hash of the row before; empty for the first row.
    package static func hash(log: [UInt8], previous: [UInt8], number: Int64, at: UnixTime, event: String) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: label)
        hash.update(data: log)
        hash.update(data: previous)
        update(&hash, number)
        update(&hash, at.seconds)
        hash.update(data: Array(event.utf8))
        return Array(hash.finalize())
    }

    private static let label = Array("thumbturn-audit-v1".utf8)

    private static func update(_ hash: inout SHA256, _ number: Int64) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe hash.update(bufferPointer: $0) }
    }
}
#endif
