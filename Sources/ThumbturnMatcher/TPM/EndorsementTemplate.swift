/// A template of the TCG for endorsement keys on elliptic curves, with the NV index of the certificate that the TPM's maker
/// wrote (TCG EK Credential Profile 2.5, section 2.2.1.4 and annex B).
///
/// Templates with RSA are left out: servers verify endorsement keys on elliptic curves alone.
package struct EndorsementTemplate: Hashable, Sendable {
    /// The handle of the NV index with the certificate.
    var certificate: UInt32
    /// The key's public area, as it is before the TPM fills in the point.
    var publicArea: [UInt8]
    /// Whether each use of the key needs the endorsement hierarchy's authorization, by the key's policy. Otherwise the key's
    /// empty password is enough.
    var needsPolicy: Bool

    /// The templates in the order in which their certificates are looked for.
    static let all = [lowP256, highP256, highP384]

    /// L-2: P-256 in the low range.
    static let lowP256 = EndorsementTemplate(
        certificate: 0x01C0_000A,
        publicArea: area(
            hash: 0x000B, attributes: [.bound, .adminWithPolicy, .restricted, .decrypt], policy: policyA, cipherBits: 128,
            curve: 0x0003, point: [UInt8](repeating: 0, count: 32)),
        needsPolicy: true
    )
    /// H-2: P-256 in the high range.
    static let highP256 = EndorsementTemplate(
        certificate: 0x01C0_0014,
        publicArea: area(
            hash: 0x000B, attributes: [.bound, .userWithAuth, .adminWithPolicy, .restricted, .decrypt], policy: policyB256,
            cipherBits: 128, curve: 0x0003, point: []),
        needsPolicy: false
    )
    /// H-3: P-384 in the high range.
    static let highP384 = EndorsementTemplate(
        certificate: 0x01C0_0016,
        publicArea: area(
            hash: 0x000C, attributes: [.bound, .userWithAuth, .adminWithPolicy, .restricted, .decrypt], policy: policyB384,
            cipherBits: 256, curve: 0x0004, point: []),
        needsPolicy: false
    )

    /// The certificate alone from an index's content: makers fill the rest of an index with zeros or ones.
    static func certificate(in content: [UInt8]) -> [UInt8]? {
        guard content.count > 4, content[0] == 0x30, content[1] == 0x82 else { return nil }
        let count = 4 + Int(content[2]) << 8 + Int(content[3])
        return content.count >= count ? Array(content[..<count]) : nil
    }

    private static func area(
        hash: UInt16, attributes: TPMPublicArea.Attributes, policy: [UInt8], cipherBits: UInt16, curve: UInt16, point: [UInt8]
    ) -> [UInt8] {
        var writer = TPMWriter()
        // TPM_ALG_ECC; AES in CFB mode; no scheme; no key derivation.
        writer.uint16(0x0023)
        writer.uint16(hash)
        writer.uint32(attributes.rawValue)
        writer.sized(policy)
        for number in [0x0006, cipherBits, 0x0043, 0x0010, curve, 0x0010] { writer.uint16(number) }
        writer.sized(point)
        writer.sized(point)
        return writer.bytes
    }

    /// The digest of PolicyA with SHA-256: `TPM2_PolicySecret` of the endorsement hierarchy.
    private static let policyA: [UInt8] = [
        0x83, 0x71, 0x97, 0x67, 0x44, 0x84, 0xB3, 0xF8, 0x1A, 0x90, 0xCC, 0x8D, 0x46, 0xA5, 0xD7, 0x24,
        0xFD, 0x52, 0xD7, 0x6E, 0x06, 0x52, 0x0B, 0x64, 0xF2, 0xA1, 0xDA, 0x1B, 0x33, 0x14, 0x69, 0xAA,
    ]
    /// The digest of PolicyB with SHA-256: PolicyA, or a policy that the maker's index authorizes.
    private static let policyB256: [UInt8] = [
        0xCA, 0x3D, 0x0A, 0x99, 0xA2, 0xB9, 0x39, 0x06, 0xF7, 0xA3, 0x34, 0x24, 0x14, 0xEF, 0xCF, 0xB3,
        0xA3, 0x85, 0xD4, 0x4C, 0xD1, 0xFD, 0x45, 0x90, 0x89, 0xD1, 0x9B, 0x50, 0x71, 0xC0, 0xB7, 0xA0,
    ]
    /// The digest of PolicyB with SHA-384.
    private static let policyB384: [UInt8] = [
        0xB2, 0x6E, 0x7D, 0x28, 0xD1, 0x1A, 0x50, 0xBC, 0x53, 0xD8, 0x82, 0xBC, 0xF5, 0xFD, 0x3A, 0x1A,
        0x07, 0x41, 0x48, 0xBB, 0x35, 0xD3, 0xB4, 0xE4, 0xCB, 0x1C, 0x0A, 0xD9, 0xBD, 0xE4, 0x19, 0xCA,
        0xCB, 0x47, 0xBA, 0x09, 0x69, 0x96, 0x46, 0x15, 0x0F, 0x9F, 0xC0, 0x00, 0xF3, 0xF8, 0x0E, 0x12,
    ]
}
