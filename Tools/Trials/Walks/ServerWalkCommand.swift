#if Tools
import ArgumentParser
import Foundation
import ThumbturnWalk

struct ServerWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Tries what phones, thieves, back ends and the operator can do to the server, in every order.",
        discussion: """
            The whole server runs in this process, with its store in memory. From several beginnings it tries every action, \
            then every action after each of them, and so on: proofs with the parts of others, tickets, tokens, approvals, \
            backups, commands, and two requests at once. A second set of rules, written without the server's code, says what \
            must never be accepted. Exit status 1 if it was, with the shortest story that shows it. Build with -c release.
            """
    )

    @Option(help: "How long it may take.")
    var minutes = 5.0

    @Option(help: "The most actions of a story after its beginning.")
    var depth = 8

    @Option(help: "Up to how many actions parts that do not belong together are put together.")
    var mixing = 1

    @Option(help: "Up to how many actions the last two may come at the same time.")
    var racing = 2

    func run() async throws {
        guard minutes > 0, depth > 0 else { throw ValidationError("--minutes and --depth must be more than 0.") }
        let start = ContinuousClock.now
        let walk = try Walk(
            .init(depth: depth, mixing: mixing, racing: racing, end: start.advanced(by: .seconds(minutes * 60)))
        ) { print($0) }
        let result = try await walk.run()
        print(
            """
            states      \(result.states)
            sequences   \(result.sequences), of which \(result.accepted) ended in something accepted; \(result.withoutChallenge) more
                        ended because the server gave no challenge
            races       \(result.races)
            depth       every sequence of \(result.depth) actions; with the parts of others up to \(min(mixing, result.depth)), and two \
            at once up to \(min(racing, result.depth))
            violations  \(result.violations.count)
            time        \(Int((ContinuousClock.now - start) / .seconds(1))) s
            """)
        for (end, count) in result.ends.sorted(by: { $0.key < $1.key }) { print("reached     \(end): \(count)") }
        for story in result.violations.sorted(by: { $0.steps.count < $1.steps.count }) { print("\n\(story)") }
        let unreached = result.depth > 0 ? Walk.ends.filter { result.ends[$0] == nil } : []
        for end in unreached { print("not reached \(end)") }
        if !result.violations.isEmpty || !unreached.isEmpty { throw ExitCode.failure }
    }
}
#endif
