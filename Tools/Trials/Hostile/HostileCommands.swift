#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands

struct HostileServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile-server", abstract: "Runs a server that is hostile to devices.",
        discussion: """
            The first segment of a request's path names the manner: silent, endless, gzipBomb, token-expires_in-largest and so \
            on; --list prints them. `thumbturn-trials hostile-story` has phones meet all of them. It keeps nothing, and judges \
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

struct HostileStoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile-story", abstract: "Has phones meet a hostile server in every manner.",
        discussion: "Exit status 1: a call did not end in time or succeeded wrongly, or the memory grew by 50 MB."
    )

    @Option(help: "The address of `thumbturn-trials hostile-server`.")
    var server: String

    @Option(help: "The deadline of each exchange with it, in seconds.")
    var deadline = 30.0

    func run() async throws {
        guard deadline > 0, let address = URL(string: server) else {
            throw ValidationError("Give --server an address, and --deadline more than 0.")
        }
        try await runStory { try await HostileStory(server: address, deadline: .seconds(deadline)).play().report() }
    }
}
#endif
