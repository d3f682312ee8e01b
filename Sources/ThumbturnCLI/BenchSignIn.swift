#if Tools
import ArgumentParser
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import NIOPosix
import Thumbturn
import ThumbturnLoad

struct BenchSignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Complete sign-ins per second over HTTP: a challenge, then a proof redeemed for a token.",
        discussion: """
            Starts a server of its own on a fresh data folder, enrols a device for each connection, and signs in as fast as \
            the answers come. Every sign-in is durable before it is answered. The rates of bare P-256 operations are \
            measured in the same run, on one core, so that the figures can be compared. Build with -c release.
            """
    )

    @Option(help: "How long to measure, after one second of warm-up.")
    var seconds = 5.0

    @Option(help: "Connections at once, with one device each.")
    var connections = 32

    @OptionGroup var output: OutputOptions

    struct Result: Encodable {
        var sign_ins_per_second: Double
        var sign_ins: Int
        var seconds: Double
        var connections: Int
        var p50_ms: Double
        var p99_ms: Double
        var verify_per_second: Double
        var sign_per_second: Double
    }

    func run() async throws {
        guard seconds > 0, (1...64).contains(connections) else {
            throw ValidationError("--seconds wants more than 0, and --connections 1 to 64.")
        }
        #if DEBUG
        progress("this is a debug build; figures to quote come from: swift run -c release --traits Tools thumbturn bench sign-in")
        #endif
        let (verify, sign) = P256Rates.measure()
        let server = try await BenchServer.start()
        defer { server.stop() }
        progress("enrolling \(connections) devices")
        let group = MultiThreadedEventLoopGroup.singleton
        let clients = try await withThrowingTaskGroup { tasks in
            for _ in 0..<connections {
                tasks.addTask {
                    let connection = try await LoadConnection(host: "127.0.0.1", port: server.port, on: group)
                    let device = LoadDevice(server: server.url)
                    try await device.enrol(account: BenchServer.account, password: BenchServer.password, over: connection)
                    return (device, connection)
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        progress("signing in for \(seconds) s, after 1 s of warm-up")
        let start = ContinuousClock.now.advanced(by: .seconds(1))
        let end = start.advanced(by: .seconds(seconds))
        let latencies = try await withThrowingTaskGroup { tasks in
            for (device, connection) in clients {
                tasks.addTask {
                    var latencies: [Duration] = []
                    while ContinuousClock.now < end {
                        let began = ContinuousClock.now
                        _ = try await device.signIn(over: connection)
                        if began >= start { latencies.append(began.duration(to: .now)) }
                    }
                    try await connection.close()
                    return latencies
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }.sorted()
        }
        guard !latencies.isEmpty else { throw BenchFailed("Not one sign-in was finished; give more --seconds.") }
        let result = Result(
            sign_ins_per_second: Double(latencies.count) / seconds, sign_ins: latencies.count, seconds: seconds,
            connections: connections, p50_ms: milliseconds(latencies, 0.5), p99_ms: milliseconds(latencies, 0.99),
            verify_per_second: verify, sign_per_second: sign
        )
        try output.say(
            """
            \(Int(result.sign_ins_per_second)) complete sign-ins per second (\(result.sign_ins) in \(seconds) s, \(connections) connections)
            P50 \(rounded(result.p50_ms)) ms, P99 \(rounded(result.p99_ms)) ms, generator and server on the same machine
            this machine, one core: \(Int(verify)) P-256 verifications per second, \(Int(sign)) signatures per second
            """,
            result
        )
    }

    private func progress(_ text: String) {
        if !output.json { FileHandle.standardError.write(Data("\(text) …\n".utf8)) }
    }

    private func milliseconds(_ sorted: [Duration], _ quantile: Double) -> Double {
        let index = min(sorted.count - 1, Int((Double(sorted.count) * quantile).rounded(.up)) - 1)
        return sorted[max(0, index)] / .milliseconds(1)
    }

    private func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
}

/// The benchmark could not be carried out.
private struct BenchFailed: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Bare P-256 operations on one core: what no server can beat.
private enum P256Rates {
    static func measure() -> (verify: Double, sign: Double) {
        let key = P256.Signing.PrivateKey()
        let message = [UInt8](repeating: 7, count: 300)
        guard let signature = try? key.signature(for: message) else { return (0, 0) }
        let publicKey = key.publicKey
        return (
            rate { _ = publicKey.isValidSignature(signature, for: message) },
            rate { _ = try? key.signature(for: message) }
        )
    }

    private static func rate(_ operation: () -> Void) -> Double {
        let began = ContinuousClock.now
        var count = 0
        while began.duration(to: .now) < .milliseconds(500) {
            for _ in 0..<50 { operation() }
            count += 50
        }
        return Double(count) / (began.duration(to: .now) / .seconds(1))
    }
}

/// A server process of the benchmark's own, on a data folder that goes with it.
private struct BenchServer {
    static let account = "bench"
    static let password = "a password for benchmarks alone"

    let port: Int
    let url: String
    private let process: Process
    private let folder: URL

    static func start() async throws -> BenchServer {
        let command = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("thumbturn-server")
        guard FileManager.default.isExecutableFile(atPath: command.path) else {
            throw BenchFailed(
                "thumbturn-server is not beside this command. Build both with: swift build -c release --traits Tools")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-bench-\(UUID().uuidString)")
        try await run(command, ["accounts", "add", account, "--data", folder.path])

        let process = Process()
        process.executableURL = command
        process.arguments = ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The first line says where it listens.
        var line = ""
        while !line.contains("\n"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            line += String(decoding: data, as: UTF8.self)
        }
        guard let url = line.split(whereSeparator: \.isWhitespace).last.map(String.init),
            let port = URL(string: url)?.port
        else {
            process.terminate()
            throw BenchFailed("thumbturn-server did not start.")
        }
        return BenchServer(port: port, url: url, process: process, folder: folder)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ command: URL, _ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = command
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["THUMBTURN_PASSWORD": password]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFailed("thumbturn-server accounts add did not work.") }
    }
}
#endif
