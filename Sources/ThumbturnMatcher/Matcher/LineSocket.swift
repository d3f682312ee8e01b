#if LinuxDevice && os(Linux)
import Foundation
import Glibc

/// One end of a Unix socket that carries one JSON object per line. Its calls block.
final class LineSocket: Sendable {
    /// The most bytes that a received line may have.
    static let limit = 32 * 1024

    let descriptor: Int32
    private nonisolated(unsafe) var rest: [UInt8] = []

    /// Takes ownership of the descriptor and closes it on deinitialisation.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Connects to a path; nil if no process listens there.
    convenience init?(path: String) {
        guard let descriptor = Self.open() else { return nil }
        let connected = unsafe Self.withAddress(of: path) { unsafe connect(descriptor, $0, $1) }
        guard connected == 0 else {
            close(descriptor)
            return nil
        }
        self.init(descriptor)
    }

    deinit { close(descriptor) }

    /// Sends a value as one line. Returns false if the other end is closed, or does not read in time: a client that
    /// stops reading must not keep the matcher from its other clients.
    func send(_ value: some Encodable, within limit: Duration = .seconds(2)) -> Bool {
        guard let line = try? JSONEncoder().encode(value) else { return false }
        var bytes = Array(line) + [UInt8(ascii: "\n")]
        let deadline = ContinuousClock.now + limit
        while true {
            let sent = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if sent > 0 { bytes.removeFirst(sent) }
            if bytes.isEmpty { return true }
            guard sent > 0 || errno == EAGAIN || errno == EINTR else { return false }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return false }
            var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            unsafe poll(&watched, 1, Int32(min(left / .milliseconds(1), 60_000)) + 1)
        }
    }

    /// Receives the next line; nil if the other end is closed, the request is cancelled, the time is over, or the line
    /// does not decode.
    func receive<Value: Decodable>(_ type: Value.Type, within limit: Duration, cancellation: CancellationPipe? = nil) -> Value? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let end = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = unsafe Data(rest[..<end])
                unsafe rest.removeSubrange(...end)
                return try? JSONDecoder().decode(type, from: line)
            }
            guard unsafe rest.count < Self.limit else { return nil }
            var watched = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            if let cancellation { watched.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0)) }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return nil }
            let ready = unsafe poll(&watched, nfds_t(watched.count), Int32(min(left / .milliseconds(1), 60_000)) + 1)
            guard ready >= 0 || errno == EINTR else { return nil }
            if watched.count > 1, watched[1].revents != 0 { return nil }
            guard watched[0].revents != 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            unsafe rest += buffer.prefix(count)
        }
    }

    /// The user at the other end, as the kernel reports it (SO_PEERCRED).
    var peer: uid_t? {
        var credentials = PeerCredentials()
        var size = socklen_t(MemoryLayout<PeerCredentials>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return credentials.uid
    }

    /// Whether the process at the other end, which listens at this path, runs as the owner of the socket's folder, and
    /// no other user can create a socket there.
    func isServedByOwner(ofFolderOf path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var attributes = stat()
        guard unsafe stat(folder, &attributes) == 0 else { return false }
        return peer == attributes.st_uid && attributes.st_mode & (S_IWGRP | S_IWOTH) == 0
    }

    /// Listens at a path; nil with `errno` set if that is not possible.
    ///
    /// - Parameter group: the group whose members may connect; nil for the owner alone.
    static func listen(at path: String, group: gid_t?) -> Int32? {
        // A socket without a listener was left behind by an earlier process; one that answers belongs to a running one.
        guard LineSocket(path: path) == nil else {
            errno = EADDRINUSE
            return nil
        }
        unsafe unlink(path)
        guard let descriptor = open() else { return nil }
        guard unsafe withAddress(of: path, { unsafe bind(descriptor, $0, $1) }) == 0, share(path, with: group),
            Glibc.listen(descriptor, 16) == 0
        else {
            let error = errno
            close(descriptor)
            errno = error
            return nil
        }
        return descriptor
    }

    /// Lets the owner and the members of a group connect.
    private static func share(_ path: String, with group: gid_t?) -> Bool {
        guard let group else { return unsafe chmod(path, 0o600) == 0 }
        var attributes = stat()
        guard unsafe stat(path, &attributes) == 0 else { return false }
        // A sandbox may forbid `chown`, which is not needed if the group is the process's own.
        return unsafe (attributes.st_gid == group || chown(path, uid_t.max, group) == 0) && chmod(path, 0o660) == 0
    }

    static func open() -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Calls with the socket address of a path; returns -1 if the path is too long for a socket.
    static func withAddress(of path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The kernel's `struct ucred` (unix(7)).
private struct PeerCredentials {
    var pid: pid_t = 0
    var uid: uid_t = .max
    var gid: gid_t = .max
}
#endif
