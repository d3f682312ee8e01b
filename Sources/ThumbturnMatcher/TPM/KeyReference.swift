#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
package import ThumbturnCore

/// Names as 32 bytes, as the TPM takes them.
package enum KeyReference {
    /// The name of a key: the `policyRef` of the key's policy and authorizations, which makes an authorization for one of
    /// our keys unusable for another. The TPM's own name cannot serve here, because it is computed from the policy.
    package static func key(server: String, account: String, enrolment: Int, kind: KeyKind) -> [UInt8] {
        digest("thumbturn-key-v1", server, account, String(enrolment), kind.rawValue)
    }

    /// SHA-256 over texts, each after its length, so that no two lists of texts have the same bytes.
    package static func digest(_ texts: String...) -> [UInt8] {
        var writer = TPMWriter()
        for text in texts { writer.sized(Array(text.utf8)) }
        return Array(SHA256.hash(data: writer.bytes))
    }
}
