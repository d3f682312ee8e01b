package import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The address of a server, which is also the issuer that its challenges and tokens name.
package struct ServerAddress: Hashable, Sendable {
    /// The address, without a slash at the end.
    package let issuer: String
    let origin: WebOrigin

    /// Accepts an https address, and an http address of this machine itself; any other throws `insecureServer`.
    package init(_ url: URL) throws(Failure) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.query == nil else {
            throw Failure(.insecureServer)
        }
        origin = try WebOrigin(of: parts)
        var address = url.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        issuer = address
    }
}

extension URLComponents {
    /// Whether it is an https address, or an http address of this machine itself, without a person's name and a fragment.
    var isSecureServer: Bool {
        guard let host, !host.isEmpty, user == nil, password == nil, fragment == nil else { return false }
        return switch scheme?.lowercased() {
        case "https": true
        case "http": Loopback.contains(host: host)
        default: false
        }
    }
}
