#if Tools
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import ThumbturnLoad

extension Built {
    static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}

/// A server process that a test starts and stops.
struct ServerProcess: Sendable {
    static let account = "ada"
    static let password = "correct horse battery staple"

    let port: Int
    private let process: Process

    /// Starts a command and waits until it accepts connections.
    ///
    /// - Parameter log: a file for its standard output and standard error.
    static func start(
        _ command: String, _ arguments: [String], port: Int, environment: [String: String] = [:], log: String? = nil
    ) async throws -> ServerProcess {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Built.path(command))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        if let log {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            process.standardOutput = FileHandle(forWritingAtPath: log)
            process.standardError = process.standardOutput
        }
        try process.run()
        let server = ServerProcess(port: port, process: process)
        let start = ContinuousClock.now
        while process.isRunning {
            guard start.duration(to: .now) < .seconds(180) else {
                server.kill()
                throw LoadDevice.Unexpected(description: "\(command) runs, but did not answer within three minutes")
            }
            if let connection = try? await server.connect() {
                try? await connection.close()
                return server
            }
            // It has not bound its port yet. Asking without a pause would take the processor from it.
            try await Task.sleep(for: .milliseconds(20))
        }
        throw LoadDevice.Unexpected(description: "\(command) ended with status \(process.terminationStatus)")
    }

    /// Starts a server whose devices may prove as often as they can.
    static func startForTrial(
        _ arguments: [String], port: Int, environment: [String: String] = [:]
    ) async throws -> ServerProcess {
        try await start(
            "TrialServer", ["--listen", "127.0.0.1:\(port)"] + arguments, port: port, environment: environment)
    }

    /// Runs `thumbturn-server serve` until the work has ended, with a data folder of its own, and returns what it said.
    static func log(
        of arguments: [String], port: Int, environment: [String: String] = [:],
        during work: (ServerProcess) async throws -> Void = { _ in }
    ) async throws -> String {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let server = try await start(
            "thumbturn-server", ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)"] + arguments, port: port,
            environment: environment, log: folder + "/log")
        do {
            try await work(server)
        } catch {
            server.kill()
            throw error
        }
        server.stop()
        return try String(contentsOfFile: folder + "/log", encoding: .utf8)
    }

    static func addAccount(_ name: String = account, in folder: String) async throws {
        let added = try await Built.run(
            Built.path("thumbturn-server"), ["accounts", "add", name, "--data", folder], input: password + "\n"
        )
        guard added.status == 0 else { throw LoadDevice.Unexpected(description: added.errors) }
    }

    func connect() async throws -> LoadConnection {
        try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton)
    }

    /// Sends SIGTERM and waits for the end.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Sends SIGHUP, on which the server reads its policy again.
    func hangUp() { Foundation.kill(process.processIdentifier, SIGHUP) }

    /// Sends SIGKILL and waits for the end.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
#endif
