/// The attestation object of App Attest: the CBOR that `attestKey` gives an app.
package struct AppAttestAttestationObject: Sendable {
    /// The certificates of `x5c`, that of the key first.
    package let certificates: [[UInt8]]
    /// Apple's receipt, unread.
    package let receipt: [UInt8]
    /// The authenticator data.
    package let authenticatorData: AuthenticatorData

    /// The most bytes of an attestation object. Those of iOS 27 have about 5800.
    package static let largest = 96 * 1024
    /// The most bytes of a receipt. Those of devices have about 4000.
    package static let largestReceipt = 16 * 1024
    private static let limits = CBOR.Limits(bytes: largest, items: 256, members: 64, depth: 3)
    private static let format = "apple-appattest"

    /// Reads an attestation object in the canonical form that WebAuthn demands (section 6.5.4). Throws `tooLarge`,
    /// `malformed`, `chainTooLong`, `unsupported` for another format, or `weakKey` for another key than a P-256 one.
    ///
    /// Members of the statement that Apple may add are ignored, as nothing reads them.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        let root = try CBOR(bytes[...], within: Self.limits).root
        guard let count = root.members?.count, let format = root[name: "fmt"]?.text,
            let statement = root[name: "attStmt"], let data = root[name: "authData"]?.bytes
        else { throw EvidenceRefusal(.malformed, "expected the members fmt, attStmt and authData, found others") }
        guard format == Self.format else {
            throw EvidenceRefusal(.unsupported, "expected the format \(Self.format), found another one")
        }
        guard count == 3 else { throw EvidenceRefusal(.malformed, "expected three members, found \(count)") }
        guard let chain = statement[name: "x5c"]?.elements, let receipt = statement[name: "receipt"]?.bytes else {
            throw EvidenceRefusal(.malformed, "expected x5c and receipt in the statement, found others")
        }
        let certificates = chain.compactMap(\.bytes)
        guard certificates.count == chain.count else {
            throw EvidenceRefusal(.malformed, "expected certificates as bytes in x5c, found something else")
        }
        guard receipt.count <= Self.largestReceipt else {
            throw EvidenceRefusal(
                .tooLarge, "expected a receipt of at most \(Self.largestReceipt) bytes, found \(receipt.count)")
        }
        guard certificates.count <= CertificateChain.longest else {
            throw EvidenceRefusal(
                .chainTooLong, "expected at most \(CertificateChain.longest) certificates, found \(certificates.count)")
        }
        self.certificates = certificates.map { Array($0) }
        self.receipt = Array(receipt)
        authenticatorData = try AuthenticatorData(ofAttestation: data)
    }
}

/// The assertion object of App Attest: the CBOR that `generateAssertion` gives an app.
package struct AppAttestAssertionObject: Sendable {
    /// The signature in DER.
    package let signature: [UInt8]
    /// The authenticator data.
    package let authenticatorData: AuthenticatorData

    /// The most bytes of an assertion object. Those of iOS 27 have about 210.
    package static let largest = 8 * 1024
    private static let limits = CBOR.Limits(bytes: largest, items: 17, members: 8, depth: 1)

    /// Reads an assertion object. Throws `tooLarge` or `malformed`.
    ///
    /// No document says that it is canonical, and all that were measured are.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        let root = try CBOR(bytes[...], within: Self.limits).root
        guard let signature = root[name: "signature"]?.bytes, let data = root[name: "authenticatorData"]?.bytes,
            root.members?.count == 2
        else {
            throw EvidenceRefusal(.malformed, "expected the members signature and authenticatorData, found others")
        }
        self.signature = Array(signature)
        authenticatorData = try AuthenticatorData(ofAssertion: data)
    }
}
