#if Tools && os(Linux)
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnMatcher

struct Unlock: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lets a user's fingers be asked for again. Only root may do it.",
        discussion: """
            After 50 consecutive fingers that did not match, the running matcher asks for no finger of that user. This command \
            sets the count back. Find out first who touched the reader: the matcher's log has a line for each attempt. Exit \
            status: 0 the count is set back, 69 no matcher answers, 77 this user may not do it.
            """
    )

    @Argument(help: "The name of the user of this machine.")
    var user: String

    @Option(help: "The path of the matcher's socket.")
    var socket = "/run/thumbturn/matcher"

    func run() throws {
        guard let id = UserDatabase.user(named: user) else {
            throw ValidationError("There is no user “\(user)” on this machine.")
        }
        do {
            try MatcherService.unlock(id, at: socket)
        } catch {
            let isForbidden = error.code == .permissionDenied
            let message = isForbidden ? "Only root may do this." : "No matcher answers at \(socket)."
            FileHandle.standardError.write(Data("thumbturn-matcherd: \(message)\n".utf8))
            throw ExitCode(isForbidden ? 77 : 69)
        }
        print("Fingers of \(user) are asked for again.")
    }
}
#endif
