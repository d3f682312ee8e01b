import SwiftASN1

/// How the device booted, as its bootloader told the secure hardware.
public struct RootOfTrust: Hashable, Sendable {
    /// The hash of the key that verified the system, or zeros.
    public let verifiedBootKey: [UInt8]
    /// Whether the bootloader is locked, so that it starts verified systems only.
    public let isDeviceLocked: Bool
    /// What the bootloader found.
    public let state: State
    /// The digest of all that was verified; nil before version 3 of the attestation.
    public let verifiedBootHash: [UInt8]?

    /// What verified boot found (`VerifiedBootState`).
    public enum State: Int, Hashable, Sendable, Codable, CaseIterable {
        /// The maker's system.
        case verified = 0
        /// A system signed by a key that the owner installed.
        case selfSigned = 1
        /// Any system.
        case unverified = 2
        /// The verification failed.
        case failed = 3
    }

    init(_ node: ASN1Node, _ leniency: DERLeniency) throws(EvidenceRefusal) {
        var members = try node.members(of: "rootOfTrust")
        verifiedBootKey = Array(try members.take().bytes(.octetString, "verifiedBootKey"))
        isDeviceLocked = try members.take().boolean("deviceLocked", leniency)
        let number = try members.take().integer("verifiedBootState", .enumerated)
        guard let state = State(rawValue: Int(number)) else {
            throw EvidenceRefusal(.malformed, "verifiedBootState is \(number), not 0 to 3")
        }
        self.state = state
        verifiedBootHash = try members.next().map { (node) throws(EvidenceRefusal) in
            Array(try node.bytes(.octetString, "verifiedBootHash"))
        }
        try members.end()
    }
}
