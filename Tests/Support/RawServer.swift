import Foundation
import Synchronization
public import ThumbturnDevice

/// A server on this machine that sends any bytes, for answers that no HTTP library would write.
public final class RawServer: Sendable {
    /// One connection, after its request was read.
    public struct Connection: Sendable {
        fileprivate let socket: Int32
        /// The request up to its body.
        public let request: String

        /// Sends bytes. False once the client has closed the connection.
        @discardableResult
        public func send(_ bytes: some Collection<UInt8>) -> Bool {
            var rest = Array(bytes)[...]
            while !rest.isEmpty {
                let sent = unsafe rest.withUnsafeBytes {
                    unsafe Foundation.send(socket, $0.baseAddress, $0.count, RawServer.quietly)
                }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }

        /// Sends a text.
        @discardableResult
        public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Sends about 64 MB each second until the client closes the connection: more than most networks carry, and less
        /// than a client reads.
        public func flood(_ text: String = "x") {
            let piece = Array(String(repeating: text, count: 64 * 1024 / text.utf8.count).utf8)
            while send(piece) { Thread.sleep(forTimeInterval: 0.001) }
        }

        /// Waits until the client closes the connection, at most for this time.
        ///
        /// - Returns: whether it was closed.
        public func closes(within milliseconds: Int32) -> Bool {
            var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            // A client that has sent its request sends nothing more, so only the end can be read.
            return unsafe poll(&waited, 1, milliseconds) > 0
        }

        /// Reads the next request on this connection, up to its body. Nil once the client has closed the connection.
        public func nextRequest() -> String? { RawServer.readRequest(socket) }

        /// Waits until the client closes the connection.
        public func waitUntilClosed() {
            var byte: UInt8 = 0
            while unsafe recv(socket, &byte, 1, 0) > 0 {}
        }
    }

    /// The port that it listens on.
    public let port: UInt16
    private let socket: Int32
    private let count = Mutex(0)
    private let isStopped = Mutex(false)

    /// The connections so far.
    public var connections: Int { count.withLock { $0 } }
    /// The server's address.
    public var url: String { "http://127.0.0.1:\(port)/" }

    /// Listens, and handles each connection on a thread of its own. The connection is closed afterwards.
    public init(_ handle: @escaping @Sendable (Connection) -> Void) throws {
        socket = Self.streamSocket()
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (socket, size) = (socket, length)
        let isBound = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let place = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return unsafe bind(socket, place, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, place, &length) == 0
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            // Closed here: after that the number may be another server's.
            defer { close(socket) }
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0 else { return }
                guard !isStopped.withLock({ $0 }) else { return _ = close(client) }
                count.withLock { $0 += 1 }
                Thread.detachNewThread {
                    defer { close(client) }
                    #if canImport(Darwin)
                    var isOn: Int32 = 1
                    unsafe setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
                    #endif
                    guard let request = Self.readRequest(client) else { return }
                    handle(Connection(socket: client, request: request))
                }
            }
        }
    }

    /// Listens no more.
    public func stop() {
        isStopped.withLock { $0 = true }
        // What waits for a connection gets one.
        let waker = Self.streamSocket()
        var address = Self.address(port)
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let place = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            _ = unsafe connect(waker, place, socklen_t(bytes.count))
        }
        close(waker)
    }

    private static func streamSocket() -> Int32 {
        #if canImport(Darwin)
        Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    /// An address of this machine.
    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func readRequest(_ client: Int32) -> String? {
        var (bytes, byte): ([UInt8], UInt8) = ([], 0)
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard unsafe recv(client, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    #if canImport(Darwin)
    private static let quietly: Int32 = 0
    #else
    /// No signal where the client has closed the connection.
    private static let quietly = Int32(MSG_NOSIGNAL)
    #endif
}

extension TransportRequest {
    /// A short request to a server.
    public static func get(_ server: RawServer, deadline: Duration = .seconds(20)) -> TransportRequest {
        var request = TransportRequest(method: "GET", url: server.url)
        request.deadline = deadline
        return request
    }
}
