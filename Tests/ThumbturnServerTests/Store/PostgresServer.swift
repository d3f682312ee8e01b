#if Tools && PostgreSQL
import Foundation
import TestSupport
import Testing

/// A PostgreSQL of one test, which the test may stop, kill and hold. It ends with the test's process at the latest.
final class PostgresServer: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The address of its database, through TCP with TLS.
    private(set) var address = ""
    /// The address of its database, through its socket.
    private(set) var socketAddress = ""

    /// - Parameter onSmallDisk: whether its data is on a small disk, which takes root's rights.
    static func run(onSmallDisk: Bool = false, _ test: (PostgresServer) async throws -> Void) async throws {
        let server = try PostgresServer(arguments: onSmallDisk ? ["--small-disk"] : [])
        defer { server.end() }
        try await test(server)
    }

    private init(arguments: [String]) throws {
        process.arguments = arguments
        process.executableURL = repository.appendingPathComponent("scripts/cluster/postgres.py")
        process.environment = ProcessInfo.processInfo.environment
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        address = try line()
        socketAddress = try line()
        // The file of the password, which is in the environment.
        _ = try line()
    }

    /// Sends a command of scripts/cluster/postgres.py, and waits until it is done.
    func callAsFunction(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        #expect(try line() == "ok", "\(command)")
    }

    private func line() throws -> String {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    private func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
#endif
