import ThumbturnCore
import ThumbturnDevice
import ThumbturnMatcher
import ThumbturnMessages

extension KeyName {
    /// The name as the TPM and the matcher know it: 32 bytes.
    var reference: [UInt8] { KeyReference.key(server: server, account: account, enrolment: enrolment, kind: kind) }

    /// The server and the account as 32 bytes, from which their attestation key is derived.
    static func attestationReference(server: String, account: String) -> [UInt8] {
        KeyReference.digest("thumbturn-attestation-v1", server, account)
    }

    /// The name of the file that holds the key. It begins with its owner, so that all keys of an account can be found.
    var file: String {
        "\(Self.fileOwner(server, account)).\(Base64URL.encode(reference)).\(kind.rawValue)\(Self.fileEnding)"
    }

    /// How the files of an account's keys begin.
    static func fileOwner(_ server: String, _ account: String) -> String {
        Base64URL.encode(KeyReference.digest("thumbturn-owner-v1", server, account))
    }

    static let fileEnding = ".tpm-key"
}

extension MatchRequest {
    /// Asks for a match for a key with this name, which is a biometric one.
    init(_ name: KeyName, key: TPMPublicArea, message: [UInt8]) {
        self.init(server: name.server, account: name.account, enrolment: name.enrolment, key: key, message: message)
    }
}
