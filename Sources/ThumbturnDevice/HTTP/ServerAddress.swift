public import Foundation
public import ThumbturnCore

/// The address of a server, which is also the issuer that its challenges and tokens name.
public struct ServerAddress: Hashable, Sendable {
    /// Without a slash at the end.
    public let issuer: String

    /// Accepts https, and http to this machine itself. Anything else is refused as `insecureServer`.
    public init(_ url: URL) throws(Failure) {
        let refusal = Failure(.insecureServer, recovery: .report)
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else { throw refusal }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http" where Self.isLoopback(host): break
        default: throw refusal
        }
        var address = url.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        issuer = address
    }

    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }
}
