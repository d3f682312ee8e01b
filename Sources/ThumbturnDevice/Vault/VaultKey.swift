#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore

/// The key of a vault, as the platform released it: the success of a local unlock.
struct VaultKey: Sendable, Redacted {
    private let root: SymmetricKey

    /// Makes a new key of 256 random bits.
    init() {
        root = SymmetricKey(size: .bits256)
    }

    /// Makes a key of what the platform released; nil where that has another length.
    init?(_ secret: SecretBytes) {
        guard secret.bytes.count == 32 else { return nil }
        root = SymmetricKey(data: secret.bytes)
    }

    /// The bytes for the platform to protect.
    var secret: SecretBytes { SecretBytes(unsafe root.withUnsafeBytes { unsafe Array($0) }) }

    /// A use of the key. What was sealed for one use does not open for another.
    enum Use: String {
        case secrets = "thumbturn vault secrets 1"
        case files = "thumbturn vault files 1"
    }

    /// Seals bytes with AES-256-GCM (NIST SP 800-38D) and a random nonce, under a key derived for the use
    /// (HKDF-SHA-256, RFC 5869).
    ///
    /// - Returns: nonce (12 bytes), ciphertext, tag (16 bytes).
    func seal(_ plain: [UInt8], for use: Use, bound: [UInt8]) throws(Failure) -> [UInt8] {
        guard let box = try? AES.GCM.seal(plain, using: key(for: use), authenticating: bound).combined else {
            throw Failure(.platform)
        }
        return Array(box)
    }

    /// Opens what `seal` made for the same use, bound to the same bytes; anything else throws `notAuthentic`.
    func open(_ box: some Collection<UInt8>, for use: Use, bound: [UInt8]) throws(Failure) -> [UInt8] {
        guard let sealed = try? AES.GCM.SealedBox(combined: Array(box)),
            let plain = try? AES.GCM.open(sealed, using: key(for: use), authenticating: bound)
        else { throw Failure(.notAuthentic) }
        return Array(plain)
    }

    private func key(for use: Use) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: root, info: Array(use.rawValue.utf8), outputByteCount: 32)
    }
}
