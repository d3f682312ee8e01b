#if Tools
import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import ThumbturnLoad
import ThumbturnMessages

struct FailoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failover",
        abstract: "Signs devices in while something else breaks the server, and tells what they saw.",
        discussion: """
            Devices sign in one time after the other, each over its own connection, and connect again where it breaks. When the \
            time is over, each proof that was accepted is sent once more, and the last session of each device is used. \
            `scripts/run --cluster` breaks a cluster meanwhile. The account's password is read from the environment variable \
            THUMBTURN_PASSWORD.

            Exit status 1: a challenge was accepted twice, or a sign-in that was answered is gone.
            """
    )

    @Option(help: "The server's public address.")
    var server: String

    @Option(help: "The name of an existing account.")
    var account: String

    @Option(help: "The number of devices.")
    var devices = 8

    @Option(help: "How long they sign in, in seconds.")
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
        var accepted_twice: Int
        var lost: Int
        /// The longest time in which no device signed in.
        var longest_interruption_s: Double
    }

    func run() async throws {
        guard let url = URLComponents(string: server), let host = url.host, let port = url.port,
            let password = ProcessInfo.processInfo.environment["THUMBTURN_PASSWORD"]
        else { throw ValidationError("Give --server an address with a port, and THUMBTURN_PASSWORD the account's password.") }
        let line = Line(host: host, port: port, patience: patience)
        let people = (0..<devices).map { _ in LoadDevice(server: server) }
        for device in people {
            try await device.enrol(account: account, password: password, over: try await line.connect())
        }
        FileHandle.standardError.write(Data("\(devices) devices are enrolled and sign in.\n".utf8))
        let sightings = Sightings()
        let end = ContinuousClock.now + .seconds(seconds)
        let runs = try await withThrowingTaskGroup(of: Run.self) { group in
            for device in people {
                group.addTask { await Run(device).signIn(over: line, until: end, sightings) }
            }
            var runs: [Run] = []
            for try await run in group { runs.append(run) }
            return runs
        }
        let seen = (sightings.all + [end]).sorted()
        let longest = zip(seen, seen.dropFirst()).map { $1 - $0 }.max() ?? .zero
        var result = Result(
            signed_in: runs.reduce(0) { $0 + $1.proofs.count }, refused: runs.reduce(0) { $0 + $1.refused },
            unanswered: runs.reduce(0) { $0 + $1.unanswered }, accepted_twice: 0, lost: 0,
            longest_interruption_s: longest / .seconds(1))
        for run in runs {
            let (twice, lost) = try await run.check(over: line)
            result.accepted_twice += twice
            result.lost += lost
        }
        try output.report(
            """
            \(result.signed_in) sign-ins were answered; \(result.refused) requests were refused, \(result.unanswered) had no answer
            longest time without a sign-in: \(rounded(result.longest_interruption_s)) s
            challenges accepted twice: \(result.accepted_twice); answered sign-ins that are gone: \(result.lost)
            """, result)
        if result.accepted_twice > 0 || (result.lost > 0 && !sessionsMayEnd) { throw ExitCode.failure }
    }

    /// When a device signed in.
    private final class Sightings: Sendable {
        private let times = Mutex<[ContinuousClock.Instant]>([.now])

        var all: [ContinuousClock.Instant] { times.withLock { $0 } }
        func note() { times.withLock { $0.append(.now) } }
    }

    /// How the devices reach the server.
    private struct Line: Sendable {
        let host: String
        let port: Int
        let patience: Int

        func connect() async throws -> LoadConnection {
            try await LoadConnection(host: host, port: port, on: .singleton, limit: .seconds(Int64(patience)))
        }
    }

    /// What one device saw.
    private struct Run: Sendable {
        let device: LoadDevice
        /// The proofs that were accepted.
        var proofs: [String] = []
        /// The access token of the last sign-in.
        var token: String?
        var refused = 0
        var unanswered = 0

        init(_ device: LoadDevice) { self.device = device }

        func signIn(
            over line: Line, until end: ContinuousClock.Instant, _ sightings: Sightings
        ) async -> Run {
            var (run, open): (Run, LoadConnection?) = (self, nil)
            while ContinuousClock.now < end {
                do {
                    let connection: LoadConnection
                    if let open { connection = open } else { connection = try await line.connect() }
                    open = connection
                    let (challenge, nonce) = try await device.challenge(over: connection)
                    let proof = device.proof(challenge)
                    let answer = try await device.redeem(proof, nonce: nonce, over: connection)
                    if answer.status == 200 {
                        run.proofs.append(proof)
                        run.token = try device.read(TokenAnswer.self, answer, expecting: 200).accessToken
                        sightings.note()
                        continue
                    }
                    run.refused += 1
                } catch is LoadDevice.Unexpected {
                    run.refused += 1
                } catch {
                    run.unanswered += 1
                    try? await open?.close()
                    open = nil
                }
                try? await Task.sleep(for: .milliseconds(100))
            }
            try? await open?.close()
            return run
        }

        /// Sends all proofs again, and uses the last session.
        func check(over line: Line) async throws -> (twice: Int, lost: Int) {
            var connection = try await line.connect()
            var twice = 0
            var nonce = try await device.challenge(over: connection).nonce
            for proof in proofs {
                for _ in 0..<20 {
                    do {
                        let answer = try await device.redeem(proof, nonce: nonce, over: connection)
                        nonce = answer.nonce ?? nonce
                        guard answer.status < 500 else { throw Busy() }
                        if answer.status == 200 { twice += 1 }
                        break
                    } catch {
                        try await Task.sleep(for: .milliseconds(250))
                        connection = try await line.connect()
                    }
                }
            }
            guard let token else { return (twice, 0) }
            let answer = try await device.get("/v1/devices", token: token, nonce: nonce, over: connection)
            try? await connection.close()
            return (twice, answer.status == 200 ? 0 : 1)
        }
    }

    private struct Busy: Error {}
}
#endif
