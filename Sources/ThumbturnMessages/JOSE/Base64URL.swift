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
        // All values of characters so far: a foreign one leaves a bit that no value has.
        var (seen, unused) = (UInt32(0), UInt32(0))
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, written in
            func next(_ index: Int) -> UInt32 {
                let value = UInt32(values[Int(text[index])])
                seen |= value
                return value
            }
            func put(_ bits: UInt32) {
                unsafe bytes.initializeElement(at: written, to: UInt8(truncatingIfNeeded: bits))
                written += 1
            }
            var index = text.startIndex
            while index + 4 <= text.endIndex {
                let bits = next(index) << 18 | next(index + 1) << 12 | next(index + 2) << 6 | next(index + 3)
                put(bits >> 16)
                put(bits >> 8)
                put(bits)
                index += 4
            }
            guard index < text.endIndex else { return }
            let bits = next(index) << 12 | next(index + 1) << 6 | (index + 2 < text.endIndex ? next(index + 2) : 0)
            put(bits >> 10)
            unused = bits & 0x3FF
            guard index + 2 < text.endIndex else { return }
            put(bits >> 2)
            unused = bits & 3
        }
        return seen < 64 && unused == 0 ? bytes : nil
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
            var index = 0
            while index + 3 <= bytes.count {
                let bits = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                put(bits >> 18)
                put(bits >> 12)
                put(bits >> 6)
                put(bits)
                index += 3
            }
            guard index < bytes.count else { return }
            let bits = UInt32(bytes[index]) << 16 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) << 8 : 0)
            put(bits >> 18)
            put(bits >> 12)
            if index + 1 < bytes.count { put(bits >> 6) }
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
