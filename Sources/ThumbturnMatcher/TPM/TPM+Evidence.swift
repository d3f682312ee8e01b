#if LinuxDevice && os(Linux)
import CTss

extension TPM {
    /// The certificate of the first endorsement key that has one, with the key's template; nil if there is none.
    package func endorsement() throws(TPMError) -> (template: EndorsementTemplate, certificate: [UInt8])? {
        let indexes = try handles(from: 0x01C0_0000)
        for template in EndorsementTemplate.all where indexes.contains(template.certificate) {
            let index = try open(template.certificate)
            defer { close(index) }
            guard let certificate = EndorsementTemplate.certificate(in: try content(of: index)) else { continue }
            // A machine may keep a certificate of an earlier owner, or of a key of another template.
            let coordinates = try withEndorsementKey(template) { key throws(TPMError) in try point(of: key) }
            if certificate.holds(coordinates) { return (template, certificate) }
        }
        return nil
    }

    /// Calls a closure with the endorsement key of a template.
    func withEndorsementKey<Result>(
        _ template: EndorsementTemplate, _ work: (Handle) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        try with(try primary(template.publicArea), work)
    }

    /// Calls a closure with the attestation key for a reference, and its public area. The TPM derives the same key each time.
    package func withAttestationKey<Result>(
        for reference: [UInt8], _ work: (Handle, TPMPublicArea) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        try with(try primary(TPMPublicArea.attestation(for: reference).bytes)) { key throws(TPMError) in
            guard let area = TPMPublicArea(try publicArea(of: key)) else { throw .unexpectedAnswer }
            return try work(key, area)
        }
    }

    /// Opens a credential for an attestation key (`TPM2_ActivateCredential`, part 3, section 12.5).
    package func activate(
        _ attestationKey: Handle, idObject: [UInt8], encryptedSeed: [UInt8], template: EndorsementTemplate
    ) throws(TPMError) -> [UInt8] {
        var (object, seed) = (TPM2B_ID_OBJECT(idObject), TPM2B_ENCRYPTED_SECRET(encryptedSeed))
        var secret: UnsafeMutablePointer<TPM2B_DIGEST>?
        try withEndorsementKey(template) { endorsementKey throws(TPMError) in
            try withAuthorization(for: template) { session throws(TPMError) in
                try unsafe command { context in
                    unsafe Esys_ActivateCredential(
                        context, attestationKey, endorsementKey, Self.password, session, Self.none, &object, &seed, &secret
                    )
                }
            }
        }
        defer { unsafe Esys_Free(secret) }
        guard let secret = unsafe secret else { throw .unexpectedAnswer }
        return unsafe secret.pointee.bytes
    }

    /// Says that this TPM made a key (`TPM2_CertifyCreation`, part 3, section 18.3): a `TPMS_ATTEST` and a `TPMT_SIGNATURE`.
    package func certify(
        _ key: Handle, made creation: TPMCreation, by attestationKey: Handle, boundTo value: [UInt8]
    ) throws(TPMError) -> (attestation: [UInt8], signature: [UInt8]) {
        var (qualifying, hash) = (TPM2B_DATA(value), TPM2B_DIGEST(creation.hash))
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = 0x0010
        var (ticket, offset) = (TPMT_TK_CREATION(), 0)
        try Self.check(
            unsafe Tss2_MU_TPMT_TK_CREATION_Unmarshal(creation.ticket, creation.ticket.count, &offset, &ticket))
        var statement: UnsafeMutablePointer<TPM2B_ATTEST>?
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        try unsafe command { context in
            unsafe Esys_CertifyCreation(
                context, attestationKey, key, Self.password, Self.none, Self.none, &qualifying, &hash, &scheme, &ticket,
                &statement, &signature
            )
        }
        defer {
            unsafe Esys_Free(statement)
            unsafe Esys_Free(signature)
        }
        guard let statement = unsafe statement, let signature = unsafe signature else { throw .unexpectedAnswer }
        return (
            unsafe statement.pointee.bytes,
            try unsafe wire { unsafe Tss2_MU_TPMT_SIGNATURE_Marshal(signature, $0, $1, $2) }
        )
    }

    /// The public area of an index: a `TPMS_NV_PUBLIC`.
    package func publicArea(of index: TPMIndex) throws(TPMError) -> [UInt8] {
        try withIndex(index) { handle throws(TPMError) in
            var area: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
            try unsafe command { unsafe Esys_NV_ReadPublic($0, handle, Self.none, Self.none, Self.none, &area, nil) }
            defer { unsafe Esys_Free(area) }
            guard let area = unsafe area else { throw .unexpectedAnswer }
            var contents = unsafe area.pointee.nvPublic
            return try unsafe wire { unsafe Tss2_MU_TPMS_NV_PUBLIC_Marshal(&contents, $0, $1, $2) }
        }
    }

    /// The answer of `TPM2_Create` about the creation itself.
    func creation(
        _ data: UnsafePointer<TPM2B_CREATION_DATA>, _ hash: UnsafePointer<TPM2B_DIGEST>,
        _ ticket: UnsafePointer<TPMT_TK_CREATION>
    ) throws(TPMError) -> TPMCreation {
        var contents = unsafe data.pointee.creationData
        return TPMCreation(
            data: try unsafe wire { unsafe Tss2_MU_TPMS_CREATION_DATA_Marshal(&contents, $0, $1, $2) },
            hash: unsafe hash.pointee.bytes,
            ticket: try unsafe wire { unsafe Tss2_MU_TPMT_TK_CREATION_Marshal(ticket, $0, $1, $2) }
        )
    }

    /// Derives a key of the endorsement hierarchy from its template.
    private func primary(_ template: [UInt8]) throws(TPMError) -> Handle {
        var area = try publicStructure(template)
        var (empty, outside, pcrs) = (TPM2B_SENSITIVE_CREATE(), TPM2B_DATA(), TPML_PCR_SELECTION())
        var key = Self.none
        try unsafe command { context in
            unsafe Esys_CreatePrimary(
                context, Self.endorsement, Self.password, Self.none, Self.none, &empty, &area, &outside, &pcrs, &key, nil, nil,
                nil, nil
            )
        }
        return key
    }

    /// Calls a closure with a session that authorizes a use of the endorsement key.
    private func withAuthorization<Result>(
        for template: EndorsementTemplate, _ work: (Handle) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        guard template.needsPolicy else { return try work(Self.password) }
        return try withPolicySession { session throws(TPMError) in
            var (nonce, command, reference) = (TPM2B_DIGEST([]), TPM2B_DIGEST([]), TPM2B_DIGEST([]))
            try unsafe self.command { context in
                unsafe Esys_PolicySecret(
                    context, Self.endorsement, session, Self.password, Self.none, Self.none, &nonce, &command, &reference, 0, nil,
                    nil
                )
            }
            return try work(session)
        }
    }

    /// The whole content of an index that everyone may read, in parts of the length that every TPM takes.
    private func content(of index: Handle) throws(TPMError) -> [UInt8] {
        var area: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
        try unsafe command { unsafe Esys_NV_ReadPublic($0, index, Self.none, Self.none, Self.none, &area, nil) }
        defer { unsafe Esys_Free(area) }
        let size = unsafe Int(area?.pointee.nvPublic.dataSize ?? 0)
        var bytes: [UInt8] = []
        while bytes.count < size {
            let (start, count) = (UInt16(bytes.count), UInt16(min(512, size - bytes.count)))
            var data: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
            try unsafe command { context in
                unsafe Esys_NV_Read(context, index, index, Self.password, Self.none, Self.none, count, start, &data)
            }
            defer { unsafe Esys_Free(data) }
            guard let part = unsafe data?.pointee.bytes, part.count == count else { throw .unexpectedAnswer }
            bytes += part
        }
        return bytes
    }

    /// The wire form of a loaded key's public area, without its leading size.
    private func publicArea(of key: Handle) throws(TPMError) -> [UInt8] {
        let area = try unsafe readPublic(key)
        defer { unsafe Esys_Free(area) }
        return unsafe bytes(of: area.pointee)
    }

    /// The coordinates of a loaded key's point, one after the other.
    func point(of key: Handle) throws(TPMError) -> [UInt8] {
        let area = try unsafe readPublic(key)
        defer { unsafe Esys_Free(area) }
        let point = unsafe area.pointee.publicArea.unique.ecc
        return point.x.bytes + point.y.bytes
    }

    private func readPublic(_ key: Handle) throws(TPMError) -> UnsafeMutablePointer<TPM2B_PUBLIC> {
        var area: UnsafeMutablePointer<TPM2B_PUBLIC>?
        try unsafe command { unsafe Esys_ReadPublic($0, key, Self.none, Self.none, Self.none, &area, nil, nil) }
        guard let area = unsafe area else { throw .unexpectedAnswer }
        return unsafe area
    }

    /// The wire form that a marshalling function writes.
    private func wire(
        _ marshal: (UnsafeMutablePointer<UInt8>, Int, UnsafeMutablePointer<Int>) -> TSS2_RC
    ) throws(TPMError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 2048)
        var count = 0
        let code = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the buffer is not empty") }
            return unsafe marshal(start, buffer.count, &count)
        }
        try Self.check(code)
        return Array(bytes[..<count])
    }
}

extension [UInt8] {
    /// Whether these bytes occur in it, without a gap.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, count >= part.count else { return false }
        return (0...(count - part.count)).contains { self[$0..<$0 + part.count].elementsEqual(part) }
    }
}
#endif
