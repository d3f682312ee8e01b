/// What a TPM says and signs: `TPMS_ATTEST` (TPM 2.0 Library, part 2, section 10.12.12).
package struct TPMAttest: Hashable, Sendable {
    /// The wire form, which is what the TPM signed.
    package let bytes: [UInt8]
    /// The bytes that the caller of the command gave.
    package let extraData: [UInt8]
    /// The time since the TPM was last cleared, in milliseconds.
    package let clock: UInt64
    /// How often the TPM was reset.
    package let resetCount: UInt32
    /// How often the TPM was restarted since its last reset.
    package let restartCount: UInt32
    /// The firmware's version in the vendor's numbering. With `resetCount` and `restartCount` it is a made-up number unless
    /// the signer belongs to the endorsement or the platform hierarchy (part 1, section 36.7).
    package let firmwareVersion: UInt64
    /// What is said.
    package let content: Content

    /// The kinds of statements that are read (part 2, sections 10.12.1 to 10.12.7).
    package enum Content: Hashable, Sendable {
        /// This TPM made the key with this name: `TPMS_CREATION_INFO`.
        case creation(name: [UInt8], creationHash: [UInt8])
        /// The key with this name is loaded: `TPMS_CERTIFY_INFO`.
        case certification(name: [UInt8], qualifiedName: [UInt8])
        /// Registers have values with this digest: `TPMS_QUOTE_INFO`.
        case quote(digest: [UInt8])
    }

    /// The most bytes that a statement may have. Those that are read have about 250.
    package static let largest = 1024

    /// Reads the wire form. Throws `notFromTPM` if it does not begin as a TPM's own structures do, or is of a kind that is
    /// not read.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        var reader = try TPMReader(bytes, of: "TPMS_ATTEST", atMost: Self.largest)
        let magic = try reader.uint32()
        // TPM_GENERATED_VALUE: a restricted key signs no bytes from outside that begin like this.
        guard magic == 0xFF54_4347 else {
            throw EvidenceRefusal(.notFromTPM, "TPMS_ATTEST begins with 0xff544347, and this one with 0x\(hex(magic))")
        }
        let type = try reader.uint16()
        _ = try reader.sized("qualifiedSigner", atMost: TPMLimits.name)
        extraData = try reader.sized("extraData", atMost: TPMLimits.data)
        clock = try reader.uint64()
        resetCount = try reader.uint32()
        restartCount = try reader.uint32()
        guard try reader.uint8() <= 1 else { throw reader.malformed("TPMI_YES_NO is neither 0 nor 1") }
        firmwareVersion = try reader.uint64()
        content =
            switch type {
            case 0x801A:
                .creation(
                    name: try reader.sized("objectName", atMost: TPMLimits.name),
                    creationHash: try reader.sized("creationHash", atMost: TPMLimits.digest))
            case 0x8017:
                .certification(
                    name: try reader.sized("name", atMost: TPMLimits.name),
                    qualifiedName: try reader.sized("qualifiedName", atMost: TPMLimits.name))
            case 0x8018: .quote(digest: try Self.quote(&reader))
            default:
                throw EvidenceRefusal(.notFromTPM, "TPMS_ATTEST: the type 0x\(hex(type)) is none that is read")
            }
        try reader.end()
        self.bytes = bytes
    }

    private static func quote(_ reader: inout TPMReader) throws(EvidenceRefusal) -> [UInt8] {
        try TPMLimits.skipRegisters(&reader)
        return try reader.sized("pcrDigest", atMost: TPMLimits.digest)
    }
}

/// The caps of parts that several structures have.
enum TPMLimits {
    /// The longest digest, a SHA-512 (`TPM2B_DIGEST`).
    static let digest = 64
    /// The longest name: an algorithm and a digest, or a handle (`TPM2B_NAME`).
    static let name = 66
    /// The longest data of a caller (`TPM2B_DATA`).
    static let data = 66

    /// Reads a selection of registers, whose values do not matter here: `TPML_PCR_SELECTION` (part 2, section 10.9.7).
    static func skipRegisters(_ reader: inout TPMReader) throws(EvidenceRefusal) {
        let count = try reader.uint32()
        // One bank for each hash algorithm.
        guard count <= 16 else { throw reader.malformed("16 banks of registers are the most, and this one has \(count)") }
        for _ in 0..<count {
            _ = try reader.uint16()
            let length = try reader.uint8()
            guard length <= 4 else { throw reader.malformed("a selection of registers has 4 bytes at most, not \(length)") }
            _ = try reader.take(Int(length))
        }
    }
}
