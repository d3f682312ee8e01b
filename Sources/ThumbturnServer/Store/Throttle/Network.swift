#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
package import NIOCore

/// Where a request came from, as far as wrong attempts are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because
/// whoever has one of these has all the others.
package struct Network: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Nothing is known: all such requests share one count.
    package static let unknown = Network(bytes: [])

    package init(_ address: SocketAddress?) {
        bytes =
            switch address {
            case .v4(let v4): unsafe withUnsafeBytes(of: v4.address.sin_addr) { unsafe Array($0) }
            case .v6(let v6): Self.network(of: unsafe withUnsafeBytes(of: v6.address.sin6_addr) { unsafe Array($0) })
            case .unixDomainSocket, nil: []
            }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// IPv4 inside IPv6 (RFC 4291 section 2.5.5.2) is IPv4.
    private static func network(of v6: [UInt8]) -> [UInt8] {
        v6.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) ? Array(v6[12...]) : Array(v6[..<8])
    }
}
#endif
