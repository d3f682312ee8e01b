#if Tools && os(Linux)
import Glibc

/// Where the person reads what a finger is wanted for. It never makes anybody wait.
struct Screen: Sendable {
    private let descriptor: Int32

    /// - Parameter path: a terminal or a pipe that somebody reads; nil for standard output.
    init?(_ path: String?) {
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    /// Returns false when the words cannot be written at once: nobody could read them.
    func show(_ words: String) -> Bool {
        let bytes = Array("\(words)\n".utf8)
        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A pipe that can be written has room for 4 KiB (pipe(7), PIPE_BUF); the words are shorter.
        guard bytes.count <= 4096, unsafe poll(&watched, 1, 0) == 1, watched.revents & Int16(POLLOUT) != 0 else { return false }
        return unsafe write(descriptor, bytes, bytes.count) == bytes.count
    }
}
#endif
