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

    /// The server and the account as 32 bytes, from which their attestation key is derived.
    static func attestationReference(server: String, account: String) -> [UInt8] {
        var writer = TPMWriter()
        for part in ["thumbturn-attestation-v1", server, account] { writer.sized(Array(part.utf8)) }
        return Array(SHA256.hash(data: writer.bytes))
    }

    /// The name of the file that holds the key. It begins with its owner, so that all keys of an account can be found.
    var file: String {
        "\(Self.fileOwner(server, account)).\(Base64URL.encode(reference)).\(kind.rawValue)\(Self.fileEnding)"
    }

    /// How the files of an account's keys begin.
    static func fileOwner(_ server: String, _ account: String) -> String {
        var writer = TPMWriter()
        for part in ["thumbturn-owner-v1", server, account] { writer.sized(Array(part.utf8)) }
        return Signing.hash(writer.bytes)
    }

    static let fileEnding = ".tpm-key"
}
