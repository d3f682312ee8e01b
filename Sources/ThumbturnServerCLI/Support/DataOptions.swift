#if Tools
public import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnMessages
public import ThumbturnServer

extension PostgresAddress.Replication: ExpressibleByArgument {}

/// The options that select the server's data.
struct DataOptions: ParsableArguments {
    @Option(
        help: """
            The folder of the database and the keys. If it does not exist, `serve` and `accounts add` make it with mode 0700; \
            no other command does.
            """
    )
    var data = "thumbturn-data"

    @Option(
        help: """
            The PostgreSQL database that all nodes share, for example postgresql://thumbturn@db1,db2/thumbturn?sslrootcert=ca.pem; \
            without it the database is one of SQLite in the folder. Default: the environment variable THUMBTURN_DATABASE. The \
            password comes from PGPASSWORD or PGPASSFILE. See docs/cluster.md.
            """
    )
    var database: String?

    @Flag(
        help: """
            Accept a database that may lose commits which were answered: one whose synchronous_commit is weaker than on, or without \
            fsync or full_page_writes. Each promotion of a replica then begins an epoch; after a crash run new-epoch.
            """
    )
    var acceptLostCommits = false

    /// The settings, with the master key of the environment if there is one.
    func settings(
        publicURL: String, replication: PostgresAddress.Replication = .asynchronous
    ) throws -> ServerSettings {
        let masterKey = try MasterKey(environment: "THUMBTURN_MASTER_KEY")
        // Only this user may read the database and its logs.
        umask(0o077)
        var settings = try ServerSettings(publicURL: publicURL, dataFolder: data, masterKey: masterKey)
        if let address = PostgresAddress.given(database) {
            settings.database = try PostgresAddress(
                address, replication: replication, acceptsWeakCommits: acceptLostCommits)
        }
        return settings
    }

    /// What the options select, in words.
    func place() throws -> String {
        try PostgresAddress.given(database).map { "\(try PostgresAddress($0))" } ?? "the database in \(data)"
    }

    /// The server for an operator's command. It answers no requests.
    func server(for use: DataUse = .command) async throws -> EmbeddedServer {
        try await EmbeddedServer(try settings(publicURL: Self.noURL), for: use)
    }

    /// The public address where no token is issued, so that it does not matter.
    static let noURL = "http://localhost"
}
#endif
