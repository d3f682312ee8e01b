#if os(Linux)
import Glibc
import Synchronization

/// Ends the lab's programs when the lab itself can no longer do it.
///
/// A shell reads process ids from a line whose other end only this process holds. However this process ends, by a crash or by
/// SIGKILL, the kernel closes that end; the shell then ends every program it was told of, and deletes the folder. The usual
/// alternative, `PR_SET_PDEATHSIG`, fires when the *thread* that started a child ends, and is lost when a child changes its user,
/// as polkitd does.
final class Keeper: Sendable {
    private let shell: Child
    private let line: Mutex<Int32>

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

    /// The folder is deleted if this process ends without `dismiss()`.
    init(of folder: String) throws {
        let ends = try Spawn.pipe()
        defer { close(ends.read) }
        do {
            shell = try Child(
                ["/bin/sh", "-c", Self.script, "thumbturn-lab-keeper", folder], environment: Programs.environment,
                input: ends.read, output: .log("/dev/null"))
        } catch {
            close(ends.write)
            throw error
        }
        line = Mutex(ends.write)
    }

    deinit {
        line.withLock { if $0 >= 0 { _ = close($0) } }
    }

    func watch(_ id: pid_t) {
        say("add \(id)")
    }

    func forget(_ id: pid_t) {
        say("gone \(id)")
    }

    /// The lab has ended its programs itself.
    func dismiss() async {
        say("done")
        line.withLock {
            if $0 >= 0 { close($0) }
            $0 = -1
        }
        _ = await shell.end()
    }

    private func say(_ words: String) {
        let bytes = Array("\(words)\n".utf8)
        line.withLock { line in
            guard line >= 0 else { return }
            // A few bytes to a shell that always reads: this does not wait. MSG_NOSIGNAL: if the shell were gone, that must not end us.
            _ = unsafe bytes.withUnsafeBytes { unsafe send(line, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }
}
#endif
