#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

@main
struct ThumbturnServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn-server",
        abstract: "Verifies device keys and issues tokens bound to them.",
        discussion: """
            Exit status: 0 done, 1 it did not work (the reason is on standard error), 64 wrong usage.
            """,
        subcommands: [
            Serve.self, Accounts.self, Clients.self, Config.self, Keys.self, Backup.self, Restore.self, NewEpoch.self, Bench.self,
        ]
    )
}

/// Where a server keeps everything.
struct DataOptions: ParsableArguments {
    @Option(help: "The folder of the database and the keys; made where it does not exist, and for this user alone (mode 0700).")
    var data = "thumbturn-data"

    /// The settings, with the master key from the environment where it is given.
    func settings(publicURL: String) throws -> ServerSettings {
        var masterKey: MasterKey?
        if let text = ProcessInfo.processInfo.environment["THUMBTURN_MASTER_KEY"] {
            guard let bytes = Base64URL.decode(text) else { throw SetupError.masterKeyLength }
            masterKey = try MasterKey(bytes: bytes)
        }
        // The database and its logs are for this user alone.
        umask(0o077)
        return try ServerSettings(publicURL: publicURL, dataFolder: data, masterKey: masterKey)
    }

    /// The server for an operator's command. Nobody is answered, so the public address does not matter.
    func server() async throws -> Server { try await Server(settings(publicURL: "http://localhost")) }
}
#else
import Foundation

@main
struct ThumbturnServerCommand {
    static func main() {
        FileHandle.standardError.write(
            Data("thumbturn-server was built without its trait. Build it with: swift build --traits Tools\n".utf8))
        exit(64)
    }
}
#endif
