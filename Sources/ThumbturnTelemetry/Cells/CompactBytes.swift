#if Server
/// Stored bytes of a tally or a sketch that are not what was written.
package struct DamagedBytes: Error, Hashable, CustomStringConvertible {
    /// What was expected, and found not to be so.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Writes numbers as bytes: 7 bits in each, the lowest first, and the highest bit set where more follow (LEB128).
struct CompactWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func put(_ number: Int) { put(UInt64(number)) }

    /// Eight bytes, the highest first.
    mutating func putWhole(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

/// Reads what `CompactWriter` writes, and nothing else: a number has one spelling.
struct CompactReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number(upTo limit: UInt64 = .max) throws(DamagedBytes) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < bytes.count else { throw DamagedBytes("expected a number, found the end of the bytes") }
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte < 2 else { throw DamagedBytes("expected a number of at most 64 bits, found a longer one") }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard byte > 0 || shift == 0 else {
                    throw DamagedBytes("expected the shortest form of a number, found a longer one")
                }
                break
            }
            shift += 7
        }
        guard number <= limit else { throw DamagedBytes("expected a number of at most \(limit), found \(number)") }
        return number
    }

    mutating func count(upTo limit: Int) throws(DamagedBytes) -> Int { Int(try number(upTo: UInt64(limit))) }

    mutating func whole() throws(DamagedBytes) -> UInt64 {
        guard bytes.count - position >= 8 else { throw DamagedBytes("expected eight bytes, found \(bytes.count - position)") }
        defer { position += 8 }
        return bytes[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    func finish() throws(DamagedBytes) {
        guard position == bytes.count else { throw DamagedBytes("expected the end, found \(bytes.count - position) more bytes") }
    }
}
#endif
