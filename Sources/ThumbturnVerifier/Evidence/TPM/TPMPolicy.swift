import Crypto
public import ThumbturnCore

/// Which TPMs a server trusts, and whose matches count as biometric.
///
/// A policy without roots refuses every TPM.
public struct TPMPolicy: Hashable, Sendable {
    /// The roots, or other issuers, of endorsement certificates.
    public var roots: [TPMRoot]
    /// The thumbprints (RFC 7638) of the matchers whose matches count as biometric. The keys of other matchers are enrolled
    /// without a proved user verification.
    public var matchers: Set<String>
    /// The least protection. With `software` the keys of simulators are judged as well, as software.
    public var minimum: KeyProtection = .attestedHardware
    /// The keys that are no longer trusted, each as the SHA-256 of its SubjectPublicKeyInfo: endorsement keys, and those of
    /// authorities. Makers publish no list that could be read here, so the operator names them.
    public var revoked: Set<[UInt8]> = []
    /// The hashes that the attestation key may sign. SHA-1 is for the vectors of old TPMs alone.
    public var hashes: Set<TPMHash> = [.sha256]

    /// Creates a policy that takes chips alone.
    public init(roots: [TPMRoot], matchers: Set<String>) {
        self.roots = roots
        self.matchers = matchers
    }
}

/// An issuer of endorsement certificates that a policy trusts, and what its certificates are worth.
public struct TPMRoot: Hashable, Sendable {
    /// The issuer: a root, or an intermediate authority that is trusted by itself.
    public var anchor: TrustAnchor
    /// What its TPMs are.
    public var kind: Kind

    /// Trusts an issuer.
    public init(_ anchor: TrustAnchor, kind: Kind) {
        self.anchor = anchor
        self.kind = kind
    }

    /// What an issuer's TPMs are.
    public enum Kind: Hashable, Sendable {
        /// The TPMs are chips, or parts of one. Where a certificate names a simulator, the keys count as software.
        case chips
        /// The TPMs are programs, as those of virtual machines are; their keys count as software.
        case programs
        /// For tests alone: every TPM counts as a chip, also a simulator.
        case testHardware
    }
}

// MARK: The three steps

extension TPMPolicy {
    /// Verifies the chain of an endorsement key's certificate, the first step. Throws the first check that failed.
    ///
    /// - Parameter known: the authorities of chains that were accepted before; those of this one are added.
    public func endorse(
        _ chain: [[UInt8]], at now: UnixTime, knowing known: inout KnownIssuers
    ) throws(EvidenceRefusal) -> TPMEndorsement {
        let certificates = try CertificateChain.read(chain)
        let anchor = try StrictPath.verify(
            certificates, to: roots.map(\.anchor), at: now, knowing: &known, handling: [.subjectAltName, .extendedKeyUsage]
        )
        if !revoked.isEmpty, let place = certificates.firstIndex(where: { revoked.contains(SHA256.bytes(of: $0.spki)) }) {
            throw EvidenceRefusal(.revoked, "the policy no longer trusts the key of certificate \(place)")
        }
        // The chain need not have it.
        guard !revoked.contains(anchor.spkiSHA256) else {
            throw EvidenceRefusal(.revoked, "the policy no longer trusts the key of the root")
        }
        guard let root = roots.first(where: { $0.anchor == anchor }) else {
            preconditionFailure("a verified path leads to one of the anchors that were given")
        }
        let endorsement = try TPMEndorsement(certificates, under: root)
        guard endorsement.protection >= minimum else {
            throw EvidenceRefusal(
                .wrongSecurityLevel,
                "the TPM (\(endorsement.manufacturer), \(endorsement.model)) counts as \(endorsement.protection), "
                    + "and the policy demands \(minimum)")
        }
        return endorsement
    }

    /// Verifies the chain of an endorsement key's certificate without knowledge of others.
    public func endorse(_ chain: [[UInt8]], at now: UnixTime) throws(EvidenceRefusal) -> TPMEndorsement {
        var known = KnownIssuers()
        return try endorse(chain, at: now, knowing: &known)
    }

    /// Makes the credential that only this TPM can open with this attestation key, the second step. Throws where the key is
    /// no attestation key.
    ///
    /// - Parameter attestationKey: the key's public area: a `TPMT_PUBLIC`.
    public func credential(
        for endorsement: TPMEndorsement, attestationKey: [UInt8], using generator: inout some RandomNumberGenerator
    ) throws(EvidenceRefusal) -> TPMCredential {
        let key = try self.attestationKey(attestationKey)
        return try TPMCredential.make(for: endorsement.key, attestationName: key.name, using: &generator)
    }

    /// Judges the evidence of the enrolled keys, the third step. Throws the first check that failed.
    ///
    /// - Parameters:
    ///   - keys: all keys that are enrolled together, at least one. Evidence for others, or for fewer, is refused.
    ///   - value: the 32 bytes that the evidence is bound to.
    ///   - expectation: that of the credential that was made for this device.
    ///   - known: the authorities of chains that were accepted before; those of this one are added.
    public func judge(
        _ evidence: TPMEvidence, of keys: [VerifyingKey], boundTo value: [UInt8],
        opening expectation: TPMCredential.Expectation, at now: UnixTime, knowing known: inout KnownIssuers
    ) throws(EvidenceRefusal) -> TPMVerdict {
        let endorsement = try endorse(evidence.endorsement, at: now, knowing: &known)
        let signer = try attestationKey(evidence.attestationKey)
        guard evidence.secret.count <= TPMCredential.secretLength,
            TPMCredential.Expectation(
                secret: evidence.secret, attestationName: signer.name, endorsement: endorsement.key) == expectation
        else {
            throw EvidenceRefusal(
                .wrongCredential, "the secret is not the one of the credential for this attestation key in this TPM")
        }
        guard evidence.keys.count <= TPMEvidence.mostKeys else {
            throw EvidenceRefusal(
                .tooLarge, "evidence is about \(TPMEvidence.mostKeys) keys at most, and this one about \(evidence.keys.count)")
        }
        var found: [VerifyingKey: TPMVerdict.Key] = [:]
        var firmware: UInt64 = 0
        for key in evidence.keys {
            let (proved, statement) = try judge(key, by: signer, boundTo: value)
            guard found.updateValue(proved, forKey: proved.publicKey) == nil else {
                throw EvidenceRefusal(.wrongKey, "the evidence is about one key twice")
            }
            firmware = statement.firmwareVersion
        }
        let ordered = keys.compactMap { found[$0] }
        guard !keys.isEmpty, ordered.count == keys.count, found.count == keys.count, Set(keys).count == keys.count else {
            throw EvidenceRefusal(
                .wrongKey,
                "the evidence is about \(found.count) keys, and \(ordered.count) of them are among the \(keys.count) enrolled")
        }
        return TPMVerdict(endorsement: endorsement, firmwareVersion: firmware, keys: ordered)
    }

    /// Judges the evidence of the enrolled keys without knowledge of other chains.
    public func judge(
        _ evidence: TPMEvidence, of keys: [VerifyingKey], boundTo value: [UInt8],
        opening expectation: TPMCredential.Expectation, at now: UnixTime
    ) throws(EvidenceRefusal) -> TPMVerdict {
        var known = KnownIssuers()
        return try judge(evidence, of: keys, boundTo: value, opening: expectation, at: now, knowing: &known)
    }
}

// MARK: One key

extension TPMPolicy {
    /// Reads an attestation key: one on P-256 that signs only what its TPM made.
    private func attestationKey(_ bytes: [UInt8]) throws(EvidenceRefusal) -> TPMPublic {
        let key = try TPMPublic(bytes)
        try TPMAttributeRule.attestation.check(key.attributes)
        guard key.p256 != nil, case .ecdsa(let hash)? = key.scheme, hashes.contains(hash) else {
            throw EvidenceRefusal(
                .wrongAlgorithm, "an attestation key on P-256 with ECDSA and a hash of the policy's is expected")
        }
        return key
    }

    private func judge(
        _ evidence: TPMEvidence.Key, by signer: TPMPublic, boundTo value: [UInt8]
    ) throws(EvidenceRefusal) -> (TPMVerdict.Key, TPMAttest) {
        let key = try TPMPublic(evidence.publicArea)
        let statement = try TPMCreation(
            of: key, data: TPMCreationData(evidence.creationData), statement: TPMAttest(evidence.attestation),
            signature: TPMSignature(evidence.signature)
        ).verify(by: signer, boundTo: value, accepting: hashes)
        guard let point = key.p256, key.scheme == nil || key.scheme == .ecdsa(.sha256), key.nameHash == .sha256 else {
            throw EvidenceRefusal(.wrongAlgorithm, "a key on P-256 with ECDSA, SHA-256 and a name of SHA-256 is expected")
        }
        let (verification, guarding) = try guarding(of: key, evidence.guarding)
        return (TPMVerdict.Key(publicKey: point, verification: verification, guarding: guarding), statement)
    }

    /// What the key demands at each use, as far as its attributes and the digest of its policy prove what the device says.
    private func guarding(
        of key: TPMPublic, _ said: TPMEvidence.Guarding
    ) throws(EvidenceRefusal) -> (UserVerification, TPMVerdict.Guarding) {
        switch said {
        case .open:
            try TPMAttributeRule.open.check(key.attributes)
            guard key.policy.isEmpty else {
                throw EvidenceRefusal(.wrongPolicyDigest, "a key without a policy is expected, and it has one")
            }
            return (.none, .open)
        case .matcher(let matcher):
            try TPMAttributeRule.guarded.check(key.attributes)
            let counter = try TPMIndexPublic(matcher.counter)
            try counter.requireCounter()
            try Self.check(
                key,
                .biometric(
                    matcher: matcher.key, reference: matcher.reference, counter: counter.name, value: matcher.value),
                reference: matcher.reference)
            let thumbprint = matcher.key.thumbprint
            let isTrusted = matchers.contains(thumbprint)
            return (
                isTrusted ? .biometric : .none,
                .matcher(thumbprint: thumbprint, isTrusted: isTrusted, counter: matcher.value)
            )
        case .pin(let pin):
            try TPMAttributeRule.guarded.check(key.attributes)
            let index = try TPMIndexPublic(pin.index)
            try index.requirePINCounter()
            try Self.check(key, .pin(index: index.name, reference: pin.reference), reference: pin.reference)
            return (.pin, .pin)
        }
    }

    private static func check(
        _ key: TPMPublic, _ digest: TPMPolicyDigest, reference: [UInt8]
    ) throws(EvidenceRefusal) {
        guard reference.count == 32 else {
            throw EvidenceRefusal(.malformed, "a reference has 32 bytes, and this one has \(reference.count)")
        }
        guard key.policy == digest.bytes else {
            throw EvidenceRefusal(
                .wrongPolicyDigest, "the key's policy is not the one that the device says; the digests differ")
        }
    }
}
