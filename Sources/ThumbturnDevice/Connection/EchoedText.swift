/// The forms of what a server gives the device to send back. Each becomes part of a header or of a path of every later
/// request, so other characters, and longer texts, are refused where they come in.
enum EchoedText {
    /// The most bytes of a token. Our own access tokens have fewer than 1,000.
    static let longestToken = 8 * 1024
    /// The most bytes of a nonce. Our own have fewer than 50.
    static let longestNonce = 512

    /// Whether the text can be an access token: letters, digits and `-._~+/`, then any number of `=` (RFC 6750
    /// section 2.1).
    static func isAccessToken(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...longestToken).contains(bytes.count) else { return false }
        let end = bytes.lastIndex { $0 != UInt8(ascii: "=") }
        guard let end else { return false }
        return bytes[...end].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~+/".utf8.contains(byte)
            }
        }
    }

    /// Whether the text can be a refresh token or a ticket: visible ASCII and spaces (RFC 6749 appendix A.17).
    static func isOpaqueToken(_ text: String) -> Bool {
        (1...longestToken).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Whether the text can be an id in a path: letters, digits, `-` and `_`.
    static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether the text can be a nonce: visible ASCII without quotation marks and backslashes (RFC 9449 section 8.1).
    static func isNonce(_ text: String) -> Bool {
        (1...longestNonce).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
