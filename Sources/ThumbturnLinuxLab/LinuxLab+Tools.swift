#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// What a command-line tool said, and how it ended.
public struct ToolResult: Hashable, Sendable {
    /// The exit status; 128 and the signal's number when a signal ended it, as shells count.
    public let status: Int32
    /// Output and errors together, as they came.
    public let output: String
}

extension LinuxLab {
    /// What a program needs in its environment to use this lab's bus and TPM.
    public nonisolated var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": busAddress, "TPM2TOOLS_TCTI": tcti, "TSS2_LOG": "all+none"]
    }

    /// Runs a tool from `/usr/bin` in this lab to its end.
    ///
    /// - Parameters:
    ///   - user: Runs it as this user, with this user's groups and nothing of root's.
    ///   - limit: After this the tool is killed.
    /// - Throws: `LabError` when it is not there or did not end in time. A failure that the tool reports itself is in the result.
    public nonisolated func run(
        _ tool: String, _ arguments: [String] = [], as user: String? = nil, within limit: Duration = .seconds(30)
    ) async throws -> ToolResult {
        var command = [try Programs.Program(paths: ["/usr/bin/\(tool)"], package: tool).find()] + arguments
        if let user {
            command =
                [try Programs.setpriv.find(), "--reuid", user, "--regid", String(try Self.group(of: user)), "--init-groups"]
                + command
        }
        let output = folder.log("tool-\(UUID().uuidString)")
        defer { unsafe unlink(output) }
        let child = try await launchTool(command, output: output)
        let late = Mutex(false)
        let alarm = DispatchWorkItem {
            late.withLock { $0 = true }
            child.signal(SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.inSeconds, execute: alarm)
        let end = await withTaskCancellationHandler {
            await child.end()
        } onCancel: {
            child.signal(SIGKILL)
        }
        alarm.cancel()
        let said = folder.text(of: output)
        if late.withLock({ $0 }) { throw LabError(.tool, "\(tool) did not end within \(limit); it said: \(said)") }
        switch end {
        case .exited(let status): return ToolResult(status: status, output: said)
        case .signalled(let number): return ToolResult(status: 128 + number, output: said)
        }
    }

    /// Runs a tool that has to succeed.
    func mustRun(_ tool: String, _ arguments: [String]) async throws -> String {
        let result = try await run(tool, arguments)
        guard result.status == 0 else { throw LabError(.tool, "\(tool) ended with \(result.status); it said: \(result.output)") }
        return result.output
    }

    private static func group(of user: String) throws -> gid_t {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16384)
        let result = unsafe getpwnam_r(user, &entry, &room, room.count, &found)
        guard result == 0, unsafe found != nil else { throw LabError(.tool, "there is no user \(user)") }
        return unsafe entry.pw_gid
    }
}
#endif
