#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnTestKit

struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab", abstract: "Runs simulated phones or a Linux machine against a real server.",
        subcommands: [
            StoryCommand.self, EvidencePolicyCommand.self, MachineCommand.self, HostileServerCommand.self,
            FailoverCommand.self,
        ]
    )
}

struct StoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Runs enrolment, sign-in, theft, a new face and revocation as a story.",
        discussion: """
            The phones are simulated; the server, its database and every signature are real. The accounts' password is read from \
            the environment variable THUMBTURN_PASSWORD.

            With --hostile, other phones meet a server that is hostile in every manner, beside the story.

            With --evidence-seed, phones with evidence of their keys come after it, and forgeries. It needs the accounts \
            \(EvidenceStory.accounts.joined(separator: ", ")), and a server with the policies that \
            `thumbturn lab evidence-policy` wrote for the same seed.

            With --people, eight people for whom the first way in is not the one get in instead, and what their screens say at \
            every step is printed. It needs the accounts \(PeopleStory.accounts.joined(separator: ", ")), and a provider whose \
            ID tokens the server takes. It takes a minute; `scripts/run --people` has all of it.

            With --telemetry, simulated phones of four models report their unlocks over HTTP to a server that the command starts \
            itself, the sensors of one model get slow in the middle of it, and the report has to show which. It needs no other \
            server and no account.

            Exit status 1: a step had an unexpected outcome, a call did not end in time, or the memory grew by 50 MB.
            """
    )

    @Option(help: "The server's public address. Not with --telemetry.")
    var server: String?

    @Option(help: "The name of an existing account. Not with --people.")
    var account: String?

    @Option(help: "The address of `thumbturn lab hostile-server`.")
    var hostile: String?

    @Option(help: "The deadline of each exchange with the hostile server, in seconds.")
    var deadline = 30.0

    @Option(help: "Adds the story of evidence, under the test roots of this seed.")
    var evidenceSeed: UInt64?

    @Flag(help: "Runs the story of eight people.")
    var people = false

    @Flag(help: "Runs the story of phones that report their unlocks.")
    var telemetry = false

    @Option(help: "With --telemetry: how many phones report, from 1000 on.")
    var phones = 10_000

    @Option(help: "With --telemetry: the seed of the phones.")
    var seed: UInt64 = 1

    @Option(help: "With --telemetry: the file in which the page with the plots is written. It must not exist.")
    var html: String?

    @OptionGroup var provider: ProviderOptions

    func validate() throws {
        guard telemetry == (server == nil) else { throw ValidationError("Give --server ADDRESS, or --telemetry.") }
        guard !telemetry else {
            guard phones >= 1000 else { throw ValidationError("--phones must be 1000 or more: fewer tell too little.") }
            guard account == nil, hostile == nil, evidenceSeed == nil, !people else {
                throw ValidationError("--telemetry is a story of its own.")
            }
            if let html, FileManager.default.fileExists(atPath: html) {
                throw ValidationError("\(html) exists already. Give --html another name.")
            }
            return
        }
        guard people == (account == nil), people == (provider.issuer != nil) else {
            throw ValidationError("Give --account NAME, or --people with --issuer and --client-id.")
        }
        guard !people || hostile == nil else { throw ValidationError("--hostile belongs to the story of one account.") }
    }

    func run() async throws {
        guard let server else {
            return try await runStory { try await TelemetryStory(phones: phones, seed: seed, page: html).play() }
        }
        guard let url = URL(string: server), let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] else {
            throw ValidationError("Give --server an address, and the account's password in THUMBTURN_PASSWORD.")
        }
        try await runStory {
            guard let account else {
                return try await PeopleStory(server: url, password: password, provider: provider).play()
            }
            guard let hostile else {
                try await Story(server: url, account: account, password: password).play()
                if let evidenceSeed {
                    try await EvidenceStory(server: url, password: password, roots: EvidenceRoots(seed: evidenceSeed)).play()
                }
                return
            }
            guard deadline > 0, let address = URL(string: hostile) else {
                throw ValidationError("Give --hostile an address, and --deadline more than 0.")
            }
            async let attacked = HostileStory(server: address, deadline: .seconds(deadline)).play()
            try await Story(server: url, account: account, password: password).play()
            try await attacked.report()
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

struct HostileServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile-server", abstract: "Runs a server that is hostile to devices.",
        discussion: """
            The first segment of a request's path names the manner: silent, endless, gzipBomb, token-expires_in-largest and so \
            on; --list prints them. `thumbturn lab story --hostile` has phones meet all of them. It keeps nothing, and judges \
            nothing.
            """
    )

    @Option(help: "The address and port to listen on. Port 0 takes a free one.")
    var listen = "127.0.0.1:8081"

    @Flag(help: "Prints the manners and ends.")
    var list = false

    func run() async throws {
        guard !list else { return print(HostileManner.all.map(\.name).joined(separator: "\n")) }
        guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
            throw ValidationError("--listen must be an address and a port, for example 127.0.0.1:8081.")
        }
        let server = try await HostileServer.start(host: String(listen[..<colon]), port: Int(port))
        print("hostile in \(HostileManner.all.count) manners at http://\(listen[..<colon]):\(server.port)")
        fflush(nil)
        try await server.waitUntilStopped()
    }
}
#endif
