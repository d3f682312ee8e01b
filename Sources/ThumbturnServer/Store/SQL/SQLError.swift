#if Server

/// An error that a database server reported, or the loss of the connection to it.
package struct SQLError: Error, Hashable, CustomStringConvertible {
    /// The code of the error (PostgreSQL, Appendix A; the classes are those of the SQL standard): five letters and digits.
    let state: String
    /// What the database said, which may quote values. It is for tests and for those who look for a fault, not for the log.
    var debugDescription = ""

    /// Why it failed, for the operator. It quotes no values: of what the database said, it has only what concerns the connection.
    package var description: String {
        let said = debugDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
        let isOfConnection = isConnectionLost || self == .formerPrimary
        return
            "The database did not do it (SQLSTATE \(state)\(isOfConnection && !said.isEmpty ? ": " + said : "")). See docs/cluster.md."
    }

    /// The connection was lost, or could not be made.
    static let connectionLost = "08006"
    /// More transactions wait than may.
    static let tooManyConnections = "53300"

    /// A statement that always has a row had none: the tables were changed by other means.
    static let noRow = "02000"
    /// The rows were put back by a copy, so that they may lack what was answered. The code is this project's own.
    static let restored = "TT001"

    /// A table has been changed by other means than this program's (42804 datatype_mismatch).
    static func unlikeSchema(_ found: String) -> SQLError { SQLError(state: "42804", debugDescription: found) }

    /// The database is one that another one has replaced: a primary that came back after a replica of it was promoted.
    static let formerPrimary = SQLError(
        state: "TT002",
        debugDescription: """
            this PostgreSQL was the primary before a replica was promoted, and still takes writes. Stop it; Patroni does so by itself. If \
            you have put back an earlier copy of its disk on purpose, run thumbturn-server new-epoch, and start the nodes again
            """)

    /// Whether the same transaction may succeed when it runs again (40001 serialization_failure, 40P01 deadlock_detected), because
    /// another one was in its way.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether the connection is gone: class 08, and class 57 where the server ends it (57P01 to 57P03).
    var isConnectionLost: Bool { state.hasPrefix("08") || state.hasPrefix("57P") }

    /// Whether another connection may do it, while nothing was done on this one: its prepared statements are no longer valid, because
    /// another node has changed a table (0A000) or a proxy has given the connection to another server (26000), or its server takes no
    /// writes any longer (25006).
    var needsNewConnection: Bool { ["0A000", "26000", "25006"].contains(state) }

    /// Whether the transaction is over, so that no savepoint brings it back: the statement took too long (57014) or waited too long for a
    /// lock (55P03), the database is full (class 53), the rows were restored, another connection may do it, or another transaction or the
    /// server ended it.
    var endsTransaction: Bool {
        isConflict || isConnectionLost || needsNewConnection || [Self.restored, "57014", "55P03"].contains(state)
            || state.hasPrefix("53")
    }
}
#endif
