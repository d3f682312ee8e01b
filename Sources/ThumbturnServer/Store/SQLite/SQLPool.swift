#if Server
/// The connections to one database: some that read, and one that writes.
///
/// It stands in this folder because `replace(by:if:)` takes a database of SQLite, whichever engine it replaces.
protocol SQLPool: Sendable {
    /// Runs `body` over what is committed, all of it as it was at one moment.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value
    /// The same, and waits.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value
    /// Runs `body` in a transaction, in which no other one writes, and waits until it is committed. If `body` throws, the
    /// transaction is rolled back.
    ///
    /// - Parameter body: may run several times, so it may change nothing but the database.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value
    /// Refuses a transaction whose number is not higher than that of a commit that this process has answered: the database is an older one.
    func check(_ number: Int64) throws
    /// Takes note of a commit by its number, before its requests are answered.
    func committed(_ number: Int64)
    /// Does what is due between two transactions of the writer.
    func tidy()
    /// What makes a commit durable, read back from the database.
    func durability() throws -> Durability
    /// Where the database is, as far as a restored or copied one can be told by it; empty for one in memory.
    var place: String { get }
    /// Copies all rows, as they are at one moment, into an empty file of SQLite.
    func backUp(to path: String) throws
    /// Replaces all rows by those of a database in memory, in one transaction, unless `check` throws.
    func replace(by draft: SQLitePool, if check: (Database) throws -> Void) throws
    /// What a query of `node` ends with so that it finds no row where rows were put back by other means than a restore of the server.
    var ifWhole: String { get }
}
#endif
