#if Tools
import ArgumentParser
import ThumbturnServer

/// Where the server of a benchmark keeps its data, and how many of it share them.
struct StoreOptions: ParsableArguments {
    enum Engine: String, ExpressibleByArgument, CaseIterable {
        case sqlite, postgres
    }

    @Option(help: "The engine of the server's store: sqlite, or postgres with --database.")
    var store = Engine.sqlite

    @Option(
        help: """
            A PostgreSQL whose user may make databases; the benchmark makes one of its own there and removes it. Without \
            it, the environment variable THUMBTURN_DATABASE has the address.
            """
    )
    var database: String?

    @Option(help: "The number of servers that share the database, with --store postgres. Connections are dealt to them in turn.")
    var nodes = 1

    func validate() throws {
        guard (1...16).contains(nodes) else { throw ValidationError("--nodes must be 1 to 16.") }
        guard nodes == 1 || store == .postgres else { throw ValidationError("Several --nodes need --store postgres.") }
    }

    /// The PostgreSQL server; nil for SQLite.
    func server() throws -> PostgresAddress? {
        guard store == .postgres else { return nil }
        guard let address = PostgresAddress.given(database) else {
            throw ValidationError("--store postgres needs --database, for example postgresql://me@localhost/postgres.")
        }
        return try PostgresAddress(address)
    }
}
#endif
