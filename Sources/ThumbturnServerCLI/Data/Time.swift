#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnServer

struct Time: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the machine's clock beside the server's time, and sets that time.",
        discussion: """
            The server's time never goes back, and it does not follow a clock that jumps ahead by more than ten minutes. A \
            server does not start with a clock that is more than ten minutes behind the latest time that the database has \
            seen, or more than seven days ahead of it.
            """,
        subcommands: [Show.self, Set.self], defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the clock, the latest time that the database has seen, and the difference.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let times = try await data.server().times
            print("clock       \(Self.text(times.clock))")
            print("seen        \(Self.text(times.stored))")
            print("difference  \(Self.difference(times))")
        }

        static func text(_ time: UnixTime) -> String {
            Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601)
        }

        static func difference(_ times: (clock: UnixTime, stored: UnixTime)) -> String {
            let seconds = (times.clock - times.stored).components.seconds
            return seconds < 0 ? "\(-seconds) s: the clock is behind" : "\(seconds) s: the clock is ahead"
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the server's time to the machine's clock, and begins a new epoch.",
            discussion: """
                Needed after the clock was wrong, or after the server was off for more than seven days. Set the machine's \
                clock right first. All users must sign in again, the keys of access tokens are replaced at once, and open \
                approvals end. Recovery codes stay valid. Running servers refuse their next request, take the new time, and \
                continue. If the clock of a back end was wrong as well, replace its key too.
                """
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            let server = try await data.server()
            let times = server.times
            try confirmation.ask(
                """
                The server's time is \(Show.text(times.stored)), and becomes the clock's, \(Show.text(times.clock)). A new \
                epoch begins: all users must sign in again.
                """)
            try await server.service.setTime()
            print("The time is set, and a new epoch has begun: all users must sign in again.")
        }
    }
}
#endif
