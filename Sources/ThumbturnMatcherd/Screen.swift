#if Tools && os(Linux)
import Glibc

/// The terminal or pipe on which the person reads the purpose of a prompt. Writing to it never blocks.
struct Screen: Sendable {
    private let descriptor: Int32

    /// Opens a terminal or a pipe. Returns nil if it cannot be written, or is a pipe without a reader.
    ///
    /// - Parameter path: the path of the terminal or pipe; nil for standard output.
    init?(_ path: String?) {
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    /// Writes a line. Returns false if it cannot be written at once.
    func show(_ text: String) -> Bool {
        let bytes = Array("\(text)\n".utf8)
        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A writable pipe has room for 4 KiB (pipe(7), PIPE_BUF); the text is shorter.
        guard bytes.count <= 4096, unsafe poll(&watched, 1, 0) == 1, watched.revents & Int16(POLLOUT) != 0 else { return false }
        return unsafe write(descriptor, bytes, bytes.count) == bytes.count
    }
}
#endif
