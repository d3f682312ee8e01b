#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

extension KeyName {
    /// The name as 32 bytes: the `policyRef` of the key's policy and authorisations, which makes an authorisation for
    /// one of our keys unusable for another. The TPM's own name cannot serve here, because it is computed from the
    /// policy.
    var reference: [UInt8] {
        var writer = TPMWriter()
        for part in ["thumbturn-key-v1", server, account, String(enrolment), kind.rawValue] { writer.sized(Array(part.utf8)) }
        return Array(SHA256.hash(data: writer.bytes))
    }

    /// The name of the file that holds the key.
    var file: String { "\(Base64URL.encode(reference)).\(kind.rawValue).tpm-key" }
}
