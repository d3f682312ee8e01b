import ThumbturnCore

/// Chains of Android's key attestation under a test root, of which every certificate can be changed.
public struct AndroidMint: Sendable {
    /// Between the root and the attestation certificate.
    public enum Form: Hashable, Sendable, CaseIterable {
        /// The maker's intermediate: the attestation key came in the factory.
        case factory
        /// Google's intermediate and server: the attestation key came over the air.
        case remote
        /// Nothing, as for attestations in software.
        case direct
    }

    /// The root.
    public var root: TestAuthority
    /// What is between the root and the attestation certificate.
    public var form: Form
    /// What the attestation certificate's name claims: `TEE`, `StrongBox` or nothing.
    public var claim: String?
    /// The key that is attested.
    public var key: MintedKey
    /// The keys of the certificates between, from the root down: intermediate, server, attestation.
    public var intermediateKey = MintedKey.p384()
    /// The key of Google's server.
    public var serverKey = MintedKey.p384()
    /// The key that signs the attestation.
    public var attestationKey = MintedKey.p256()
    /// What the attestation says.
    public var description: MintedKeyDescription
    /// Changes of the intermediate.
    public var editIntermediate: @Sendable (inout MintedCertificate) -> Void = { $0.serial = [0x11] }
    /// Changes of the server's certificate.
    public var editServer: @Sendable (inout MintedCertificate) -> Void = { $0.serial = [0x22] }
    /// Changes of the attestation certificate.
    public var editAttestation: @Sendable (inout MintedCertificate) -> Void = { $0.serial = [0x33] }
    /// Changes of the target, the certificate with the key description.
    public var editTarget: @Sendable (inout MintedCertificate) -> Void = { _ in }
    /// Whether the chain ends in its root.
    public var hasRoot = true

    /// The extension of a key description.
    public static let keyDescription = "1.3.6.1.4.1.11129.2.1.17"
    /// The extension by which Google's servers mark what they issue.
    public static let provisioningInfo = "1.3.6.1.4.1.11129.2.1.30"

    /// A mint for one key.
    public init(
        root: TestAuthority, form: Form = .factory, claim: String? = "TEE", key: MintedKey, description: MintedKeyDescription
    ) {
        (self.root, self.form, self.claim, self.key, self.description) = (root, form, claim, key, description)
    }

    /// The certificates in DER, the target first.
    public func chain() -> [[UInt8]] {
        let (authority, between) = issuers()
        var target = MintedCertificate(
            named: "Android Keystore Key", spki: key.spki,
            extensions: [.signsData, MintedExtension(Self.keyDescription, value: description.der)])
        // As most devices do: their clock is not trusted.
        target.notBefore = UnixTime(seconds: 0)
        editTarget(&target)
        return [authority.issue(target)] + between + (hasRoot ? [root.certificate] : [])
    }

    /// The authority with the attestation key, and the certificates below the root, the attestation certificate first.
    private func issuers() -> (attestation: TestAuthority, certificates: [[UInt8]]) {
        switch form {
        case .direct:
            let attestation = attestation(below: root)
            return (attestation, [attestation.certificate])
        case .factory:
            let intermediate = root.authority(named: "", key: intermediateKey) {
                $0.subject = name("2960cb9aebd505f4", isRemote: false)
                editIntermediate(&$0)
            }
            let attestation = attestation(below: intermediate)
            return (attestation, [attestation.certificate, intermediate.certificate])
        case .remote:
            let intermediate = root.authority(named: "Droid CA2", key: intermediateKey, edit: editIntermediate)
            let server = intermediate.authority(named: "Droid CA3", key: serverKey, edit: editServer)
            let attestation = attestation(below: server)
            return (attestation, [attestation.certificate, server.certificate, intermediate.certificate])
        }
    }

    private func attestation(below authority: TestAuthority) -> TestAuthority {
        authority.authority(named: "", key: attestationKey) {
            $0.subject = name("2dc58b2d1a241326", isRemote: form == .remote)
            if form == .remote {
                // The CBOR map {1: 5}: five certificates were issued in the last days.
                $0.extensions.append(MintedExtension(Self.provisioningInfo, value: [0xA1, 0x01, 0x05]))
            }
            editAttestation(&$0)
        }
    }

    private func name(_ serial: String, isRemote: Bool) -> [UInt8] {
        switch (claim, isRemote) {
        case (let claim?, true): MintedDER.name(["2.5.4.10": claim, "2.5.4.3": serial])
        case (let claim?, false): MintedDER.name(["2.5.4.5": serial, "2.5.4.12": claim])
        case (nil, _): MintedDER.name(["2.5.4.5": serial])
        }
    }
}
