#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnServer

struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the accounts that this server keeps itself.", subcommands: [Add.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an account.",
            discussion: Password.help
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The name to sign in with.")
        var name: String

        func run() async throws {
            let password = try Password.read()
            // No token is made here, so the public address does not matter.
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            try await server.addAccount(named: name, password: password)
            print("The account \(name) is ready. Enrol a device with: thumbturn device enrol --server URL --account \(name)")
        }
    }
}
#endif
