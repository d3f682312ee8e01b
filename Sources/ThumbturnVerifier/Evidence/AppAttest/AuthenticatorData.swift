/// The authenticator data of App Attest, in the form of WebAuthn (section 6.1) with deviations that real devices need.
///
/// - The flag of extension data is not believed: Apple's own sample for iOS 27 has extensions and leaves the flag clear.
///   What follows is extensions, whole and alone, or nothing.
/// - An assertion has the flag of credential data and no such data.
/// - The keys of the extensions may come in any order.
///
/// All of it is covered by the nonce or the signature, so no deviation lets anyone but the device choose.
package struct AuthenticatorData: Hashable, Sendable {
    /// All bytes.
    package let bytes: [UInt8]
    /// The SHA-256 of the app id.
    package let rpIDHash: [UInt8]
    /// The flags of WebAuthn, of which only `hasCredential` has a meaning here.
    package let flags: UInt8
    /// How often the key has signed.
    package let counter: UInt32
    /// The attested key; nil in an assertion.
    package let credential: Credential?
    /// What the extensions say of the app.
    package let launch: AppAttestLaunch

    /// The attested credential data (WebAuthn section 6.5.1).
    package struct Credential: Hashable, Sendable {
        /// The environment, as 16 bytes.
        package let aaguid: [UInt8]
        /// The key's name, 32 bytes.
        package let id: [UInt8]
        /// The key.
        package let key: VerifyingKey
    }

    /// The flag of attested credential data.
    package static let hasCredential: UInt8 = 0x40
    /// The flag of extension data.
    package static let hasExtensions: UInt8 = 0x80
    /// The most bytes. Those of iOS 27 have 226.
    package static let largest = 4096

    /// Reads the authenticator data of an attestation.
    package init(ofAttestation bytes: ArraySlice<UInt8>) throws(EvidenceRefusal) {
        try self.init(bytes, isAttestation: true)
    }

    /// Reads the authenticator data of an assertion.
    package init(ofAssertion bytes: ArraySlice<UInt8>) throws(EvidenceRefusal) {
        try self.init(bytes, isAttestation: false)
    }

    private init(_ bytes: ArraySlice<UInt8>, isAttestation: Bool) throws(EvidenceRefusal) {
        guard bytes.count <= Self.largest else {
            throw EvidenceRefusal(
                .tooLarge, "expected at most \(Self.largest) bytes of authenticator data, found \(bytes.count)")
        }
        var rest = bytes
        self.bytes = Array(bytes)
        rpIDHash = try Self.take(32, from: &rest, "the hash of the app id")
        flags = try Self.take(1, from: &rest, "the flags")[0]
        counter = try Self.take(4, from: &rest, "the counter").reduce(0) { $0 << 8 | UInt32($1) }
        guard isAttestation else {
            credential = nil
            launch = try Self.extensions(rest, flags)
            return
        }
        guard flags & Self.hasCredential != 0 else {
            throw EvidenceRefusal(.malformed, "expected the flag of credential data, found the flags \(flags)")
        }
        let aaguid = try Self.take(16, from: &rest, "the AAGUID")
        let length = try Self.take(2, from: &rest, "the length of the credential id")
        guard length == [0, 32] else {
            throw EvidenceRefusal(
                .malformed, "expected a credential id of 32 bytes, found \(Int(length[0]) << 8 | Int(length[1]))")
        }
        let id = try Self.take(32, from: &rest, "the credential id")
        let (key, extensions) = try CBOR.read(rest, within: COSEKey.limits)
        credential = Credential(aaguid: aaguid, id: id, key: try COSEKey.p256(key.root))
        launch = try Self.extensions(extensions, flags)
    }

    private static func take(
        _ count: Int, from rest: inout ArraySlice<UInt8>, _ name: String
    ) throws(EvidenceRefusal) -> [UInt8] {
        guard rest.count >= count else {
            throw EvidenceRefusal(.malformed, "expected \(name) in the authenticator data, found its end")
        }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    // MARK: Extensions

    private static let limits = CBOR.Limits(bytes: largest, items: 256, members: 64, depth: 4)

    /// Reads the extensions that Apple documents and ignores others, which systems add without notice.
    private static func extensions(_ bytes: ArraySlice<UInt8>, _ flags: UInt8) throws(EvidenceRefusal) -> AppAttestLaunch {
        guard !bytes.isEmpty else {
            guard flags & hasExtensions == 0 else {
                throw EvidenceRefusal(.malformed, "expected extensions in the authenticator data, found its end")
            }
            return AppAttestLaunch(category: nil, bundleVersion: nil)
        }
        let root = try CBOR(bytes, .anyOrder, within: limits).root
        guard root.kind == .map else {
            throw EvidenceRefusal(.malformed, "expected a map of extensions in the authenticator data, found \(root.kind)")
        }
        return AppAttestLaunch(
            category: try root[name: "apple_validation_category_01"].map(category),
            bundleVersion: try root[name: "apple_bundle_version_01"].map(version))
    }

    /// Apple's text says a number of 32 bits; its sample and all devices write four bytes, the lowest first.
    private static func category(_ item: CBOR.Item) throws(EvidenceRefusal) -> AppAttestLaunch.Category {
        if let number = item.integer.flatMap(UInt32.init(exactly:)) { return AppAttestLaunch.Category(rawValue: number) }
        guard let bytes = item.bytes, bytes.count == 4 else {
            throw EvidenceRefusal(.malformed, "expected a launch category of 32 bits, found \(item.kind)")
        }
        return AppAttestLaunch.Category(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    private static func version(_ item: CBOR.Item) throws(EvidenceRefusal) -> String {
        guard let text = item.text, text.utf8.count <= 128 else {
            throw EvidenceRefusal(.malformed, "expected a bundle version of at most 128 bytes of text, found \(item.kind)")
        }
        return text
    }
}
