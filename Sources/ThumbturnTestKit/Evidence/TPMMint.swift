import Crypto
import CryptoExtras
import Foundation

/// A TPM for evidence alone: an endorsement key with a certificate under a test authority, an attestation key, and the two
/// commands that evidence needs, with every field settable.
public struct TPMMint: Sendable {
    /// Who issues the endorsement certificate. No default policy trusts it.
    public var authority: TestAuthority
    /// The endorsement certificate.
    public var certificate: MintedCertificate
    /// The attestation key's public area. If its point is changed, its signatures are no longer valid.
    public var attestationKey: MintedTPMPublic
    private let endorsementKey: EndorsementKey
    private let attestationSecret: P256.Signing.PrivateKey

    /// The curves of endorsement keys.
    public enum Curve: Hashable, Sendable, CaseIterable {
        /// P-256, with SHA-256 and AES-128.
        case p256
        /// P-384, with SHA-384 and AES-256.
        case p384
    }

    /// What a TPM says about one key that it made.
    public struct Statement: Hashable, Sendable {
        /// The key's public area.
        public var publicArea: [UInt8]
        /// The circumstances of its creation.
        public var creationData: [UInt8]
        /// The signed statement.
        public var attestation: [UInt8]
        /// The signature over it: a `TPMT_SIGNATURE`.
        public var signature: [UInt8]
    }

    /// Makes a TPM with new keys, of Infineon if its certificate is believed.
    public init(under authority: TestAuthority, curve: Curve = .p256) {
        self.authority = authority
        endorsementKey = curve == .p256 ? .p256(P256.KeyAgreement.PrivateKey()) : .p384(P384.KeyAgreement.PrivateKey())
        attestationSecret = P256.Signing.PrivateKey()
        attestationKey = MintedTPMPublic(
            x963: Array(attestationSecret.publicKey.x963Representation), attributes: MintedTPMPublic.attestation
        )
        certificate = MintedCertificate(
            subject: MintedDER.sequence([]), spki: endorsementKey.spki,
            extensions: [
                TPMMint.uses("2.23.133.8.1"), TPMMint.names(), .notAuthority,
                // keyAgreement.
                MintedExtension("2.5.29.15", .yes, value: MintedDER.bits([0x08], unused: 3)),
            ])
    }

    /// The extension extKeyUsage with one use, that of endorsement keys being `2.23.133.8.1`.
    public static func uses(_ id: String) -> MintedExtension {
        MintedExtension("2.5.29.37", value: MintedDER.sequence([MintedDER.oid(id)]))
    }

    /// The extension subjectAltName that names the TPM.
    ///
    /// - Parameters:
    ///   - manufacturer: `id:` and eight hexadecimal digits; by default those of Infineon.
    ///   - model: the part number.
    ///   - version: the firmware's version, `id:` and hexadecimal digits.
    public static func names(
        manufacturer: String = "id:49465800", model: String = "SLB9670", version: String = "id:0007"
    ) -> MintedExtension {
        let name = MintedDER.name(["2.23.133.2.1": manufacturer, "2.23.133.2.2": model, "2.23.133.2.3": version])
        return MintedExtension("2.5.29.17", .yes, value: MintedDER.sequence([MintedDER.context(4, name)]))
    }

    /// The endorsement certificate and those of its authority, as evidence carries them.
    public var chain: [[UInt8]] { [authority.issue(certificate), authority.certificate] }
}

// MARK: The commands

extension TPMMint {
    /// Says that this TPM made a key: `TPM2_CertifyCreation` (TPM 2.0 Library, part 3, section 18.3).
    ///
    /// - Parameters:
    ///   - key: the key's public area.
    ///   - created: the circumstances of its creation.
    ///   - value: the bound value.
    ///   - edit: changes of the statement before it is signed.
    public func certify(
        _ key: MintedTPMPublic, created: MintedTPMCreation = MintedTPMCreation(), boundTo value: [UInt8],
        edit: (inout MintedTPMAttest) -> Void = { _ in }
    ) -> Statement {
        var attest = MintedTPMAttest(
            name: key.name, creationHash: Array(SHA256.hash(data: created.bytes)), extraData: value
        )
        edit(&attest)
        return Statement(
            publicArea: key.bytes, creationData: created.bytes, attestation: attest.bytes, signature: sign(attest.bytes)
        )
    }

    /// A signature of the attestation key: a `TPMT_SIGNATURE` by ECDSA.
    ///
    /// - Parameters:
    ///   - bytes: what is signed.
    ///   - insecureSHA1: whether SHA-1 takes the place of SHA-256.
    public func sign(_ bytes: [UInt8], insecureSHA1: Bool = false) -> [UInt8] {
        let signature =
            insecureSHA1
            ? try? attestationSecret.signature(for: Insecure.SHA1.hash(data: bytes))
            : try? attestationSecret.signature(for: SHA256.hash(data: bytes))
        guard let raw = (signature?.rawRepresentation).map({ Array($0) }) else {
            preconditionFailure("a key in memory always signs")
        }
        return [0x00, 0x18, 0x00, insecureSHA1 ? 0x04 : 0x0B] + MintedTPMBytes.sized(Array(raw[..<32]))
            + MintedTPMBytes.sized(Array(raw[32...]))
    }

    /// Opens a credential: `TPM2_ActivateCredential` (part 3, section 12.5). Returns nil where it was made for another
    /// endorsement key or attestation key, or was changed.
    ///
    /// - Parameters:
    ///   - idObject: a `TPMS_ID_OBJECT`.
    ///   - encryptedSeed: a `TPMS_ECC_POINT`.
    public func activate(idObject: [UInt8], encryptedSeed: [UInt8]) -> [UInt8]? {
        var (seedParts, idParts) = (encryptedSeed[...], idObject[...])
        guard let x = Self.take(&seedParts), let y = Self.take(&seedParts), seedParts.isEmpty,
            let integrity = Self.take(&idParts), let seed = endorsementKey.seed(fromPoint: x, y)
        else { return nil }
        let encrypted = Array(idParts)
        let integrityKey = endorsementKey.derive(from: seed, "INTEGRITY", [], bytes: seed.count)
        guard endorsementKey.hmac(encrypted + attestationKey.name, integrityKey) == integrity else { return nil }
        let cipherKey = endorsementKey.derive(
            from: seed, "STORAGE", attestationKey.name, bytes: endorsementKey.cipherBytes
        )
        guard let zeros = try? AES._CFB.IV(ivBytes: [UInt8](repeating: 0, count: 16)),
            let opened = try? AES._CFB.decrypt(encrypted, using: SymmetricKey(data: cipherKey), iv: zeros)
        else { return nil }
        var rest = Array(opened)[...]
        guard let secret = Self.take(&rest), rest.isEmpty else { return nil }
        return secret
    }

    private static func take(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.count >= 2 else { return nil }
        let count = Int(bytes.removeFirst()) << 8 | Int(bytes.removeFirst())
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }
}

// MARK: The endorsement key

/// The private endorsement key, and the derivations with the hash of its curve.
private enum EndorsementKey: Sendable {
    case p256(P256.KeyAgreement.PrivateKey)
    case p384(P384.KeyAgreement.PrivateKey)

    var spki: [UInt8] {
        switch self {
        case .p256(let key): Array(key.publicKey.derRepresentation)
        case .p384(let key): Array(key.publicKey.derRepresentation)
        }
    }

    var cipherBytes: Int {
        switch self {
        case .p256: 16
        case .p384: 32
        }
    }

    /// KDFe (part 1, section 11.4.10.3), whose output is as long as the hash.
    func seed(fromPoint x: [UInt8], _ y: [UInt8]) -> [UInt8]? {
        let label = Array("IDENTITY".utf8) + [0]
        switch self {
        case .p256(let key):
            guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: [0x04] + x + y),
                let secret = try? key.sharedSecretFromKeyAgreement(with: other)
            else { return nil }
            let z = unsafe secret.withUnsafeBytes { unsafe Array($0) }
            return Array(SHA256.hash(data: [0, 0, 0, 1] + z + label + x + key.publicKey.x963Representation[1..<33]))
        case .p384(let key):
            guard let other = try? P384.KeyAgreement.PublicKey(x963Representation: [0x04] + x + y),
                let secret = try? key.sharedSecretFromKeyAgreement(with: other)
            else { return nil }
            let z = unsafe secret.withUnsafeBytes { unsafe Array($0) }
            return Array(SHA384.hash(data: [0, 0, 0, 1] + z + label + x + key.publicKey.x963Representation[1..<49]))
        }
    }

    /// KDFa (part 1, section 11.4.10.2), for outputs that are no longer than the hash.
    func derive(from key: [UInt8], _ label: String, _ context: [UInt8], bytes: Int) -> [UInt8] {
        let input = [0, 0, 0, 1] + Array(label.utf8) + [0] + context + MintedTPMBytes.number(UInt32(bytes * 8))
        return Array(hmac(input, key).prefix(bytes))
    }

    func hmac(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        return switch self {
        case .p256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .p384: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
        }
    }
}
