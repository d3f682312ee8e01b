#if LinuxDevice && os(Linux)
import CTss

/// One connection to a TPM 2.0, through libtss2. It is short: a TPM without a resource manager serves one at a time, and has room
/// for three keys. Not for several threads.
@safe final class TPM {
    /// What libtss2 calls a key, an index or a session on this connection.
    typealias Handle = ESYS_TR

    static let none: Handle = 0xFFF
    static let password: Handle = 0xFF
    static let owner: Handle = 0x101
    static let null: Handle = 0x107

    let context: OpaquePointer
    private let tcti: OpaquePointer

    /// Connects, works, and disconnects.
    ///
    /// - Parameter tcti: how libtss2 reaches the TPM, for example `device:/dev/tpmrm0` or `swtpm:host=127.0.0.1,port=2321`.
    static func connected<Result>(_ tcti: String, _ work: (TPM) throws(TPMError) -> Result) throws(TPMError) -> Result {
        try work(try TPM(tcti))
    }

    private init(_ address: String) throws(TPMError) {
        // libtss2 writes to standard error by itself unless told otherwise, once, before its first use.
        _ = Self.quiet
        var tcti: OpaquePointer?
        try Self.check(unsafe Tss2_TctiLdr_Initialize(address, &tcti))
        guard let tcti = unsafe tcti else { throw TPMError(code: 0xA0000) }
        var context: OpaquePointer?
        let code = unsafe Esys_Initialize(&context, tcti, nil)
        guard code == 0, let context = unsafe context else {
            var tcti: OpaquePointer? = unsafe tcti
            unsafe Tss2_TctiLdr_Finalize(&tcti)
            throw TPMError(code: code)
        }
        unsafe self.tcti = tcti
        unsafe self.context = context
    }

    deinit {
        var context: OpaquePointer? = unsafe context
        var tcti: OpaquePointer? = unsafe tcti
        unsafe Esys_Finalize(&context)
        unsafe Tss2_TctiLdr_Finalize(&tcti)
    }

    private static let quiet: Void = { unsafe setenv("TSS2_LOG", "all+none", 0) }()

    static func check(_ code: TSS2_RC) throws(TPMError) {
        guard code == 0 else { throw TPMError(code: code) }
    }

    /// Runs one command. Whatever it opened is for the caller to close.
    func command(_ call: (OpaquePointer) -> TSS2_RC) throws(TPMError) {
        try Self.check(unsafe call(context))
    }

    /// Works with something that takes room in the TPM, and frees the room.
    func with<Result>(_ handle: Handle, _ work: (Handle) throws(TPMError) -> Result) throws(TPMError) -> Result {
        defer { unsafe _ = Esys_FlushContext(context, handle) }
        return try work(handle)
    }
}
#endif
