/// The three parts of a JWS in compact serialisation (RFC 7515 section 3.1), split and decoded but not verified.
public struct CompactJWS: Hashable, Sendable {
    /// The header: JSON that has not been read yet.
    public let header: [UInt8]
    /// The payload.
    public let payload: [UInt8]
    /// The signature or MAC.
    public let signature: [UInt8]
    /// The bytes that were signed: the encoded header, a dot and the encoded payload.
    public let signingInput: [UInt8]

    /// Splits a compact JWS of at most 16 KiB. Nil unless it is exactly three parts in canonical base64url, none of
    /// them empty.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.largest else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
            let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }

    /// The bytes to sign for a header and a payload.
    public static func signingInput(header: [UInt8], payload: [UInt8]) -> [UInt8] {
        Base64URL.encodedBytes(header) + [UInt8(ascii: ".")] + Base64URL.encodedBytes(payload)
    }

    /// The compact form of a signing input and its signature.
    public static func compact(signingInput: [UInt8], signature: [UInt8]) -> String {
        String(decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encodedBytes(signature), as: UTF8.self)
    }

    /// The most bytes of its text. A challenge with its transaction stays under 8 KiB, and a proof wraps a challenge
    /// once.
    package static let largest = 16 * 1024
}
