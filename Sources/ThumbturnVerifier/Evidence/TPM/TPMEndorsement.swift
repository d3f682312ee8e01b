import SwiftASN1
public import ThumbturnCore

/// A TPM as the certificate of its endorsement key describes it (TCG EK Credential Profile 2.5, section 3). Only
/// `TPMPolicy.endorse` makes one, from a chain that leads to a root of the policy.
public struct TPMEndorsement: Hashable, Sendable {
    /// Who made the TPM.
    public let manufacturer: TPMManufacturer
    /// The maker's name of the model.
    public let model: String
    /// The version of the model or its firmware, in the maker's numbering.
    public let version: String
    /// The serial numbers of the chain's certificates in lower-case hexadecimal, the endorsement key's first.
    public let serials: [String]
    /// The SHA-256 of the root's SubjectPublicKeyInfo.
    public let root: [UInt8]
    /// Where keys in this TPM live: `attestedHardware` or `software`.
    public let protection: KeyProtection
    /// The endorsement key.
    package let key: TPMEndorsementKey

    init(_ chain: [Certificate], under root: TPMRoot) throws(EvidenceRefusal) {
        let certificate = chain[0]
        try Self.checkUses(of: certificate)
        key = try Self.key(of: certificate)
        let names = try TPMNames(certificate)
        (manufacturer, model, version) = (names.manufacturer, names.model, names.version)
        serials = chain.map(\.serialText)
        self.root = root.anchor.spkiSHA256
        let isSimulator = names.manufacturer.isSimulator || names.model.lowercased().hasPrefix("swtpm")
        protection =
            switch root.kind {
            case .chips: isSimulator ? .software : .attestedHardware
            case .programs: .software
            case .testHardware: .attestedHardware
            }
    }

    /// Checks that the certificate is one of an endorsement key and of nothing else.
    private static func checkUses(of certificate: Certificate) throws(EvidenceRefusal) {
        guard !certificate.isAuthority else {
            throw EvidenceRefusal(.wrongAttributes, "the endorsement certificate is that of a certificate authority")
        }
        guard let uses = certificate.extension(.extendedKeyUsage) else {
            throw EvidenceRefusal(.wrongAttributes, "the endorsement certificate does not say what its key is for")
        }
        var list = try StrictDER.parse(uses.value, "extKeyUsage").members(of: "extKeyUsage")
        var isForEndorsement = false
        while let use = list.next() {
            if try use.oid("a use of the endorsement key") == .endorsementKey { isForEndorsement = true }
        }
        guard isForEndorsement else {
            throw EvidenceRefusal(.wrongAttributes, "the certificate is not one of an endorsement key (2.23.133.8.1)")
        }
    }

    private static func key(of certificate: Certificate) throws(EvidenceRefusal) -> TPMEndorsementKey {
        switch certificate.publicKey {
        case .p256(let point): .p256(x963: point)
        case .p384(let point): .p384(x963: point)
        case .rsa:
            throw EvidenceRefusal(
                .unsupported,
                "the endorsement key is an RSA key; an endorsement key on P-256 or P-384 is required, which most TPMs have as well"
            )
        case .other(let algorithm):
            throw EvidenceRefusal(.unsupported, "the endorsement key is of the kind \(algorithm), not on P-256 or P-384")
        }
    }
}

/// The maker of a TPM, by its id in the TCG's vendor registry.
public struct TPMManufacturer: Hashable, Sendable {
    /// The id: mostly the letters of a short name.
    public let id: UInt32

    /// Creates the maker with this id.
    public init(id: UInt32) { self.id = id }

    /// Whether TPMs of this maker are programs that anyone can run: IBM's simulator and swtpm (which its certificates call
    /// `00001014`), Microsoft's reference implementation, and the ids that the registry gives to simulators.
    var isSimulator: Bool {
        switch id {
        case 0x0000_1014, 0x4942_4D00, 0x5859_5A20, 0x5349_4D30...0x5349_4D37: true
        default: false
        }
    }
}

extension TPMManufacturer: CustomStringConvertible {
    /// The letters of the id, for example `IFX`; where it has other bytes, its eight hexadecimal digits.
    public var description: String {
        let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: id >> $0) }.filter { $0 != 0 && $0 != UInt8(ascii: " ") }
        let isText = letters.count > 1 && letters.allSatisfy { (0x21...0x7E).contains($0) }
        let digits = hex(id)
        return isText ? String(decoding: letters, as: UTF8.self) : String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The names in an endorsement certificate's subjectAltName (EK Credential Profile 2.5, section 3.2.9).
private struct TPMNames {
    let manufacturer: TPMManufacturer
    let model: String
    let version: String

    init(_ certificate: Certificate) throws(EvidenceRefusal) {
        guard let extended = certificate.extension(.subjectAltName) else {
            throw EvidenceRefusal(.malformed, "the endorsement certificate does not name its TPM: it has no subjectAltName")
        }
        var found: [ASN1ObjectIdentifier: String] = [:]
        var names = try StrictDER.parse(extended.value, "subjectAltName").members(of: "subjectAltName")
        while let name = names.next() {
            // directoryName (RFC 5280 section 4.2.1.6).
            guard name.identifier == .context(4) else { continue }
            var parts = try name.tagged(.context(4), "directoryName").members(of: "directoryName")
            while let part = parts.next() {
                // Some makers put each attribute into a set of its own, others all of them into one.
                var attributes = try part.members(.set, of: "a part of directoryName")
                while let attribute = attributes.next() { try Self.read(attribute, into: &found) }
            }
        }
        guard let maker = found[.tpmManufacturer], let model = found[.tpmModel], let version = found[.tpmVersion] else {
            throw EvidenceRefusal(
                .malformed, "the endorsement certificate does not name its TPM's manufacturer, model and version")
        }
        let digits = maker.utf8.dropFirst(3)
        guard maker.hasPrefix("id:"), digits.count == 8, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let id = UInt32(String(maker.dropFirst(3)), radix: 16)
        else { throw EvidenceRefusal(.malformed, "the manufacturer is expected as id: and eight hexadecimal digits") }
        manufacturer = TPMManufacturer(id: id)
        (self.model, self.version) = (model, version)
    }

    private static func read(_ attribute: ASN1Node, into found: inout [ASN1ObjectIdentifier: String]) throws(EvidenceRefusal) {
        var members = try attribute.members(of: "an attribute of directoryName")
        let (id, value) = (try members.take().oid("an attribute's type"), try members.take())
        try members.end()
        guard [.tpmManufacturer, .tpmModel, .tpmVersion].contains(id) else { return }
        let bytes = try value.bytes(value.identifier == .printableString ? .printableString : .utf8String, "a name of the TPM")
        guard bytes.count <= 64, let text = String(validating: bytes, as: UTF8.self) else {
            throw EvidenceRefusal(.malformed, "a name of the TPM has more than 64 bytes, or is not UTF-8")
        }
        guard found.updateValue(text, forKey: id) == nil else {
            throw EvidenceRefusal(.malformed, "the endorsement certificate names its TPM twice")
        }
    }
}

extension ASN1ObjectIdentifier {
    /// The certificate of an endorsement key (`tcg-kp-EKCertificate`).
    fileprivate static let endorsementKey: ASN1ObjectIdentifier = "2.23.133.8.1"
    fileprivate static let tpmManufacturer: ASN1ObjectIdentifier = "2.23.133.2.1"
    fileprivate static let tpmModel: ASN1ObjectIdentifier = "2.23.133.2.2"
    fileprivate static let tpmVersion: ASN1ObjectIdentifier = "2.23.133.2.3"
    /// subjectAltName (RFC 5280 section 4.2.1.6), which is critical where the subject is empty.
    static let subjectAltName: ASN1ObjectIdentifier = "2.5.29.17"
    /// extKeyUsage (RFC 5280 section 4.2.1.12).
    static let extendedKeyUsage: ASN1ObjectIdentifier = "2.5.29.37"
}
