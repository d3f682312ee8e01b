#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
package import NIOCore
import ThumbturnCore

/// Who asks without a token: the key of the DPoP proof, and the network that the request came from.
package struct Sender: Sendable {
    package var jkt: String
    package var network: Network

    package init(jkt: String, network: Network) {
        self.jkt = jkt
        self.network = network
    }
}

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

    /// - Parameter proxies: how many proxies in a row add what they saw to `X-Forwarded-For`. What stands further to the left is the
    ///   client's own word.
    init(_ request: Request, _ context: ServerContext, behind proxies: Int) {
        let hops = request.headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        guard proxies > 0, hops.count >= proxies else {
            self.init(context.remoteAddress)
            return
        }
        let hop = hops[hops.count - proxies].trimmingCharacters(in: .whitespaces)
        self.init(try? SocketAddress(ipAddress: hop, port: 0))
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}

/// What is counted. The ids of addresses and of names without an account come from a keyed hash into a fixed number of places, so that
/// no stranger can fill the table.
package enum ThrottleID: Hashable, Sendable {
    case account(AccountID)
    /// A name without an account: it costs the same work as one that has an account.
    case noAccount(UInt16)
    case device(DeviceID)
    case address(UInt16)
    case global

    package var scope: Int {
        switch self {
        case .account: 1
        case .noAccount: 2
        case .device: 3
        case .address: 4
        case .global: 5
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .account(let id): id.bytes
        case .device(let id): id.bytes
        // As long as an account's.
        case .noAccount(let place), .address(let place):
            [UInt8](repeating: 0, count: 14) + [UInt8(truncatingIfNeeded: place >> 8), UInt8(truncatingIfNeeded: place)]
        case .global: []
        }
    }
}

/// Finds the places of names and addresses.
struct ThrottlePlaces {
    private let key: SymmetricKey

    init(key: SymmetricKey) {
        self.key = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("thumbturn throttle".utf8), outputByteCount: 32)
    }

    /// One of 65,536.
    func address(_ network: Network) -> ThrottleID { .address(place([1] + network.bytes)) }
    /// One of 1,024.
    func noAccount(_ name: String) -> ThrottleID { .noAccount(place([2] + Array(name.utf8)) & 0x3FF) }

    private func place(_ bytes: [UInt8]) -> UInt16 {
        let code = Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        return UInt16(code[0]) << 8 | UInt16(code[1])
    }
}
#endif
