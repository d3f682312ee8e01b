#if Tools
import Foundation
import TestSupport

/// A running `KilledDevice`.
final class DeviceProcess: Sendable {
    /// What a process said until it ended.
    struct Told: Sendable {
        /// Whether the process was killed.
        let wasKilled: Bool
        let lines: [Substring]

        /// The texts that were said of a word, in their order.
        func all(_ word: String) -> [String] {
            lines.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
        }

        /// The last text that was said of a word.
        subscript(_ word: String) -> String? { all(word).last }
    }

    private let process: Process
    private let output: String
    private let ends: AsyncStream<Void>

    init(_ arguments: [String], output: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Built.path("KilledDevice"))
        process.arguments = arguments
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        (self.process, self.output, self.ends) = (process, output, ends)
    }

    /// Waits until the process has stopped or ended.
    ///
    /// - Returns: whether it has stopped.
    func stops() async -> Bool {
        let id = process.processIdentifier
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    var (info, answer) = unsafe (siginfo_t(), Int32(0))
                    // A process that has ended can never stop: the call fails.
                    repeat { answer = unsafe waitid(P_PID, id_t(id), &info, WSTOPPED) } while answer != 0 && errno == EINTR
                    continuation.resume(returning: answer == 0)
                }
            }
        } onCancel: {
            kill()
        }
    }

    /// Lets a stopped process go on.
    func goOn() { _ = Foundation.kill(process.processIdentifier, SIGCONT) }

    /// Waits for the end.
    func ended() async throws -> Told {
        for await _ in ends {}
        try Task.checkCancellation()
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        return Told(
            wasKilled: process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL, lines: lines)
    }

    /// Kills the process where it still runs or is stopped.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
    }
}

/// The folder of one device, whose person has an account of their own.
struct DeviceHome: Sendable {
    let folder: String
    let server: String
    let account: String

    /// The names of the files of keys.
    var keys: Set<String> {
        Set(((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".software-key") })
    }

    func start(_ actions: String, pins: [String], _ signal: String? = nil, before step: Int = 0) throws -> DeviceProcess {
        try DeviceProcess(
            [folder, server, account, ServerProcess.password, pins.joined(separator: ","), actions]
                + (signal.map { [$0, "\(step)"] } ?? []),
            output: folder + ".\(UUID().uuidString).out")
    }

    /// Runs a process to its end, which is a killed process's end as well.
    func run(
        _ actions: String, pins: [String], killedBefore step: Int? = nil
    ) async throws -> DeviceProcess.Told {
        let process = try start(actions, pins: pins, step.map { _ in "kill" }, before: step ?? 0)
        defer { process.kill() }
        return try await process.ended()
    }
}
#endif
