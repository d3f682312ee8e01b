/// Base64url without padding (RFC 7515 section 2), in its one canonical form.
public enum Base64URL {
    /// The canonical encoding of bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The decoded bytes. Nil for padding, characters outside the alphabet, impossible lengths and unused bits that are
    /// not zero, so that every byte string has exactly one encoding.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(Array(text.utf8))
    }

    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text[...]) }

    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        let values = values
        var isValid = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, written in
            var (bits, count) = (UInt32(0), UInt32(0))
            for character in text {
                let value = values[Int(character)]
                guard value != foreign else { return }
                bits = bits << 6 | UInt32(value)
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                unsafe bytes.initializeElement(at: written, to: UInt8(truncatingIfNeeded: bits >> count))
                written += 1
                bits &= (1 << count) - 1
            }
            isValid = bits == 0
        }
        return isValid ? bytes : nil
    }

    package static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] { encodedBytes(Array(bytes)) }

    /// Not generic, because a generic function is not specialised in other modules.
    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = alphabet
        return unsafe [UInt8](unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text, written in
            func put(_ six: UInt32) {
                unsafe text.initializeElement(at: written, to: alphabet[Int(six & 63)])
                written += 1
            }
            var (bits, count) = (UInt32(0), UInt32(0))
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                count += 8
                while count >= 6 {
                    count -= 6
                    put(bits >> count)
                }
                bits &= (1 << count) - 1
            }
            if count > 0 { put(bits << (6 - count)) }
        }
    }

    private static let foreign: UInt8 = 255
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
