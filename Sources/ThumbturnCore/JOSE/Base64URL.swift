/// Base64url without padding (RFC 7515 section 2), in its one canonical form.
public enum Base64URL {
    /// The canonical spelling of some bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The bytes, or nil for padding, foreign characters, impossible lengths and unused bits that are not zero:
    /// every byte string has exactly one spelling.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(Array(text.utf8))
    }

    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in text {
            let value = values[Int(character)]
            guard value != foreign else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    package static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] { encodedBytes(Array(bytes)) }

    /// In a way of its own, because a generic one is not specialised in other modules.
    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> count & 63)])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return text
    }

    private static let foreign: UInt8 = 255
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
