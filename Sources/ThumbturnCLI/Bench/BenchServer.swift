#if Tools
import Foundation
import ThumbturnCore
import ThumbturnLoad
import ThumbturnServer

/// The benchmark could not be carried out, or its result does not count.
struct BenchFailed: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A server process of the benchmark's own, on a data folder that goes with it.
struct BenchServer {
    let port: Int
    let url: String
    let requests: BenchRequests
    let devices: [BenchDevice]
    /// From the start of the process to its first answer.
    let startMilliseconds: Double
    let binaryBytes: Int
    private let process: Process
    private let output: Pipe
    private let folder: URL

    static func start(devices count: Int) async throws -> BenchServer {
        let command = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("thumbturn-server")
        guard FileManager.default.isExecutableFile(atPath: command.path) else {
            throw BenchFailed(
                "thumbturn-server is not beside this command. Build both with: swift build -c release --traits Tools")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-bench-\(UUID().uuidString)")
        do {
            let devices = (0..<count).map { _ in BenchDevice() }
            try await enrol(devices, in: folder)
            return try await launch(command, folder, devices)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private static func enrol(_ devices: [BenchDevice], in folder: URL) async throws {
        let server = try await Server(ServerSettings(publicURL: "http://127.0.0.1:1", dataFolder: folder.path))
        try await server.enrolForLoad(
            devices.map {
                [
                    .init(kid: $0.sessionKid, kind: .session, x963: $0.x963($0.session), isActive: true),
                    .init(kid: $0.kid, kind: .biometric, x963: $0.x963($0.biometric), isActive: true),
                ]
            })
    }

    private static func launch(_ command: URL, _ folder: URL, _ devices: [BenchDevice]) async throws -> BenchServer {
        let process = Process()
        process.executableURL = command
        process.arguments = ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--counts"]
        let output = Pipe()
        process.standardOutput = output
        let began = ContinuousClock.now
        try process.run()
        // The first line says where it listens.
        var line = ""
        while !line.contains("\n"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            line += String(decoding: data, as: UTF8.self)
        }
        guard let url = line.split(whereSeparator: \.isWhitespace).last.map(String.init), let port = URL(string: url)?.port else {
            process.terminate()
            throw BenchFailed("thumbturn-server did not start.")
        }
        let requests = BenchRequests(url: url, host: "127.0.0.1:\(port)")
        let one = OpenLoop(host: "127.0.0.1", port: port, connections: 1)
        _ = try await one.first(HelloLoad(requests))
        let start = began.duration(to: .now)
        try await one.stop()
        let size = try FileManager.default.attributesOfItem(atPath: command.path)[.size] as? Int
        return BenchServer(
            port: port, url: url, requests: requests, devices: devices, startMilliseconds: start / .milliseconds(1),
            binaryBytes: size ?? 0, process: process, output: output, folder: folder
        )
    }

    /// Seconds of processor time that the server has used.
    func processTime() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 12,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { return .nan }
        return (user + system) / 100
    }

    /// Memory of the server that lies in RAM, in MB.
    func residentMegabytes() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else { return .nan }
        return kilobytes / 1024
    }

    /// Stops the server, and reads what it says that it did.
    func stop() throws -> Counters.Report {
        process.terminate()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
        return try JSONDecoder().decode(Counters.Report.self, from: said)
    }
}
#endif
