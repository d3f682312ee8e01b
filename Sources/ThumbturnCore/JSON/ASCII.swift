/// Whether text is ASCII, as every text of a message is, except for the names and the words of persons.
///
/// Eight bytes are looked at together, because the text of each request is checked several times.
package enum ASCII {
    /// Whether all of these bytes are ASCII.
    package static func holds(_ bytes: [UInt8]) -> Bool { unsafe bytes.withUnsafeBytes { unsafe holds($0) } }

    /// Whether this text is ASCII.
    package static func holds(_ text: String) -> Bool {
        let isASCII = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe holds(UnsafeRawBufferPointer($0)) }
        return isASCII ?? text.utf8.allSatisfy { $0 < 0x80 }
    }

    private static func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (index, seen) = (0, UInt64(0))
        while index + 8 <= bytes.count {
            seen |= unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            seen |= unsafe UInt64(bytes[index])
            index += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}
