#if Tools
import ArgumentParser
import Foundation
import ThumbturnServer

struct MasterKeys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "master-key", abstract: "Manages the key that encrypts the server's secrets on disk.",
        subcommands: [Change.self]
    )

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the master key: encrypts all secrets in the database again.",
            discussion: """
                A key in the data folder is replaced by a new one there. A key from the environment variable \
                THUMBTURN_MASTER_KEY is replaced by the one in THUMBTURN_NEXT_MASTER_KEY. With the second variable alone, \
                a key in the data folder is replaced by that one, and its file is deleted. If the command is interrupted, \
                either the former or the new key opens the whole database; run it again. Backups from before need the former \
                key.
                """
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            let next = try MasterKey(environment: "THUMBTURN_NEXT_MASTER_KEY")
            let server = try await data.server()
            try confirmation.ask(
                "All secrets in \(try data.place()) are encrypted with another master key. Backups from before need the former key."
            )
            try await server.changeMasterKey(to: next)
            if next == nil {
                print("The master key is changed. Running servers read the new one from the data folder.")
            } else {
                print(
                    """
                    The master key is changed. Start the servers again with the new key in THUMBTURN_MASTER_KEY: until then \
                    they answer 503.
                    """)
            }
        }
    }
}

extension MasterKey {
    /// The key in a file, whose surrounding white space does not count.
    init(backupFile path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw SetupError.unreadable(path) }
        try self.init(text: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
#endif
