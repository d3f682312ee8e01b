#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
package import NIOCore

/// The network that wrong attempts are counted against: an IPv4 address, or the first 64 bits of an IPv6 address,
/// because the holder of one address in such a network can use all the others.
package struct Network: Hashable, Sendable {
    /// The address or its first 64 bits: 4 or 8 bytes; empty for an unknown network.
    package let bytes: [UInt8]

    /// An unknown network. All requests from unknown networks share one count.
    package static let unknown = Network(bytes: [])

    /// The network of an address; `unknown` without an IP address.
    package init(_ address: SocketAddress?) {
        // The address follows the family and the port, and with IPv6 the flow, in the structures of every system (RFC 3493
        // section 3.3).
        bytes =
            switch address {
            case .v4(let v4): unsafe withUnsafeBytes(of: v4.address) { unsafe Array($0[4..<8]) }
            case .v6(let v6): Self.network(of: unsafe withUnsafeBytes(of: v6.address) { unsafe Array($0[8..<24]) })
            case .unixDomainSocket, nil: []
            }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The network of an IPv6 address. An IPv4 address inside IPv6 (RFC 4291 section 2.5.5.2) counts as IPv4.
    private static func network(of v6: [UInt8]) -> [UInt8] {
        v6.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) ? Array(v6[12...]) : Array(v6[..<8])
    }
}
#endif
