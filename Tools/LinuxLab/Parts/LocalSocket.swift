#if os(Linux)
import Glibc

/// A blocking stream socket on this machine with a time limit for each operation. Use it only on threads that may
/// block.
final class LocalSocket: Sendable {
    private let descriptor: Int32

    /// Connects to a Unix socket.
    ///
    /// - Parameter timeout: the time limit of each operation, in seconds.
    init(connectingTo path: String, timeout: Int) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { throw LabError(.reader, "the socket's path is longer than \(room - 1) bytes") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        descriptor = try Self.open(AF_UNIX, timeout: timeout)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Self.error("connect to \(path)") }
    }

    /// Connects to a TCP port of 127.0.0.1.
    init(port: UInt16, timeout: Int) throws {
        var address = Self.loopback(port)
        descriptor = try Self.open(AF_INET, timeout: timeout)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Self.error("connect to port \(port)") }
    }

    /// It runs too where an initialiser throws after the descriptor is set, so nothing else closes it.
    deinit {
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let n = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if n < 0 && errno == EINTR { continue }
            guard n > 0 else { throw Self.error("write to the socket") }
            sent += n
        }
    }

    func finishWriting() throws {
        guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw Self.error("finish the socket") }
    }

    /// Reads at most `count` bytes. The result is empty if the other side has closed.
    func read(upTo count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let n = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress!, count, 0) }
            if n < 0 && errno == EINTR { continue }
            // A peer that closes with unread bytes resets the connection, which is a close as well.
            if n < 0 && errno == ECONNRESET { return [] }
            guard n >= 0 else { throw Self.error("wait for the socket") }
            return Array(buffer.prefix(n))
        }
    }

    /// Whether this port of 127.0.0.1 is free.
    static func isFree(_ port: UInt16) -> Bool {
        var address = loopback(port)
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func open(_ family: Int32, timeout: Int) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw error("open a socket") }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        return descriptor
    }

    private static func error(_ action: String) -> LabError {
        LabError(.reader, unsafe "could not \(action): \(String(cString: strerror(errno)))")
    }
}
#endif
