#if LinuxDevice && os(Linux)
import CTss
import Crypto
import ThumbturnCore
import ThumbturnMessages

extension TPM {
    /// A counter that starts above every counter this TPM ever had, so that one made in another's place never shows an old value.
    ///
    /// - Parameter value: needed to raise and to read it; comparing needs nothing.
    func defineCounter(at handle: UInt32, value: [UInt8]) throws(TPMError) -> TPMIndex {
        // By its value for raising and reading, by its policy for comparing. The value is random, so nothing guards against guessing.
        try define(handle, [.authWrite, .authRead, .policyRead, .counter, .noDictionaryAttack], .compare, value)
        try raise(TPMIndex(handle: handle, name: try name(of: handle)), value: value)
        // Written once, so its name is final.
        return TPMIndex(handle: handle, name: try name(of: handle))
    }

    func raise(_ index: TPMIndex, value: [UInt8]) throws(TPMError) {
        try withIndex(index) { handle throws(TPMError) in
            try setValue(value, of: handle)
            try withProvingSession { session throws(TPMError) in
                try unsafe command { unsafe Esys_NV_Increment($0, handle, handle, session, Self.none, Self.none) }
            }
        }
    }

    func count(_ index: TPMIndex, value: [UInt8]) throws(TPMError) -> UInt64 {
        try withIndex(index) { handle throws(TPMError) in
            try setValue(value, of: handle)
            let bytes = try withProvingSession { session throws(TPMError) in try read(handle, as: handle, in: session) }
            var reader = TPMReader(bytes)
            guard let count = reader.uint64() else { throw .nonsense }
            return count
        }
    }

    /// An index that opens for a value and counts the wrong ones in a row; at the limit it stays shut for good.
    ///
    /// Its numbers can be written by one key, which is thrown away here: nobody sets them back, and nobody, not even the TPM's
    /// owner, can make an index of the same name again, because an index has its name only after it was written.
    func definePIN(at handle: UInt32, value: [UInt8], limit: UInt32) throws(TPMError) -> TPMIndex {
        let once = P256.Signing.PrivateKey()
        guard let writer = PublicKey(x963: Array(once.publicKey.x963Representation)).map(TPMPublicArea.init(verifying:)) else {
            throw .nonsense
        }
        try define(
            handle, [.policyWrite, .ownerRead, .authRead, .pinFail, .noDictionaryAttack], .writing(by: writer.name), value)
        do throws(TPMError) {
            var numbers = TPMWriter()
            numbers.uint32(0)
            numbers.uint32(limit)
            var data = TPM2B_MAX_NV_BUFFER(numbers.bytes)
            let index = try open(handle)
            defer { close(index) }
            try withPolicySession { session throws(TPMError) in
                let authorization = TPMAuthorization(nonce: try nonce(of: session), expiration: 10, command: [], reference: [])
                guard let signature = try? once.signature(for: authorization.bytes) else { throw .nonsense }
                try satisfySigned(authorization, signature: Array(signature.rawRepresentation), by: writer, in: session)
                try unsafe command { unsafe Esys_NV_Write($0, index, index, session, Self.none, Self.none, &data, 0) }
            }
            return TPMIndex(handle: handle, name: try name(of: handle))
        } catch {
            try? undefine(handle)
            throw error
        }
    }

    /// How many wrong values there were in a row, and how many there may be.
    func wrongValues(_ index: TPMIndex) throws(TPMError) -> (count: UInt32, limit: UInt32) {
        try withIndex(index) { handle throws(TPMError) in
            var reader = TPMReader(try read(handle, as: Self.owner))
            guard let count = reader.uint32(), let limit = reader.uint32() else { throw .nonsense }
            return (count, limit)
        }
    }

    /// Whether the index is there, and not another one in its place.
    func exists(_ index: TPMIndex) throws(TPMError) -> Bool {
        do throws(TPMError) {
            return try name(of: index.handle) == index.name
        } catch {
            guard error.meaning == .missing else { throw error }
            return false
        }
    }

    /// Removes an index, with the owner's authority; one that is not there is no error.
    func undefine(_ handle: UInt32) throws(TPMError) {
        do throws(TPMError) {
            let index = try open(handle)
            try unsafe command { unsafe Esys_NV_UndefineSpace($0, Self.owner, index, Self.password, Self.none, Self.none) }
        } catch {
            guard error.meaning == .missing else { throw error }
        }
    }

    /// The first index in a range that nobody uses.
    func freeIndex(in range: ClosedRange<UInt32>) throws(TPMError) -> UInt32 {
        let used = Set(try handles(from: range.lowerBound))
        guard let free = range.first(where: { !used.contains($0) }) else { throw .noIndexFree }
        return free
    }

    /// The name that an index has now.
    func name(of handle: UInt32) throws(TPMError) -> [UInt8] {
        let index = try open(handle)
        defer { close(index) }
        return try name(ofOpen: index)
    }

    func name(ofOpen handle: Handle) throws(TPMError) -> [UInt8] {
        var name: UnsafeMutablePointer<TPM2B_NAME>?
        try unsafe command { unsafe Esys_TR_GetName($0, handle, &name) }
        defer { unsafe Esys_Free(name) }
        return unsafe name?.pointee.bytes ?? []
    }

    func open(_ handle: UInt32) throws(TPMError) -> Handle {
        var index = Self.none
        try unsafe command { unsafe Esys_TR_FromTPMPublic($0, handle, Self.none, Self.none, Self.none, &index) }
        return index
    }

    /// Forgets what libtss2 knows of something that stays in the TPM.
    func close(_ handle: Handle) {
        var handle = handle
        unsafe _ = Esys_TR_Close(context, &handle)
    }

    func withIndex<Result>(_ index: TPMIndex, _ work: (Handle) throws(TPMError) -> Result) throws(TPMError) -> Result {
        let handle = try open(index.handle)
        defer { close(handle) }
        guard try name(ofOpen: handle) == index.name else { throw .indexMissing }
        return try work(handle)
    }

    /// Makes an index of 8 bytes. Its value travels encrypted.
    private func define(
        _ handle: UInt32, _ attributes: IndexAttributes, _ policy: TPMPolicy, _ value: [UInt8]
    ) throws(TPMError) {
        try withStorageRoot { root throws(TPMError) in
            try withEncryptedSession(to: root) { session throws(TPMError) in
                var area = TPM2B_NV_PUBLIC()
                area.nvPublic.nvIndex = handle
                area.nvPublic.nameAlg = 0x000B
                area.nvPublic.attributes = attributes.rawValue
                area.nvPublic.authPolicy = TPM2B_DIGEST(policy.digest)
                area.nvPublic.dataSize = 8
                var value = TPM2B_DIGEST(value)
                var index = Self.none
                try unsafe command { context in
                    unsafe Esys_NV_DefineSpace(context, Self.owner, session, Self.none, Self.none, &value, &area, &index)
                }
                close(index)
            }
        }
    }

    /// Gives an index's value for the coming uses.
    func setValue(_ value: [UInt8], of handle: Handle) throws(TPMError) {
        var value = TPM2B_DIGEST(value)
        try unsafe command { unsafe Esys_TR_SetAuth($0, handle, &value) }
    }

    private func read(_ index: Handle, as authority: Handle, in session: Handle = TPM.password) throws(TPMError) -> [UInt8] {
        var data: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
        try unsafe command { unsafe Esys_NV_Read($0, authority, index, session, Self.none, Self.none, 8, 0, &data) }
        defer { unsafe Esys_Free(data) }
        return unsafe data?.pointee.bytes ?? []
    }
}

/// What an index is, and who may do what with it: `TPMA_NV` (TPM 2.0 Library, part 2, section 13.4).
private struct IndexAttributes: OptionSet {
    let rawValue: UInt32
    static let authWrite = IndexAttributes(rawValue: 1 << 2)
    static let policyWrite = IndexAttributes(rawValue: 1 << 3)
    static let counter = IndexAttributes(rawValue: 0x1 << 4)
    static let pinFail = IndexAttributes(rawValue: 0x8 << 4)
    static let ownerRead = IndexAttributes(rawValue: 1 << 17)
    static let authRead = IndexAttributes(rawValue: 1 << 18)
    static let policyRead = IndexAttributes(rawValue: 1 << 19)
    static let noDictionaryAttack = IndexAttributes(rawValue: 1 << 25)
}
#endif
