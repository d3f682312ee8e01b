#if LinuxDevice && os(Linux)
import Foundation
import NIOCore
import NIOHTTP1
public import ThumbturnCore
public import ThumbturnDevice

/// Sends requests through swift-nio, without redirects, cookies, cache, stored credentials, decompression and proxies.
/// TLS is judged with the system's certificates.
///
/// A server cannot end the process, and takes no memory beyond the request's bounds: all that it sends for one answer is
/// counted as it arrives, and at most twice `longestAnswer` and 64 KiB are read. An answer that is longer than the request
/// allows, or is not HTTP, fails with `unexpectedAnswer`. Trailers, and answers with a status below 200 that come before
/// the real one, are dropped. A connection whose answer was cut, or whose call was cancelled, is closed; others are used
/// again. It has no deadline of its own: the library cancels each request at its deadline, and so must an app that calls it
/// by itself.
public struct NIOTransport: Transport {
    private let connections: ConnectionPool

    private static let shared = ConnectionPool()

    /// Makes a transport. All transports share their connections.
    public init() { connections = Self.shared }

    /// Makes a transport with connections of its own.
    ///
    /// - Parameter roots: the certificates, in PEM, that it trusts instead of the system's.
    package init(trusting roots: [UInt8]) { connections = ConnectionPool(trusting: roots) }

    public func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard let server = Server(request), let head = HTTPRequestHead(request, to: server) else {
            throw Failure(.insecureServer)
        }
        return try await PendingAnswer.wait(for: request) { answer in
            connections.send(Call(answer: answer, request: request, head: head), to: server)
        }
    }
}

/// A request on its way to a connection, with the answer that waits for it.
struct Call: Sendable {
    let answer: PendingAnswer
    let request: TransportRequest
    let head: HTTPRequestHead
}

/// A server, as far as its connections depend on it.
struct Server: Hashable {
    /// A name, or an IP address without brackets.
    let host: String
    let port: Int
    let isSecure: Bool

    /// Nil where the request's URL is no address of HTTP.
    init?(_ request: TransportRequest) {
        guard let parts = URLComponents(string: request.url), let host = parts.encodedHost, !host.isEmpty else { return nil }
        switch parts.scheme?.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        self.host = host.trimmingPrefix("[").split(separator: "]").first.map(String.init) ?? host
        port = parts.port ?? (isSecure ? 443 : 80)
    }

    /// The value of the field `Host` (RFC 9110 section 7.2).
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The name that the server's certificate has to have; nil for an IP address, which is then the connection's own.
    var certificateName: String? { (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil }
}

extension HTTPRequestHead {
    /// Nil where the request's URL or its method is none. A connection goes on to the next call, so the request ends where its
    /// body ends, whatever its fields say.
    fileprivate init?(_ request: TransportRequest, to server: Server) {
        let isMethod = !request.method.isEmpty && request.method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        // These two have no body, and no answer like the others'.
        guard isMethod, !["CONNECT", "TRACE"].contains(request.method), let parts = URLComponents(string: request.url) else {
            return nil
        }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        var fields = HTTPHeaders(request.headers.map { ($0, $1) })
        for framing in ["Content-Length", "Transfer-Encoding"] { fields.remove(name: framing) }
        fields.replaceOrAdd(name: "Host", value: server.authority)
        if !request.body.isEmpty || !["GET", "HEAD"].contains(request.method) {
            fields.replaceOrAdd(name: "Content-Length", value: "\(request.body.count)")
        }
        self.init(version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: path + query, headers: fields)
    }
}
#endif
