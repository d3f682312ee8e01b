#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

extension KeyName {
    /// The name as 32 bytes: what policies and authorisations call `policyRef`, so that an authorisation for one of our keys is good
    /// for no other. It is not the TPM's own name, because that name is made from the policy.
    var reference: [UInt8] {
        var writer = TPMWriter()
        for part in ["thumbturn-key-v1", server, account, String(enrolment), kind.rawValue] { writer.sized(Array(part.utf8)) }
        return Array(SHA256.hash(data: writer.bytes))
    }

    /// The name of the file that keeps the key.
    var file: String { "\(Base64URL.encode(reference)).\(kind.rawValue).tpm-key" }
}
