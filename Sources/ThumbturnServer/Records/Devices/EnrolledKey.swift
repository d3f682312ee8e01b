#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// An enrolled key with its device and account.
package struct EnrolledKey: Sendable {
    package var kid: String
    package var kind: KeyKind
    package var x963: [UInt8]
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    package var coolsOffUntil: UnixTime
    /// The thumbprint of the session key that the device was enrolled with.
    package var sessionJKT: String
    /// Whether the device is revoked, the account is switched off, or the key was replaced or removed.
    package var isRevoked: Bool
    /// Whether the key has signed, at its enrolment or later.
    package var isActive: Bool
    /// The authority by which the key was enrolled.
    package var enrolledBy: KeyOrigin
    /// How far the key's evidence carries; see `KeyStanding.assurance` for how far the key does.
    package var proven = Assurance.withoutEvidence
    /// The least assurance that the account's group demands of a key.
    package var minimum = Assurance.withoutKey
    /// The consecutive wrong signatures.
    package var wrongInARow: Int
    /// The end of the pause after wrong signatures. No signature is checked before it.
    package var pausedUntil = UnixTime(seconds: 0)
}

/// A change of one device's keys of one kind.
package struct NewKeys: Sendable {
    package var device: DeviceID
    package var kind: KeyKind
    /// The id of the key that was there when the change was judged; nil if there was none.
    package var old: String?
    /// The new key; nil to remove the old one.
    package var new: NewDevice.Key?
    /// The length of the device's cool-off if a ticket authorises the change and the account has other devices.
    package var coolOff: Duration
    /// The judged evidence of the new key; nil without any.
    package var evidence: NewEvidence?
    /// The most changes of the device.
    package var quota = AccountQuota.standard

    package init(device: DeviceID, kind: KeyKind, old: String?, new: NewDevice.Key?, coolOff: Duration) {
        self.device = device
        self.kind = kind
        self.old = old
        self.new = new
        self.coolOff = coolOff
    }
}
#endif
