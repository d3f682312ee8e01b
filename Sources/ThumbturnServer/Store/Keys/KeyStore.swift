#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The part of the store that keeps the keys of devices.
package protocol KeyStore: Sendable {
    /// The key of this id with its device, even if the device is revoked.
    func key(_ kid: String) async throws -> EnrolledKey?
    /// The key of this id, possibly out of date. Values that never change are correct; the others are judged again in
    /// the transaction that the key authorises.
    func knownKey(_ kid: String) async throws -> EnrolledKey?
    /// Consumes the challenge of a proof that this key did not sign, and counts one more consecutive wrong signature.
    /// It counts nothing if something had been consumed before, because such an attempt does not reveal whether a PIN
    /// is right. From the fifth wrong signature on a key is paused, except PIN keys, which have only ten tries; during
    /// a pause nothing is counted.
    ///
    /// - Returns: the consecutive wrong signatures; nil if the challenge was consumed before or the key is gone.
    func countWrongSignature(of kid: String, spending: [Spend]) async throws -> Int?
    /// Adds, replaces or removes a key, if the authorisation still holds, the old key is still there, and the new one
    /// is unknown. The old key stays stored as retired and is never enrolled again. Its sessions end, unless it
    /// authorised the change itself.
    func change(_ change: NewKeys, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView>
}

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
