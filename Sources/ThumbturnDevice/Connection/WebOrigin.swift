import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A scheme, a host and a port (RFC 6454 section 4): https, or http to this machine itself.
struct WebOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: String
    private let port: Int

    /// The origin of an address that is `isSecureServer`; any other throws `insecureServer`.
    init(of parts: URLComponents) throws(Failure) {
        guard parts.isSecureServer, let scheme = parts.scheme?.lowercased(), let host = parts.percentEncodedHost?.lowercased()
        else { throw Failure(.insecureServer) }
        (self.scheme, self.host) = (scheme, host)
        port = parts.port ?? (scheme == "https" ? 443 : 80)
    }

    /// An origin that an app registers: an address without path, query and fragment.
    init(registered url: URL) throws(Failure) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), ["", "/"].contains(parts.percentEncodedPath),
            parts.query == nil
        else { throw Failure(.insecureServer) }
        try self.init(of: parts)
    }

    /// The address, with the port where it is not the scheme's own.
    var text: String { "\(scheme)://\(host)" + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)") }
}
