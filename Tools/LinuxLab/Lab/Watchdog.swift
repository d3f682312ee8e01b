#if os(Linux)
import Glibc
import Synchronization

/// Ends the lab's programs if this process ends without stopping the lab.
///
/// A shell reads process ids from a socket whose other end only this process holds. However this process ends, by a
/// crash or by SIGKILL, the kernel closes that end; the shell then kills every program that it was told of, and deletes
/// the folder. The usual alternative, `PR_SET_PDEATHSIG`, fires when the *thread* that started a child ends, and is
/// lost when a child changes its user, as polkitd does.
final class Watchdog: Sendable {
    private let shell: Child
    private let socket: Mutex<Int32>

    private static let script = """
        trap '' INT TERM HUP
        ids=
        while read -r word id; do
            case $word in
                add) ids="$ids $id" ;;
                gone) rest=; for i in $ids; do [ "$i" = "$id" ] || rest="$rest $i"; done; ids=$rest ;;
                done) exit 0 ;;
            esac
        done
        for i in $ids; do kill -KILL "$i"; done
        rm -rf --one-file-system -- "$1"
        """

    /// Starts the shell, which deletes the folder if this process ends without `dismiss()`.
    init(of folder: String) throws {
        let ends = try Spawn.pipe()
        defer { close(ends.read) }
        do {
            shell = try Child(
                ["/bin/sh", "-c", Self.script, "thumbturn-lab-watchdog", folder], environment: Programs.environment,
                input: ends.read, output: .log("/dev/null"))
        } catch {
            close(ends.write)
            throw error
        }
        socket = Mutex(ends.write)
    }

    deinit {
        socket.withLock { if $0 >= 0 { _ = close($0) } }
    }

    /// Adds a process to those that the shell kills.
    func watch(_ id: pid_t) {
        tell("add \(id)")
    }

    /// Removes a process that has ended.
    func forget(_ id: pid_t) {
        tell("gone \(id)")
    }

    /// Ends the shell after the lab has ended its programs itself.
    func dismiss() async {
        tell("done")
        socket.withLock {
            if $0 >= 0 { close($0) }
            $0 = -1
        }
        _ = await shell.end()
    }

    private func tell(_ message: String) {
        let bytes = Array("\(message)\n".utf8)
        socket.withLock { socket in
            guard socket >= 0 else { return }
            // The shell always reads, so a few bytes do not block. MSG_NOSIGNAL keeps SIGPIPE from ending this process
            // if the shell has ended.
            _ = unsafe bytes.withUnsafeBytes { unsafe send(socket, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }
}
#endif
