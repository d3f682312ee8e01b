#if Server
/// The errors of the store.
enum StoreError: Error, CustomStringConvertible {
    /// The file was not opened with `synchronous=FULL`.
    case notDurable
    /// The database ended the transaction by itself, for example because the disk is full.
    case transactionEnded
    /// PostgreSQL stopped waiting for a replica to have the commit. The commit stands, unless that replica is promoted.
    case notReplicated
    /// The database was restored, or an operator changed its secrets, while this process ran, which has not read the new
    /// secrets yet. Nothing was written.
    case anotherEpoch
    /// The stored time is further ahead than this machine's clock can have stepped. Nothing was written.
    case timeJumped

    var description: String {
        switch self {
        case .notDurable: "The database does not keep what it commits."
        case .transactionEnded: "The database ended the transaction. Nothing was written; look whether its disk is full."
        case .notReplicated:
            "It is written, but no replica has confirmed it. Check the replicas, and look whether it is there before you repeat it."
        case .anotherEpoch: "Another process changed the secrets or began an epoch meanwhile. Nothing was written; run it again."
        case .timeJumped:
            "The database's time is far ahead of this machine's clock. Nothing was written. See: thumbturn-server time"
        }
    }
}
#endif
