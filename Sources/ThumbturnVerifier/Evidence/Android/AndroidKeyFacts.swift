package import ThumbturnCore

/// What a chain proves about a key, before a policy judges it: its path leads to a trusted root, and this is what it says.
package struct AndroidKeyFacts: Hashable, Sendable {
    /// The root.
    package let root: TrustAnchor
    /// How the attestation key came into the device.
    package let provisioning: AndroidProvisioning
    /// The security level that the attestation certificate's name claims; nil where it claims none.
    package let claimedLevel: AndroidSecurityLevel?
    /// The key of the target.
    package let publicKey: CertificateKey
    /// What the target says about it.
    package let description: KeyDescription
    /// The serial numbers of all certificates that arrived, in lower-case hexadecimal, the target's first.
    package let serials: [String]

    /// Verifies a chain of certificates in DER, the target first, with or without its root, and reads its key description.
    ///
    /// The path alone: neither product policy nor status list are asked.
    ///
    /// - Parameters:
    ///   - roots: the trusted roots.
    ///   - now: the current time.
    ///   - known: the authorities of chains that were accepted before; those of this one are added.
    /// - Throws: what `CertificateChain.read`, the path and the key description's reader throw.
    package init(
        chain: [[UInt8]], to roots: [TrustAnchor], at now: UnixTime, knowing known: inout KnownIssuers
    ) throws(EvidenceRefusal) {
        let certificates = try CertificateChain.read(chain, AndroidPath.leniency)
        let path = try AndroidPath(certificates, to: roots, at: now, knowing: &known)
        (root, provisioning, publicKey) = (path.anchor, path.provisioning, path.target.publicKey)
        claimedLevel = path.attestation.claimedLevel
        description = try KeyDescription(der: path.description, AndroidPath.leniency)
        serials = certificates.map(\.serialText)
    }

    /// Verifies a chain without knowledge of others.
    package init(chain: [[UInt8]], to roots: [TrustAnchor], at now: UnixTime) throws(EvidenceRefusal) {
        var known = KnownIssuers()
        try self.init(chain: chain, to: roots, at: now, knowing: &known)
    }

    /// The list that counts: that of the place where the key lives.
    package var enforced: AuthorizationList { description.enforced }

    /// The tag in either list weakens the key, whichever side enforces it.
    func has(_ tag: AuthorizationList.Tag) -> Bool {
        description.softwareEnforced.has(tag) || description.hardwareEnforced.has(tag)
    }

    /// Whether the place where the key lives promises that it stays deleted once it is.
    package var isRollbackResistant: Bool { enforced.has(.rollbackResistance) || enforced.has(.rollbackResistant) }

    /// The user verification that the key demands at each use.
    ///
    /// A key that can be used for some time after an authentication demands none at each use. Of the factors that unlock a
    /// key the weakest counts: with the bit of the passcode it is a passcode key.
    package var verification: UserVerification {
        guard !has(.noAuthRequired), !has(.authTimeout), !has(.allowWhileOnBody), let type = enforced.userAuthType else {
            return .none
        }
        if type == Self.biometric { return .biometric }
        return type & Self.passcode != 0 ? .passcode : .none
    }

    /// The bits of `HardwareAuthenticatorType`.
    private static let passcode: UInt32 = 1
    private static let biometric: UInt32 = 2
}
