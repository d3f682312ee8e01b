#if LinuxDevice && os(Linux)
import CTss

extension TPM {
    /// Calls a closure with a policy session, and ends the session afterwards.
    package func withPolicySession<Result>(_ work: (Handle) throws(TPMError) -> Result) throws(TPMError) -> Result {
        try with(try startSession(type: 0x01), work)
    }

    /// Calls a closure with a session that encrypts the first parameter (AES-128 in CFB mode) under a secret that only
    /// this storage root can decrypt. A passive listener on the bus learns no PIN and gets nothing to test guesses
    /// against.
    func withEncryptedSession<Result>(
        to root: Handle, _ work: (Handle) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        let session = try startSession(type: 0x00, root: root)
        return try with(session) { session throws(TPMError) in
            // Attributes: the TPM decrypts the first parameter, and the session stays open for another command.
            try unsafe command { unsafe Esys_TRSess_SetAttributes($0, session, 0x21, 0xFF) }
            return try work(session)
        }
    }

    /// Calls a closure with an HMAC session, which proves an authorisation value without sending it, and in which the
    /// TPM's answers are authenticated by the same value (TPM 2.0 Library, part 1, section 19.6). It is only for values
    /// of many random bits: a listener could test guesses of a PIN against the HMAC.
    func withProvingSession<Result>(_ work: (Handle) throws(TPMError) -> Result) throws(TPMError) -> Result {
        try with(try startSession(type: 0x00)) { session throws(TPMError) in
            // Attribute: the session stays open for another command.
            try unsafe command { unsafe Esys_TRSess_SetAttributes($0, session, 0x01, 0xFF) }
            return try work(session)
        }
    }

    private func startSession(type: UInt8, root: Handle = TPM.none) throws(TPMError) -> Handle {
        var symmetric = TPMT_SYM_DEF()
        symmetric.algorithm = 0x0006
        unsafe symmetric.keyBits.aes = 128
        unsafe symmetric.mode.aes = 0x0043
        var session = Self.none
        try unsafe command { context in
            unsafe Esys_StartAuthSession(
                context, root, Self.none, Self.none, Self.none, Self.none, nil, type, &symmetric, 0x000B, &session
            )
        }
        return session
    }

    /// The TPM's nonce, which binds an authorisation to this session.
    package func nonce(of session: Handle) throws(TPMError) -> [UInt8] {
        var nonce: UnsafeMutablePointer<TPM2B_DIGEST>?
        try unsafe command { unsafe Esys_TRSess_GetNonceTPM($0, session, &nonce) }
        defer { unsafe Esys_Free(nonce) }
        return unsafe nonce?.pointee.bytes ?? []
    }

    /// Satisfies the policy's signature by a signed authorisation (`TPM2_PolicySigned`).
    package func satisfySigned(
        _ authorization: TPMAuthorization, signature: [UInt8], by signer: TPMPublicArea, in session: Handle
    ) throws(TPMError) {
        var area = try publicStructure(signer)
        var key = Self.none
        try unsafe command { context in
            unsafe Esys_LoadExternal(context, Self.none, Self.none, Self.none, nil, &area, Self.null, &key)
        }
        try with(key) { key throws(TPMError) in
            var (nonce, command) = (TPM2B_DIGEST(authorization.nonce), TPM2B_DIGEST(authorization.command))
            var reference = TPM2B_DIGEST(authorization.reference)
            var ecdsa = TPMT_SIGNATURE()
            ecdsa.sigAlg = 0x0018
            unsafe ecdsa.signature.ecdsa.hash = 0x000B
            unsafe ecdsa.signature.ecdsa.signatureR = TPM2B_ECC_PARAMETER(Array(signature.prefix(32)))
            unsafe ecdsa.signature.ecdsa.signatureS = TPM2B_ECC_PARAMETER(Array(signature.dropFirst(32).prefix(32)))
            try unsafe self.command { context in
                unsafe Esys_PolicySigned(
                    context, key, session, Self.none, Self.none, Self.none, &nonce, &command, &reference,
                    authorization.expiration, &ecdsa, nil, nil
                )
            }
        }
    }

    /// Satisfies the policy's comparison of a counter with a value (`TPM2_PolicyNV`).
    package func satisfyCounter(_ index: TPMIndex, equals value: UInt64, in session: Handle) throws(TPMError) {
        try withIndex(index) { counter throws(TPMError) in
            try withPolicySession { reading throws(TPMError) in
                try unsafe command { unsafe Esys_PolicyCommandCode($0, reading, Self.none, Self.none, Self.none, 0x149) }
                var number = TPMWriter()
                number.uint64(value)
                var operand = TPM2B_DIGEST(number.bytes)
                try unsafe command { context in
                    unsafe Esys_PolicyNV(context, counter, counter, session, reading, Self.none, Self.none, &operand, 0, 0)
                }
            }
        }
    }

    /// Satisfies the policy's secret by an index's value (`TPM2_PolicySecret`). The TPM counts a wrong value.
    package func satisfySecret(_ value: [UInt8], of index: TPMIndex, reference: [UInt8], in session: Handle) throws(TPMError) {
        try withIndex(index) { handle throws(TPMError) in
            try setValue(value, of: handle)
            try withStorageRoot { root throws(TPMError) in
                try withEncryptedSession(to: root) { proving throws(TPMError) in
                    var (nonce, command) = (TPM2B_DIGEST([]), TPM2B_DIGEST([]))
                    var reference = TPM2B_DIGEST(reference)
                    do throws(TPMError) {
                        try unsafe self.command { context in
                            unsafe Esys_PolicySecret(
                                context, handle, session, proving, Self.none, Self.none, &nonce, &command, &reference, 0, nil, nil
                            )
                        }
                    } catch {
                        throw TPMError(code: error.code, isAboutPIN: true)
                    }
                }
            }
        }
    }

    /// The policy digest that a session has reached.
    func digest(of session: Handle) throws(TPMError) -> [UInt8] {
        var digest: UnsafeMutablePointer<TPM2B_DIGEST>?
        try unsafe command { unsafe Esys_PolicyGetDigest($0, session, Self.none, Self.none, Self.none, &digest) }
        defer { unsafe Esys_Free(digest) }
        return unsafe digest?.pointee.bytes ?? []
    }
}
#endif
