#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnTestKit

struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab", abstract: "Devices against a real server: simulated phones, and a Linux machine.",
        subcommands: [StoryCommand.self, MachineCommand.self]
    )
}

struct StoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Plays the main job: enrolment, sign-in, theft, a new face, revocation.",
        discussion: """
            The phones are simulated; the server, its database and every signature are real. The password of the account is \
            read from the environment variable THUMBTURN_PASSWORD. Exit status 1 if anything goes another way than told.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "An account that exists on the server.")
    var account: String

    func run() async throws {
        guard let url = URL(string: server), let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] else {
            throw ValidationError("Give --server an address, and the account's password in THUMBTURN_PASSWORD.")
        }
        try await play { try await Story(server: url, account: account, password: password).play() }
    }
}
#endif
