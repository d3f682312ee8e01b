#if Tools
import ArgumentParser
import Foundation
import Synchronization
import ThumbturnCommands
import ThumbturnLoad

struct FailoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failover",
        abstract: "Signs devices in while something else breaks the server, and tells what they saw.",
        discussion: """
            Devices sign in one time after the other, each over its own connection, and connect again where it breaks. A device \
            that is interrupted rests from then on, and another one goes on. Afterwards the newest sign-ins from before each \
            interruption and from the end are used, and each proof that was accepted is sent once more. `scripts/run --cluster` \
            breaks a cluster meanwhile. The account's password is read from the environment variable THUMBTURN_PASSWORD.

            Exit status 1: a challenge was accepted twice, or a sign-in that was answered is gone.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The name of an existing account without devices.")
    var account: String

    @Option(help: "How many devices sign in at the same time, 1 to 8.")
    var devices = 8

    @Option(help: "How long they sign in, in seconds, at most 120.")
    var seconds = 30.0

    @Option(help: "How long one answer may take, in seconds.")
    var patience = 20

    @Flag(help: "An epoch may begin meanwhile: sessions end with it, and what was answered need not be there.")
    var sessionsMayEnd = false

    @OptionGroup var output: OutputOptions

    struct Result: Encodable {
        var signed_in: Int
        var refused: Int
        /// Requests whose connection broke or whose answer did not come.
        var unanswered: Int
        /// How often a device was interrupted after some sign-ins.
        var interruptions: Int
        var accepted_twice: Int
        /// The sign-ins that were used afterwards: the newest from before each interruption, and from the end.
        var looked_up: Int
        /// Those of them that the server did not accept, also not once each node had the time to know of a promotion.
        var lost: Int
        /// Those that a node did not accept at first, and that were accepted within that time.
        var known_late: Int
        /// The longest time in which no device signed in.
        var longest_interruption_s: Double
    }

    /// Challenges and access tokens expire after 300 s. A refusal after that would say nothing about the database.
    private static let expiry = Duration.seconds(290)

    func validate() throws {
        guard (1...8).contains(devices) else {
            throw ValidationError("Give --devices 1 to 8: each has another one that goes on, and an account has 16 at most.")
        }
        guard seconds > 0, seconds <= 120 else {
            throw ValidationError("Give --seconds up to 120: what is looked up afterwards expires after 300 s.")
        }
    }

    func run() async throws {
        guard let url = URLComponents(string: server), let host = url.host, let port = url.port,
            let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"]
        else { throw ValidationError("Give --server an address with a port, and THUMBTURN_PASSWORD the account's password.") }
        let line = FailoverLine(host: host, port: port, patience: patience)
        let people = (0..<2 * devices).map { _ in LoadDevice(server: server) }
        for device in people {
            try await device.enrol(account: account, password: password, over: try await line.connect())
        }
        FileHandle.standardError.write(Data("\(devices) devices, and another one for each, are enrolled and sign in.\n".utf8))
        let sightings = Sightings()
        let begin = ContinuousClock.now
        let end = begin + .seconds(seconds)
        let signedIn = try await each(
            (0..<devices).map { FailoverRun(people[$0], people[devices + $0], sessionsMayEnd: sessionsMayEnd, over: line) }
        ) {
            await $0.signIn(until: end) { sightings.note() }
        }
        let seen = (sightings.all + [end]).sorted()
        let longest = zip(seen, seen.dropFirst()).map { $1 - $0 }.max() ?? .zero
        let runs = try await each(signedIn) { try await $0.check() }
        guard .now - begin < Self.expiry else {
            throw LoadDevice.Unexpected(description: "what was looked up may have expired: give fewer --seconds")
        }
        func sum(_ part: (FailoverRun) -> Int) -> Int { runs.reduce(0) { $0 + part($1) } }
        let result = Result(
            signed_in: sum(\.signedIn), refused: sum(\.refused), unanswered: sum(\.unanswered),
            interruptions: sum(\.interruptions),
            accepted_twice: sum(\.acceptedTwice), looked_up: sum(\.lookedUp), lost: sum(\.lost),
            known_late: sum(\.knownLate),
            longest_interruption_s: longest / .seconds(1))
        try output.report(
            """
            \(result.signed_in) sign-ins were answered; \(result.refused) requests were refused, \(result.unanswered) had no answer
            longest time without a sign-in: \(rounded(result.longest_interruption_s)) s; devices were interrupted \
            \(result.interruptions) times
            challenges accepted twice: \(result.accepted_twice); of \(result.looked_up) sign-ins that were used, gone: \(result.lost), \
            refused at first by a node that did not know them: \(result.known_late)
            """, result)
        if result.accepted_twice > 0 || (result.lost > 0 && !sessionsMayEnd) { throw ExitCode.failure }
    }

    /// The runs after this work, which all of them do at the same time.
    private func each(
        _ runs: [FailoverRun], _ work: @escaping @Sendable (inout FailoverRun) async throws -> Void
    ) async throws -> [FailoverRun] {
        try await withThrowingTaskGroup(of: FailoverRun.self) { group in
            for run in runs {
                group.addTask {
                    var run = run
                    try await work(&run)
                    return run
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// When a device signed in.
    private final class Sightings: Sendable {
        private let times = Mutex<[ContinuousClock.Instant]>([.now])

        var all: [ContinuousClock.Instant] { times.withLock { $0 } }
        func note() { times.withLock { $0.append(.now) } }
    }
}
#endif
