#if LinuxDevice && os(Linux)
import CTss

extension TPM {
    /// A key outside the TPM, with its private part encrypted by the storage root.
    package struct Blob: Hashable, Sendable {
        package var publicArea: TPMPublicArea
        package var sealed: [UInt8]
        /// The name of the storage root that sealed it.
        package var parent: [UInt8]
        /// How the TPM made it; nil for keys of which that was not kept.
        package var creation: TPMCreation?

        package init(publicArea: TPMPublicArea, sealed: [UInt8], parent: [UInt8], creation: TPMCreation? = nil) {
            self.publicArea = publicArea
            self.sealed = sealed
            self.parent = parent
            self.creation = creation
        }
    }

    /// Calls a closure with the parent of our keys: the storage root that the machine keeps, if it is of the standard
    /// kind, or one derived from the standard template.
    ///
    /// - Parameter name: the name of the root that sealed an existing key; nil for any root.
    func withStorageRoot<Result>(
        named name: [UInt8]? = nil, _ work: (Handle) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        if let kept = try keptStorageRoot(named: name) {
            defer { close(kept) }
            return try work(kept)
        }
        var template = try publicStructure(.storageRoot)
        var (empty, outside, pcrs) = (TPM2B_SENSITIVE_CREATE(), TPM2B_DATA(), TPML_PCR_SELECTION())
        var root = Self.none
        try unsafe command { context in
            unsafe Esys_CreatePrimary(
                context, Self.owner, Self.password, Self.none, Self.none, &empty, &template, &outside, &pcrs, &root, nil, nil,
                nil, nil
            )
        }
        return try with(root, work)
    }

    private func keptStorageRoot(named name: [UInt8]?) throws(TPMError) -> Handle? {
        var handle = Self.none
        do throws(TPMError) {
            try unsafe command { unsafe Esys_TR_FromTPMPublic($0, 0x8100_0001, Self.none, Self.none, Self.none, &handle) }
        } catch {
            guard error.meaning == .missing else { throw error }
            return nil
        }
        var area: UnsafeMutablePointer<TPM2B_PUBLIC>?
        try unsafe command { unsafe Esys_ReadPublic($0, handle, Self.none, Self.none, Self.none, &area, nil, nil) }
        defer { unsafe Esys_Free(area) }
        guard let area = unsafe area, var kept = unsafe TPMPublicArea(bytes(of: area.pointee)) else {
            close(handle)
            return nil
        }
        let hasName = name.map { $0 == kept.name } ?? true
        (kept.x, kept.y) = ([], [])
        guard hasName, kept == .storageRoot else {
            close(handle)
            return nil
        }
        return handle
    }

    /// Creates a key in the TPM.
    package func create(_ template: TPMPublicArea) throws(TPMError) -> Blob {
        try withStorageRoot { root throws(TPMError) in try create(template, under: root) }
    }

    private func create(_ template: TPMPublicArea, under root: Handle) throws(TPMError) -> Blob {
        var template = try publicStructure(template)
        var sensitive = TPM2B_SENSITIVE_CREATE()
        var (outside, pcrs) = (TPM2B_DATA(), TPML_PCR_SELECTION())
        var sealed: UnsafeMutablePointer<TPM2B_PRIVATE>?
        var area: UnsafeMutablePointer<TPM2B_PUBLIC>?
        var data: UnsafeMutablePointer<TPM2B_CREATION_DATA>?
        var hash: UnsafeMutablePointer<TPM2B_DIGEST>?
        var ticket: UnsafeMutablePointer<TPMT_TK_CREATION>?
        try unsafe command { context in
            unsafe Esys_Create(
                context, root, Self.password, Self.none, Self.none, &sensitive, &template, &outside, &pcrs, &sealed, &area,
                &data, &hash, &ticket
            )
        }
        defer {
            unsafe Esys_Free(sealed)
            unsafe Esys_Free(area)
            unsafe Esys_Free(data)
            unsafe Esys_Free(hash)
            unsafe Esys_Free(ticket)
        }
        guard let sealed = unsafe sealed, let area = unsafe area, let made = unsafe TPMPublicArea(bytes(of: area.pointee)),
            let data = unsafe data, let hash = unsafe hash, let ticket = unsafe ticket
        else {
            throw .unexpectedAnswer
        }
        return Blob(
            publicArea: made, sealed: unsafe sealed.pointee.bytes, parent: try name(ofOpen: root),
            creation: try unsafe creation(data, hash, ticket)
        )
    }

    /// Calls a closure with a loaded key. The storage root is flushed first, to free its place in the TPM's memory.
    package func withLoaded<Result>(_ blob: Blob, _ work: (Handle) throws(TPMError) -> Result) throws(TPMError) -> Result {
        var sealed = TPM2B_PRIVATE(blob.sealed)
        var area = try publicStructure(blob.publicArea)
        var key = Self.none
        try withStorageRoot(named: blob.parent) { root throws(TPMError) in
            try unsafe command { unsafe Esys_Load($0, root, Self.password, Self.none, Self.none, &sealed, &area, &key) }
        }
        return try with(key, work)
    }

    /// Signs a SHA-256 digest. The signature is r and s, 32 bytes each.
    package func sign(_ digest: [UInt8], with key: Handle, session: Handle = TPM.password) throws(TPMError) -> [UInt8] {
        var digest = TPM2B_DIGEST(digest)
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = 0x0010
        var ticket = TPMT_TK_HASHCHECK()
        ticket.tag = 0x8024
        ticket.hierarchy = 0x4000_0007
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        try unsafe command { unsafe Esys_Sign($0, key, session, Self.none, Self.none, &digest, &scheme, &ticket, &signature) }
        defer { unsafe Esys_Free(signature) }
        guard let signature = unsafe signature?.pointee, signature.sigAlg == 0x0018 else { throw .unexpectedAnswer }
        let ecdsa = unsafe signature.signature.ecdsa
        return [ecdsa.signatureR.bytes, ecdsa.signatureS.bytes].flatMap {
            [UInt8](repeating: 0, count: max(0, 32 - $0.count)) + $0
        }
    }

    func publicStructure(_ area: TPMPublicArea) throws(TPMError) -> TPM2B_PUBLIC { try publicStructure(area.bytes) }

    /// The structure of a public area in its wire form.
    func publicStructure(_ area: [UInt8]) throws(TPMError) -> TPM2B_PUBLIC {
        var writer = TPMWriter()
        writer.sized(area)
        var structure = TPM2B_PUBLIC()
        var offset = 0
        try Self.check(unsafe Tss2_MU_TPM2B_PUBLIC_Unmarshal(writer.bytes, writer.bytes.count, &offset, &structure))
        return structure
    }

    /// The wire form of a public area, without its leading size.
    func bytes(of structure: TPM2B_PUBLIC) -> [UInt8] {
        var structure = structure
        var wire = [UInt8](repeating: 0, count: 1024)
        var count = 0
        guard unsafe Tss2_MU_TPM2B_PUBLIC_Marshal(&structure, &wire, wire.count, &count) == 0 else { return [] }
        return Array(wire[2..<max(2, count)])
    }
}
#endif
