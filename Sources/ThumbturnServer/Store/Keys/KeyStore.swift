#if Server
package import ThumbturnCore
import ThumbturnMessages

/// The part of the store that keeps the keys of devices.
package protocol KeyStore: Sendable {
    /// The key of this id with its device, also when the device is revoked.
    func key(_ kid: String) async throws -> EnrolledKey?
    /// The key of this id, possibly as it was a while ago: what never changes of it is right. What may have changed is judged in
    /// the transaction that it authorises.
    func knownKey(_ kid: String) async throws -> EnrolledKey?
    /// Consumes a challenge whose proof this key did not sign. That is one more wrong signature in a row, unless something was
    /// consumed before: a consumed challenge does not tell whether a PIN is right. From the fifth on a key pauses, except PIN
    /// keys, which have few tries anyway; while it pauses nothing is counted.
    ///
    /// - Returns: the wrong signatures in a row; nil if the challenge was consumed before or the key is gone.
    func countWrongSignature(of kid: String, spending: [Spend]) async throws -> Int?
    /// Replaces or removes a key, if the authorisation still holds, the old key is still there, and the new one is unknown. The
    /// old key is kept as a retired one and is never enrolled again. Its sessions end, unless it authorised the change itself.
    func change(_ change: NewKeys, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView>
}

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
    /// The device is revoked, or another key took this one's place.
    package var isRevoked: Bool
    /// It has signed, here or at its enrolment.
    package var isActive: Bool
    package var enrolledBy: KeyOrigin
    /// Wrong signatures in a row.
    package var wrongInARow: Int
    /// Until when no signature of it is judged, after wrong ones.
    package var pausedUntil = UnixTime(seconds: 0)
}

/// A change of one device's keys of one kind.
package struct NewKeys: Sendable {
    package var device: DeviceID
    package var kind: KeyKind
    /// The key that was there when the change was judged; nil where there was none.
    package var old: String?
    /// Nil: the old one is taken away.
    package var new: NewDevice.Key?
    /// Where a ticket authorises it: the cool-off of a device whose account has others.
    package var coolOff: Duration

    package init(device: DeviceID, kind: KeyKind, old: String?, new: NewDevice.Key?, coolOff: Duration) {
        self.device = device
        self.kind = kind
        self.old = old
        self.new = new
        self.coolOff = coolOff
    }
}
#endif
