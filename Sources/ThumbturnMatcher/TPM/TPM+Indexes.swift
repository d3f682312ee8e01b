#if LinuxDevice && os(Linux)
import CTss
import Crypto
import ThumbturnCore
import ThumbturnMessages

extension TPM {
    /// Creates a counter. It starts above every counter that this TPM ever had, so a counter that replaces another one
    /// never shows an old value. If its first write fails, it is removed again.
    ///
    /// - Parameter value: the authorisation value for raising and reading. Comparing needs no authorisation.
    func defineCounter(at handle: UInt32, value: [UInt8]) throws(TPMError) -> TPMIndex {
        // Its value authorises raising and reading, its policy comparing. The value is random, so it needs no
        // dictionary attack protection.
        try define(
            handle, attributes: [.authWrite, .authRead, .policyRead, .counter, .noDictionaryAttack], policy: .compare,
            value: value)
        do throws(TPMError) {
            try raise(TPMIndex(handle: handle, name: try name(of: handle)), value: value)
            // The first write changes an index's name, so the name is read after it.
            return TPMIndex(handle: handle, name: try name(of: handle))
        } catch {
            try? undefine(handle)
            throw error
        }
    }

    /// The counter at a handle, if this value authorises it; nil if the handle is unused or another program's. A
    /// counter whose creation was interrupted before its first write is completed.
    func counter(at handle: UInt32, value: [UInt8]) throws(TPMError) -> TPMIndex? {
        do throws(TPMError) {
            let found = TPMIndex(handle: handle, name: try name(of: handle))
            do throws(TPMError) {
                _ = try count(found, value: value)
            } catch {
                guard error == .indexNotWritten else { throw error }
                try raise(found, value: value)
            }
            return TPMIndex(handle: handle, name: try name(of: handle))
        } catch {
            guard ![.unreachable, .busy].contains(error.meaning) else { throw error }
            return nil
        }
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
            guard let count = reader.uint64() else { throw .unexpectedAnswer }
            return count
        }
    }

    /// Creates an index that is authorised by a value and counts consecutive wrong values. At the limit it is disabled
    /// for good.
    ///
    /// Its count and limit can be written only with a signature by one key, which is discarded here, so they cannot be
    /// reset. For the same reason not even the TPM's owner can create another index with the same name: an index has
    /// its final name only after the first write.
    package func definePIN(at handle: UInt32, value: [UInt8], limit: UInt32) throws(TPMError) -> TPMIndex {
        let discardedKey = P256.Signing.PrivateKey()
        guard let writer = PublicKey(x963: Array(discardedKey.publicKey.x963Representation)).map(TPMPublicArea.init(verifying:))
        else {
            throw .unexpectedAnswer
        }
        try define(
            handle, attributes: [.policyWrite, .ownerRead, .authRead, .pinFail, .noDictionaryAttack],
            policy: .writing(by: writer.name), value: value)
        do throws(TPMError) {
            var numbers = TPMWriter()
            numbers.uint32(0)
            numbers.uint32(limit)
            var data = TPM2B_MAX_NV_BUFFER(numbers.bytes)
            let index = try open(handle)
            defer { close(index) }
            try withPolicySession { session throws(TPMError) in
                let authorization = TPMAuthorization(nonce: try nonce(of: session), expiration: 10, command: [], reference: [])
                guard let signature = try? discardedKey.signature(for: authorization.bytes) else {
                    throw .unexpectedAnswer
                }
                try satisfySigned(authorization, signature: Array(signature.rawRepresentation), by: writer, in: session)
                try unsafe command { unsafe Esys_NV_Write($0, index, index, session, Self.none, Self.none, &data, 0) }
            }
            return TPMIndex(handle: handle, name: try name(of: handle))
        } catch {
            try? undefine(handle)
            throw error
        }
    }

    /// The consecutive wrong values so far, and the limit.
    package func wrongValues(_ index: TPMIndex) throws(TPMError) -> (count: UInt32, limit: UInt32) {
        try withIndex(index) { handle throws(TPMError) in
            var reader = TPMReader(try read(handle, as: Self.owner))
            guard let count = reader.uint32(), let limit = reader.uint32() else { throw .unexpectedAnswer }
            return (count, limit)
        }
    }

    /// Whether the index exists with this name, so that another index at its handle does not count.
    package func exists(_ index: TPMIndex) throws(TPMError) -> Bool {
        do throws(TPMError) {
            return try name(of: index.handle) == index.name
        } catch {
            guard error.meaning == .missing else { throw error }
            return false
        }
    }

    /// Removes an index with the owner's authority. A missing index is not an error.
    package func undefine(_ handle: UInt32) throws(TPMError) {
        do throws(TPMError) {
            let index = try open(handle)
            try unsafe command { unsafe Esys_NV_UndefineSpace($0, Self.owner, index, Self.password, Self.none, Self.none) }
        } catch {
            guard error.meaning == .missing else { throw error }
        }
    }

    /// The first unused index in a range.
    package func freeIndex(in range: ClosedRange<UInt32>) throws(TPMError) -> UInt32 {
        let used = Set(try handles(from: range.lowerBound))
        guard let free = range.first(where: { !used.contains($0) }) else { throw .noIndexFree }
        return free
    }

    /// The current name of the index at a handle.
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

    /// Frees libtss2's metadata of an object that stays in the TPM.
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

    /// Creates an index of 8 bytes. Its value travels encrypted.
    private func define(
        _ handle: UInt32, attributes: IndexAttributes, policy: TPMKeyPolicy, value: [UInt8]
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

    /// Sets the value that authorises the coming uses of an index.
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

/// The type of an index, and how each of its uses is authorised: `TPMA_NV` (TPM 2.0 Library, part 2, section 13.4).
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
