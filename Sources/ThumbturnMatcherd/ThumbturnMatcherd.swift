#if Tools && os(Linux)
import ArgumentParser
import Dispatch
import Foundation
import ThumbturnCore
import ThumbturnLinux

@main
struct ThumbturnMatcherd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn-matcherd",
        abstract: "Asks for fingers, and vouches to the TPM for each match.",
        discussion: """
            It holds the key that biometric keys in the TPM trust. For each question it reads by itself what will be signed, shows \
            what that is for, has fprintd verify a finger of the user who asks, and signs for one use of one key. When a finger is \
            enrolled or removed, also while it was stopped, every biometric key of that user dies.

            Run it as a user of its own; docs/linux.md has a unit for systemd, the polkit rule and the rest.
            """
    )

    @Option(help: "The socket on which devices ask.")
    var socket = "/run/thumbturn/matcher"

    @Option(help: "The folder of its key and records, for itself alone.")
    var folder = "/var/lib/thumbturn-matcher"

    @Option(help: "How libtss2 reaches the TPM.")
    var tcti = "device:/dev/tpmrm0"

    @Option(help: "The address of the bus on which fprintd is; the system bus unless given.")
    var bus: String?

    @Option(help: "The folder in which fprintd keeps the enrolled prints.")
    var prints = "/var/lib/fprint"

    @Option(help: "A terminal or pipe on which the person reads what the finger is wanted for; standard output unless given.")
    var display: String?

    func run() throws {
        // A device that goes away while it is written to is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        guard let screen = Screen(display) else {
            FileHandle.standardError.write(
                Data(
                    "thumbturn-matcherd: \(display ?? "") cannot be written, or is a pipe that nobody reads. Give --display another.\n"
                        .utf8)
            )
            throw ExitCode(73)
        }
        let service: MatcherService
        do {
            service = try MatcherService(
                MatcherService.Settings(socket: socket, folder: folder, tcti: tcti, bus: bus, prints: prints),
                show: { screen.show($0) },
                log: { FileHandle.standardError.write(Data("thumbturn-matcherd: \($0)\n".utf8)) }
            )
        } catch {
            let what =
                switch error.status?.code {
                case Int(EADDRINUSE): "Another one listens at \(socket). Stop it, or give --socket another path."
                case Int(ENAMETOOLONG): "\(socket) is too long for a socket: 107 bytes at most."
                default:
                    "This user cannot write to \(folder), or not make \(socket), or the key there is damaged. Give --folder and --socket."
                }
            FileHandle.standardError.write(Data("thumbturn-matcherd: \(what)\n".utf8))
            throw ExitCode(73)
        }
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { service.stop() }
            source.resume()
            sources.append(source)
        }
        _ = screen.show("thumbturn-matcherd listens at \(socket)")
        withExtendedLifetime(sources) { service.run() }
    }
}
#else
@main
struct ThumbturnMatcherd {
    static func main() {
        print("thumbturn-matcherd is for Linux, and is built with: swift build --traits Tools")
    }
}
#endif
