/// The circumstances under which a TPM made a key: `TPMS_CREATION_DATA` (TPM 2.0 Library, part 2, section 15.1).
package struct TPMCreationData: Hashable, Sendable {
    /// The wire form, without the leading size of a `TPM2B_CREATION_DATA`.
    package let bytes: [UInt8]
    /// The name of the key's parent, or the handle of its hierarchy for a primary key.
    package let parentName: [UInt8]
    /// The bytes that the caller gave when the key was made.
    package let outsideInfo: [UInt8]

    /// The most bytes that it may have. With names of SHA-256 it has about 150.
    package static let largest = 1024

    /// Reads the wire form.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        var reader = try TPMReader(bytes, of: "TPMS_CREATION_DATA", atMost: Self.largest)
        try TPMLimits.skipRegisters(&reader)
        _ = try reader.sized("pcrDigest", atMost: TPMLimits.digest)
        // TPMA_LOCALITY, and the hash of the parent's name or TPM_ALG_NULL.
        _ = try reader.uint8()
        _ = try reader.uint16()
        parentName = try reader.sized("parentName", atMost: TPMLimits.name)
        _ = try reader.sized("parentQualifiedName", atMost: TPMLimits.name)
        outsideInfo = try reader.sized("outsideInfo", atMost: TPMLimits.data)
        try reader.end()
        self.bytes = bytes
    }
}
