#if Tools
import Foundation
import NIOCore
import NIOPosix
import ThumbturnLoad

/// A finished command.
struct Finished: Sendable {
    var status: Int32
    var output: String
    var errors: String
}

/// Our commands, where the build put them: beside the tests.
enum Built {
    static let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Runs a command to its end.
    static func run(
        _ command: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Finished {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files, not pipes: nobody has to read them while the command runs, so no thread waits.
        let folder = temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (stdin, stdout, stderr) = (folder + "/in", folder + "/out", folder + "/err")
        for (path, text) in [(stdin, input), (stdout, ""), (stderr, "")] {
            _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
        }
        process.standardInput = FileHandle(forReadingAtPath: stdin)
        process.standardOutput = FileHandle(forWritingAtPath: stdout)
        process.standardError = FileHandle(forWritingAtPath: stderr)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        for await _ in ended {}
        return Finished(
            status: process.terminationStatus, output: try String(contentsOfFile: stdout, encoding: .utf8),
            errors: try String(contentsOfFile: stderr, encoding: .utf8)
        )
    }

    static func temporaryFolder() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-system-\(UUID().uuidString)").path
    }

    static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}

/// A server process of the test's own. It is stopped by its process id.
struct ServerProcess: Sendable {
    static let account = "ada"
    static let password = "correct horse battery staple"

    let port: Int
    private let process: Process

    /// Starts a command and waits until it answers.
    static func start(
        _ command: String, _ arguments: [String], port: Int, environment: [String: String] = [:]
    ) async throws -> ServerProcess {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Built.path(command))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let server = ServerProcess(port: port, process: process)
        while process.isRunning {
            if let connection = try? await server.connect() {
                try? await connection.close()
                return server
            }
            await Task.yield()
        }
        throw LoadDevice.Unexpected(description: "\(command) ended with status \(process.terminationStatus)")
    }

    static func addAccount(in folder: String) async throws {
        let added = try await Built.run(
            Built.path("thumbturn-server"), ["accounts", "add", account, "--data", folder], input: password + "\n"
        )
        guard added.status == 0 else { throw LoadDevice.Unexpected(description: added.errors) }
    }

    func connect() async throws -> LoadConnection {
        try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton)
    }

    /// Asks the process to stop, and waits for it.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Ends it on the spot, as `kill -9` does.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
#endif
