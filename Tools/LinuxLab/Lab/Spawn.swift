#if os(Linux)
import Foundation
import Glibc

/// Starts a program by `posix_spawn` with its own process group, default signal handling, and no descriptor of this
/// process.
enum Spawn {
    static func start(_ command: [String], environment: [String: String], input: Int32?, output: Child.Output) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        let write = O_WRONLY | O_CREAT | O_APPEND
        switch output {
        case .log(let path):
            unsafe posix_spawn_file_actions_addopen(&actions, 1, path, write, 0o644)
            unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        case .pipe(let descriptor, let errors):
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
            unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, write, 0o644)
        }
        for descriptor in openDescriptors() where descriptor > 2 {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Threads of a Swift program block signals; a child that inherited their mask would not receive SIGTERM.
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var id: pid_t = 0
        let lines = environment.map { "\($0.key)=\($0.value)" }.sorted()
        let result = unsafe withCStrings(command) { arguments in
            unsafe withCStrings(lines) { variables in
                unsafe posix_spawn(&id, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard result == 0 else {
            throw LabError(.didNotStart, unsafe "could not start \(command[0]): \(String(cString: strerror(result)))")
        }
        return id
    }

    /// Calls a closure with a null-terminated list of C strings, as `exec` expects it.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var list = unsafe strings.map { unsafe strdup($0) }
        unsafe list.append(nil)
        defer { unsafe list.forEach { unsafe free($0) } }
        return unsafe list.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }

    /// The open descriptors of this process. Ours are close-on-exec, but a test's process may hold more. Closing one
    /// that was closed in the meantime is no error in glibc.
    private static func openDescriptors() -> [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
    }

    /// Two connected descriptors that no other child inherits. They are sockets, because a pipe cannot be made
    /// close-on-exec in one step without GNU extensions.
    static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw LabError(.didNotStart, unsafe "could not open a pipe: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }
}
#endif
