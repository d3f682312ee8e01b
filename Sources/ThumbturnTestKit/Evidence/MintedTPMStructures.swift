/// A key's public area, `TPMT_PUBLIC` (TPM 2.0 Library, part 2, section 12.2.4), of which every field can be set.
public struct MintedTPMPublic: Hashable, Sendable {
    /// The kind of key: 0x23 for ECC.
    public var type: UInt16 = 0x0023
    /// The hash of the name: 0x0B for SHA-256.
    public var nameHash: UInt16 = 0x000B
    /// `TPMA_OBJECT`.
    public var attributes: UInt32
    /// The digest of the authorization policy.
    public var policy: [UInt8] = []
    /// The parameters: the symmetric algorithm, the scheme, the curve and the key derivation.
    public var parameters: [UInt8] = MintedTPMPublic.ecdsa()
    /// The public key: x and y after their sizes.
    public var unique: [UInt8]

    /// The attributes of an attestation key.
    public static let attestation: UInt32 = 0x0005_0072
    /// The attributes of a key that signs for every process.
    public static let open: UInt32 = 0x0004_0472
    /// The attributes of a key that its policy guards.
    public static let guarded: UInt32 = 0x0004_0432

    /// A key on P-256.
    ///
    /// - Parameters:
    ///   - x963: the point, or any 65 bytes.
    ///   - attributes: a `TPMA_OBJECT`.
    ///   - policy: the digest of the authorization policy; empty for none.
    public init(x963: [UInt8], attributes: UInt32, policy: [UInt8] = []) {
        self.attributes = attributes
        self.policy = policy
        unique = MintedTPMBytes.sized(Array(x963[1..<33])) + MintedTPMBytes.sized(Array(x963[33...]))
    }

    /// The parameters of a key on a curve that signs with ECDSA.
    ///
    /// - Parameters:
    ///   - curve: 3 for P-256.
    ///   - hash: the hash of the scheme; nil for a key without a scheme.
    public static func ecdsa(curve: UInt16 = 0x0003, hash: UInt16? = 0x000B) -> [UInt8] {
        let scheme: [UInt16] = hash.map { [0x0018, $0] } ?? [0x0010]
        return ([0x0010] + scheme + [curve, 0x0010]).flatMap { MintedTPMBytes.number($0) }
    }

    /// The wire form.
    public var bytes: [UInt8] {
        MintedTPMBytes.number(type) + MintedTPMBytes.number(nameHash) + MintedTPMBytes.number(attributes)
            + MintedTPMBytes.sized(policy) + parameters + unique
    }

    /// The key's name.
    public var name: [UInt8] { MintedTPMBytes.name(of: bytes) }
}

/// The circumstances of a key's creation, `TPMS_CREATION_DATA` (part 2, section 15.1), of which every field can be set.
public struct MintedTPMCreation: Hashable, Sendable {
    /// The selection of registers.
    public var registers: [UInt8] = [0, 0, 0, 0]
    /// The digest of the registers.
    public var digest: [UInt8] = []
    /// The locality.
    public var locality: UInt8 = 1
    /// The hash of the parent's name.
    public var parentHash: UInt16 = 0x000B
    /// The parent's name.
    public var parent: [UInt8] = [0x00, 0x0B] + [UInt8](repeating: 0x11, count: 32)
    /// The parent's qualified name.
    public var qualifiedParent: [UInt8] = [0x00, 0x0B] + [UInt8](repeating: 0x22, count: 32)
    /// What the caller gave.
    public var outsideInfo: [UInt8] = []

    /// The usual circumstances.
    public init() {}

    /// The wire form.
    public var bytes: [UInt8] {
        registers + MintedTPMBytes.sized(digest) + [locality] + MintedTPMBytes.number(parentHash) + MintedTPMBytes.sized(parent)
            + MintedTPMBytes.sized(qualifiedParent) + MintedTPMBytes.sized(outsideInfo)
    }
}

/// What a TPM says and signs, `TPMS_ATTEST` (part 2, section 10.12.12), of which every field can be set.
public struct MintedTPMAttest: Hashable, Sendable {
    /// `TPM_GENERATED_VALUE`.
    public var magic: UInt32 = 0xFF54_4347
    /// The kind of statement: 0x801A about a creation.
    public var type: UInt16 = 0x801A
    /// The signer's qualified name.
    public var signer: [UInt8] = [0x00, 0x0B] + [UInt8](repeating: 0x33, count: 32)
    /// The bytes of the caller.
    public var extraData: [UInt8]
    /// The time since the TPM was cleared, in milliseconds.
    public var clock: UInt64 = 123_456
    /// How often the TPM was reset.
    public var resetCount: UInt32 = 7
    /// How often it was restarted since.
    public var restartCount: UInt32 = 1
    /// Whether the clock is known not to have gone back: 0 or 1.
    public var isSafe: UInt8 = 1
    /// The firmware's version.
    public var firmwareVersion: UInt64 = 0x0007_0002_0003_0001
    /// What is said: of a creation, the key's name and the creation's hash, each after its size.
    public var attested: [UInt8]

    /// A statement about a creation.
    public init(name: [UInt8], creationHash: [UInt8], extraData: [UInt8]) {
        self.extraData = extraData
        attested = MintedTPMBytes.sized(name) + MintedTPMBytes.sized(creationHash)
    }

    /// The wire form.
    public var bytes: [UInt8] {
        MintedTPMBytes.number(magic) + MintedTPMBytes.number(type) + MintedTPMBytes.sized(signer)
            + MintedTPMBytes.sized(extraData) + MintedTPMBytes.number(clock) + MintedTPMBytes.number(resetCount)
            + MintedTPMBytes.number(restartCount) + [isSafe] + MintedTPMBytes.number(firmwareVersion) + attested
    }
}

/// The public area of an NV index, `TPMS_NV_PUBLIC` (part 2, section 13.5), of which every field can be set.
public struct MintedTPMIndex: Hashable, Sendable {
    /// The index's handle.
    public var handle: UInt32 = 0x0180_7400
    /// The hash of the name.
    public var nameHash: UInt16 = 0x000B
    /// `TPMA_NV`.
    public var attributes: UInt32
    /// The digest of the index's policy.
    public var policy = [UInt8](repeating: 0x44, count: 32)
    /// The length of the content.
    public var size: UInt16 = 8

    /// An index with these attributes.
    public init(attributes: UInt32) { self.attributes = attributes }

    /// A counter of enrolments, as the matcher makes it.
    public static let counter = MintedTPMIndex(attributes: 0x220C_0014)
    /// An index that counts wrong PINs, as the Linux device makes it.
    public static let pin = MintedTPMIndex(attributes: 0x2206_0088)

    /// The wire form.
    public var bytes: [UInt8] {
        MintedTPMBytes.number(handle) + MintedTPMBytes.number(nameHash) + MintedTPMBytes.number(attributes)
            + MintedTPMBytes.sized(policy) + MintedTPMBytes.number(size)
    }

    /// The index's name.
    public var name: [UInt8] { MintedTPMBytes.name(of: bytes) }
}
