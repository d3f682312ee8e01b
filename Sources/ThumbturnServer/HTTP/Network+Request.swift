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
        let hop = String(Substring(hops[hops.count - proxies])).trimmingCharacters(in: .whitespaces)
        self.init(try? SocketAddress(ipAddress: hop, port: 0))
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
#endif
