#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands

struct MachineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machine",
        abstract: "Runs a Linux machine with a TPM simulator, the real fprintd and fingerprint images as a story.",
        discussion: """
            Starts swtpm, a bus, polkit, fprintd with a virtual reader and thumbturn-matcherd in a folder of their own. Then it \
            runs enrolment, sign-in, another finger, a new finger, the PIN and PINs that do not match against a running server. \
            The account's password is read from the environment variable THUMBTURN_PASSWORD. It needs root, because polkit \
            starts as root. Exit status 1: a step had an unexpected outcome.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The name of an existing account.")
    var account: String

    @Option(help: "The path of the program thumbturn-matcherd.")
    var matcherd: String = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/thumbturn-matcherd"

    @Option(help: "The path of the polkit rule that lets the matcher use fprintd.")
    var rule = "packaging/50-thumbturn-matcher.rules"

    @Option(
        help: """
            The file of the server's option --evidence. The story writes it: the server then trusts the authority of the \
            machine's TPM, first as chips, later as test hardware. With --server-process.
            """)
    var evidence: String?

    @Option(help: "The process of the server, which gets SIGHUP after each change of that file.")
    var serverProcess: Int32?

    @Option(help: "The number of sign-ins to time at the end; 0 for none.")
    var timed = 100

    func validate() throws {
        guard (evidence == nil) == (serverProcess == nil) else {
            throw ValidationError("Give --evidence and --server-process together, or neither.")
        }
    }

    func run() async throws {
        #if os(Linux)
        guard let url = URL(string: server), let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"] else {
            throw ValidationError("Give --server an address, and the account's password in THUMBTURN_PASSWORD.")
        }
        try await runStory {
            let machine = try await LabMachine.start(matcherd: matcherd, rule: rule)
            do {
                let policy = evidence.flatMap { file in
                    serverProcess.map { MachineEvidence(file: file, process: $0, server: url) }
                }
                let story = try MachineStory(
                    on: machine, server: url, PasswordSignIn(account: account, password: password), evidence: policy)
                try await story.play()
                if timed > 0 { try await story.time(timed) }
            } catch {
                await machine.stop()
                throw error
            }
            await machine.stop()
        }
        #else
        throw ValidationError("The command machine works only on Linux.")
        #endif
    }
}
#endif
