public import Foundation

/// A finished command.
public struct Finished: Sendable {
    public var status: Int32
    public var output: String
    public var errors: String
}

/// Our commands, where the build put them: beside the tests.
public enum Built {
    public static let folder =
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    public static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Runs a command to its end.
    public static func run(
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
        let files = [
            FileHandle(forReadingAtPath: stdin), FileHandle(forWritingAtPath: stdout), FileHandle(forWritingAtPath: stderr),
        ]
        // The command has its own. Foundation keeps these open for ever, and crashes in `run` with more than some 1,300 open files.
        defer { for file in files { try? file?.close() } }
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        for await _ in ended {}
        return Finished(
            status: process.terminationStatus, output: try String(contentsOfFile: stdout, encoding: .utf8),
            errors: try String(contentsOfFile: stderr, encoding: .utf8)
        )
    }

    public static func temporaryFolder() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-system-\(UUID().uuidString)").path
    }
}
