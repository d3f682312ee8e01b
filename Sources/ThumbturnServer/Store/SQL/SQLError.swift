#if Server

/// An error that a database server reported, or the loss of the connection to it.
struct SQLError: Error, Hashable {
    /// The code of the error (PostgreSQL, Appendix A; the classes are those of the SQL standard): five letters and digits.
    let state: String
    /// What the database said, which may quote values. It is for tests and for those who look for a fault, not for the log.
    var debugDescription = ""

    /// The connection was lost, or could not be made.
    static let connectionLost = "08006"
    /// More transactions wait than may.
    static let tooManyConnections = "53300"

    /// A statement that always has a row had none: the tables were changed by other means.
    static let noRow = "02000"
    /// The rows were put back by a copy, so that they may lack what was answered. The code is this project's own.
    static let restored = "TT001"

    /// Whether the same transaction may succeed when it runs again (40001 serialization_failure, 40P01 deadlock_detected), because
    /// another one was in its way.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether the connection is gone: class 08, and class 57 where the server ends it (57P01 to 57P03).
    var isConnectionLost: Bool { state.hasPrefix("08") || state.hasPrefix("57P") }

    /// Whether the connection's prepared statements are no longer valid: another node has changed a table (0A000), or a proxy has given
    /// the connection to another server (26000).
    var isStale: Bool { state == "0A000" || state == "26000" }

    /// Whether the transaction is over, so that no savepoint brings it back: the statement took too long (57014) or waited too long for a
    /// lock (55P03), the database is read-only (25006) or full (class 53), the rows were restored, or another transaction or the server
    /// ended it.
    var endsTransaction: Bool {
        isConflict || isConnectionLost || state == Self.restored || state == "57014" || state == "55P03" || state == "25006"
            || state.hasPrefix("53")
    }
}
#endif
