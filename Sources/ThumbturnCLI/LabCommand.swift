#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnTestKit

struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab", abstract: "Runs simulated phones or a Linux machine against a real server.",
        subcommands: [StoryCommand.self, MachineCommand.self]
    )
}

struct StoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Runs enrolment, sign-in, theft, a new face and revocation as a story.",
        discussion: """
            The phones are simulated; the server, its database and every signature are real. The account's password is read from \
            the environment variable THUMBTURN_PASSWORD. Exit status 1: a step had an unexpected outcome.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The name of an existing account.")
    var account: String

    func run() async throws {
        guard let url = URL(string: server), let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] else {
            throw ValidationError("Give --server an address, and the account's password in THUMBTURN_PASSWORD.")
        }
        try await runStory { try await Story(server: url, account: account, password: password).play() }
    }
}
#endif
