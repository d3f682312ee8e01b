#if Tools
import ArgumentParser
import Foundation
import ThumbturnServer

struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the accounts that this server keeps itself.", subcommands: [Add.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an account.",
            discussion: """
                The password is read from the first line of standard input, or from the environment variable \
                THUMBTURN_PASSWORD, so that it stays out of the list of processes.
                """
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The name to sign in with.")
        var name: String

        func run() async throws {
            guard let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] ?? readLine(), !password.isEmpty
            else { throw ValidationError("No password. Type it on standard input, or set THUMBTURN_PASSWORD.") }
            // No token is made here, so the public address does not matter.
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            try await server.addAccount(named: name, password: password)
            print("The account \(name) is ready. Enrol a device with: thumbturn device enrol --account \(name)")
        }
    }
}
#endif
