/// The hosts that are this machine itself: the only hosts to which plain HTTP is allowed.
public enum Loopback {
    /// True for `localhost`, `::1` (with or without brackets) and dotted addresses of 127.0.0.0/8 (RFC 6761 section
    /// 6.3, RFC 1122 section 3.2.1.3). False for names that only begin like such an address.
    public static func contains(host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { $0.utf8.count <= 3 && UInt8($0) != nil }
    }
}
