#if LinuxDevice && os(Linux)
import CTss

/// A connection to a TPM 2.0 through libtss2. Keep it short: a TPM without a resource manager serves one connection at
/// a time and has memory for three keys. It must be used from one thread at a time.
@safe package final class TPM {
    /// The handle of a key, an index or a session on this connection: an `ESYS_TR`.
    package typealias Handle = UInt32

    static let none: Handle = 0xFFF
    static let password: Handle = 0xFF
    static let owner: Handle = 0x101
    static let null: Handle = 0x107
    static let endorsement: Handle = 0x10B

    let context: OpaquePointer
    private let tcti: OpaquePointer

    /// Connects, calls a closure, and disconnects.
    ///
    /// - Parameter tcti: the TCTI configuration by which libtss2 reaches the TPM, for example `device:/dev/tpmrm0` or
    ///   `swtpm:host=127.0.0.1,port=2321`.
    package static func connected<Result>(_ tcti: String, _ work: (TPM) throws(TPMError) -> Result) throws(TPMError) -> Result {
        try work(try TPM(tcti))
    }

    private init(_ address: String) throws(TPMError) {
        // libtss2 logs to standard error unless this variable is set before its first use.
        _ = Self.silenceLogging
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

    private static let silenceLogging: Void = { unsafe setenv("TSS2_LOG", "all+none", 0) }()

    static func check(_ code: TSS2_RC) throws(TPMError) {
        guard code == 0 else { throw TPMError(code: code) }
    }

    /// Runs one command. The caller frees the objects that it creates.
    func command(_ call: (OpaquePointer) -> TSS2_RC) throws(TPMError) {
        try Self.check(unsafe call(context))
    }

    /// Calls a closure with an object in the TPM's memory, and flushes it afterwards.
    func with<Result>(_ handle: Handle, _ work: (Handle) throws(TPMError) -> Result) throws(TPMError) -> Result {
        defer { unsafe _ = Esys_FlushContext(context, handle) }
        return try work(handle)
    }
}
#endif
