import Crypto
import ThumbturnCore

/// Writes evidence of App Attest under a test root, which no default policy trusts. Every field can be set, also to what
/// no device would write.
public struct AppAttestMint: Sendable {
    /// The root, in place of Apple's. The chain does not carry it.
    public var root: TestAuthority
    /// The authority that issues the certificates of keys.
    public var intermediate: TestAuthority
    /// The attested key.
    public var key: MintedKey
    /// The app that made the key.
    public var appID: String
    /// The SHA-256 of the client data of the attestation.
    public var clientDataHash: [UInt8]
    /// The environment, 16 bytes.
    public var aaguid = Self.production
    /// The flags of the authenticator data; those of devices are 0x40 or 0xC0.
    public var flags: UInt8 = 0x40
    /// The counter; 0 in an attestation.
    public var counter: UInt32 = 0
    /// The credential id; nil for the hash of the key.
    public var credentialID: [UInt8]?
    /// The key in the authenticator data; nil for the attested key.
    public var credentialKey: MintedCBOR?
    /// The extensions of the authenticator data; nil for none, as before iOS 27.
    public var extensions: MintedCBOR?
    /// What follows the extensions.
    public var trailing: [UInt8] = []
    /// The value of the extension with the nonce; nil for the right one.
    public var nonceExtension: [UInt8]?
    /// The access policy of the key; nil for none, as before iOS 27.
    public var accessPolicy: [UInt8]?
    /// Changes of the key's certificate before it is signed.
    public var leaf: @Sendable (inout MintedCertificate) -> Void = { _ in }
    /// Changes of the certificates, that of the key first.
    public var chain: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }
    /// The format that the attestation names.
    public var format = "apple-appattest"
    /// The receipt.
    public var receipt = Array("a receipt".utf8)

    /// The AAGUID of the development environment.
    public static let development = Array("appattestdevelop".utf8)
    /// The AAGUID of the production environment.
    public static let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    /// The access policy of a key on a Mac with System Integrity Protection and full security.
    public static let macAccessPolicy = MintedDER.sequence([
        MintedDER.utf8("11"),
        MintedDER.sequence([
            allowed("ok", always), allowed("oa", always), allowed("odel", always),
            allowed(
                "osgn",
                MintedDER.context(0, MintedDER.utf8("rsec"))
                    + MintedDER.sequence([MintedDER.context(6, MintedDER.integer(1))])),
        ]),
    ])
    /// The access policy of a key on an iPhone, as one had it in 2026.
    public static let phoneAccessPolicy = MintedDER.sequence([
        MintedDER.utf8("11"),
        MintedDER.sequence([
            allowed("okd", always), allowed("oa", always), allowed("osgn", always), allowed("odel", always),
            allowed("ock", always),
        ]),
    ])

    private static let always = MintedDER.context(1, MintedDER.boolean(true))
    private static func allowed(_ operation: String, _ condition: [UInt8]) -> [UInt8] {
        MintedDER.sequence([MintedDER.utf8(operation), condition])
    }

    /// Evidence of a new key under a new root.
    public init(appID: String, clientDataHash: [UInt8]) {
        self.init(appID: appID, clientDataHash: clientDataHash, root: .root(named: "Thumbturn Test App Attestation Root CA"))
    }

    /// Evidence of a new key under a root.
    public init(appID: String, clientDataHash: [UInt8], root: TestAuthority) {
        self.appID = appID
        self.clientDataHash = clientDataHash
        self.root = root
        key = .p256()
        intermediate = root.authority(named: "Thumbturn Test App Attestation CA 1", key: .p384()) {
            $0.extensions = [.authority(pathLength: 0), .signsCertificates]
        }
    }

    /// The extensions of iOS 27: the launch category as four bytes, the lowest first, and the bundle version.
    public static func launch(category: UInt32, bundleVersion: String) -> MintedCBOR {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: category >> (8 * $0)) }
        return .object([
            ("apple_bundle_version_01", .text(bundleVersion)), ("apple_validation_category_01", .bytes(bytes)),
        ])
    }

    /// The key's name: the SHA-256 of its X9.63 form.
    public var keyID: [UInt8] { Self.hash(key.x963 ?? []) }

    // MARK: The attestation

    /// The authenticator data.
    public var authenticatorData: [UInt8] {
        let id = credentialID ?? keyID
        return Self.head(appID, flags, counter) + aaguid + [
            UInt8(truncatingIfNeeded: id.count >> 8), UInt8(truncatingIfNeeded: id.count),
        ]
            + id + (credentialKey ?? Self.cose(key.x963 ?? [])).encoded + (extensions?.encoded ?? []) + trailing
    }

    /// A key on P-256 in COSE's form, from its X9.63 form.
    public static func cose(_ x963: [UInt8]) -> MintedCBOR {
        .map([
            (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(x963.dropFirst().prefix(32)))),
            (.int(-3), .bytes(Array(x963.dropFirst(33)))),
        ])
    }

    /// The certificates in DER, that of the key first.
    public var certificates: [[UInt8]] {
        let nonce = Self.hash(authenticatorData + clientDataHash)
        let value = nonceExtension ?? MintedDER.sequence([MintedDER.context(1, MintedDER.octets(nonce))])
        var certificate = MintedCertificate(
            named: Hex.text(keyID), spki: key.spki,
            extensions: [.notAuthority, .signsData, MintedExtension("1.2.840.113635.100.8.2", value: value)])
        if let accessPolicy {
            let value = MintedDER.sequence([MintedDER.context(3, MintedDER.octets(accessPolicy))])
            certificate.extensions.append(MintedExtension("1.2.840.113635.100.8.6", value: value))
        }
        leaf(&certificate)
        return chain([intermediate.issue(certificate), intermediate.certificate])
    }

    /// The statement's members in their order.
    public var statement: [(String, MintedCBOR)] {
        [("x5c", .array(certificates.map { .bytes($0) })), ("receipt", .bytes(receipt))]
    }

    /// The attestation object's members in their order.
    public var members: [(String, MintedCBOR)] {
        [("fmt", .text(format)), ("attStmt", .object(statement)), ("authData", .bytes(authenticatorData))]
    }

    /// The attestation object in CBOR. The signatures in it differ each time.
    public var attestation: [UInt8] { MintedCBOR.object(members).encoded }

    // MARK: Assertions

    /// An assertion of the attested key, of which every field can be set.
    public struct Assertion: Sendable {
        /// The key that signs.
        public var key: MintedKey
        /// The app that the assertion names.
        public var appID: String
        /// The SHA-256 of the client data.
        public var clientDataHash: [UInt8]
        /// The flags of the authenticator data; those of devices are 0x40 or 0xC0.
        public var flags: UInt8 = 0x40
        /// The counter.
        public var counter: UInt32
        /// The extensions of the authenticator data; nil for none, as before iOS 27.
        public var extensions: MintedCBOR?
        /// What follows the extensions.
        public var trailing: [UInt8] = []

        /// The authenticator data.
        public var authenticatorData: [UInt8] {
            AppAttestMint.head(appID, flags, counter) + (extensions?.encoded ?? []) + trailing
        }

        /// A signature over authenticator data and client data hash.
        public func signature() -> [UInt8] { key.sign(AppAttestMint.hash(authenticatorData + clientDataHash)) }

        /// The assertion object's members in their order.
        public var members: [(String, MintedCBOR)] {
            [("signature", .bytes(signature())), ("authenticatorData", .bytes(authenticatorData))]
        }

        /// The assertion object in CBOR.
        public var encoded: [UInt8] { MintedCBOR.object(members).encoded }
    }

    /// An assertion of the attested key.
    public func assertion(clientDataHash: [UInt8], counter: UInt32) -> Assertion {
        Assertion(key: key, appID: appID, clientDataHash: clientDataHash, counter: counter)
    }

    private static func head(_ appID: String, _ flags: UInt8, _ counter: UInt32) -> [UInt8] {
        let number = (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
        return hash(Array(appID.utf8)) + [flags] + number
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
