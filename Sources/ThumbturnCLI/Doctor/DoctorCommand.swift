#if Tools
import ArgumentParser
import Foundation
import Thumbturn
#if os(Linux)
import ThumbturnLinux
import ThumbturnCommands
#endif

struct DoctorCommand: AsyncParsableCommand {
    #if os(Linux)
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks this machine as a device, or an app for Apple's systems, and prints the next steps.",
        subcommands: [DoctorMachine.self, DoctorApp.self], defaultSubcommand: DoctorMachine.self
    )
    #else
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks an app for Apple's systems, and prints the next steps.",
        subcommands: [DoctorApp.self]
    )
    #endif
}

#if os(Linux)
struct DoctorMachine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machine",
        abstract: "Checks this machine's TPM, reader, matcher and clock, and the server, and prints the next steps.",
        discussion: "No finger is asked for. Exit status: 0 everything works, 1 something does not."
    )

    @OptionGroup var addresses: LinuxAddresses

    @Option(help: "The server's public address. Without it neither the server nor the clock is checked.")
    var server: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let examination = Examination(tcti: addresses.tcti, matcher: addresses.matcher, bus: addresses.bus)
        var findings = examination.tpm() + examination.fingerprints() + examination.broker()
        if let server { findings += await ServerExamination(address: server).findings() }
        if output.json {
            try output.report("", findings)
        } else {
            for finding in findings { print(finding.text) }
        }
        if findings.contains(where: { $0.state == .trouble }) { throw ExitCode(1) }
    }
}

extension MachineFinding {
    /// The line of an app's finding, which has the same members.
    fileprivate var text: String {
        let state: AppFinding.State =
            switch state {
            case .good: .good
            case .note: .note
            case .trouble: .trouble
            }
        return AppFinding(part, state, found, remedy: remedy).text
    }
}

/// Checks the server and, against the time in its answer, this machine's clock.
private struct ServerExamination {
    let address: String

    func findings() async -> [MachineFinding] {
        guard let url = URL(string: address)?.appending(path: "health") else {
            return [
                MachineFinding(
                    "server", .trouble, "\(address) is not an address.", remedy: "For example --server https://id.example.org")
            ]
        }
        let answer: TransportResponse
        do throws(Failure) {
            let transport = BoundedTransport(commandTransport(), clock: SystemClock())
            answer = try await transport.send(TransportRequest(method: "GET", url: url.absoluteString))
        } catch {
            return [
                MachineFinding(
                    "server", .trouble, "No answer from \(address).", remedy: "Is it running, and is the address right?")
            ]
        }
        let health =
            answer.status == 200
            ? MachineFinding("server", .good, "Answers at \(address).")
            : MachineFinding("server", .trouble, "Answers with status \(answer.status).", remedy: "See its log.")
        return [health, clock(answer.headers["date"])]
    }

    /// Compares the clocks. The server decides by its own clock, but to this machine tokens look expired if its clock
    /// is wrong.
    private func clock(_ date: String?) -> MachineFinding {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date, let served = format.date(from: date) else {
            return MachineFinding("clock", .note, "The server's answer has no time.")
        }
        let seconds = Int(Date().timeIntervalSince(served).rounded())
        return abs(seconds) <= 60
            ? MachineFinding("clock", .good, "Within a minute of the server's.")
            : MachineFinding(
                "clock", .note, "\(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") the server's.",
                remedy: "Signing in still works. To set the clock: timedatectl set-ntp true"
            )
    }
}
#endif
#endif
