#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnTestKit

struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab", abstract: "Runs simulated phones against a real server.",
        subcommands: [StoryCommand.self, EvidencePolicyCommand.self]
    )
}

struct StoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Runs enrolment, sign-in, theft, a new face and revocation as a story.",
        discussion: """
            The phones are simulated; the server, its database and every signature are real. The accounts' password is read from \
            the environment variable THUMBTURN_PASSWORD.

            With --evidence-seed, phones with evidence of their keys come after it, and forgeries. It needs the accounts \
            \(EvidenceStory.accounts.joined(separator: ", ")), and a server with the policies that \
            `thumbturn lab evidence-policy` wrote for the same seed.

            With --people, eight people for whom the first way in is not the one get in instead, and what their screens say at \
            every step is printed. It needs the accounts \(PeopleStory.accounts.joined(separator: ", ")), and a provider whose \
            ID tokens the server takes. It takes a minute; `scripts/run --people` has all of it.

            Exit status 1: a step had an unexpected outcome.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The name of an existing account. Not with --people.")
    var account: String?

    @Option(help: "Adds the story of evidence, under the test roots of this seed.")
    var evidenceSeed: UInt64?

    @Flag(help: "Runs the story of eight people.")
    var people = false

    @OptionGroup var provider: ProviderOptions

    func validate() throws {
        guard people == (account == nil), people == (provider.issuer != nil) else {
            throw ValidationError("Give --account NAME, or --people with --issuer and --client-id.")
        }
    }

    func run() async throws {
        guard let url = URL(string: server), let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] else {
            throw ValidationError("Give --server an address, and the account's password in THUMBTURN_PASSWORD.")
        }
        try await runStory {
            guard let account else {
                return try await PeopleStory(server: url, password: password, provider: provider).play()
            }
            try await Story(server: url, account: account, password: password).play()
            if let evidenceSeed {
                try await EvidenceStory(server: url, password: password, roots: EvidenceRoots(seed: evidenceSeed)).play()
            }
        }
    }
}

struct EvidencePolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence-policy", abstract: "Writes the policies of a server for the story of evidence.",
        discussion: """
            The folder gets evidence.json for `thumbturn-server serve --evidence`, with the test roots of the seed, and \
            actions.json for --policy. Anyone who knows the seed can mint evidence under such roots, so they are for tests alone.
            """
    )

    @Option(help: "The seed of the test roots.")
    var seed: UInt64

    @Argument(help: "The folder.")
    var folder: String

    func run() throws { try EvidenceRoots(seed: seed).write(into: folder) }
}
#endif
