/// Writes the TPM's wire form: big-endian integers, and byte strings after a 16-bit size.
struct TPMWriter {
    private(set) var bytes: [UInt8] = []

    mutating func uint16(_ value: UInt16) { bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)] }
    mutating func uint32(_ value: UInt32) {
        uint16(UInt16(value >> 16))
        uint16(UInt16(truncatingIfNeeded: value))
    }
    mutating func uint64(_ value: UInt64) {
        uint32(UInt32(value >> 32))
        uint32(UInt32(truncatingIfNeeded: value))
    }
    mutating func sized(_ content: [UInt8]) {
        precondition(content.count <= UInt16.max, "the content's size fits into 16 bits")
        uint16(UInt16(content.count))
        bytes += content
    }
}

/// Reads the TPM's wire form. Each method returns nil if there are too few bytes.
struct TPMReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func uint16() -> UInt16? { number(2).map(UInt16.init(truncatingIfNeeded:)) }
    mutating func uint32() -> UInt32? { number(4).map(UInt32.init(truncatingIfNeeded:)) }
    mutating func uint64() -> UInt64? { number(8) }

    mutating func sized(atMost limit: Int) -> [UInt8]? {
        guard let count = uint16(), count <= limit, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    private mutating func number(_ count: Int) -> UInt64? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
