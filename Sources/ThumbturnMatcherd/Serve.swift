#if Tools && os(Linux)
import ArgumentParser
import Dispatch
import Foundation
import ThumbturnCore
import ThumbturnMatcher

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers the devices of this machine until it is stopped."
    )

    @Option(help: "The path of the socket to which devices connect.")
    var socket = "/run/thumbturn/matcher"

    @Option(help: "The group whose members may connect; root and the matcher's own user alone unless given.")
    var group: String?

    @Option(help: "The folder of the matcher's key and records, which no other user may read.")
    var folder = "/var/lib/thumbturn-matcher"

    @Option(help: "The TCTI configuration by which libtss2 reaches the TPM.")
    var tcti = "device:/dev/tpmrm0"

    @Option(help: "The address of fprintd's bus; the system bus unless given.")
    var bus: String?

    @Option(help: "The folder in which fprintd keeps the enrolled prints.")
    var prints = "/var/lib/fprint"

    @Option(help: "The terminal or pipe on which the person reads a prompt's purpose; standard output unless given.")
    var display: String?

    func run() throws {
        // A device may close its connection while the matcher writes to it.
        signal(SIGPIPE, SIG_IGN)
        guard let screen = Screen(display) else {
            FileHandle.standardError.write(
                Data(
                    "thumbturn-matcherd: \(display ?? "") is not writable, or has no reader. Give another --display.\n"
                        .utf8)
            )
            throw ExitCode(73)
        }
        let group = try group.map { name in
            guard let id = UserDatabase.group(named: name) else {
                throw ValidationError("There is no group “\(name)” on this machine. Give --group the name of one.")
            }
            return id
        }
        let service: MatcherService
        do {
            service = try MatcherService(
                MatcherService.Settings(
                    socket: socket, group: group, folder: folder, tcti: tcti, bus: bus, prints: prints),
                show: { screen.show($0) },
                log: { FileHandle.standardError.write(Data("thumbturn-matcherd: \($0)\n".utf8)) }
            )
        } catch {
            let message =
                switch error.status?.code {
                case Int(EADDRINUSE): "Another matcher listens at \(socket). Stop it, or give --socket another path."
                case Int(ENAMETOOLONG): "\(socket) is too long for a socket's path, which has at most 107 bytes."
                default:
                    "This user cannot write to \(folder), create \(socket) or give it to the group, or the key in the folder "
                        + "is damaged. Give --folder, --socket and --group."
                }
            FileHandle.standardError.write(Data("thumbturn-matcherd: \(message)\n".utf8))
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
#endif
