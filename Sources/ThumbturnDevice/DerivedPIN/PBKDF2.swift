#if canImport(CommonCrypto)
import CommonCrypto
#else
import CryptoExtras
#endif

/// PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2).
enum PBKDF2 {
    /// Derives `count` bytes; nil where the library refuses the arguments, for example zero rounds.
    static func sha256(_ password: [UInt8], salt: [UInt8], rounds: Int, count: Int) -> [UInt8]? {
        guard rounds > 0, count > 0 else { return nil }
        #if canImport(CommonCrypto)
        var derived = [UInt8](repeating: 0, count: count)
        let status = unsafe password.withUnsafeBytes { password in
            unsafe CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2), password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt,
                salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), UInt32(rounds), &derived, count
            )
        }
        return status == kCCSuccess ? derived : nil
        #else
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: salt, using: .sha256, outputByteCount: count, unsafeUncheckedRounds: rounds
        )
        return unsafe key?.withUnsafeBytes { unsafe Array($0) }
        #endif
    }
}
