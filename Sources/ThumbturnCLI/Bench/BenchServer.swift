#if Tools
import Foundation
import ThumbturnCore
import ThumbturnLoad
import ThumbturnServer

/// The benchmark could not be run, or its result is discarded.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A server process for one benchmark, with a data folder that is deleted afterwards.
struct BenchServer {
    let port: Int
    let url: String
    let requests: BenchRequests
    let devices: [BenchDevice]
    /// The accounts' ids. Each device has an account of its own.
    let accounts: [String]
    /// A write key for telemetry.
    let telemetryKey: String
    /// A back end that may create approvals.
    let backEnd: BenchBackEnd
    /// The time from the start of the process to its first answer.
    let startMilliseconds: Double
    let binaryBytes: Int
    private let process: Process
    private let output: Pipe
    private let folder: URL

    /// Starts a server and a load generator, calls a closure with both, and stops them afterwards, also after an error.
    ///
    /// - Returns: the closure's results and the server's counts.
    static func run<Result, More>(
        _ options: LoadOptions, keepsAuditLog: Bool = true, _ work: (BenchServer, OpenLoop) async throws -> (Result, More)
    ) async throws -> (Result, More, Counters.Report) {
        let server = try await start(devices: options.devices, keepsAuditLog: keepsAuditLog)
        let loop = OpenLoop(host: "127.0.0.1", port: server.port, connections: options.connections)
        do {
            let (result, more) = try await work(server, loop)
            try await loop.stop()
            return (result, more, try server.stop())
        } catch {
            try? await loop.stop()
            _ = try? server.stop()
            throw error
        }
    }

    private static func start(devices count: Int, keepsAuditLog: Bool) async throws -> BenchServer {
        let command = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("thumbturn-server")
        guard FileManager.default.isExecutableFile(atPath: command.path) else {
            throw BenchError(
                "thumbturn-server is not beside this command. Build both with: swift build -c release --traits Tools")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-bench-\(UUID().uuidString)")
        do {
            let devices = (0..<count).map { _ in BenchDevice() }
            let backEnd = BenchBackEnd()
            let (accounts, key) = try await enrol(devices, backEnd, in: folder)
            return try await launch(command, folder, devices, accounts, key, backEnd, keepsAuditLog: keepsAuditLog)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private static func enrol(
        _ devices: [BenchDevice], _ backEnd: BenchBackEnd, in folder: URL
    ) async throws -> (accounts: [String], telemetryKey: String) {
        let server = try await EmbeddedServer(ServerSettings(publicURL: "http://127.0.0.1:1", dataFolder: folder.path))
        try await server.addClient(named: backEnd.id, scopes: [.approvals], keys: [backEnd.publicKey])
        let accounts = try await server.enrolForLoad(
            devices.map {
                [
                    .init(kid: $0.sessionKid, kind: .session, x963: $0.x963($0.session), isActive: true),
                    .init(kid: $0.kid, kind: .biometric, x963: $0.x963($0.biometric), isActive: true),
                ]
            })
        try await server.settleNotices()
        return (accounts, try await server.addTelemetryKey(named: "bench"))
    }

    private static func launch(
        _ command: URL, _ folder: URL, _ devices: [BenchDevice], _ accounts: [String], _ telemetryKey: String,
        _ backEnd: BenchBackEnd, keepsAuditLog: Bool
    ) async throws -> BenchServer {
        let process = Process()
        process.executableURL = command
        process.arguments =
            [
                "serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--counts", "--log-level", "warning",
                "--without-device-rate-for-measurement",
            ]
            + (keepsAuditLog ? [] : ["--without-audit-log-for-measurement"])
        let output = Pipe()
        process.standardOutput = output
        let began = ContinuousClock.now
        try process.run()
        // The server's first line ends with its address.
        var line = ""
        while !line.contains("\n"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            line += String(decoding: data, as: UTF8.self)
        }
        guard let url = line.split(whereSeparator: \.isWhitespace).last.map(String.init), let port = URL(string: url)?.port else {
            process.terminate()
            throw BenchError("thumbturn-server did not start.")
        }
        let requests = BenchRequests(url: url, host: "127.0.0.1:\(port)")
        let single = OpenLoop(host: "127.0.0.1", port: port, connections: 1)
        _ = try await single.runUntilFirstAnswer(HelloLoad(requests))
        let start = began.duration(to: .now)
        try await single.stop()
        let size = try FileManager.default.attributesOfItem(atPath: command.path)[.size] as? Int
        return BenchServer(
            port: port, url: url, requests: requests, devices: devices, accounts: accounts,
            telemetryKey: telemetryKey, backEnd: backEnd,
            startMilliseconds: start / .milliseconds(1), binaryBytes: size ?? 0, process: process, output: output, folder: folder
        )
    }

    /// The processor time of one request to `/health`, of server and load together, in microseconds.
    func hello(over loop: OpenLoop, _ options: LoadOptions, output: OutputOptions) async throws -> Double {
        output.progress("measuring the health route")
        let duration = Duration.seconds(min(options.seconds, 3))
        let before = MachineRates.processTime() + processTime()
        let (report, _) = try await loop.run(HelloLoad(requests), rate: nil, warmUp: .zero, duration: duration)
        let used = MachineRates.processTime() + processTime() - before
        guard !report.latencies.isEmpty else { throw BenchError("The health route did not answer.") }
        return used * 1_000_000 / Double(report.latencies.count)
    }

    /// The server's processor time in seconds.
    func processTime() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 12,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { return .nan }
        return (user + system) / 100
    }

    /// The server's resident memory in MB.
    func residentMegabytes() -> Double { megabytes("VmRSS") }

    /// The most resident memory that the server had since its start, in MB.
    func peakMegabytes() -> Double { megabytes("VmHWM") }

    private func megabytes(_ field: String) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("\(field):") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else { return .nan }
        return kilobytes / 1024
    }

    /// Stops the server and reads its counts.
    private func stop() throws -> Counters.Report {
        process.terminate()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
        return try JSONDecoder().decode(Counters.Report.self, from: printed)
    }
}
#endif
