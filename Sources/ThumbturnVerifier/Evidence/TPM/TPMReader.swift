/// Reads the TPM's wire form (TPM 2.0 Library, part 1, section 31): big-endian integers, and byte strings after a 16-bit
/// size. The structure's length has a cap, every string has one, and no byte may be left.
struct TPMReader {
    private let bytes: [UInt8]
    private let structure: String
    private var place = 0

    /// - Parameters:
    ///   - structure: the structure's name in the standard, for refusals.
    ///   - limit: the most bytes that the structure may have.
    init(_ bytes: [UInt8], of structure: String, atMost limit: Int) throws(EvidenceRefusal) {
        guard bytes.count <= limit else {
            throw EvidenceRefusal(.tooLarge, "\(structure) may have \(limit) bytes, and this one has \(bytes.count)")
        }
        self.bytes = bytes
        self.structure = structure
    }

    mutating func uint8() throws(EvidenceRefusal) -> UInt8 { UInt8(truncatingIfNeeded: try number(1)) }
    mutating func uint16() throws(EvidenceRefusal) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }
    mutating func uint32() throws(EvidenceRefusal) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }
    mutating func uint64() throws(EvidenceRefusal) -> UInt64 { try number(8) }

    /// The bytes after a 16-bit size, a `TPM2B_…` structure.
    mutating func sized(_ field: String, atMost limit: Int) throws(EvidenceRefusal) -> [UInt8] {
        let count = Int(try uint16())
        guard count <= limit else {
            throw malformed("\(field) may have \(limit) bytes, and it says that it has \(count)")
        }
        return try take(count)
    }

    /// A number of bytes without a size.
    mutating func take(_ count: Int) throws(EvidenceRefusal) -> [UInt8] {
        guard bytes.count - place >= count else { throw ended(needing: count) }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    /// Throws if bytes are left.
    func end() throws(EvidenceRefusal) {
        guard place == bytes.count else { throw malformed("it ends at byte \(place), and \(bytes.count - place) bytes follow") }
    }

    /// The refusal for a structure of another form.
    func malformed(_ explanation: String) -> EvidenceRefusal {
        EvidenceRefusal(.malformed, "\(structure): \(explanation)")
    }

    private mutating func number(_ count: Int) throws(EvidenceRefusal) -> UInt64 {
        guard bytes.count - place >= count else { throw ended(needing: count) }
        defer { place += count }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func ended(needing count: Int) -> EvidenceRefusal {
        malformed("\(count) bytes were expected at byte \(place), and \(bytes.count - place) are left")
    }
}

/// Writes the TPM's wire form.
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
