#if LinuxDevice && os(Linux)
public import ThumbturnCore
public import ThumbturnDevice
import ThumbturnMatcher
import ThumbturnMessages

/// The evidence that a device's keys live in its TPM: the endorsement certificate, the answer to a credential, and the TPM's
/// statements about keys that it made.
public struct TPMEvidenceSource: Sendable {
    private let keys: TPMKeys
    private let issuers: [[UInt8]]

    /// Creates the source for keys. The TPM is contacted at each call.
    ///
    /// - Parameter issuers: the certificates that issued the endorsement certificate, in DER and in their order, where the
    ///   server does not know them; the TPM holds only the endorsement certificate itself.
    public init(of keys: TPMKeys, issuers: [[UInt8]] = []) {
        self.keys = keys
        self.issuers = issuers
    }

    /// The TPM's endorsement, and the key that speaks for it.
    public struct Endorsement: Hashable, Sendable {
        /// The endorsement certificate in DER, and those that issued it.
        public let certificates: [[UInt8]]
        /// The attestation key's public area: a `TPMT_PUBLIC`. Each server and account has its own, so that a credential of
        /// one server is never opened for another one.
        public let attestationKey: [UInt8]
    }

    /// The endorsement for a server and an account; nil if the TPM has no certificate for an endorsement key on P-256 or
    /// P-384, so that it can prove nothing.
    public func endorsement(server: String, account: String) async throws(Failure) -> Endorsement? {
        try await keys.onQueue { () throws(Failure) in
            try keys.connected { tpm throws(TPMError) in
                guard let (_, certificate) = try tpm.endorsement() else { return nil }
                let reference = KeyName.attestationReference(server: server, account: account)
                return try tpm.withAttestationKey(for: reference) { _, area throws(TPMError) in
                    Endorsement(certificates: [certificate] + issuers, attestationKey: area.bytes)
                }
            }
        }
    }

    /// Opens a server's credential, and returns its secret. Throws if the credential is for another TPM or another
    /// attestation key.
    ///
    /// - Parameters:
    ///   - idObject: a `TPMS_ID_OBJECT`.
    ///   - encryptedSeed: a `TPMS_ECC_POINT`.
    public func open(
        idObject: [UInt8], encryptedSeed: [UInt8], server: String, account: String
    ) async throws(Failure) -> [UInt8] {
        // The longest of each kind: an HMAC with SHA-512 and a secret of the same length, and a point on P-521.
        guard idObject.count <= 132, encryptedSeed.count <= 136 else { throw Failure(.platform) }
        return try await keys.onQueue { () throws(Failure) in
            try keys.connected { tpm throws(TPMError) in
                guard let (template, _) = try tpm.endorsement() else { throw .indexMissing }
                let reference = KeyName.attestationReference(server: server, account: account)
                return try tpm.withAttestationKey(for: reference) { key, _ throws(TPMError) in
                    try tpm.activate(key, idObject: idObject, encryptedSeed: encryptedSeed, template: template)
                }
            }
        }
    }

    /// The TPM's statements about keys of one server and account, bound to a value.
    ///
    /// Throws `notEnrolled` for a missing key, and `keyInvalidated` for one that was made before devices kept the TPM's
    /// proof of its creation: only a new enrolment can prove it.
    ///
    /// - Parameter value: 32 bytes: the hash of the server's challenge and of the keys.
    public func certify(_ names: [KeyName], boundTo value: [UInt8]) async throws(Failure) -> [TPMKeyEvidence.Key] {
        precondition(value.count == 32, "the evidence is bound to a SHA-256")
        return try await keys.onQueue { () throws(Failure) in
            var statements: [TPMKeyEvidence.Key] = []
            for name in names { statements.append(try certify(name, boundTo: value)) }
            return statements
        }
    }

    private func certify(_ name: KeyName, boundTo value: [UInt8]) throws(Failure) -> TPMKeyEvidence.Key {
        let file = try keys.kept(name)
        guard let creation = file.creation else { throw Failure(.keyInvalidated) }
        return try keys.connected { tpm throws(TPMError) in
            let guarding = try guarding(file.guarded, of: name, on: tpm)
            let reference = KeyName.attestationReference(server: name.server, account: name.account)
            let said = try tpm.withLoaded(file.blob) { key throws(TPMError) in
                try tpm.withAttestationKey(for: reference) { signer, _ throws(TPMError) in
                    try tpm.certify(key, made: creation, by: signer, boundTo: value)
                }
            }
            return TPMKeyEvidence.Key(
                publicArea: file.publicArea, creationData: creation.data, attestation: said.attestation,
                signature: said.signature, guarding: guarding
            )
        }
    }

    private func guarding(
        _ guarded: TPMKeyFile.Guard, of name: KeyName, on tpm: TPM
    ) throws(TPMError) -> TPMKeyEvidence.Guarding {
        switch guarded {
        case .none: return .open
        case .matcher(let identity):
            guard let key = identity.key.publicKey else { throw .unexpectedAnswer }
            return .matcher(
                key, reference: name.reference, counter: try tpm.publicArea(of: identity.counter), value: identity.value)
        case .pin(let index): return .pin(index: try tpm.publicArea(of: index), reference: name.reference)
        }
    }
}

extension TPMEvidenceSource: EvidenceSource {
    /// Asks the server for a credential, has the TPM open it, and certifies the new keys. Nil if the TPM has no endorsement
    /// certificate.
    public func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        guard let endorsement = try await endorsement(server: request.server, account: request.account) else { return nil }
        let question = TPMActivationRequest(
            endorsement: endorsement.certificates, attestationKey: endorsement.attestationKey)
        let body = try await request.exchange("/v1/evidence/tpm", StrictJSON.encode(question))
        guard let credential = try? StrictJSON.decodeIgnoringUnknown(TPMActivationAnswer.self, from: body) else {
            throw Failure(.unexpectedAnswer)
        }
        let secret = try await open(
            idObject: credential.idObject, encryptedSeed: credential.encryptedSeed, server: request.server,
            account: request.account)
        let names = Array(request.keys.keys)
        let statements = try await certify(names, boundTo: request.boundValue)
        let keys = Dictionary(uniqueKeysWithValues: zip(names.map(\.kind), statements))
        return .tpm(
            TPMKeyEvidence(
                endorsement: endorsement.certificates, attestationKey: endorsement.attestationKey, token: credential.token,
                secret: secret, keys: keys))
    }
}
#endif
