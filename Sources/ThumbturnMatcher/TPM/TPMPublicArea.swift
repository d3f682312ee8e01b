#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
package import ThumbturnCore
import ThumbturnMessages

/// The public area of a P-256 key in a TPM: the structure `TPMT_PUBLIC` (TPM 2.0 Library, part 2, section 12.2.4) in
/// its wire form, for the few kinds of key that are made here.
package struct TPMPublicArea: Hashable, Sendable {
    /// The key's permitted uses: `TPMA_OBJECT` (part 2, section 8.3).
    struct Attributes: OptionSet, Hashable, Sendable {
        let rawValue: UInt32
        static let fixedTPM = Attributes(rawValue: 1 << 1)
        static let fixedParent = Attributes(rawValue: 1 << 4)
        static let sensitiveDataOrigin = Attributes(rawValue: 1 << 5)
        static let userWithAuth = Attributes(rawValue: 1 << 6)
        static let adminWithPolicy = Attributes(rawValue: 1 << 7)
        static let noDictionaryAttack = Attributes(rawValue: 1 << 10)
        static let restricted = Attributes(rawValue: 1 << 16)
        static let decrypt = Attributes(rawValue: 1 << 17)
        static let sign = Attributes(rawValue: 1 << 18)

        /// Created inside the TPM, and never duplicated outside it.
        static let bound: Attributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin]
    }

    /// The key's algorithm.
    enum Use: Hashable, Sendable {
        /// ECDSA over SHA-256.
        case signing
        /// Wraps other keys: AES-128 in CFB mode.
        case storage
    }

    var attributes: Attributes
    var policy: [UInt8]
    var use: Use
    /// The coordinates of the public point; empty in a template.
    var x: [UInt8] = []
    var y: [UInt8] = []

    /// The wire form, without the leading size of a `TPM2B_PUBLIC`.
    package var bytes: [UInt8] {
        var writer = TPMWriter()
        writer.uint16(Self.ecc)
        writer.uint16(Self.sha256)
        writer.uint32(attributes.rawValue)
        writer.sized(policy)
        switch use {
        case .signing:
            writer.uint16(Self.null)
            writer.uint16(Self.ecdsa)
            writer.uint16(Self.sha256)
        case .storage:
            writer.uint16(Self.aes)
            writer.uint16(128)
            writer.uint16(Self.cfb)
            writer.uint16(Self.null)
        }
        writer.uint16(Self.p256)
        writer.uint16(Self.null)
        writer.sized(x)
        writer.sized(y)
        return writer.bytes
    }

    /// The TPM's name for the key: the hash algorithm, then the hash of the public area (part 1, section 16).
    package var name: [UInt8] { [0x00, 0x0B] + SHA256.hash(data: bytes) }

    /// The public key; nil for a template.
    package var publicKey: PublicKey? {
        guard !x.isEmpty, !y.isEmpty else { return nil }
        let padded = [x, y].map { [UInt8](repeating: 0, count: max(0, 32 - $0.count)) + $0 }
        return PublicKey(x963: [0x04] + padded[0] + padded[1])
    }

    private static let ecc: UInt16 = 0x0023
    private static let sha256: UInt16 = 0x000B
    private static let null: UInt16 = 0x0010
    private static let ecdsa: UInt16 = 0x0018
    private static let aes: UInt16 = 0x0006
    private static let cfb: UInt16 = 0x0043
    private static let p256: UInt16 = 0x0003
}

extension TPMPublicArea {
    /// Reads the wire form. Returns nil for a key of a kind that is not created here.
    package init?(_ bytes: [UInt8]) {
        var reader = TPMReader(bytes)
        guard reader.uint16() == Self.ecc, reader.uint16() == Self.sha256, let attributes = reader.uint32(),
            let policy = reader.sized(atMost: 32), let symmetric = reader.uint16()
        else { return nil }
        switch symmetric {
        case Self.null:
            guard reader.uint16() == Self.ecdsa, reader.uint16() == Self.sha256 else { return nil }
            use = .signing
        case Self.aes:
            guard reader.uint16() == 128, reader.uint16() == Self.cfb, reader.uint16() == Self.null else { return nil }
            use = .storage
        default: return nil
        }
        guard reader.uint16() == Self.p256, reader.uint16() == Self.null, let x = reader.sized(atMost: 32),
            let y = reader.sized(atMost: 32), reader.isAtEnd
        else { return nil }
        self.attributes = Attributes(rawValue: attributes)
        self.policy = policy
        self.x = x
        self.y = y
    }

    /// The public area of a key outside the TPM whose signatures the TPM should verify.
    package init(verifying publicKey: PublicKey) {
        let point = publicKey.x963
        self.init(
            attributes: [.sign, .userWithAuth], policy: [], use: .signing, x: Array(point[1..<33]), y: Array(point[33..<65])
        )
    }

    /// The parent of all our keys: the ECC storage key of the TCG's provisioning guidance. Every program that follows
    /// the guidance derives the same key, so one that the machine keeps can be used.
    static let storageRoot = TPMPublicArea(
        attributes: [.bound, .userWithAuth, .noDictionaryAttack, .restricted, .decrypt], policy: [], use: .storage
    )

    /// A template for a key that signs for every process that can read its file.
    package static let session = TPMPublicArea(
        attributes: [.bound, .userWithAuth, .noDictionaryAttack, .sign], policy: [], use: .signing)

    /// A template for the attestation key for a reference: it signs only what the TPM says itself.
    ///
    /// - Parameter reference: 32 bytes in the place of the point, from which the TPM derives another key for each reference.
    static func attestation(for reference: [UInt8]) -> TPMPublicArea {
        TPMPublicArea(
            attributes: [.bound, .userWithAuth, .noDictionaryAttack, .restricted, .sign], policy: [], use: .signing, x: reference)
    }

    /// A template for a key that signs only when its policy is satisfied: `userWithAuth` is clear, so no password
    /// works.
    package static func guarded(by policy: TPMKeyPolicy) -> TPMPublicArea {
        TPMPublicArea(attributes: [.bound, .noDictionaryAttack, .sign], policy: policy.digest, use: .signing)
    }
}
