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
            Exit status: 0 success, 1 failure (the reason is on standard error), 64 usage.
            """,
        subcommands: [
            Serve.self, Accounts.self, Clients.self, Config.self, Keys.self, Backup.self, Restore.self, NewEpoch.self, Bench.self,
        ]
    )
}

/// The options that select the server's data.
struct DataOptions: ParsableArguments {
    @Option(help: "The folder of the database and the keys. If it does not exist, it is created with mode 0700.")
    var data = "thumbturn-data"

    /// The settings, with the master key of the environment if there is one.
    func settings(publicURL: String) throws -> ServerSettings {
        var masterKey: MasterKey?
        if let text = ProcessInfo.processInfo.environment["THUMBTURN_MASTER_KEY"] {
            guard let bytes = Base64URL.decode(text) else { throw SetupError.masterKeyLength }
            masterKey = try MasterKey(bytes: bytes)
        }
        // Only this user may read the database and its logs.
        umask(0o077)
        return try ServerSettings(publicURL: publicURL, dataFolder: data, masterKey: masterKey)
    }

    /// The server for an operator's command. It answers no requests, so the public address does not matter.
    func server() async throws -> EmbeddedServer { try await EmbeddedServer(settings(publicURL: "http://localhost")) }
}
#else
import Foundation

@main
struct ThumbturnServerCommand {
    static func main() {
        FileHandle.standardError.write(
            Data("thumbturn-server was built without the trait Tools. Build it with: swift build --traits Tools\n".utf8))
        exit(64)
    }
}
#endif
