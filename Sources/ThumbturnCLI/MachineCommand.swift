#if Tools
import ArgumentParser
import Foundation
import Thumbturn

struct MachineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machine",
        abstract: "Plays a Linux machine: a real TPM simulator, real fprintd, real fingerprint images.",
        discussion: """
            Starts swtpm, a bus, polkit, fprintd with a virtual reader and thumbturn-matcherd, all in a folder of their own, and plays \
            enrolment, sign-in, another finger, a new finger, the PIN and PINs that do not match against a running server. The password of the \
            account is read from the environment variable THUMBTURN_PASSWORD. Needs root, because polkit starts as root. Exit status 1 \
            if anything goes another way than told.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "An account that exists on the server.")
    var account: String

    @Option(help: "Where the program thumbturn-matcherd is.")
    var matcherd: String = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/thumbturn-matcherd"

    @Option(help: "The polkit rule that lets the matcher ask fprintd.")
    var rule = "packaging/50-thumbturn-matcher.rules"

    @Option(help: "How many sign-ins are timed at the end; 0 leaves the timing out.")
    var timed = 100

    func run() async throws {
        #if os(Linux)
        guard let url = URL(string: server), let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] else {
            throw ValidationError("Give --server an address, and the account's password in THUMBTURN_PASSWORD.")
        }
        try await play {
            let machine = try await LabMachine.start(matcherd: matcherd, rule: rule)
            do {
                let story = try MachineStory(on: machine, server: url, PasswordSignIn(account: account, password: password))
                try await story.play()
                if timed > 0 { try await story.time(timed) }
            } catch {
                await machine.stop()
                throw error
            }
            await machine.stop()
        }
        #else
        throw ValidationError("The machine is a Linux machine.")
        #endif
    }
}
#endif
