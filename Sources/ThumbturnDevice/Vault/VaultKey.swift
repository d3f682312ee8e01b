#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore

/// The key of a vault, as it was released: the success of a local unlock.
struct VaultKey: Sendable, Redacted {
    private let root: SymmetricKey

    /// A new key of 256 random bits.
    init() {
        root = SymmetricKey(size: .bits256)
    }

    /// The key that a platform gave out; nil where its length is another.
    init?(_ secret: SecretBytes) {
        guard secret.bytes.count == 32 else { return nil }
        root = SymmetricKey(data: secret.bytes)
    }

    /// For the platform to protect.
    var secret: SecretBytes { SecretBytes(unsafe root.withUnsafeBytes { unsafe Array($0) }) }

    /// What a key is used for; a box of one use opens with no other.
    enum Use: String {
        case secrets = "thumbturn vault secrets 1"
        case files = "thumbturn vault files 1"
    }

    /// AES-256-GCM (NIST SP 800-38D) with a random nonce, under a key derived for the use (HKDF-SHA-256, RFC 5869).
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

extension VaultKey: Unlocking {
    /// No compact JWS, and nobody ever sees it: only the flow, which ends with something that a key made. A server takes no such
    /// thing for a proof.
    var receipt: Proof { Proof(jws: "") }
}
