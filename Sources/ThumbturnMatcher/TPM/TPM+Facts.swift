#if LinuxDevice && os(Linux)
import CTss

extension TPM {
    /// The value of a fixed or variable property by its number (`TPM_PT`, part 2, section 6.13).
    package func property(_ property: UInt32) throws(TPMError) -> UInt32? {
        try capability(6, from: property, count: 1) { data in
            let properties = unsafe data.data.tpmProperties
            return properties.count > 0 && properties.tpmProperty.0.property == property ? properties.tpmProperty.0.value : nil
        }
    }

    /// The handles in use from this one on, of the kind that its first byte names.
    package func handles(from first: UInt32) throws(TPMError) -> [UInt32] {
        try capability(1, from: first, count: 254) { data in
            var list = unsafe data.data.handles
            return unsafe withUnsafeBytes(of: &list.handle) {
                unsafe Array($0.bindMemory(to: UInt32.self).prefix(Int(list.count)))
            }
        }
    }

    private func capability<Result>(
        _ kind: UInt32, from first: UInt32, count: UInt32, _ read: (TPMS_CAPABILITY_DATA) -> Result
    ) throws(TPMError) -> Result {
        var more: TPMI_YES_NO = 0
        var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
        try unsafe command { context in
            unsafe Esys_GetCapability(context, Self.none, Self.none, Self.none, kind, first, count, &more, &data)
        }
        defer { unsafe Esys_Free(data) }
        guard let data = unsafe data else { throw .unexpectedAnswer }
        return read(unsafe data.pointee)
    }
}
#endif
