package import SwiftASN1

/// What Android's secure hardware says about a key: the extension of a certificate that attests it.
///
/// https://source.android.com/docs/security/features/keystore/attestation
package struct KeyDescription: Hashable, Sendable {
    /// The extension's identifier.
    package static let id: ASN1ObjectIdentifier = "1.3.6.1.4.1.11129.2.1.17"
    /// The versions that are known: Keymaster 2 to 4.1, and KeyMint 1 to 5.
    package static let versions: Set<Int> = [1, 2, 3, 4, 100, 200, 300, 400, 500]

    /// The version of the attestation.
    package let version: Int
    /// Where the attestation was signed.
    package let attestationLevel: AndroidSecurityLevel
    /// The version of the implementation that made the key.
    package let keyMintVersion: Int
    /// Where that implementation runs.
    package let keyMintLevel: AndroidSecurityLevel
    /// The challenge that the app gave.
    package let challenge: [UInt8]
    /// The device's id for system apps; otherwise empty.
    package let uniqueID: [UInt8]
    /// What the system enforces.
    package let softwareEnforced: AuthorizationList
    /// What the secure hardware enforces.
    package let hardwareEnforced: AuthorizationList

    /// Reads the value of the extension. Throws `malformed` or `tooLarge`.
    package init(der: [UInt8], _ leniency: DERLeniency = .none) throws(EvidenceRefusal) {
        var members = try StrictDER.parse(der, "the key description").members(of: "the key description")
        version = Int(try members.take().integer("the attestation's version"))
        attestationLevel = try Self.level(members.take(), "the attestation's security level")
        keyMintVersion = Int(try members.take().integer("KeyMint's version"))
        keyMintLevel = try Self.level(members.take(), "KeyMint's security level")
        challenge = Array(try members.take().bytes(.octetString, "the challenge"))
        uniqueID = Array(try members.take().bytes(.octetString, "the unique id"))
        softwareEnforced = try AuthorizationList(members.take(), "softwareEnforced", leniency)
        hardwareEnforced = try AuthorizationList(members.take(), "hardwareEnforced", leniency)
        try members.end()
    }

    private static func level(_ node: ASN1Node, _ name: String) throws(EvidenceRefusal) -> AndroidSecurityLevel {
        let number = try node.integer(name, .enumerated)
        guard let level = AndroidSecurityLevel(rawValue: Int(number)) else {
            throw EvidenceRefusal(.malformed, "\(name) is \(number), not 0 to 2")
        }
        return level
    }

    /// The list of the place where the key lives: what counts about it. What the system says about a key of the hardware is
    /// only the system's word.
    package var enforced: AuthorizationList {
        attestationLevel == .software ? softwareEnforced : hardwareEnforced
    }
}
