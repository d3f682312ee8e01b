package import Foundation
package import ThumbturnCore
import ThumbturnMessages

/// The address of a server, which is also the issuer that its challenges and tokens name.
package struct ServerAddress: Hashable, Sendable {
    /// The address, without a slash at the end.
    package let issuer: String

    /// Accepts an https address, and an http address of this machine itself; any other throws `insecureServer`.
    package init(_ url: URL) throws(Failure) {
        let refusal = Failure(.insecureServer)
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else { throw refusal }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http" where Loopback.contains(host: host): break
        default: throw refusal
        }
        var address = url.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        issuer = address
    }
}
