#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// The exit status and output of a command-line tool.
public struct ToolResult: Hashable, Sendable {
    /// The exit status; if a signal ended the tool, 128 plus its number, as in shells.
    public let status: Int32
    /// Standard output and standard error together, in order.
    public let output: String
}

extension LinuxLab {
    /// The environment variables by which a program uses this lab's bus and TPM.
    public nonisolated var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": busAddress, "TPM2TOOLS_TCTI": tcti, "TSS2_LOG": "all+none"]
    }

    /// Runs a tool from `/usr/bin` in this lab to its end.
    ///
    /// - Parameters:
    ///   - user: the user as which the tool runs, with that user's groups and without root's capabilities.
    ///   - limit: the time after which the tool is killed.
    /// - Throws: `LabError` if the tool is not installed or did not end in time. A failure that the tool itself reports
    ///   is in the result.
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
        let text = folder.text(of: output)
        if late.withLock({ $0 }) { throw LabError(.tool, "\(tool) did not end within \(limit); its output: \(text)") }
        switch end {
        case .exited(let status): return ToolResult(status: status, output: text)
        case .signalled(let number): return ToolResult(status: 128 + number, output: text)
        }
    }

    /// Runs a tool that has to succeed.
    func mustRun(_ tool: String, _ arguments: [String]) async throws -> String {
        let result = try await run(tool, arguments)
        guard result.status == 0 else {
            throw LabError(.tool, "\(tool) ended with \(result.status); its output: \(result.output)")
        }
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
