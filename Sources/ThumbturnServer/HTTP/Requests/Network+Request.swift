#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Network {
    /// The network that a request came from.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - proxies: the number of trusted proxies that each add the address of their client to `X-Forwarded-For`. Entries
    ///     further to the left can be forged by the client.
    init(_ request: Request, _ peer: SocketAddress?, behind proxies: Int) {
        guard proxies > 0 else {
            self.init(peer)
            return
        }
        let hops = request.headers[values: .forwardedFor].flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
        guard hops.count >= proxies else {
            self.init(peer)
            return
        }
        self.init(forwarded: String(Substring(hops[hops.count - proxies])))
    }

    /// The network of an entry of `X-Forwarded-For`: an address, which some proxies write with the client's port
    /// (`192.0.2.1:4711`, `[2001:db8::1]:4711`). With the port every client would be of an unknown network, and all of
    /// them would share one count.
    init(forwarded entry: String) {
        let entry = entry.trimmingCharacters(in: .whitespaces)
        let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
        let address =
            if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
                String(entry[..<end].dropFirst())
            } else if parts.count == 2 {
                // An IPv6 address has two colons at least.
                String(parts[0])
            } else {
                entry
            }
        self.init(try? SocketAddress(ipAddress: address, port: 0))
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
#endif
