/// The public area of an NV index: `TPMS_NV_PUBLIC` (TPM 2.0 Library, part 2, section 13.5).
///
/// A policy names an index by the hash of these bytes, so they prove what kind of index the policy reads.
package struct TPMIndexPublic: Hashable, Sendable {
    /// The index's name, as policies contain it (part 1, section 16).
    package let name: [UInt8]
    /// The type and the permitted uses.
    package let attributes: Attributes
    /// The length of the index's content.
    package let dataSize: UInt16

    /// The type of an index and its permitted uses: `TPMA_NV` (part 2, section 13.4).
    package struct Attributes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The platform can write the content.
        static let platformWrite = Attributes(rawValue: 1 << 0)
        /// The owner can write the content.
        static let ownerWrite = Attributes(rawValue: 1 << 1)
        /// The index's own value authorizes writing its content.
        static let authWrite = Attributes(rawValue: 1 << 2)
        /// The content was written.
        static let written = Attributes(rawValue: 1 << 29)

        /// `TPM_NT` (part 2, section 13.2).
        var type: UInt32 { rawValue >> 4 & 0xF }
    }

    /// Reads the wire form.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        var reader = try TPMReader(bytes, of: "TPMS_NV_PUBLIC", atMost: 128)
        let handle = try reader.uint32()
        guard handle >> 24 == 0x01 else { throw reader.malformed("0x\(hex(handle)) is not the handle of an index") }
        let hash = try TPMHash(number: try reader.uint16())
        guard hash == .sha256 else {
            throw EvidenceRefusal(.wrongAlgorithm, "TPMS_NV_PUBLIC: the index's name is expected to be a SHA-256")
        }
        attributes = Attributes(rawValue: try reader.uint32())
        _ = try reader.sized("authPolicy", atMost: hash.length)
        dataSize = try reader.uint16()
        try reader.end()
        name = hash.name(of: bytes)
    }

    /// Throws `wrongPolicyDigest` unless the index is a counter, which never goes back and which can only be raised.
    func requireCounter() throws(EvidenceRefusal) {
        guard attributes.type == 0x1, attributes.contains(.written), dataSize == 8 else {
            throw EvidenceRefusal(
                .wrongPolicyDigest,
                "the enrolment counter has to be a written NV counter; the index has the type \(attributes.type)")
        }
    }

    /// Throws `wrongPolicyDigest` unless the index counts wrong PINs, and neither the PIN nor the owner can set the count back.
    ///
    /// The limit is in the content and not in the name, so that it is not proved: a program that ran as the user when the
    /// key was made could choose it.
    func requirePINCounter() throws(EvidenceRefusal) {
        guard attributes.type == 0x8, attributes.contains(.written), dataSize == 8,
            attributes.isDisjoint(with: [.platformWrite, .ownerWrite, .authWrite])
        else {
            throw EvidenceRefusal(
                .wrongPolicyDigest,
                "the PIN's index has to be a written index of the type PIN_FAIL whose count no password sets back; "
                    + "it has the type \(attributes.type) and the attributes 0x\(hex(attributes.rawValue))")
        }
    }
}
